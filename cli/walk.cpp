#include "cli/walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "analyzers/error.h"
#include "cli/collector.h"
#include "cli/folder_walk.h"
#include "cli/git.h"

namespace torchport {
namespace {

// Takes the NUL-ended records of `git ls-files -cost -z` as they come: "H 100644 <hash> 0\tpath" of tracked files, "?
// path" of others,
// "? path/" of a repository within.
class GitListing {
 public:
  explicit GitListing(Collector& collector) : collector_(collector) {}

  void take(std::string_view piece) {
    for (std::size_t end = piece.find('\0'); end != std::string_view::npos; end = piece.find('\0')) {
      if (rest_.empty()) {
        record(piece.substr(0, end));
      } else {
        rest_ += piece.substr(0, end);
        record(rest_);
        rest_.clear();
      }
      piece.remove_prefix(end + 1);
    }
    rest_ += piece;
  }

  const std::vector<std::string>& repositories() const { return repositories_; }
  const std::vector<std::string>& submodules() const { return submodules_; }
  bool saw_untracked() const { return saw_untracked_; }

 private:
  void record(std::string_view record) {
    if (record.size() < 2) return;
    const bool tracked = record[0] != '?';
    record.remove_prefix(2);
    if (!tracked) {
      saw_untracked_ = true;
      if (record.ends_with('/')) {
        repositories_.emplace_back(record.substr(0, record.size() - 1));
      } else {
        file(record, false);
      }
      return;
    }
    const std::string_view path = record.substr(std::min(record.find('\t'), record.size() - 1) + 1);
    if (record.starts_with("160000")) {
      if (submodules_.empty() || submodules_.back() != path) submodules_.emplace_back(path);
    } else {
      file(path, true);
    }
  }

  void file(std::string_view path, bool tracked) {
    if (!collector_.may_be_wanted(path)) return;
    const std::size_t slash = path.rfind('/');
    const std::string_view folder = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    if (folder != folder_) {
      folder_ = folder;
      origin_ = collector_.origins().of(folder);
    }
    // The stages of an unmerged file stand side by side.
    if (path == last_) return;
    last_ = path;
    collector_.add(path, origin_, tracked);
  }

  Collector& collector_;
  std::string rest_;
  std::string folder_, last_;
  Origin origin_ = Origin::Own;
  std::vector<std::string> repositories_, submodules_;
  bool saw_untracked_ = false;
};

bool is_ignored_by_git(const std::string& folder) {
  return run_git(folder, {"check-ignore", "-q", "."}, [](std::string_view) {}).status == 0;
}

// False where git cannot list the folder; `walk` is then as it was.
bool list_with_git(Walk& walk, const WalkOptions& options, const std::string& root) {
  Walk listed;
  Collector collector(listed, options, root);
  GitListing listing(collector);
  const ChildResult result = run_git(root, {"ls-files", "-cost", "--exclude-standard", "-z"},
                                   [&](std::string_view piece) { listing.take(piece); });
  if (result.status != 0) return false;
  const bool is_top = access((root + "/.git").c_str(), F_OK) == 0;
  if (!is_top && !listing.saw_untracked() && is_ignored_by_git(root)) return false;
  for (const std::string& folder : listing.repositories()) {
    if (!collector.excludes_folder(folder)) walk_folder(collector, folder, {}, false);
  }
  for (const std::string& folder : listing.submodules()) {
    if (!collector.excludes_folder(folder)) walk_folder(collector, folder, {}, true);
  }
  if (!result.errors.empty()) {
    // git warns of folders that it cannot read and goes on; our own listing names them.
    Walk again;
    Collector finder(again, options, root);
    walk_folder(finder, {}, outer_rules(root), false);
    listed.unreadable.insert(listed.unreadable.end(), again.unreadable.begin(), again.unreadable.end());
  }
  listed.root = std::move(walk.root);
  walk = std::move(listed);
  return true;
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
  if (!real) throw Error(std::string("cannot be read: ") + std::strerror(errno), path);
  return real.get();
}

bool is_folder(const std::string& path) {
  struct stat state {};
  if (stat(path.c_str(), &state) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) throw Error(std::string("cannot be read: ") + std::strerror(errno), path);
    throw Error("no such file or folder", path, 0, "give a file or folder that exists");
  }
  if (!S_ISDIR(state.st_mode) && !S_ISREG(state.st_mode)) {
    throw Error("is neither a file nor a folder", path, 0, "give a file or folder");
  }
  const bool folder = S_ISDIR(state.st_mode);
  if (faccessat(AT_FDCWD, path.c_str(), folder ? R_OK | X_OK : R_OK, AT_EACCESS) != 0) {
    throw Error(std::string("cannot be read: ") + std::strerror(errno), path, 0, "check its permissions");
  }
  return folder;
}

Walk walk_of_one(const std::string& path, const WalkOptions& options) {
  const std::size_t slash = path.rfind('/');
  Walk walk;
  walk.root = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  const std::string root = real_path(walk.root);
  const Collector collector(walk, options, root);
  if (collector.globs_allow(name)) walk.files.push_back({name, collector.absolute(name)});
  return walk;
}

}  // namespace

Walk walk(const std::string& path, const WalkOptions& options) {
  if (!is_folder(path)) return walk_of_one(path, options);
  Walk walk;
  walk.root = path;
  while (walk.root.size() > 1 && walk.root.ends_with('/')) walk.root.pop_back();
  const std::string root = real_path(path);
  if (!options.use_git || !list_with_git(walk, options, root)) {
    Collector collector(walk, options, root);
    walk_folder(collector, {}, outer_rules(root), false);
  }
  std::sort(walk.files.begin(), walk.files.end(),
            [](const WalkedFile& a, const WalkedFile& b) { return a.path < b.path; });
  std::sort(walk.unreadable.begin(), walk.unreadable.end());
  return walk;
}

}  // namespace torchport
