// A folder of its own for a test, removed at the end, with what tests do in it. Not for the program itself.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace torchport::test {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "torchport-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = std::filesystem::canonical(name).string();
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Makes the folders above it too.
  void write(std::string_view name, std::string_view bytes) const {
    const std::filesystem::path file = *this / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
  }
  std::string read(std::string_view name) const {
    std::ifstream file(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Runs a shell command in the folder; true where it succeeds.
  bool run(const std::string& command) const {
    return std::system(("cd '" + path_ + "' && (" + command + ") >/dev/null 2>&1").c_str()) == 0;
  }
  // An empty git repository here; false where git is missing.
  bool init_git() const {
    return run(
        "git init -q . && git config user.email a@example.com && git config user.name a && "
        "git config core.autocrlf false");
  }

 private:
  std::string path_;
};

}  // namespace torchport::test
