// What the pages of several projects and of a comparison show.
#pragma once

#include <string_view>

#include "reports/document.h"

namespace torchport {

// `made` as portfolio_of() or comparison_of() makes it of the documents; of each project the first `most` findings.
nlohmann::json many_page(const Json& made, const std::vector<Document>& documents, std::string_view version,
                         std::size_t most);

}  // namespace torchport
