#include "cli/output.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "analyzers/error.h"

namespace torchport {
namespace {

constexpr std::size_t kFlushAt = 64U << 10;

// The error number, 0 for none.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error("cannot be written: " + std::string(std::strerror(error)), what);
}

void write_to(int file, std::string_view text, const std::string& what) {
  const int error = write_all(file, text);
  if (error == EPIPE) throw ClosedPipe{};
  if (error != 0) fail(what, error);
}

void write_whole(const std::string& path, std::string_view text) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  // A device or pipe cannot be replaced, and a link's target should keep its place.
  const bool replace =
      !exists || (S_ISREG(status.st_mode) && ::lstat(path.c_str(), &status) == 0 && !S_ISLNK(status.st_mode));
  const std::string target = replace ? path + "." + std::to_string(::getpid()) + ".tmp" : path;
  const int file =
      ::open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, exists ? status.st_mode & 07777 : 0666);
  if (file < 0) fail(path, errno);
  int error = write_all(file, text);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && replace && std::rename(target.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return;
  if (replace) ::unlink(target.c_str());
  fail(path, error);
}

}  // namespace

void Output::write(std::string_view text) {
  buffer_ += text;
  if (!file_.empty() || buffer_.size() < kFlushAt) return;
  write_to(STDOUT_FILENO, buffer_, "standard output");
  buffer_.clear();
}

void Output::finish() {
  if (file_.empty()) {
    write_to(STDOUT_FILENO, buffer_, "standard output");
  } else {
    write_whole(file_, buffer_);
  }
  buffer_.clear();
}

bool Output::colour() const {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return file_.empty() && (no_color == nullptr || *no_color == '\0') && term != nullptr &&
         std::strcmp(term, "dumb") != 0 && ::isatty(STDOUT_FILENO) == 1;
}

std::size_t Output::width() const {
  winsize size{};
  const bool terminal = file_.empty() && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return terminal ? size.ws_col : 120;
}

void open_standard_files() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (::fcntl(file, F_GETFD) >= 0) continue;
    // The wrong way round, so that a use of it still fails.
    if (::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file) return;
  }
}

void note(std::string_view text) {
  std::string line = "torchport: ";
  for (const char c : text) line += c == '\n' || c == '\r' ? ' ' : c;
  while (line.ends_with(' ')) line.pop_back();
  print_error(line + "\n");
}

void print_error(std::string_view text) { write_all(STDERR_FILENO, text); }

std::string read_stdin() {
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error("cannot be read: " + std::string(std::strerror(errno)), "standard input");
    if (n == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace torchport
