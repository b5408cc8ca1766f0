// What a run found, counted once. Writers see nothing else, and every number that they print comes from here.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/source.h"
#include "opdb/target.h"
#include "reports/effort.h"
#include "rules/finding.h"
#include "rules/ops.h"

namespace torchport {

enum class Part : std::uint8_t { Core, Tests, Examples };
constexpr std::size_t kPartCount = 3;
std::string_view name_of(Part part);
std::string_view name_of(Via via);
// By the names of the folders and the file: tests, test_x.py, conftest.py; examples, benchmarks, scripts, docs.
Part part_of(std::string_view path);

struct FileEntry {
  std::string path;  // relative to the root, '/'
  Part part = Part::Core;
  Status status = Status::Skipped;  // Skipped: read, holds no marker word
  bool unreadable = false;
  std::string why;
  std::string in_tree = {};  // from the top of the git work tree, outside of one as typed; empty: as `path`
};

// Analysed, but not all of it.
inline bool is_partial(const FileEntry& file) { return file.status == Status::Partial || file.status == Status::Failed; }

// A finding's place as people count it, taken while the source was at hand: sources are not kept.
struct Location {
  struct Range {
    Position start, end;  // of its first byte and of the byte after its last
  };
  Range range;
  std::vector<Range> related;     // of Finding::related, by index
  Range characters;               // as `range`, but columns count characters; column 0: too far along its line to count
  std::vector<Range> edits;       // of Finding::fix, by index, in characters
  std::vector<Range> open_edits;  // of OpenQuestion::fix
  std::string line;               // the first line, or that part of a very long one which holds the range
  std::uint32_t line_column = 1;  // column of line's first byte
  std::uint64_t line_hash = 0;    // of the whole line, without the blanks that keep no words apart and with one kind of quotes
};
// `related` is filled for places in the same source. `before` may be the location of another finding in it: what both say of one line is worked out once.
Location locate(const SourceFile& source, const Finding& finding, const Location* before = nullptr);

// Findings by impact, without suppressed ones and those of family "file", which are about the analysis and not the
// code; and of those that block or degrade how many a fix takes away.
struct Counts {
  std::uint32_t blocks = 0, degrades = 0, cosmetic = 0;
  std::uint32_t fixed_safe = 0, fixed_review = 0;
};

struct FamilyCounts {
  std::string family;
  Counts worst;  // each finding once, by its worst impact on the chosen targets
};

struct Report {
  std::string root;
  std::vector<Target> targets;
  std::uint32_t scanned = 0, skipped = 0;  // files analysed (also in part); files read that hold no marker word
  std::uint32_t left_out = 0;              // vendored or generated files not looked at
  std::uint32_t hipified = 0;              // of these: translations to HIP of CUDA files that are looked at
  std::vector<FileEntry> files;            // sorted by path: those with findings, and those not fully analysed
  std::vector<Finding> findings;           // sorted by (path, offset, rule); Finding::file is an index into files
  std::vector<Location> locations;         // of findings, by index
  std::string torch_version;               // the version for which fixes were chosen: "2.6"
  std::string torch_source;                // where it comes from: "requirements.txt:3", "--min-torch", "newest known"
  OpCounts ops;                            // operator uses and how each target serves them
  std::optional<EffortEstimate> effort;            // where the caller wants one; see estimate()

  // Filled in by count().
  std::array<Counts, kTargetCount> counts{};
  std::array<std::array<Counts, kTargetCount>, kPartCount> by_part{};
  std::array<Counts, kPartCount> worst_by_part{};
  std::vector<FamilyCounts> families;  // in the order of their ids, as rules are
  Counts worst;
  std::uint32_t suppressed = 0;
  std::uint32_t notes = 0;  // findings of family "file", which have no impact
};

Impact worst_impact(const Finding& finding, const std::vector<Target>& targets);
// Whether a report on these targets shows the finding: it does something there, or says something about the file
// itself.
bool shown(const Finding& finding, const std::vector<Target>& targets);
// What the finding's fix, or else its rule, tells people to do; may be empty.
std::string_view advice(const Finding& finding);
bool has_edits(const Finding& finding);
// Why it matters on a target: the finding's own words or its rule's; empty where the impact there is None and it has
// none of its own.
std::string_view why_on(const Finding& finding, Target target);

void count(Report& report);
// Stable name of a finding across moved lines: rule, path, normalised line, function and ordinal among equals; 16 hex
// digits each.
std::vector<std::string> fingerprints(const Report& report);

// Where a writer's bytes go; it may be called many times.
using Sink = std::function<void(std::string_view)>;

}  // namespace torchport
