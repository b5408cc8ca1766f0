#include "cli/collector.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace torchport {
namespace {

bool has_extension(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.find('.', 1) != std::string_view::npos;
}

bool starts_as_python(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  std::array<char, 64> head{};
  const ssize_t count = read(fd, head.data(), head.size());
  close(fd);
  std::string_view line(head.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  line = line.substr(0, line.find_first_of("\r\n"));
  return line.starts_with("#!") && line.find("python") != std::string_view::npos;
}

std::string path_below(const std::string& root, const std::string& folder) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(folder.c_str(), nullptr), &std::free);
  if (!real) return {};
  std::string above = real.get();
  if (!above.ends_with('/')) above += '/';
  return root.starts_with(above) ? root.substr(above.size()) + "/" : std::string();
}

void add_globs(IgnoreRules& rules, const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) rules.add_line(glob.starts_with("./") ? glob.substr(1) : glob);
}

}  // namespace

Collector::Collector(Walk& walk, const WalkOptions& options, const std::string& root)
    : walk_(walk), options_(options), root_(root), origins_(root) {
  add_globs(include_, options.include);
  add_globs(exclude_, options.exclude);
  if (!options.globs_from.empty()) glob_prefix_ = path_below(root, options.globs_from);
}

bool Collector::may_be_wanted(std::string_view path) const {
  return !options_.wanted || options_.wanted(path) || !has_extension(path);
}

bool Collector::excludes_folder(std::string_view path) const {
  return !exclude_.empty() && exclude_.verdict(glob_prefix_ + std::string(path), true) == Verdict::Ignored;
}

bool Collector::globs_allow(std::string_view path) const {
  if (include_.empty() && exclude_.empty()) return true;
  const std::string full = glob_prefix_ + std::string(path);
  return (include_.empty() || include_.matches(full)) && !exclude_.matches(full);
}

bool Collector::leaves_out(Origin origin, bool tracked) const {
  return !options_.vendored && (origin == Origin::Vendored || (origin == Origin::Built && !tracked));
}

void Collector::add(std::string_view path, Origin origin, bool tracked) {
  const bool wanted = !options_.wanted || options_.wanted(path);
  if ((!wanted && has_extension(path)) || !globs_allow(path)) return;
  if (leaves_out(origin, tracked) || (!options_.vendored && looks_generated(path, {}))) {
    if (wanted) ++walk_.left_out;
    return;
  }
  std::string full = absolute(path);
  struct stat state {};
  if (lstat(full.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) return;
  if (!wanted && !starts_as_python(full)) return;
  walk_.files.push_back({std::string(path), std::move(full)});
}

void Collector::add_unreadable(std::string_view folder, int error) {
  walk_.unreadable.emplace_back(folder, std::strerror(error));
}

}  // namespace torchport
