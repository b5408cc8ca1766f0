#include "cli/ignore.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "analyzers/text.h"

namespace torchport {
namespace {

bool in_named_class(std::string_view name, unsigned char c) {
  if (name == "alnum") return std::isalnum(c);
  if (name == "alpha") return std::isalpha(c);
  if (name == "blank") return c == ' ' || c == '\t';
  if (name == "cntrl") return std::iscntrl(c);
  if (name == "digit") return std::isdigit(c);
  if (name == "graph") return std::isgraph(c);
  if (name == "lower") return std::islower(c);
  if (name == "print") return std::isprint(c);
  if (name == "punct") return std::ispunct(c);
  if (name == "space") return std::isspace(c);
  if (name == "upper") return std::isupper(c);
  if (name == "xdigit") return std::isxdigit(c);
  return false;
}

// A class such as [a-z], read while it is asked about one character.
class ClassReader {
 public:
  ClassReader(std::string_view pattern, std::size_t at, char c)
      : pattern_(pattern), at_(at + 1), c_(static_cast<unsigned char>(c)) {}

  // Whether the character is in; nothing where the class has no end. `after` becomes the offset behind it.
  std::optional<bool> read(std::size_t& after) {
    const bool negated = at_ < pattern_.size() && (pattern_[at_] == '!' || pattern_[at_] == '^');
    if (negated) ++at_;
    // A ']' in the first place stands for itself.
    for (bool first = true; first || at_ >= pattern_.size() || pattern_[at_] != ']'; first = false) {
      if (!read_member()) return std::nullopt;
    }
    after = at_ + 1;
    return found_ != negated && c_ != '/';
  }

 private:
  bool read_member() {
    if (at_ >= pattern_.size()) return false;
    if (pattern_.substr(at_, 2) == "[:") {
      const std::size_t end = pattern_.find(']', at_ + 2);
      if (end == kNowhere) return false;
      if (end >= at_ + 3 && pattern_[end - 1] == ':') {
        found_ |= in_named_class(pattern_.substr(at_ + 2, end - at_ - 3), c_);
        at_ = end + 1;
        return true;
      }
    }
    const std::optional<unsigned char> low = read_character();
    if (!low) return false;
    if (at_ + 1 >= pattern_.size() || pattern_[at_] != '-' || pattern_[at_ + 1] == ']') {
      found_ |= c_ == *low;
      return true;
    }
    ++at_;
    const std::optional<unsigned char> high = read_character();
    if (!high) return false;
    found_ |= *low <= c_ && c_ <= *high;
    return true;
  }

  std::optional<unsigned char> read_character() {
    if (at_ < pattern_.size() && pattern_[at_] == '\\') ++at_;
    if (at_ >= pattern_.size()) return std::nullopt;
    return static_cast<unsigned char>(pattern_[at_++]);
  }

  std::string_view pattern_;
  std::size_t at_;
  unsigned char c_;
  bool found_ = false;
};

// Going back to the last `*` or, where that is spent, to the last `**` is enough: earlier ones could only skip what
// these can skip too.
class GlobMatcher {
 public:
  GlobMatcher(std::string_view pattern, std::string_view text) : pattern_(pattern), text_(text) {}

  bool run() {
    while (true) {
      if (p_ < pattern_.size() && pattern_[p_] == '*') {
        if (read_stars()) return true;
      } else if (p_ == pattern_.size() && t_ == text_.size()) {
        return true;
      } else if (!step() && !go_back()) {
        return false;
      }
    }
  }

 private:
  // True where a final `**` takes the rest.
  bool read_stars() {
    const std::size_t start = p_;
    while (p_ < pattern_.size() && pattern_[p_] == '*') ++p_;
    const bool whole_name =
        (start == 0 || pattern_[start - 1] == '/') && (p_ == pattern_.size() || pattern_[p_] == '/');
    if (p_ - start < 2 || !whole_name) {
      star_p_ = p_;
      star_t_ = t_;
      return false;
    }
    if (p_ == pattern_.size()) return true;
    folders_p_ = ++p_;
    folders_t_ = t_;
    star_p_ = kNowhere;
    return false;
  }

