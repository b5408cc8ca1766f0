// What the files of one scan know of each other: which functions take a device, and which constants are given as devices elsewhere.
// Modules are found by the ends of their paths, as no search path is known: utils.py beside the importer first, then anywhere.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/facts.h"

namespace torchport {

class Project {
 public:
  // Keeps a place for each of `files`; then add() may be called for different files at the same time.
  explicit Project(std::size_t files) : files_(files) {}
  void add(std::size_t index, const std::string& path, const FileFacts& facts);
  // When all are in: follows what is handed on from module to module.
  void close();

  // Whether the function that `importer` knows as `callee` ("utils.place", ".utils.Trainer") takes a device at that position (-1: by keyword).
  bool takes_device(std::string_view importer, std::string_view callee, std::int32_t position, std::string_view keyword) const;
  // Whether another file gives the module-level name of this file as a device.
  bool gives_device(std::string_view path, std::string_view name) const;
  // Whether some class of the project has a method cuda() and no to(): then `.cuda()` of an unknown object may be that one.
  bool has_own_cuda() const { return own_cuda_; }

 private:
  struct File {
    std::string path;
    std::vector<ExportedParameter> parameters;
    std::vector<ForwardedParameter> forwarded;
    std::vector<std::string> device_imports;
    bool own_cuda = false;
  };
  // The files that the dotted name may live in, and what remains of the name in each.
  std::vector<std::pair<std::size_t, std::string>> resolve(std::string_view importer, std::string_view dotted) const;

  std::vector<File> files_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_stem_;  // last part of the module's name -> files
  bool own_cuda_ = false;
  std::set<std::pair<std::string, std::string>> given_;                   // (path, name)
};

}  // namespace torchport
