#include "cli/folder_walk.h"

#include <dirent.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>

#include "analyzers/error.h"
#include "cli/write_file.h"

namespace torchport {
namespace {

enum class Type : std::uint8_t { File, Folder, Other };

std::optional<Type> type_of(const std::string& path) {
  struct stat state {};
  if (lstat(path.c_str(), &state) != 0) return std::nullopt;
  return S_ISREG(state.st_mode) ? Type::File : S_ISDIR(state.st_mode) ? Type::Folder : Type::Other;
}

void add_rules(std::vector<IgnoreRules>& rules, const std::string& file, std::string folder) {
  if (type_of(file) != Type::File) return;
  IgnoreRules read(std::move(folder));
  try {
    read.add_text(read_file(file));
  } catch (const Error&) {
    return;  // git, too, goes on without rules that it cannot read
  }
  if (!read.empty()) rules.push_back(std::move(read));
}

// The innermost rules that say something decide.
bool ignored_by(const std::vector<IgnoreRules>& rules, const std::string& path, bool is_folder) {
  for (auto inner = rules.rbegin(); inner != rules.rend(); ++inner) {
    const Verdict verdict = inner->verdict(path, is_folder);
    if (verdict != Verdict::None) return verdict == Verdict::Ignored;
  }
  return false;
}

class FolderWalk {
 public:
  FolderWalk(Collector& collector, OuterRules outer)
      : collector_(collector), prefix_(std::move(outer.prefix)), rules_(std::move(outer.rules)) {}

  void enter(const std::string& folder, bool vendored) {
    const Origin origin = vendored ? Origin::Vendored : collector_.origins().of(folder);
    std::vector<std::string> files, folders;
    if (!list(folder, files, folders)) {
      const int error = errno;
      if (error != ENOENT && error != ENOTDIR && !collector_.leaves_out(origin, false)) {
        collector_.add_unreadable(folder, error);
      }
      return;
    }
    const std::size_t outside = rules_.size();
    add_rules(rules_, absolute(folder) + "/.gitignore", in_tree(folder));
    for (const std::string& file : files) {
      if (!ignored(file, false)) collector_.add(file, origin, false);
    }
    for (const std::string& sub : folders) {
      if (ignored(sub, true) || collector_.excludes_folder(sub)) continue;
      const bool submodule = type_of(absolute(sub) + "/.git") == Type::File;
      enter(sub, vendored || submodule);
    }
    rules_.erase(rules_.begin() + static_cast<std::ptrdiff_t>(outside), rules_.end());
  }

 private:
  std::string absolute(const std::string& path) const {
    return path.empty() ? collector_.root() : collector_.absolute(path);
  }

  // Seen from the top of the work tree, without a final '/'.
  std::string in_tree(const std::string& folder) const {
    return folder.empty() ? prefix_.substr(0, prefix_.empty() ? 0 : prefix_.size() - 1) : prefix_ + folder;
  }

  // False with errno where the folder cannot be read.
  bool list(const std::string& folder, std::vector<std::string>& files, std::vector<std::string>& folders) const {
    DIR* dir = opendir(absolute(folder).c_str());
    if (dir == nullptr) return false;
    errno = 0;
    while (const dirent* entry = readdir(dir)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      std::string path = folder.empty() ? std::string(name) : folder + "/" + std::string(name);
      const std::optional<Type> type = type_of_entry(*entry, path);
      if (type == Type::Folder && !is_bookkeeping(name)) {
        folders.push_back(std::move(path));
      } else if (type == Type::File && collector_.may_be_wanted(path)) {
        files.push_back(std::move(path));
      }
      errno = 0;
    }
    const int error = errno;
    closedir(dir);
    errno = error;
    return error == 0;
  }

  std::optional<Type> type_of_entry(const dirent& entry, const std::string& path) const {
    switch (entry.d_type) {
      case DT_REG:
        return Type::File;
      case DT_DIR:
        return Type::Folder;
      case DT_UNKNOWN:
        return type_of(absolute(path));
      default:
        return Type::Other;
    }
  }

  bool ignored(const std::string& path, bool is_folder) const {
    return !rules_.empty() && ignored_by(rules_, prefix_ + path, is_folder);
  }

  Collector& collector_;
  std::string prefix_;
  std::vector<IgnoreRules> rules_;  // innermost last
};

}  // namespace

OuterRules outer_rules(const std::string& folder) {
  std::string top = folder;
  while (!type_of(top + "/.git")) {
    const std::size_t slash = top.rfind('/');
    if (slash == std::string::npos || top.empty()) return {};
    top.resize(slash);
  }
  OuterRules outer;
  add_rules(outer.rules, top + "/.git/info/exclude", {});
  if (folder.size() == top.size()) return outer;
  const std::string below = folder.substr(top.size() + 1);
  const std::string in_top = top + "/";
  for (std::string above, child; child != below; above = child) {
    add_rules(outer.rules, in_top + above + "/.gitignore", above);
    child = below.substr(0, below.find('/', above.empty() ? 0 : above.size() + 1));
    if (ignored_by(outer.rules, child, true)) return {};
  }
  outer.prefix = below + "/";
  return outer;
}

void walk_folder(Collector& collector, const std::string& folder, OuterRules outer, bool vendored) {
  FolderWalk(collector, std::move(outer)).enter(folder, vendored);
}

}  // namespace torchport
