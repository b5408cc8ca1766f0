// The findings of a report as rows of a page, by file, and the rules that they name.
#pragma once

#include "reports/document.h"

namespace torchport {

// [{"path", "count", "rows": […]}, …]; at most `most` rows in all.
nlohmann::json file_rows(const Json& report, std::size_t most);
// The word by which a link picks the findings of one symbol; empty for none.
std::string symbol_token(const std::string& symbol);
nlohmann::json rule_rows(const Json& report);
// printable(), and cut after `most` bytes.
std::string shown_text(const Json& text, std::size_t most = 300);
// "neuron, tpu: blocks; xpu: degrades" of {"neuron": "blocks", …}.
std::string impacts_of(const Json& targets);

}  // namespace torchport
