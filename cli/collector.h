// Decides of one path after another whether it belongs to a walk. Where the paths come from, git or our own listing, is
// not its concern.
#pragma once

#include <string>
#include <string_view>

#include "cli/ignore.h"
#include "cli/vendored.h"
#include "cli/walk.h"

namespace torchport {

class Collector {
 public:
  // `root` is absolute. All three must outlive the collector.
  Collector(Walk& walk, const WalkOptions& options, const std::string& root);

  const std::string& root() const { return root_; }
  Origins& origins() { return origins_; }
  std::string absolute(std::string_view path) const { return root_ + "/" + std::string(path); }

  // By the name alone; false saves the caller what it would do before add().
  bool may_be_wanted(std::string_view path) const;
  // Whether the globs leave out this folder with all that is in it.
  bool excludes_folder(std::string_view path) const;
  // Whether include and exclude let the file in.
  bool globs_allow(std::string_view path) const;
  // Takes the file if it is wanted, the project's own, and a regular file; counts it if it is left out. `origin` is its
  // folder's.
  void add(std::string_view path, Origin origin, bool tracked);
  void add_unreadable(std::string_view folder, int error);
  // Whether what has this origin is left out.
  bool leaves_out(Origin origin, bool tracked) const;

 private:
  Walk& walk_;
  const WalkOptions& options_;
  const std::string& root_;
  Origins origins_;
  IgnoreRules include_, exclude_;
  std::string glob_prefix_;  // where the root lies, seen from options_.globs_from
};

}  // namespace torchport
