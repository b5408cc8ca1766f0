// Which dtypes and devices the tensors of a TorchScript archive have, read off its pickles opcode by opcode: nothing is
// looked up, made or called.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace torchport {

struct Storages {
  std::map<std::string, std::uint32_t> devices;  // "cuda:0" -> how many storages
  std::set<std::string> types;                   // "FloatStorage"
  std::string root;                              // the class of the object, "__torch__.Model"

  // Adds what the pickle names. False where it is none that TorchScript writes.
  bool add(std::string_view pickle);
};

}  // namespace torchport
