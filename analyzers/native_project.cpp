#include "analyzers/native_project.h"

#include <algorithm>
#include <unordered_set>

#include "analyzers/text.h"

namespace torchport {
namespace {

constexpr std::uint32_t kNoFile = 0xffffffff;
// A name that so many files define says nothing of which is meant.
constexpr std::size_t kRare = 3;


bool ends_with_path(std::string_view path, std::string_view end) {
  return path.ends_with(end) && (path.size() == end.size() || path[path.size() - end.size() - 1] == '/');
}

std::size_t common(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin()).first - a.begin());
}

// "area_cpu", "cpu_area", "areaCPU", whatever in cpu/ or in area_cpu.cpp; not "copy_from_cpu_to_device".
bool for_cpu(std::string_view path, std::string_view name) {
  if (path.find("/cpu/") != std::string_view::npos || path.starts_with("cpu/") || path.find("_cpu.") != std::string_view::npos) return true;
  return name.ends_with("_cpu") || name.ends_with("CPU") || name.starts_with("cpu_") || name.ends_with("_cpu_forward") || name.ends_with("_cpu_backward") || name.ends_with("_cpu_impl");
}

// "…" and '…' of a piece of Python, comments left out.
std::vector<std::string> strings_in(std::string_view code) {
  std::vector<std::string> out;
  for (std::size_t at = code.find_first_of("\"'#"); at != std::string_view::npos; at = code.find_first_of("\"'#", at + 1)) {
    const std::size_t end = code.find(code[at] == '#' ? '\n' : code[at], at + 1);
    if (end == std::string_view::npos) break;
    if (code[at] != '#') out.emplace_back(code.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

bool is_source(std::string_view path) { return path.ends_with(".cpp") || path.ends_with(".cu") || path.ends_with(".cc") || path.ends_with(".cxx"); }

// CUDAExtension("pkg._C", [sources]), load(name="fused", sources=[…]): the last part of the name, and the strings that name sources.
std::vector<NativeProject::Module> modules_of(const SourceFile& source, const FileFacts& facts) {
  std::vector<NativeProject::Module> out;
  for (const Use& use : facts.uses) {
    if (use.kind != UseKind::Call || !use.symbol.starts_with("torch.utils.cpp_extension.")) continue;
    NativeProject::Module module;
    for (const Arg& arg : use.args) {
      const bool name = arg.keyword.empty() ? arg.position == 0 : arg.keyword == "name";
      for (const Value& value : arg.values) {
        if (name && value.kind == ValueKind::String && !value.partial) module.name = value.text.substr(value.text.rfind('.') == std::string_view::npos ? 0 : value.text.rfind('.') + 1);
      }
      for (std::string& text : strings_in(name ? std::string_view() : source.text(arg.span))) {
        if (is_source(text)) module.sources.push_back(std::move(text));
      }
    }
    if (!module.name.empty()) out.push_back(std::move(module));
  }
  return out;
}

}  // namespace

void NativeProject::add(std::size_t index, const SourceFile& source, const FileFacts& facts) {
  File& file = files_[index];
  if (facts.language == Language::Python) file.modules = modules_of(source, facts);
  if (facts.language != Language::Cpp || facts.status == Status::Skipped) return;
  file.path = source.path();
  for (std::size_t n = 0; n < facts.natives.size(); ++n) {
    const NativeFunction& native = facts.natives[n];
    if (!native.defined) continue;
    Function function{{}, hash_of(native.name), native.side, for_cpu(file.path, native.name), static_cast<std::uint32_t>(n), source.position(native.span.start).line, native.lines, native.features, native.names, native.span};
    if (native.side == Side::Kernel) function.name = native.name;
    file.functions.push_back(std::move(function));
  }
  for (const Use& use : facts.uses) {
    const std::uint32_t line = source.position(use.span.start).line;
    if (use.kind == UseKind::Include) {
      file.includes.emplace_back(use.symbol);
    } else if (use.kind == UseKind::Launch) {
      file.launches.push_back({hash_of(use.symbol), use.scope, line, std::string(use.symbol), use.span});
    }
  }
  for (const Registration& r : facts.registrations) {
    const char* between = r.kind == RegistrationKind::Method ? "." : "::";
    Known known{r.kind, source.position(r.span.start).line, std::string(r.name), std::string(r.key), {}, r.names};
    known.symbol = r.kind == RegistrationKind::Module || r.space.empty() ? known.name : std::string(r.space) + between + known.name;
    file.known.push_back(std::move(known));
  }
  file.linked = facts.linked_names;
  if (!file.functions.empty() || !file.launches.empty()) file.line_starts = source.line_starts();
}

std::uint32_t NativeProject::resolve_include(std::uint32_t from, std::string_view header) const {
  while (header.starts_with("../") || header.starts_with("./")) header.remove_prefix(header.find('/') + 1);
  const auto named = by_name_.find(file_name(header));
  if (named == by_name_.end()) return kNoFile;
  std::uint32_t best = kNoFile;
  std::size_t most = 0;
  for (const std::uint32_t candidate : named->second) {
    if (candidate == from || !ends_with_path(files_[candidate].path, header)) continue;
    const std::size_t shared = common(files_[candidate].path, files_[from].path) + 1;
    if (shared > most) {
      most = shared;
      best = candidate;
    }
  }
  return best;
}

void NativeProject::find_visible() {
  std::vector<std::vector<std::uint32_t>> direct(files_.size());
  for (std::uint32_t f = 0; f < files_.size(); ++f) {
    for (const std::string& header : files_[f].includes) {
      const std::uint32_t target = resolve_include(f, header);
      if (target != kNoFile) direct[f].push_back(target);
    }
    files_[f].includes.clear();
  }
  std::vector<std::uint32_t> seen(files_.size(), kNoFile);
  for (std::uint32_t f = 0; f < files_.size(); ++f) {
    if (files_[f].path.empty()) continue;
    std::vector<std::uint32_t>& visible = files_[f].visible;
    visible.push_back(f);
    seen[f] = f;
    for (std::size_t i = 0; i < visible.size() && visible.size() < 400; ++i) {
      for (const std::uint32_t next : direct[visible[i]]) {
        if (seen[next] == f) continue;
        seen[next] = f;
        visible.push_back(next);
      }
    }
  }
}

std::vector<NativeProject::Where> NativeProject::resolve(std::uint32_t file, std::uint64_t name, bool device) const {
  const auto known = functions_.find(name);
  if (known == functions_.end()) return {};
  std::vector<Where> here, near, far;
  for (const Where& where : known->second) {
    const Function& function = files_[where.file].functions[where.function];
    if (device != (function.side == Side::Device)) continue;
    const auto& visible = files_[file].visible;
    if (where.file == file) {
      here.push_back(where);
    } else if (std::find(visible.begin(), visible.end(), where.file) != visible.end()) {
      near.push_back(where);
    } else {
      far.push_back(where);
    }
  }
  if (!here.empty()) return here;
  if (!near.empty()) return near;
  if (device || far.empty()) return {};
  // Many in one folder are the instances of one template.
  const auto folder = [&](const Where& where) { return std::string_view(files_[where.file].path).substr(0, files_[where.file].path.rfind('/') + 1); };
  const bool together = std::all_of(far.begin(), far.end(), [&](const Where& where) { return folder(where) == folder(far.front()); });
  if (far.size() > kRare && !together) return {};
  far.resize(std::min<std::size_t>(far.size(), 8));
  return far;
}

void NativeProject::place_launches() {
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  for (std::uint32_t k = 0; k < kernels_.size(); ++k) numbers.emplace(key_of(kernels_[k].file, kernels_[k].native), k);
  const auto kernels_named = [&](std::uint32_t file, std::uint64_t name) {
    std::vector<std::uint32_t> out;
    for (const Where& where : resolve(file, name, false)) {
      const Function& function = files_[where.file].functions[where.function];
      if (function.side == Side::Kernel) out.push_back(numbers.at(key_of(where.file, function.native)));
    }
    return out;
  };
  // Kernels that a host function speaks of without a launch: handed on as a value (to a launcher, to a variable that is launched).
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> handed;
  std::unordered_set<std::uint64_t> launchers;
  for (std::uint32_t f = 0; f < files_.size(); ++f) {
    for (const Launch& launch : files_[f].launches) launchers.insert(key_of(f, static_cast<std::uint32_t>(launch.function)));
    for (const Function& function : files_[f].functions) {
      if (function.side != Side::Host) continue;
      std::vector<std::uint32_t> kernels;
      for (const std::uint64_t name : function.names) {
        for (const std::uint32_t k : kernels_named(f, name)) kernels.push_back(k);
      }
      if (kernels.empty()) continue;
      std::sort(kernels.begin(), kernels.end());
      launched_[key_of(f, function.native + 1)] = kernels;
      handed.emplace(key_of(f, function.native + 1), std::move(kernels));
    }
  }
  // auto kernel = &k<T>; kernel<<<…>>>(…): one of those that the function speaks of; else one of those that a function chooses
  // which it calls, wherever that is defined, and which launches none itself.
  const auto spoken_of = [&](std::uint32_t file, std::uint32_t function) {
    if (const auto values = handed.find(key_of(file, function)); values != handed.end()) return values->second;
    std::vector<std::uint32_t> kernels;
    for (const Function& caller : files_[file].functions) {
      if (caller.native + 1 != function) continue;
      for (const std::uint64_t name : caller.names) {
        for (const Where& where : resolve(file, name, false)) {
          const std::uint64_t chooser = key_of(where.file, files_[where.file].functions[where.function].native + 1);
          const auto values = handed.find(chooser);
          if (values != handed.end() && !launchers.contains(chooser)) kernels.insert(kernels.end(), values->second.begin(), values->second.end());
        }
      }
    }
    std::sort(kernels.begin(), kernels.end());
    kernels.erase(std::unique(kernels.begin(), kernels.end()), kernels.end());
    return kernels;
  };
  for (std::uint32_t f = 0; f < files_.size(); ++f) {
    for (const Launch& launch : files_[f].launches) {
      if (places_by_clang(f, launch)) continue;
      std::vector<std::uint32_t> kernels = kernels_named(f, launch.kernel);
      const auto function = static_cast<std::uint32_t>(launch.function);
      if (kernels.empty()) kernels = spoken_of(f, function);
      for (const std::uint32_t k : kernels) {
        kernels_[k].launches.push_back({files_[f].path, launch.line, launch.symbol});
        launched_[key_of(f, function)].push_back(k);
      }
    }
  }
  place_clang_launches(numbers);
}

void NativeProject::reach(std::uint32_t file, const std::vector<std::uint64_t>& names, NativeEntry& entry) const {
  std::vector<std::uint32_t>& kernels = entry.kernels;
  std::unordered_set<std::uint64_t> seen;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> left;
  const auto follow = [&](std::uint32_t from, std::uint64_t next) {
    if (seen.insert(next).second) left.emplace_back(from, next);
  };
  for (const std::uint64_t name : names) follow(file, name);
  while (!left.empty() && seen.size() < 20000) {
    const auto [from, next] = left.back();
    left.pop_back();
    if (const auto link = linked_.find(next); link != linked_.end()) {
      for (const std::uint64_t other : link->second) follow(from, other);
    }
    for (const Where& where : resolve(from, next, false)) {
      const Function& function = files_[where.file].functions[where.function];
      // What a kernel calls runs on the device.
      if (function.side == Side::Kernel) continue;
      entry.cpu = entry.cpu || function.cpu;
      if (const auto here = launched_.find(key_of(where.file, function.native + 1)); here != launched_.end()) {
        kernels.insert(kernels.end(), here->second.begin(), here->second.end());
      }
      for (const std::uint64_t called : function.names) follow(where.file, called);
    }
  }
  std::sort(kernels.begin(), kernels.end());
  kernels.erase(std::unique(kernels.begin(), kernels.end()), kernels.end());
}

void NativeProject::follow_entries() {
  for (std::uint32_t f = 0; f < files_.size(); ++f) {
    for (const Known& known : files_[f].known) {
      NativeEntry entry;
      entry.place = {files_[f].path, known.line, known.symbol};
      entry.name = known.name;
      entry.key = known.key;
      entry.kind = known.kind;
      if (entry.kind != RegistrationKind::Module ) reach(f, known.names, entry);
      // A kernel for every device, or for the CPU's key.
      entry.cpu = entry.cpu || entry.key == "CPU" || (entry.key.starts_with("Composite") && entry.kernels.empty());
      if (entry.kind == RegistrationKind::Module && entry.key.empty() && !entry.name.empty()) modules_.push_back({std::string(entry.name), {files_[f].path}});
      for (const std::uint32_t k : entry.kernels) kernels_[k].entries.push_back(static_cast<std::uint32_t>(entries_.size()));
      entries_.push_back(std::move(entry));
    }
  }
}

void NativeProject::close() {
  for (std::uint32_t f = 0; f < files_.size(); ++f) {
    File& file = files_[f];
    if (file.path.empty()) continue;
    by_name_[file_name(file.path)].push_back(f);
    for (std::uint32_t i = 0; i < file.functions.size(); ++i) functions_[file.functions[i].hash].push_back({f, i});
    for (const auto& names : file.linked) {
      for (std::size_t n = 1; n < names.size(); ++n) linked_[names[0]].push_back(names[n]);
    }
  }
  find_visible();
  join_clang();
  for (std::uint32_t f = 0; f < files_.size(); ++f) {
    for (const Function& function : files_[f].functions) {
      if (function.side != Side::Kernel) continue;
      NativeKernel kernel;
      kernel.place = {files_[f].path, function.line, function.name};
      kernel.file = f;
      kernel.native = function.native;
      kernel.lines = function.lines;
      reach_features(f, function, kernel);
      kernels_.push_back(std::move(kernel));
    }
  }
  place_launches();
  follow_entries();
  for (const File& file : files_) modules_.insert(modules_.end(), file.modules.begin(), file.modules.end());
  std::stable_sort(modules_.begin(), modules_.end(), [](const Module& a, const Module& b) { return a.name < b.name; });
  for (NativeKernel& kernel : kernels_) {
    std::sort(kernel.launches.begin(), kernel.launches.end());
    kernel.launches.erase(std::unique(kernel.launches.begin(), kernel.launches.end()), kernel.launches.end());
    for (const NativePlace& launch : kernel.launches) launched_at_[{launch.path, launch.line}].push_back(static_cast<std::uint32_t>(&kernel - kernels_.data()));
  }
}

bool NativeProject::is_module(std::string_view name) const {
  return std::any_of(modules_.begin(), modules_.end(), [&](const Module& module) { return module.name == name; });
}

bool NativeProject::built_from(std::string_view name, std::string_view path) const {
  return std::any_of(modules_.begin(), modules_.end(), [&](const Module& module) {
    return module.name == name && std::any_of(module.sources.begin(), module.sources.end(), [&](std::string_view end) { return ends_with_path(path, end); });
  });
}

bool NativeProject::leads_to_kernel(std::size_t file, std::string_view function) const {
  NativeEntry entry;
  reach(static_cast<std::uint32_t>(file), {hash_of(function)}, entry);
  return !entry.kernels.empty();
}

const NativeKernel* NativeProject::kernel(std::size_t file, std::uint32_t native) const {
  const auto at = std::lower_bound(kernels_.begin(), kernels_.end(), std::pair(static_cast<std::uint32_t>(file), native),
                                   [](const NativeKernel& k, const auto& wanted) { return std::pair(k.file, k.native) < wanted; });
  return at != kernels_.end() && at->file == file && at->native == native ? &*at : nullptr;
}

}  // namespace torchport
