// JSON as we print it: on one line, and whole even where a path or a line of code is no UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace torchport {

inline std::string text_of(const nlohmann::ordered_json& json) { return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace); }

}  // namespace torchport
