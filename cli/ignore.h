// The patterns of a .gitignore, read as git reads them; the globs of torchport.yaml are the same language. Pure text:
// opens no files. What git does for tracked files is the caller's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace torchport {

// git's wildmatch over a whole path: `*`, `?` and classes stay within a folder's name, `**` as a whole name crosses
// folders, `\` escapes.
bool glob_match(std::string_view pattern, std::string_view path);

enum class Verdict : std::uint8_t { None, Ignored, Kept };

// The lines of one file. Paths are relative to the walk's top, with '/'; `folder` is where the file lies, empty at the
// top.
class IgnoreRules {
 public:
  explicit IgnoreRules(std::string folder = {});

  void add_text(std::string_view text);
  // Comments and blank lines are lines too.
  void add_line(std::string_view line);
  bool empty() const { return patterns_.empty(); }

  // What the last line that matches says about this path itself, not about the folders above it.
  Verdict verdict(std::string_view path, bool is_folder) const;
  // For a file: whether it or a folder above it is ignored.
  bool matches(std::string_view path) const;

 private:
  enum class Kind : std::uint8_t { Exact, Suffix, Glob };
  struct Pattern {
    std::string text;
    Kind kind = Kind::Glob;
    bool whole_path = false;  // else the last name only
    bool folder_only = false;
    bool keeps = false;
  };
  static bool hit(const Pattern& pattern, std::string_view path);

  std::string prefix_;  // "folder/"
  std::vector<Pattern> patterns_;
};

}  // namespace torchport
