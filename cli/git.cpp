#include "cli/git.h"

#include <algorithm>
#include <array>

extern char** environ;

namespace torchport {
namespace {

// What `git rev-parse --local-env-vars` names: it would point git at another repository than the folder's.
bool names_a_repository(std::string_view variable) {
  static constexpr std::array<std::string_view, 15> kNames = {"GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                                              "GIT_CONFIG",
                                                              "GIT_CONFIG_PARAMETERS",
                                                              "GIT_CONFIG_COUNT",
                                                              "GIT_OBJECT_DIRECTORY",
                                                              "GIT_DIR",
                                                              "GIT_WORK_TREE",
                                                              "GIT_IMPLICIT_WORK_TREE",
                                                              "GIT_GRAFT_FILE",
                                                              "GIT_INDEX_FILE",
                                                              "GIT_NO_REPLACE_OBJECTS",
                                                              "GIT_REPLACE_REF_BASE",
                                                              "GIT_PREFIX",
                                                              "GIT_SHALLOW_FILE",
                                                              "GIT_COMMON_DIR"};
  return std::find(kNames.begin(), kNames.end(), variable.substr(0, variable.find('='))) != kNames.end();
}

std::vector<std::string> git_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!names_a_repository(text) && !text.starts_with("GIT_OPTIONAL_LOCKS=")) variables.emplace_back(text);
  }
  variables.emplace_back("GIT_OPTIONAL_LOCKS=0");
  return variables;
}

}  // namespace

ChildResult run_git(const std::string& folder, const std::vector<std::string>& arguments,
                    const std::function<void(std::string_view)>& take, std::string_view input) {
  // fsmonitor is a program that the repository may name; with any owner trusted it must not run.
  std::vector<std::string> command = {"git", "-C", folder, "-c", "safe.directory=*", "-c", "core.fsmonitor=false"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_child(std::move(command), git_environment(), take, input);
}

}  // namespace torchport