  bool step() {
    if (p_ >= pattern_.size() || t_ >= text_.size()) return false;
    const char c = text_[t_];
    if (pattern_[p_] == '[') {
      std::size_t after = 0;
      const std::optional<bool> in = ClassReader(pattern_, p_, c).read(after);
      if (!in || !*in) return false;
      p_ = after;
    } else if (pattern_[p_] == '?') {
      if (c == '/') return false;
      ++p_;
    } else {
      const std::size_t literal = pattern_[p_] == '\\' ? p_ + 1 : p_;
      if (literal >= pattern_.size() || pattern_[literal] != c) return false;
      p_ = literal + 1;
    }
    ++t_;
    return true;
  }

  bool go_back() {
    if (star_p_ != kNowhere && star_t_ < text_.size() && text_[star_t_] != '/') {
      t_ = ++star_t_;
      p_ = star_p_;
      return true;
    }
    if (folders_p_ == kNowhere) return false;
    const std::size_t slash = text_.find('/', folders_t_);
    if (slash == kNowhere) return false;
    t_ = folders_t_ = slash + 1;
    p_ = folders_p_;
    star_p_ = kNowhere;
    return true;
  }

  std::string_view pattern_, text_;
  std::size_t p_ = 0, t_ = 0;
  std::size_t star_p_ = kNowhere, star_t_ = 0;        // behind the last `*`, and what it has taken so far
  std::size_t folders_p_ = kNowhere, folders_t_ = 0;  // the same for the last `**/`
};

// Spaces at the end do not count unless escaped.
std::string_view without_trailing_spaces(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      i = std::min(i + 1, line.size() - 1);
      end = i + 1;
    } else if (line[i] != ' ') {
      end = i + 1;
    }
  }
  return line.substr(0, end);
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view path) { return GlobMatcher(pattern, path).run(); }

IgnoreRules::IgnoreRules(std::string folder) : prefix_(std::move(folder)) {
  if (!prefix_.empty()) prefix_ += '/';
}

void IgnoreRules::add_text(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r') && end < text.size()) line.remove_suffix(1);
    add_line(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void IgnoreRules::add_line(std::string_view line) {
  if (line.starts_with('#')) return;
  line = without_trailing_spaces(line);
  Pattern pattern;
  if (line.starts_with('!')) {
    pattern.keeps = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    pattern.folder_only = true;
    line.remove_suffix(1);
  }
  pattern.whole_path = line.find('/') != kNowhere;
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return;
  const auto plain = [](std::string_view text) { return text.find_first_of("*?[\\") == kNowhere; };
  if (plain(line)) {
    pattern.kind = Kind::Exact;
  } else if (!pattern.whole_path && line.starts_with('*') && plain(line.substr(1))) {
    pattern.kind = Kind::Suffix;
    line.remove_prefix(1);
  }
  pattern.text = line;
  patterns_.push_back(std::move(pattern));
}

bool IgnoreRules::hit(const Pattern& pattern, std::string_view path) {
  const std::string_view text = pattern.whole_path ? path : file_name(path);
  switch (pattern.kind) {
    case Kind::Exact:
      return text == pattern.text;
    case Kind::Suffix:
      return text.ends_with(pattern.text);
    case Kind::Glob:
      return glob_match(pattern.text, text);
  }
  return false;
}

Verdict IgnoreRules::verdict(std::string_view path, bool is_folder) const {
  if (!path.starts_with(prefix_)) return Verdict::None;
  path.remove_prefix(prefix_.size());
  const auto last = std::find_if(patterns_.rbegin(), patterns_.rend(), [&](const Pattern& pattern) {
    return (is_folder || !pattern.folder_only) && hit(pattern, path);
  });
  if (last == patterns_.rend()) return Verdict::None;
  return last->keeps ? Verdict::Kept : Verdict::Ignored;
}

bool IgnoreRules::matches(std::string_view path) const {
  for (std::size_t slash = path.find('/'); slash != kNowhere; slash = path.find('/', slash + 1)) {
    if (verdict(path.substr(0, slash), true) == Verdict::Ignored) return true;
  }
  return verdict(path, false) == Verdict::Ignored;
}

}  // namespace torchport
