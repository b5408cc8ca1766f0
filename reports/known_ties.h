// Ties that were there before, and which of a report's findings they are. A tie is known by its path, rule, function,
// line (without its layout) and by how many such there are, so that moved lines stay known and one entry hides one
// finding. Reads and writes no files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace torchport {

struct KnownTie {
  std::string path;  // as tie_path() gives it
  std::string rule, function;
  std::uint64_t line_hash = 0;
  std::string code;  // the beginning of the line, for people
  Impacts impact{};
  bool in_scope = true;  // the run that it is compared with would have found it; others are neither found again nor fixed
  bool gone = false;     // its file is not there any more: it may have been renamed
};

// A finding that a gate counts: not allowed, and with an impact on one of the targets.
bool is_tie(const Finding& finding, const std::vector<Target>& targets);
// The file's path from the top of the git work tree, printable.
std::string tie_path(const FileEntry& file);
KnownTie known_tie(const Report& report, std::size_t finding);
std::vector<KnownTie> known_ties(const Report& report);

enum class TieState : std::uint8_t { Uncounted, New, Known };

struct Comparison {
  std::vector<TieState> states;  // of the report's findings, by index
  std::vector<std::int64_t>
      entries;                     // the known tie that a finding is, by index; -1: none. With New: it has become worse
  std::vector<std::string> paths;  // of the known ties, after renames
  std::vector<std::size_t> fixed;  // known ties in scope that are no finding any more; what is allowed now is one still
  std::map<std::string, std::uint32_t> before;  // known ties of each file, after renames
};

// A file that is gone hands its ties to a new file that has at least half of them.
Comparison compare(const Report& report, const std::vector<KnownTie>& known);

// The file of --baseline: JSON, one tie a line. Throws Error with the file and what is wrong.
struct Baseline {
  std::vector<Target> targets;
  std::vector<KnownTie> ties;
};
Baseline parse_baseline(std::string_view text, const std::string& file);
std::string baseline_text(Baseline baseline);

}  // namespace torchport
