// Pages from templates: reports/templates/*.mustache, filled with data. What a page shows is decided where the data is
// made; how it looks, in the template.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "reports/report.h"

namespace torchport {

enum class Markup : std::uint8_t { Html, Markdown };  // Html: XML too

// `name` is that of the file without ".mustache": "gate.md". Every value is escaped for the markup; what no page may
// hold (control characters, marks that turn the reading direction) has to be gone from the data.
void render(std::string_view name, const nlohmann::json& data, Markup markup, const Sink& sink);

}  // namespace torchport
