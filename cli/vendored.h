// Tells other people's code, installed environments and build output by their folders. Looks at names and at what lies
// in a folder, never into files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace torchport {

enum class Origin : std::uint8_t {
  Own,
  Built,  // a build's output, unless git tracks it
  Vendored,
};

// Folders that hold no source at all: .git, __pycache__ and the like; never entered, never counted.
bool is_bookkeeping(std::string_view folder_name);

// Remembers what it found, so that a folder is looked at once.
class Origins {
 public:
  explicit Origins(std::string root) : root_(std::move(root)) {}

  // `folder` is relative to the root, "" the root itself, which is always Own.
  Origin of(std::string_view folder);

 private:
  Origin own_origin(std::string_view folder) const;

  std::string root_;
  std::unordered_map<std::string, Origin> known_;
};

}  // namespace torchport
