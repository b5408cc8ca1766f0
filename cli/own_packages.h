// The Python packages that the scanned project itself is made of: to import them is no tie to a library of others.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace torchport {

// Names of the packages that lie at the top of the project (or in src/, python/ or lib/ there) to which `folder` belongs, sorted: folders with
// an __init__.py. Those of `folder` itself, of the package that it lies in, and of the work tree of git around it.
std::vector<std::string> own_packages(const std::filesystem::path& folder);

}  // namespace torchport
