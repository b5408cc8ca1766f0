// Where each kind of file names torch. Tolerant readers of lines: what they do not understand they pass over. Text in,
// no files.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace torchport {

// The oldest version allowed (see TorchPin) and the line, in the order of the lines.
using FoundTorch = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

FoundTorch torch_in_requirements(std::string_view text);
FoundTorch torch_in_pyproject(std::string_view text);
FoundTorch torch_in_setup_cfg(std::string_view text);
FoundTorch torch_in_setup_py(std::string_view text);
FoundTorch torch_in_environment(std::string_view text);

}  // namespace torchport
