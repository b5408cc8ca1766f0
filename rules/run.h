// Matches one file's uses against the catalogue.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/catalogue.h"
#include "rules/finding.h"
#include "rules/ops.h"

namespace torchport {

class Project;

struct RunOptions {
  const Project* project = nullptr;  // settles open questions at once; without it they stay in the findings
  std::vector<std::string> own_packages;  // names of the packages that the project itself is made of; sorted
  std::uint32_t min_torch = 0;  // 100 * major + minor of the oldest torch that the project runs on; 0: the newest known
};

// Findings of one file in the order of their spans, suppressed ones included (allow comments consumed; an unused one is a finding itself).
// `file` becomes Finding::file. Impacts are filled in for every target; choosing among targets is the caller's. `counts`, if given, gets the
// file's operator uses added.
std::vector<Finding> run_rules(const Catalogue& catalogue, const SourceFile& source, const FileFacts& facts, std::uint32_t file,
                               const RunOptions& options, OpCounts* counts = nullptr);

// A finding about a file that could not be read, for which there are no facts.
Finding unreadable(const Catalogue& catalogue, std::uint32_t file, std::string why);
// ... about one that was analysed, but not as far as it might have been.
Finding partly_read(const Catalogue& catalogue, std::uint32_t file, std::string why);

// The newest torch in torch_names.tsv, as 100 * major + minor.
std::uint32_t newest_known_torch();

}  // namespace torchport
