// What Clang says of the project, joined with what the tokens say, by place.
#include <algorithm>
#include <unordered_set>

#include "analyzers/native_project.h"

namespace torchport {
namespace {

template <class T>
void take_all(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
  std::sort(to.begin(), to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

}  // namespace

// A header is read once for every file that includes it, each time under other macros: what any of them says holds.
void NativeProject::add(const ClangAnswer& answer) {
  for (const ClangFunction& function : answer.functions) {
    const auto [known, is_new] = files_[function.at.file].clang_functions.emplace(function.at.byte, function);
    if (is_new) continue;
    ClangFunction& first = known->second;
    first.features |= function.features;
    first.shared = std::max(first.shared, function.shared);
    first.shared_open = first.shared_open || function.shared_open;
    first.dynamic_shared = first.dynamic_shared || function.dynamic_shared;
    take_all(first.calls, function.calls);
    take_all(first.ptx, function.ptx);
    take_all(first.atomics, function.atomics);
  }
  for (const ClangLaunch& launch : answer.launches) {
    const auto [known, is_new] = files_[launch.at.file].clang_launches.emplace(std::pair(launch.at.byte, launch.use), launch);
    if (!is_new) take_all(known->second.kernels, launch.kernels);
  }
  for (const ClangMember& member : answer.members) files_[member.at.file].clang_members.emplace(member.at.byte, member.type);
}

std::optional<NativeProject::Where> NativeProject::function_at(ClangPlace place) const {
  const auto& functions = files_[place.file].functions;
  const auto after = std::upper_bound(functions.begin(), functions.end(), place.byte, [](std::uint32_t byte, const Function& f) { return byte < f.span.start; });
  if (after == functions.begin() || std::prev(after)->span.end <= place.byte) return std::nullopt;
  return Where{place.file, static_cast<std::uint32_t>(after - functions.begin() - 1)};
}

void NativeProject::join_clang() {
  for (std::uint32_t f = 0; f < files_.size(); ++f) {
    for (const auto& [byte, function] : files_[f].clang_functions) {
      const auto where = function_at({f, byte});
      if (where) files_[f].functions[where->function].clang = &function;
    }
  }
}

// Those that Clang found; of the other names in its body those that the files in sight have.
std::vector<NativeProject::Where> NativeProject::called(std::uint32_t file, const Function& function) const {
  std::vector<Where> out;
  std::unordered_set<std::uint64_t> resolved;
  if (function.clang != nullptr) {
    for (const ClangPlace& place : function.clang->calls) {
      const auto where = function_at(place);
      if (!where) continue;
      const Function& helper = files_[where->file].functions[where->function];
      // What a kernel launches, or shares a local name with, does not run in it.
      if (helper.side == Side::Device || (helper.side == Side::Host && helper.clang != nullptr)) out.push_back(*where);
      resolved.insert(helper.hash);
    }
  }
  for (const std::uint64_t name : function.names) {
    if (resolved.contains(name)) continue;
    const std::vector<Where> found = resolve(file, name, true);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

void NativeProject::reach_features(std::uint32_t file, const Function& function, NativeKernel& kernel) const {
  kernel.clang = function.clang;
  std::unordered_set<std::uint64_t> seen;
  std::vector<Where> left = {{file, static_cast<std::uint32_t>(&function - files_[file].functions.data())}};
  std::uint64_t by_tokens = 0;
  while (!left.empty()) {
    const Where where = left.back();
    left.pop_back();
    if (!seen.insert(key_of(where.file, where.function)).second) continue;
    const Function& helper = files_[where.file].functions[where.function];
    by_tokens |= helper.features;
    if (helper.clang != nullptr) {
      kernel.features |= helper.clang->features;
      take_all(kernel.atomics, helper.clang->atomics);
      take_all(kernel.ptx, helper.clang->ptx);
    }
    for (const Where& next : called(where.file, helper)) left.push_back(next);
  }
  kernel.beyond_tokens = kernel.features & ~by_tokens;
  kernel.features |= by_tokens;
}

// Whether Clang leads from the launch to a kernel's body. It may see a declaration alone; then the name must do.
bool NativeProject::places_by_clang(std::uint32_t file, const Launch& launch) const {
  for (const ClangLaunch* known : clang_launches(file, launch.span)) {
    if (std::any_of(known->kernels.begin(), known->kernels.end(), [&](ClangPlace kernel) { return kernel_at(kernel).has_value(); })) return true;
  }
  return false;
}

void NativeProject::place_clang_launches(const std::unordered_map<std::uint64_t, std::uint32_t>& numbers) {
  for (const File& file : files_) {
    for (const auto& [at, launch] : file.clang_launches) {
      // Kernels are handed to other calls too; which of them launch, the tokens know.
      const std::uint32_t byte = at.first;
      if (std::none_of(file.launches.begin(), file.launches.end(), [&](const Launch& l) { return l.span.start <= byte && byte < l.span.end; })) continue;
      const std::uint32_t f = launch.use.file;
      const auto around = function_at(launch.use);
      for (const ClangPlace& name : launch.kernels) {
        const auto where = function_at(name);
        if (!where) continue;
        const Function& function = files_[where->file].functions[where->function];
        const auto number = numbers.find(key_of(where->file, function.native));
        if (number == numbers.end()) continue;
        const NativePlace place = place_of(launch.use);
        kernels_[number->second].launches.push_back({place.path, place.line, function.name});
        const std::uint32_t scope = around ? files_[f].functions[around->function].native + 1 : 0;
        launched_[key_of(f, scope)].push_back(number->second);
      }
    }
  }
}

std::vector<const ClangLaunch*> NativeProject::clang_launches(std::size_t file, Span span) const {
  std::vector<const ClangLaunch*> out;
  const auto& all = files_[file].clang_launches;
  for (auto it = all.lower_bound({span.start, {}}); it != all.end() && it->first.first < span.end; ++it) out.push_back(&it->second);
  return out;
}

std::vector<NativePlace> NativeProject::launched_at(std::size_t file, std::uint32_t line) const {
  std::vector<NativePlace> out;
  const auto at = launched_at_.find({files_[file].path, line});
  if (at == launched_at_.end()) return out;
  for (const std::uint32_t k : at->second) out.push_back(kernels_[k].place);
  return out;
}

std::string_view NativeProject::member_type(std::size_t file, std::uint32_t byte) const {
  const auto found = files_[file].clang_members.find(byte);
  return found == files_[file].clang_members.end() ? std::string_view() : std::string_view(found->second);
}

NativePlace NativeProject::place_of(ClangPlace at) const {
  const File& file = files_[at.file];
  const auto after = std::upper_bound(file.line_starts.begin(), file.line_starts.end(), at.byte);
  return {file.path, static_cast<std::uint32_t>(after - file.line_starts.begin()), {}};
}

std::optional<NativePlace> NativeProject::kernel_at(ClangPlace name) const {
  const auto where = function_at(name);
  if (!where) return std::nullopt;
  const Function& function = files_[where->file].functions[where->function];
  if (function.side != Side::Kernel) return std::nullopt;
  return NativePlace{files_[where->file].path, function.line, function.name};
}

}  // namespace torchport
