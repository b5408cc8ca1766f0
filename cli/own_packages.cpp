#include "cli/own_packages.h"

#include <algorithm>

#include "cli/config.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

bool is_package(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "__init__.py", error);
}

void add_packages_in(const fs::path& folder, std::vector<std::string>& names) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored) && is_package(it->path())) names.push_back(it->path().filename().string());
  }
}

}  // namespace

std::vector<std::string> own_packages(const fs::path& folder) {
  std::error_code error;
  fs::path top = fs::weakly_canonical(folder, error);
  while (is_package(top) && top.has_parent_path() && top.parent_path() != top) top = top.parent_path();
  std::vector<fs::path> tops = {top};
  if (const auto tree = work_tree(top.string()); tree && *tree != top) tops.emplace_back(*tree);
  std::vector<std::string> names;
  for (const fs::path& one : tops) {
    for (const char* inside : {"", "src", "python", "lib"}) add_packages_in(*inside == 0 ? one : one / inside, names);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace torchport
