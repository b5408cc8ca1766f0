#include "cli/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

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

pid_t spawn(std::vector<std::string>& command, std::vector<std::string>& environment, int input, const Pipe& output,
            const Pipe& errors) {
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
      posix_spawnp(&pid, command.front().c_str(), &actions, &attributes, pointers(command).data(), pointers(environment).data());
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

ChildResult run_child(std::vector<std::string> command, std::vector<std::string> environment,
                      const std::function<void(std::string_view)>& take, std::string_view input) {
  ChildResult result;
  Pipe output, errors;
  if (!output.valid() || !errors.valid()) return result;
  const int input_file = file_of(input);
  if (input_file < 0) return result;
  const pid_t pid = spawn(command, environment, input_file, output, errors);
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
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace torchport
