// The findings of a report as rows of a page, by file, and the rules that they name.
#pragma once

#include <functional>
#include <string>

#include "reports/document.h"

namespace torchport {

// Further words by which links pick the finding.
using MoreTokens = std::function<std::string(const Json& finding)>;
// [{"path", "count", "rows": […]}, …]; at most `most` rows in all.
nlohmann::json file_rows(const Json& report, std::size_t most, const MoreTokens& more = nullptr);
// `kind` and a name as one word by which a link picks findings; empty for no name.
std::string token(const std::string& kind, const std::string& name);
// That of the findings of one symbol.
std::string symbol_token(const std::string& symbol);
nlohmann::json rule_rows(const Json& report);
// printable(), and cut after `most` bytes.
std::string shown_text(const Json& text, std::size_t most = 300);
// "neuron, tpu: blocks; xpu: degrades" of {"neuron": "blocks", …}.
std::string impacts_of(const Json& targets);

}  // namespace torchport
