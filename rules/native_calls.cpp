#include "rules/native_calls.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "analyzers/text.h"
#include "rules/context.h"
#include "rules/kernels.h"
#include "rules/match.h"

namespace torchport {
namespace {

// Whether a name means an extension, by the names that build files give and by custom.
bool is_extension(const Catalogue& catalogue, const NativeProject& project, std::string_view module) {
  const auto& globs = catalogue.extension_names;
  return project.is_module(module) || std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return wildcard_match(glob, module); });
}

bool says_enough(std::string_view name) { return name.size() >= 10 && name.find('_') != std::string_view::npos; }

// Whether what stands before the dot is an extension, or the name behind it says enough.
bool into_extension(const Catalogue& catalogue, const NativeProject& project, std::string_view receiver, std::string_view name) {
  const std::string_view module = last_part(receiver);
  return is_extension(catalogue, project, module) || (says_enough(name) && module != "self" && module != "cls" && receiver.find('(') == std::string_view::npos);
}

// The last word of what stands before `end`; blanks between are no part of it.
std::string_view receiver_word(std::string_view text, std::size_t end) {
  while (end > 0 && is_space(text[end - 1])) --end;
  std::size_t start = end;
  while (start > 0 && is_word(text[start - 1])) --start;
  return text.substr(start, end - start);
}

// Several modules of a project have a `forward`: the one is meant whose sources the build file lists under the receiver's name, or the one whose
// path holds that name. Where neither tells, none.
void keep_the_meant(const NativeProject& project, std::string_view module, std::vector<std::uint32_t>& entries) {
  const auto path = [&](std::uint32_t e) { return project.entries()[e].place.path; };
  const bool one = std::all_of(entries.begin(), entries.end(), [&](std::uint32_t e) { return path(e) == path(entries.front()); });
  if (one) return;
  std::vector<std::uint32_t> meant;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(meant), [&](std::uint32_t e) { return project.built_from(module, path(e)); });
  if (meant.empty()) {
    for (const std::string_view end : {"_cuda", "_ext", "_C", "_kernels"}) module = module.ends_with(end) ? module.substr(0, module.size() - end.size()) : module;
    while (module.starts_with('_')) module.remove_prefix(1);
    if (module.size() > 3) std::copy_if(entries.begin(), entries.end(), std::back_inserter(meant), [&](std::uint32_t e) { return path(e).find(module) != std::string_view::npos; });
  }
  entries = std::move(meant);
}

// torch.ops.ns.op, torch.ops.ns.op.overload, *.name, ext.name: the entries that it means.
std::vector<std::uint32_t> entries_of(const Catalogue& catalogue, const NativeProject& project, const SourceFile& source, const Use& use) {
  std::vector<std::uint32_t> out;
  constexpr std::string_view kOps = "torch.ops.";
  // from pkg.ext import name; name(): pkg.ext.name
  const std::string_view module = last_part(use.symbol.substr(0, std::min(use.symbol.rfind('.'), use.symbol.size())));
  std::string op;
  if (use.symbol.starts_with(kOps)) {
    std::string_view rest = use.symbol.substr(kOps.size());
    const std::size_t dot = rest.find('.');
    if (dot == std::string_view::npos) return out;
    op = std::string(rest.substr(0, dot)) + "::" + std::string(rest.substr(dot + 1, rest.find('.', dot + 1) - dot - 1));
  } else if (use.symbol.starts_with("*.") ? !into_extension(catalogue, project, source.text(use.receiver), use.symbol.substr(2)) : !is_extension(catalogue, project, module)) {
    return out;
  }
  for (std::uint32_t e = 0; e < project.entries().size(); ++e) {
    const NativeEntry& entry = project.entries()[e];
    if (op.empty() ? entry.kind == RegistrationKind::Method && entry.name == last_part(use.symbol) : entry.kind == RegistrationKind::Operator && entry.place.symbol == op) out.push_back(e);
  }
  if (op.empty()) keep_the_meant(project, use.symbol.starts_with("*.") ? last_part(source.text(use.receiver)) : module, out);
  return out;
}

std::string message_of(const Catalogue& catalogue, const NativeProject& project, const std::vector<std::uint32_t>& entries, bool cpu) {
  std::set<std::uint32_t> kernels;
  for (const std::uint32_t e : entries) kernels.insert(project.entries()[e].kernels.begin(), project.entries()[e].kernels.end());
  std::uint32_t lines = 0;
  std::uint64_t features = 0;
  for (const std::uint32_t k : kernels) {
    lines += project.kernels()[k].lines;
    features |= project.kernels()[k].features;
  }
  std::string text = "reaches " + std::to_string(kernels.size()) + (kernels.size() == 1 ? " CUDA kernel, " : " CUDA kernels, ") + std::to_string(lines) + (lines == 1 ? " line" : " lines");
  for (const std::string& feature : features_of(catalogue.kernels, features, false)) text += ", " + feature;
  // That none was found is no proof that there is none.
  return text + (cpu ? "; beside code for the CPU" : "; no code for the CPU was found");
}

}  // namespace

