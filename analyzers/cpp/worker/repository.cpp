#include "analyzers/cpp/worker/repository.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include "embedded_stubs.h"

namespace torchport::worker {
namespace {

namespace vfs = llvm::vfs;
namespace path = llvm::sys::path;

// What is larger is a table of numbers.
constexpr std::int64_t kMostBytes = 4 << 20;
constexpr std::uint64_t kFileDevice = 0x7470, kFolderDevice = 0x7471, kStubDevice = 0x7472;

std::size_t common(llvm::StringRef a, llvm::StringRef b) {
  std::size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

vfs::Status status_of(const llvm::Twine& name, llvm::sys::fs::UniqueID id, std::uint64_t size, bool folder) {
  using llvm::sys::fs::file_type;
  return vfs::Status(name, id, llvm::sys::TimePoint<>(), 0, 0, size, folder ? file_type::directory_file : file_type::regular_file, llvm::sys::fs::all_read);
}

// A file whose bytes are already read.
class Held : public vfs::File {
 public:
  Held(vfs::Status status, std::unique_ptr<llvm::MemoryBuffer> bytes) : status_(std::move(status)), bytes_(std::move(bytes)) {}
  llvm::ErrorOr<vfs::Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine&, std::int64_t, bool, bool) override { return std::move(bytes_); }
  std::error_code close() override { return {}; }

 private:
  vfs::Status status_;
  std::unique_ptr<llvm::MemoryBuffer> bytes_;
};

class RepositoryFiles : public vfs::FileSystem {
 public:
  RepositoryFiles(const Repository& repository, std::uint32_t from) : repository_(repository), from_(from) {}

  llvm::ErrorOr<vfs::Status> status(const llvm::Twine& twine) override {
    const std::string name = normal(twine);
    if (const auto text = stub(name)) return status_of(name, {kStubDevice, name.size()}, text->size(), false);
    if (const auto file = known(name)) return file_status(*file);
    const bool below = llvm::StringRef(name).starts_with(kSearchFolder) && path::extension(name).empty();
    if (below || name == "/torchport-stubs" || repository_.has_folder(name)) return status_of(name, {kFolderDevice, llvm::hash_value(name)}, 0, true);
    return std::make_error_code(std::errc::no_such_file_or_directory);
  }

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine& twine) override {
    const std::string name = normal(twine);
    if (const auto text = stub(name)) {
      auto held = std::make_unique<Held>(status_of(name, {kStubDevice, name.size()}, text->size(), false), llvm::MemoryBuffer::getMemBuffer(*text, name, false));
      return std::unique_ptr<vfs::File>(std::move(held));
    }
    const auto file = known(name);
    if (!file) return std::make_error_code(std::errc::no_such_file_or_directory);
    auto status = file_status(*file);
    if (!status) return status.getError();
    auto bytes = llvm::MemoryBuffer::getFile(repository_.path(*file), false, true, true);
    if (!bytes) return bytes.getError();
    return std::unique_ptr<vfs::File>(std::make_unique<Held>(*status, std::move(*bytes)));
  }

  vfs::directory_iterator dir_begin(const llvm::Twine&, std::error_code& error) override {
    error = std::make_error_code(std::errc::no_such_file_or_directory);
    return {};
  }
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override { return std::string("/"); }
  std::error_code setCurrentWorkingDirectory(const llvm::Twine&) override { return {}; }

 private:
  static std::string normal(const llvm::Twine& twine) {
    llvm::SmallString<256> name;
    twine.toVector(name);
    path::remove_dots(name, true);
    return std::string(name);
  }

  std::optional<llvm::StringRef> stub(llvm::StringRef name) const {
    if (name == kPrelude) return prelude();
    if (name == kPrecompiled && !repository_.precompiled.empty()) return llvm::StringRef(repository_.precompiled);
    return std::nullopt;
  }

  std::optional<std::uint32_t> known(llvm::StringRef name) const {
    if (const auto file = repository_.find(name)) return file;
    if (!name.consume_front(kSearchFolder) || !name.consume_front("/")) return std::nullopt;
    return repository_.find_end(name, from_);
  }

  llvm::ErrorOr<vfs::Status> file_status(std::uint32_t file) const {
    struct stat info {};
    const std::string& name = repository_.path(file);
    if (::lstat(name.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > kMostBytes) return std::make_error_code(std::errc::no_such_file_or_directory);
    vfs::Status status = status_of(name, {kFileDevice, file}, static_cast<std::uint64_t>(info.st_size), false);
    status.ExposesExternalVFSPath = true;
    return status;
  }

  const Repository& repository_;
  std::uint32_t from_;
};

}  // namespace

Repository::Repository(std::vector<std::string> paths) : paths_(std::move(paths)) {
  for (std::uint32_t i = 0; i < paths_.size(); ++i) {
    by_path_[paths_[i]] = i;
    by_name_[path::filename(paths_[i])].push_back(i);
    for (llvm::StringRef folder = path::parent_path(paths_[i]); !folder.empty() && folders_.insert(folder).second;) folder = path::parent_path(folder);
  }
}

std::optional<std::uint32_t> Repository::find(llvm::StringRef path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> Repository::find_end(llvm::StringRef end, std::uint32_t from) const {
  while (end.consume_front("../") || end.consume_front("./")) {
  }
  // `<vector>` is no file of a repository that has a vector of its own.
  if (path::extension(end).empty()) return std::nullopt;
  const auto named = by_name_.find(path::filename(end));
  if (named == by_name_.end()) return std::nullopt;
  std::optional<std::uint32_t> best;
  std::size_t most = 0;
  for (const std::uint32_t file : named->second) {
    const llvm::StringRef whole = paths_[file];
    if (file == from || !whole.ends_with(end) || (whole.size() > end.size() && whole[whole.size() - end.size() - 1] != '/')) continue;
    const std::size_t shared = common(whole, paths_[from]) + 1;
    if (shared <= most) continue;
    most = shared;
    best = file;
  }
  return best;
}

llvm::IntrusiveRefCntPtr<vfs::FileSystem> file_system(const Repository& repository, std::uint32_t from) {
  return llvm::makeIntrusiveRefCnt<RepositoryFiles>(repository, from);
}

llvm::StringRef prelude() {
  static const std::string text = [] {
    std::string all;
    for (const EmbeddedFile& file : embedded_stubs()) all.append(file.bytes);
    return all;
  }();
  return text;
}

}  // namespace torchport::worker
