// What a run found, counted once. Writers see nothing else, and every number that they print comes from here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzers/source.h"
#include "opdb/target.h"
#include "rules/finding.h"

namespace torchport {

enum class Part : std::uint8_t { Core, Tests, Examples };
std::string_view name_of(Part part);
// By the names of the folders and the file: tests, test_x.py, conftest.py; examples, benchmarks, scripts, docs.
Part part_of(std::string_view path);

struct FileEntry {
  std::string path;                 // relative to the root, '/'
  Part part = Part::Core;
  Status status = Status::Skipped;  // Skipped: read, holds no marker word
  std::string why;
  const SourceFile* source = nullptr;
};

struct TargetCounts {
  std::uint32_t blocks = 0, degrades = 0, cosmetic = 0;   // findings by impact, suppressed ones left out
  std::uint32_t fixed_safe = 0, fixed_review = 0;         // of blocks and degrades: those that a fix takes away
};

struct Report {
  std::string root;
  std::vector<Target> targets;
  std::vector<FileEntry> files;           // sorted by path
  std::uint32_t left_out = 0;             // vendored or generated files not looked at
  std::vector<Finding> findings;          // sorted by (path, offset, rule); worst impact on the chosen targets is above None or it is a file finding
  std::array<TargetCounts, kTargetCount> counts{};
  std::uint32_t suppressed = 0;
  std::string torch_version;              // the version for which fixes were chosen: "2.6"
  std::string torch_source;               // where it comes from: "requirements.txt:3", "--min-torch", "newest known"
};

Impact worst_impact(const Finding& finding, const std::vector<Target>& targets);
// Fills counts and suppressed from findings.
void count(Report& report);
// Stable name of a finding across moved lines: rule, path, normalised line, function and ordinal among equals; 16 hex digits each.
std::vector<std::string> fingerprints(const Report& report);

}  // namespace torchport
