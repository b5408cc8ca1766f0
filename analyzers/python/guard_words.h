// Words in the names of flags, helpers and decorators, and small questions on text, for guards.cpp and guard_regions.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchport::python {

inline bool starts(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }
inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string lower(std::string_view text);

// The device that the name of a flag or helper speaks of: use_cuda, has_gpu, is_npu_available; empty: none. `negative`: no_cuda,
// require_non_xpu. `others` gets the further ones: require_cuda_or_xpu.
std::string_view device_in_name(std::string_view name, bool& negative, std::vector<std::string_view>* others = nullptr);

void unique_push(std::vector<std::string_view>& list, std::string_view item);

}  // namespace torchport::python
