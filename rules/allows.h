// `# torchport: allow TP123 -- why`: takes findings out of the count, and speaks up where a comment takes out nothing.
#pragma once

#include <vector>

#include "rules/catalogue.h"
#include "rules/finding.h"

namespace torchport {

void apply_allows(const Catalogue& catalogue, const SourceFile& source, const FileFacts& facts, std::uint32_t file,
                  std::vector<Finding>& findings);

}  // namespace torchport
