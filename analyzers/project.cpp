#include "analyzers/project.h"

#include <algorithm>

namespace torchport {
namespace {

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

// "pkg/utils.py" and "pkg/utils/__init__.py" are both the module pkg/utils.
std::string_view module_path(std::string_view path) {
  constexpr std::string_view kInit = "/__init__.py";
  if (path.ends_with(kInit)) return path.substr(0, path.size() - kInit.size());
  return path.substr(0, path.rfind('.'));
}

std::string_view stem(std::string_view module) { return module.substr(module.rfind('/') == std::string_view::npos ? 0 : module.rfind('/') + 1); }

bool ends_with_module(std::string_view module, std::string_view wanted) {
  if (!module.ends_with(wanted)) return false;
  return module.size() == wanted.size() || module[module.size() - wanted.size() - 1] == '/';
}

bool has_method(const FileFacts& facts, std::string_view cls, std::string_view method) {
  return std::any_of(facts.functions.begin(), facts.functions.end(), [&](const Function& f) {
    return f.name.size() == cls.size() + 1 + method.size() && f.name.starts_with(cls) && f.name.ends_with(method) && f.name[cls.size()] == '.';
  });
}

// A class with cuda() and without to(); one with forward() is a module, which has it from torch.
bool defines_cuda_alone(const FileFacts& facts) {
  return std::any_of(facts.functions.begin(), facts.functions.end(), [&](const Function& f) {
    if (!f.name.ends_with(".cuda")) return false;
    const std::string_view cls = f.name.substr(0, f.name.size() - 5);
    return !has_method(facts, cls, "to") && !has_method(facts, cls, "forward");
  });
}

}  // namespace

void Project::add(std::size_t index, const std::string& path, const FileFacts& facts) {
  files_[index] = {path, facts.device_parameters, facts.forwarded, facts.device_imports, defines_cuda_alone(facts)};
}

std::vector<std::pair<std::size_t, std::string>> Project::resolve(std::string_view importer, std::string_view dotted) const {
  std::vector<std::pair<std::size_t, std::string>> found;
  std::string base;
  const bool relative = dotted.starts_with('.');
  if (relative) {
    std::string_view folder = folder_of(importer);
    dotted.remove_prefix(1);
    while (dotted.starts_with('.')) {
      folder = folder_of(folder);
      dotted.remove_prefix(1);
    }
    base = folder;
  }
  // The module is some leading part of the name, the function or Class.method the rest; the longest module wins.
  for (std::size_t dot = dotted.rfind('.'); dot != std::string_view::npos && found.empty(); dot = dot == 0 ? std::string_view::npos : dotted.rfind('.', dot - 1)) {
    std::string module(dotted.substr(0, dot));
    std::replace(module.begin(), module.end(), '.', '/');
    const auto files = by_stem_.find(stem(module));
    if (files == by_stem_.end()) continue;
    const std::string exact = base.empty() ? module : base + "/" + module;
    const std::string sibling = folder_of(importer).empty() ? module : std::string(folder_of(importer)) + "/" + module;
    for (const std::size_t f : files->second) {
      const std::string_view candidate = module_path(files_[f].path);
      const bool match = relative ? candidate == exact : candidate == sibling || ends_with_module(candidate, module);
      if (match) found.emplace_back(f, std::string(dotted.substr(dot + 1)));
    }
    const auto near = std::find_if(found.begin(), found.end(), [&](const auto& f) { return module_path(files_[f.first].path) == sibling; });
    if (near != found.end()) return {*near};
  }
  return found;
}

void Project::close() {
  own_cuda_ = std::any_of(files_.begin(), files_.end(), [](const File& file) { return file.own_cuda; });
  for (std::size_t f = 0; f < files_.size(); ++f) {
    if (!files_[f].path.empty()) by_stem_[std::string(stem(module_path(files_[f].path)))].push_back(f);
  }
  bool fresh = true;
  for (int round = 0; fresh && round < 5; ++round) {
    fresh = false;
    for (File& file : files_) {
      for (const ForwardedParameter& hand : file.forwarded) {
        const auto same = [&](const ExportedParameter& p) { return p.function == hand.parameter.function && p.position == hand.parameter.position; };
        if (std::any_of(file.parameters.begin(), file.parameters.end(), same)) continue;
        if (!takes_device(file.path, hand.callee, hand.position, hand.keyword)) continue;
        file.parameters.push_back(hand.parameter);
        fresh = true;
      }
    }
  }
  for (const File& file : files_) {
    for (const std::string& name : file.device_imports) {
      for (const auto& [f, rest] : resolve(file.path, name)) given_.emplace(files_[f].path, rest);
    }
  }
}

bool Project::takes_device(std::string_view importer, std::string_view callee, std::int32_t position, std::string_view keyword) const {
  for (const auto& [f, function] : resolve(importer, callee)) {
    for (const ExportedParameter& p : files_[f].parameters) {
      if (p.function == function && (keyword.empty() ? p.position == position : p.name == keyword)) return true;
    }
  }
  return false;
}

bool Project::gives_device(std::string_view path, std::string_view name) const {
  return given_.contains({std::string(path), std::string(name)});
}

}  // namespace torchport
