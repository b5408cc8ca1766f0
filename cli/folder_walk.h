// Lists a folder without git: .gitignore files hold as in a work tree, bookkeeping folders are not entered, a folder
// with a `.git` file is a submodule. What belongs to the walk is the Collector's to say.
#pragma once

#include <string>
#include <vector>

#include "cli/collector.h"
#include "cli/ignore.h"

namespace torchport {

// Rules from above a folder, outermost first.
struct OuterRules {
  std::string prefix;  // where the folder lies, seen from the top of the work tree, with a final '/'
  std::vector<IgnoreRules> rules;
};

// Those of the work tree around `folder` (absolute); none where there is no work tree or its rules ignore the folder
// itself.
OuterRules outer_rules(const std::string& folder);

// `folder` is relative to the collector's root, empty for the root. `vendored`: all that is in it is.
void walk_folder(Collector& collector, const std::string& folder, OuterRules outer, bool vendored);

}  // namespace torchport
