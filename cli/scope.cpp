#include "cli/scope.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace torchport {

namespace fs = std::filesystem;

Scope::Scope(const Job& job) {
  for (const std::string& path : job.paths) {
    std::error_code error;
    const bool folder = fs::is_directory(path, error);
    fs::path real = fs::canonical(folder ? fs::path(path) : fs::absolute(path).parent_path(), error);
    if (error) continue;
    if (folder) {
      folders_.push_back(real.string());
    } else {
      files_.push_back((real / fs::path(path).filename()).string());
    }
  }
}

bool Scope::holds(const std::string& absolute) const {
  return names(absolute) || std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
           return folder == "/" || absolute.starts_with(folder + "/");
         });
}

bool Scope::names(const std::string& absolute) const {
  return std::find(files_.begin(), files_.end(), absolute) != files_.end();
}

}  // namespace torchport
