#include "rules/kernels.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "rules/match.h"

namespace torchport {
namespace {

bool holds(const std::vector<std::string>& list, const std::string& word) { return std::find(list.begin(), list.end(), word) != list.end(); }

bool meets(const std::vector<std::string>& globs, std::string_view name) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return wildcard_match(glob, name); });
}

bool fits(const KernelClassRow& row, std::string_view name, const std::vector<std::string>& features) {
  if (!row.names.empty() && !meets(row.names, name)) return false;
  if (meets(row.unless, name)) return false;
  const auto there = [&](const std::string& feature) { return holds(features, feature); };
  return std::all_of(row.all.begin(), row.all.end(), there) && (row.any.empty() || std::any_of(row.any.begin(), row.any.end(), there)) &&
         std::none_of(row.none.begin(), row.none.end(), there);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<KernelReport::Place> places_of(const std::vector<NativePlace>& places) {
  std::vector<KernelReport::Place> out;
  for (const NativePlace& place : places) out.push_back({std::string(place.path), place.line, std::string(place.symbol)});
  return out;
}

void take_class(const KernelTable& table, std::string_view name, const std::vector<std::string>& features, KernelReport& kernel, Finding& finding) {
  const KernelClassRow* row = class_row_of(table, name, features);
  if (row == nullptr) {
    kernel.why = "neither its name nor its code says what it does";
    return;
  }
  kernel.name = row->name;
  kernel.why = row->why;
  const auto known = std::find_if(table.classes.begin(), table.classes.end(), [&](const KernelClass& c) { return c.name == row->name; });
  kernel.effort = known->effort;
  for (std::size_t t = 0; t < kTargetCount; ++t) {
    if (finding.impact[t] == Impact::None || static_cast<Target>(t) == Target::Rocm) continue;
    for (const auto& [target, offer] : known->offers) {
      if (target == name_of(static_cast<Target>(t)) || (target == "default" && finding.why[t].empty())) finding.why[t] = row->name + "; there is: " + offer;
    }
  }
}

void take_clang(const KernelTable& table, const NativeKernel& native, KernelReport& kernel) {
  if (native.clang == nullptr) return;
  kernel.clang = true;
  kernel.parameters = native.clang->parameters;
  kernel.types = native.clang->types;
  kernel.shared_bytes = native.clang->shared;
  kernel.shared_open = native.clang->shared_open;
  kernel.atomics = native.atomics;
  kernel.instructions = native.ptx;
  for (const std::string& feature : features_of(table, native.beyond_tokens, false)) {
    if (holds(kernel.features, feature)) kernel.beyond_tokens.push_back(feature);
  }
}

void take_launch(const NativeProject& project, std::size_t file, std::uint32_t line, Finding& finding) {
  LaunchReport& launch = *finding.launch;
  std::set<NativePlace> kernels;
  for (const ClangLaunch* known : project.clang_launches(file, finding.span)) {
    launch.clang = true;
    for (const ClangPlace& kernel : known->kernels) {
      if (const auto place = project.kernel_at(kernel)) kernels.insert(*place);
    }
    launch.dispatch = known->dispatch;
    if (known->use == known->at) {
      launch.tensors = known->tensors;
      continue;
    }
    const NativePlace place = project.place_of(known->use);
    launch.uses.push_back({{std::string(place.path), place.line, known->kernel}, known->grid, known->block, known->shared, known->stream});
  }
  if (kernels.empty()) {
    for (const NativePlace& kernel : project.launched_at(file, line)) kernels.insert(kernel);
  }
  launch.kernels = places_of({kernels.begin(), kernels.end()});
  // In a macro the name is a parameter's; a variable's name says no more.
  if (launch.kernels.empty() || std::any_of(kernels.begin(), kernels.end(), [&](const NativePlace& k) { return finding.symbol == k.symbol; })) return;
  std::set<std::string> names;
  for (const NativePlace& kernel : kernels) names.emplace(kernel.symbol);
  finding.message += ": " + joined({names.begin(), names.end()});
}

}  // namespace

std::vector<std::string> features_of(const KernelTable& table, std::uint64_t bits, bool hidden) {
  std::vector<std::string> out;
  for (std::size_t f = 0; f < table.features.size(); ++f) {
    const KernelFeature& feature = table.features[f];
    if ((bits >> f & 1) == 0 || (feature.hidden && !hidden)) continue;
    const bool alone = feature.with.empty() || std::any_of(feature.with.begin(), feature.with.end(), [&](const std::string& other) {
      const std::int32_t bit = table.feature(other);
      return bit >= 0 && (bits >> bit & 1) != 0;
    });
    if (alone) out.push_back(feature.name);
  }
  return out;
}

const KernelClassRow* class_row_of(const KernelTable& table, std::string_view kernel, const std::vector<std::string>& features) {
  std::string name(kernel);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const KernelClassRow& row : table.rows) {
    if (fits(row, name, features)) return &row;
  }
  return nullptr;
}

void settle_native(const KernelTable& table, const NativeProject& project, std::size_t file, std::uint32_t line, Finding& finding) {
  if (finding.rule->check == "cuda_tensor" && !finding.function.empty() && project.leads_to_kernel(file, finding.function)) {
    for (Impact& impact : finding.impact) impact = std::min(impact, Impact::Cosmetic);
  }
  if (finding.launch) take_launch(project, file, line, finding);
  if (finding.symbol.starts_with('.')) finding.receiver = project.member_type(file, finding.span.start);
  if (!finding.kernel) return;
  KernelReport& kernel = *finding.kernel;
  const NativeKernel* native = project.kernel(file, kernel.native);
  if (native == nullptr) return;
  kernel.features = features_of(table, native->features, false);
  kernel.launches = places_of(native->launches);
  take_clang(table, *native, kernel);
  for (const std::uint32_t e : native->entries) {
    const NativePlace& place = project.entries()[e].place;
    kernel.reached_from.push_back({std::string(place.path), place.line, std::string(place.symbol)});
  }
  for (const auto& [entry, caller] : project.callers()) {
    if (std::binary_search(native->entries.begin(), native->entries.end(), entry)) kernel.reached_from.push_back({caller.path, caller.line, caller.symbol});
  }
  for (const std::string& name : kernel.features) {
    for (const auto& [target, impact] : table.features[static_cast<std::size_t>(table.feature(name))].impact) {
      Impact& own = finding.impact[static_cast<std::size_t>(target)];
      if (impact <= own) continue;
      own = impact;
      finding.why[static_cast<std::size_t>(target)] = "it uses " + table.features[static_cast<std::size_t>(table.feature(name))].what;
    }
  }
  take_class(table, finding.symbol, features_of(table, native->features, true), kernel, finding);
  finding.message += ": " + (kernel.name == "unknown" ? std::string("class unknown") : kernel.name) + ", " + std::to_string(kernel.lines) + (kernel.lines == 1 ? " line" : " lines");
  if (!kernel.features.empty()) finding.message += "; " + joined(kernel.features);
}

}  // namespace torchport
