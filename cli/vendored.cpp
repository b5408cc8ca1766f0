#include "cli/vendored.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/walk.h"

namespace torchport {
namespace {

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

template <std::size_t size>
bool among(std::string_view name, const std::array<std::string_view, size>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// `external`, `extern`, `deps`, `libs` and `contrib` are missing on purpose: projects keep code of their own there.
bool is_vendored_name(std::string_view name) {
  static constexpr std::array<std::string_view, 17> kNames = {
      "third_party", "third-party",   "thirdparty",    "3rdparty",  "3rd_party",   "3rd-party",
      "vendor",      "vendored",      "_vendor",       "_vendored", ".venv",       ".tox",
      ".nox",        "site-packages", "dist-packages", ".eggs",     "node_modules"};
  return among(name, kNames);
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

bool in_leading_comment(std::string_view head) {
  for (int line = 0; line < 5 && !head.empty(); ++line) {
    const std::size_t end = std::min(head.find_first_of("\r\n"), head.size());
    std::string_view text = head.substr(0, end);
    head.remove_prefix(end);
    head.remove_prefix(head.starts_with("\r\n") ? 2 : head.empty() ? 0 : 1);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\xef\xbb\xbf"), text.size()));
    const bool comment =
        text.starts_with('#') || text.starts_with("//") || text.starts_with('*') || text.starts_with("/*");
    if (comment && (text.find("@generated") != text.npos || text.find("DO NOT EDIT") != text.npos)) return true;
  }
  return false;
}

}  // namespace

bool is_bookkeeping(std::string_view folder_name) {
  static constexpr std::array<std::string_view, 8> kNames = {
      ".git", ".hg", ".svn", ".bzr", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"};
  return among(folder_name, kNames);
}

Origin Origins::of(std::string_view folder) {
  if (folder.empty()) return Origin::Own;
  const auto known = known_.find(std::string(folder));
  if (known != known_.end()) return known->second;
  const std::size_t slash = folder.rfind('/');
  const Origin above = of(slash == std::string_view::npos ? std::string_view() : folder.substr(0, slash));
  const Origin origin = above == Origin::Vendored ? above : std::max(above, own_origin(folder));
  known_.emplace(folder, origin);
  return origin;
}

Origin Origins::own_origin(std::string_view folder) const {
  const std::string_view name = last_name(folder);
  const std::string path = root_ + "/" + std::string(folder);
  if (is_vendored_name(name) || exists(path + "/pyvenv.cfg")) return Origin::Vendored;
  if (name != "build" && name != "dist") return Origin::Own;
  // A package may be called "build"; the output of one lies beside what it was built from.
  const std::string beside = path.substr(0, path.size() - name.size());
  const bool has_recipe =
      exists(beside + "setup.py") || exists(beside + "pyproject.toml") || exists(beside + "CMakeLists.txt");
  return has_recipe && !exists(path + "/__init__.py") ? Origin::Built : Origin::Own;
}

bool looks_generated(std::string_view path, std::string_view head) {
  const std::string_view name = last_name(path);
  for (const std::string_view ending : {"_pb2.py", "_pb2_grpc.py", "_pb2.pyi", "_pb2_grpc.pyi"}) {
    if (name.ends_with(ending)) return true;
  }
  return in_leading_comment(head);
}

}  // namespace torchport
