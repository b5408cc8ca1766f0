#include "cli/git.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

extern char** environ;

namespace torchport {
namespace {

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool valid() const { return ends_[0] >= 0; }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_end(std::size_t which) {
    if (ends_[which] >= 0) close(ends_[which]);
    ends_[which] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

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

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

// A file in memory, so that nobody has to write into one pipe while reading from another; -1 where there is none.
int file_of(std::string_view input) {
  const int file = memfd_create("torchport", MFD_CLOEXEC);
  while (file >= 0 && !input.empty()) {
    const ssize_t count = write(file, input.data(), input.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      close(file);
      return -1;
    }
    input.remove_prefix(static_cast<std::size_t>(count));
  }
  if (file >= 0) lseek(file, 0, SEEK_SET);
  return file;
}

pid_t spawn_git(std::vector<std::string>& command, int input, const Pipe& output, const Pipe& errors) {
  std::vector<std::string> environment = git_environment();
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write_end(), STDERR_FILENO);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int error =
      posix_spawnp(&pid, "git", &actions, &attributes, pointers(command).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? pid : -1;
}

// Both at once: a child that fills one pipe while we wait on the other would never end.
void drain(const Pipe& output, const Pipe& errors, const std::function<void(std::string_view)>& take,
           std::string& error_text) {
  std::array<pollfd, 2> fds = {pollfd{output.read_end(), POLLIN, 0}, pollfd{errors.read_end(), POLLIN, 0}};
  std::vector<char> buffer(1 << 16);
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    for (pollfd& fd : fds) {
      if (fd.fd < 0 || fd.revents == 0) continue;
      const ssize_t count = read(fd.fd, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        fd.fd = -1;
        continue;
      }
      const std::string_view piece(buffer.data(), static_cast<std::size_t>(count));
      if (&fd == &fds[0]) {
        take(piece);
      } else {
        error_text += piece;
      }
    }
  }
}

}  // namespace

GitResult run_git(const std::string& folder, const std::vector<std::string>& arguments,
                  const std::function<void(std::string_view)>& take, std::string_view input) {
  // fsmonitor is a program that the repository may name; with any owner trusted it must not run.
  std::vector<std::string> command = {"git", "-C", folder, "-c", "safe.directory=*", "-c", "core.fsmonitor=false"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  GitResult result;
  Pipe output, errors;
  if (!output.valid() || !errors.valid()) return result;
  const int input_file = file_of(input);
  if (input_file < 0) return result;
  const pid_t pid = spawn_git(command, input_file, output, errors);
  close(input_file);
  if (pid < 0) return result;
  output.close_end(1);
  errors.close_end(1);
  drain(output, errors, take, result.errors);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return result;
  }
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  return result;
}

}  // namespace torchport
