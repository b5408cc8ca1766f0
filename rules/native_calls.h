// Calls from Python into C++ of the same project: which kernels they reach. A second look at Python files, once all C++ is known.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/native_project.h"
#include "rules/catalogue.h"
#include "rules/finding.h"

namespace torchport {

// What Python files are looked at for: the names made known by C++ that reach kernels. No names: nothing to look for. Keeps both arguments.
class NativeNames {
 public:
  // `packages`: of the project itself, in which its extensions lie.
  explicit NativeNames(const Catalogue& catalogue, const NativeProject& project, const std::vector<std::string>& packages = {});
  // Whether the text is worth a second look.
  bool in(std::string_view text) const;

  Interest interest;
  std::vector<std::string> names;   // sorted

 private:
  bool imports_extension(std::string_view text) const;

  const Catalogue& catalogue_;
  const NativeProject& project_;
  std::set<std::string, std::less<>> operators_;
};

struct NativeCall {
  Finding finding;
  std::vector<std::uint32_t> entries;  // see NativeProject::entries
};

// `facts` are those of NativeNames::interest.
std::vector<NativeCall> native_calls(const Catalogue& catalogue, const NativeProject& project, const SourceFile& source, const FileFacts& facts, std::uint32_t file);

}  // namespace torchport