NativeNames::NativeNames(const Catalogue& catalogue, const NativeProject& project, const std::vector<std::string>& packages) : catalogue_(catalogue), project_(project) {
  std::set<std::string> all;
  for (const NativeEntry& entry : project.entries()) {
    if (entry.kind == RegistrationKind::Module || entry.kernels.empty()) continue;
    all.insert(std::string(entry.name));
    if (entry.kind == RegistrationKind::Operator) operators_.insert(std::string(entry.name));
  }
  names.assign(all.begin(), all.end());
  if (names.empty()) return;
  interest = catalogue.interest;
  interest.methods.insert(interest.methods.end(), names.begin(), names.end());
  std::sort(interest.methods.begin(), interest.methods.end());
  for (const NativeProject::Module& module : project.modules()) interest.roots.push_back(module.name);
  interest.roots.insert(interest.roots.end(), packages.begin(), packages.end());
  std::sort(interest.roots.begin(), interest.roots.end());
  interest.roots.erase(std::unique(interest.roots.begin(), interest.roots.end()), interest.roots.end());
  // Every file that comes so far is read.
  interest.markers = names;
  std::erase_if(interest.markers, [](const std::string& marker) { return marker.size() < 2; });
}

// import ext, import ext as e, from pkg.ext import name: whatever it is called by then.
bool NativeNames::imports_extension(std::string_view text) const {
  for (const std::string_view word : {"import ", "from "}) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      if (at > 0 && text[at - 1] != '\n' && text[at - 1] != ' ' && text[at - 1] != '\t') continue;
      std::size_t end = at + word.size();
      const std::size_t start = end;
      while (end < text.size() && (is_word(text[end]) || text[end] == '.')) ++end;
      const std::string_view module = last_part(text.substr(start, end - start));
      if (!module.empty() && is_extension(catalogue_, project_, module)) return true;
    }
  }
  return false;
}

bool NativeNames::in(std::string_view text) const {
  if (imports_extension(text)) return true;
  const bool calls_operators = !operators_.empty() && (text.find("torch.ops") != std::string_view::npos || text.find("import ops") != std::string_view::npos);
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
    std::size_t end = dot + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(dot + 1, end - dot - 1);
    if (word.size() < 2 || !std::binary_search(names.begin(), names.end(), word, std::less<>())) continue;
    // `self.model.forward` is in every file: without an extension before it a plain word is none of ours.
    if (says_enough(word) || (calls_operators && operators_.contains(word)) || is_extension(catalogue_, project_, receiver_word(text, dot))) return true;
  }
  return false;
}

std::vector<NativeCall> native_calls(const Catalogue& catalogue, const NativeProject& project, const SourceFile& source, const FileFacts& facts, std::uint32_t file) {
  std::vector<NativeCall> out;
  const Rule* rule = catalogue.find("TP334");
  if (rule == nullptr) return out;
  for (const Use& use : facts.uses) {
    if (use.kind != UseKind::Call && use.kind != UseKind::Reference) continue;
    NativeCall call;
    call.entries = entries_of(catalogue, project, source, use);
    const auto& entries = project.entries();
    if (std::none_of(call.entries.begin(), call.entries.end(), [&](std::uint32_t e) { return !entries[e].kernels.empty(); })) continue;
    const bool cpu = std::any_of(call.entries.begin(), call.entries.end(), [&](std::uint32_t e) { return entries[e].cpu; });
    Finding& f = call.finding;
    f.rule = rule;
    f.file = file;
    f.span = use.callee;
    f.symbol = entries[call.entries.front()].place.symbol;
    f.via = use.via;
    f.message = message_of(catalogue, project, call.entries, cpu);
    f.impact = guarded_impacts(facts, use, rule->impact, rule->guarded, f.guarded);
    if (cpu) f.impact[static_cast<std::size_t>(Target::Cpu)] = Impact::None;
    f.function = facts.functions[static_cast<std::size_t>(use.scope)].name;
    f.fix = Fix{Applicability::Manual, rule->advice, {}};
    out.push_back(std::move(call));
  }
  return out;
}

}  // namespace torchport
