// One data file carried in the binary. The generated headers embedded_NAME.h list them; nothing else makes one.
#pragma once
#include <string_view>

namespace torchport {
struct EmbeddedFile {
  std::string_view path;   // relative to the repository, or to the build folder for a generated file
  std::string_view bytes;
};
}  // namespace torchport
