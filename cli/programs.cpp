#include "cli/programs.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "analyzers/error.h"
#include "cli/child.h"

extern char** environ;

namespace torchport {
namespace {

std::string find_program(const std::string& name, const char* variable, const std::string& about) {
  const char* named = std::getenv(variable);
  const std::string path = named != nullptr && *named != '\0' ? std::string(named) : path_beside(name);
  if (is_program(path)) return path;
  throw Error("needs the program " + name + ", which is built with libtorch, and there is no " + path, about, 0,
              "build it by ./dev torch, or name it in $" + std::string(variable));
}

}  // namespace

std::string path_beside(const std::string& name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : (self.parent_path() / name).string();
}

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

std::string run_program(const std::string& name, const char* variable, const std::vector<std::string>& arguments,
                        const std::string& path) {
  std::vector<std::string> command = {find_program(name, variable, path)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_command(command, path);
}

std::string run_command(const std::vector<std::string>& command, const std::string& path) {
  const std::string name = std::filesystem::path(command.front()).filename().string();
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) environment.emplace_back(*entry);
  std::string output;
  const ChildResult result =
      run_child(command, environment, [&output](std::string_view piece) { output += piece; });
  if (result.status == 0) return output;
  if (result.signal != 0) {
    throw Error(name + " was ended by the signal " + std::string(strsignal(result.signal)) + " over it", path, 0,
                "it may be damaged or made to do harm");
  }
  std::string_view said = result.errors;
  while (said.ends_with('\n')) said.remove_suffix(1);
  said.remove_prefix(said.rfind('\n') + 1);
  throw Error(said.empty() ? name + " did not run" : std::string(said), path, 0,
              said.empty() ? "run " + command.front() + " by hand" : "");
}

}  // namespace torchport
