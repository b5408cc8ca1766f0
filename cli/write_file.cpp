#include "cli/write_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "analyzers/error.h"

namespace torchport {
namespace {

constexpr std::size_t kMaxSize = std::size_t{1} << 31;

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Some file systems report a failed write no earlier than here.
  bool close_now() { return close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

const char* hint_for(int error) {
  switch (error) {
    case ENOENT:
      return "give a file that exists";
    case EACCES:
    case EPERM:
      return "check its permissions and those of its folder";
    case ENOSPC:
    case EDQUOT:
      return "free some space and run again";
    case EROFS:
      return "the file system is mounted read-only";
    default:
      return "";
  }
}

Error failure(const std::string& what, const std::string& path, int error) {
  return {what + ": " + std::strerror(error), path, 0, hint_for(error)};
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string random_name() {
  std::uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
    bits = static_cast<std::uint64_t>(getpid()) * 0x9e3779b97f4a7c15u ^ reinterpret_cast<std::uintptr_t>(&bits);
  }
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), ".torchport-%016llx", static_cast<unsigned long long>(bits));
  return name.data();
}

// A file with an unpredictable name, removed unless it was renamed.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& folder, const std::string& target)
      : name_(folder + "/" + random_name()),
        file_(open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)),
        target_(target) {
    if (!file_.valid()) throw failure("cannot be written", target_, errno);
  }
  ~TemporaryFile() {
    if (!name_.empty()) unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw failure("cannot be written", target_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  void take_after(const struct stat& old) {
    // The owner first: giving a file away clears bits of its mode. Where only the group can be kept, that is done.
    if (fchown(file_.get(), old.st_uid, old.st_gid) != 0 &&
        fchown(file_.get(), static_cast<uid_t>(-1), old.st_gid) != 0 && errno != EPERM && errno != EINVAL) {
      throw failure("cannot be written", target_, errno);
    }
    struct stat now {};
    if (fstat(file_.get(), &now) != 0) throw failure("cannot be written", target_, errno);
    // Someone else's set-uid program must not become ours.
    const bool same = now.st_uid == old.st_uid && now.st_gid == old.st_gid;
    if (fchmod(file_.get(), old.st_mode & (same ? 07777 : 0777)) != 0) {
      throw failure("cannot be written", target_, errno);
    }
  }

  void finish() {
    if (fsync(file_.get()) != 0 && errno != EINVAL) throw failure("cannot be written", target_, errno);
    if (!file_.close_now()) throw failure("cannot be written", target_, errno);
  }

  void rename_to_target() {
    if (rename(name_.c_str(), target_.c_str()) != 0) throw failure("cannot be written", target_, errno);
    name_.clear();
  }

 private:
  std::string name_;
  FileDescriptor file_;
  std::string target_;
};

// In a folder without write bits (a copy of read-only media) the bits of a file say nothing about that file; what the system permits decides.
bool folder_has_write_bits(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  struct stat state {};
  return stat(folder.c_str(), &state) != 0 || (state.st_mode & 0222) != 0;
}

// The old file's state, if it may be replaced.
struct stat writable_state(const std::string& path) {
  struct stat state {};
  if (lstat(path.c_str(), &state) != 0) throw failure("cannot be written", path, errno);
  if (S_ISLNK(state.st_mode)) throw Error("is a symbolic link", path, 0, "give the file that it points to");
  if (!S_ISREG(state.st_mode)) throw Error("is not a regular file", path);
  const bool denied = faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0;
  if (denied && errno == EROFS) throw failure("cannot be written", path, errno);
  if (denied || ((state.st_mode & 0222) == 0 && folder_has_write_bits(path))) {
    throw Error("is read-only", path, 0, "make it writable or leave it out");
  }
  return state;
}

}  // namespace

std::string read_file(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) throw failure("cannot be read", path, errno);
  struct stat state {};
  if (fstat(file.get(), &state) != 0) throw failure("cannot be read", path, errno);
  if (S_ISDIR(state.st_mode)) throw Error("is a folder", path, 0, "give a file");
  const auto check_size = [&](std::size_t size) {
    if (size >= kMaxSize) throw Error("holds 2 GiB or more", path, 0, "leave it out");
  };
  check_size(static_cast<std::size_t>(state.st_size));
  // One byte more than it should hold shows its end in the first read; files of /proc and pipes say 0.
  std::string bytes(static_cast<std::size_t>(state.st_size) + 1, '\0');
  std::size_t size = 0;
  while (true) {
    if (size == bytes.size()) bytes.resize(std::max(2 * size, std::size_t{4096}));
    const ssize_t count = read(file.get(), bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw failure("cannot be read", path, errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    check_size(size);
  }
  bytes.resize(size);
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes, std::string_view expected_old) {
  const struct stat state = writable_state(path);
  const std::string folder = folder_of(path);
  TemporaryFile temporary(folder, path);
  temporary.write(bytes);
  temporary.take_after(state);
  temporary.finish();
  writable_state(path);
  if (read_file(path) != expected_old) {
    throw Error("has changed since it was read", path, 0, "run again");
  }
  temporary.rename_to_target();
  // The new bytes are safe by now; this makes the rename outlive a power cut, where the file system can.
  const FileDescriptor parent(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.valid()) fsync(parent.get());
}

void keep_apart(const std::string& output, const std::vector<std::string>& read) {
  if (output.empty()) return;
  for (const std::string& file : read) {
    std::error_code error;
    if (!file.empty() && std::filesystem::equivalent(output, file, error) && !error)
      throw Error("is read by this run and would be written over", output, 0, "give --output another name");
  }
}

}  // namespace torchport
