// What the pages of several projects and of a comparison show.
#pragma once

#include <string_view>

#include "reports/document.h"

namespace torchport {

// `made` as portfolio_of() or comparison_of() makes it.
nlohmann::json many_page(const Json& made, std::string_view version);

}  // namespace torchport
