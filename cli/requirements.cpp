#include "cli/requirements.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "analyzers/error.h"
#include "cli/dependency_files.h"
#include "cli/write_file.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

bool is_requirements_text(const std::string& name) {
  return name.starts_with("requirements") && name.ends_with(".txt");
}
bool is_text(const std::string& name) { return name.ends_with(".txt"); }

std::vector<std::string> names_in(const fs::path& folder, bool (*wanted)(const std::string&)) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (wanted(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// PowerShell's `pip freeze > requirements.txt` writes UTF-16.
std::string readable(std::string text) {
  if (text.starts_with("\xff\xfe")) {
    text.erase(0, 2);
    std::erase(text, '\0');
  }
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

class Search {
 public:
  explicit Search(fs::path root) : root_(std::move(root)) {}

  void read(const std::string& name, FoundTorch (*reader)(std::string_view)) {
    std::error_code error;
    if (!fs::is_regular_file(root_ / name, error)) return;
    std::string text;
    try {
      text = readable(read_file((root_ / name).string()));
    } catch (const Error&) {
      return;
    }
    for (const auto& [version, line] : reader(text)) {
      const bool better = !pin_ || (version != 0 && (pin_->version == 0 || version < pin_->version));
      if (better) pin_ = TorchPin{version, text_of(version), name + ":" + std::to_string(line)};
    }
  }

  std::optional<TorchPin> result() && { return std::move(pin_); }

 private:
  static std::string text_of(std::uint32_t version) {
    return version == 0 ? std::string() : std::to_string(version / 100) + "." + std::to_string(version % 100);
  }

  fs::path root_;
  std::optional<TorchPin> pin_;
};

}  // namespace

std::optional<TorchPin> project_torch(const std::string& root) {
  Search search(root);
  for (const std::string& name : names_in(root, is_requirements_text)) search.read(name, torch_in_requirements);
  for (const std::string& name : names_in(fs::path(root) / "requirements", is_text)) {
    search.read("requirements/" + name, torch_in_requirements);
  }
  search.read("pyproject.toml", torch_in_pyproject);
  search.read("setup.cfg", torch_in_setup_cfg);
  search.read("setup.py", torch_in_setup_py);
  search.read("environment.yml", torch_in_environment);
  search.read("environment.yaml", torch_in_environment);
  return std::move(search).result();
}

}  // namespace torchport
