// The files of the repository as the worker's compiler sees them: those that the parent named, found by their paths or, below one virtual folder, by the
// ends of their paths, and nothing else of the machine. Beside them the stubs, and what is precompiled of them, from memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace torchport::worker {

inline constexpr llvm::StringLiteral kSearchFolder = "/torchport-repository";
inline constexpr llvm::StringLiteral kPrelude = "/torchport-stubs/prelude.h";
inline constexpr llvm::StringLiteral kPrecompiled = "/torchport-stubs/prelude.pch";

class Repository {
 public:
  explicit Repository(std::vector<std::string> paths);

  const std::string& path(std::uint32_t file) const { return paths_[file]; }
  std::size_t size() const { return paths_.size(); }
  std::optional<std::uint32_t> find(llvm::StringRef path) const;
  // The file that `#include "end"` means in `from`: of those whose paths end so, the nearest.
  std::optional<std::uint32_t> find_end(llvm::StringRef end, std::uint32_t from) const;
  bool has_folder(llvm::StringRef path) const { return folders_.contains(path); }

  std::string precompiled;  // empty: not made yet

 private:
  std::vector<std::string> paths_;
  llvm::StringMap<std::uint32_t> by_path_;
  llvm::StringMap<std::vector<std::uint32_t>> by_name_;
  llvm::StringSet<> folders_;
};

// `from`: the file that is parsed. A file's unique number is its index in the repository.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const Repository& repository, std::uint32_t from);

// All stubs in one text.
llvm::StringRef prelude();

}  // namespace torchport::worker
