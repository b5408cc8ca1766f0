#include "opdb/coverage.h"

#include <algorithm>

#include "analyzers/error.h"

namespace torchport {
namespace {

// The dispatch key whose column of aten.tsv answers for a target without a table of its own. ROCm's build registers its
// kernels as CUDA's.
std::string_view key_of(Target target) {
  switch (target) {
    case Target::Mps:
      return "MPS";
    case Target::Cuda:
    case Target::Rocm:
      return "CUDA";
    case Target::Cpu:
      return "CPU";
    default:
      return {};
  }
}

constexpr std::string_view kInTree = "native_functions.yaml and the dispatcher";
constexpr std::string_view kCiteInTree = "torch 2.13.0, read 2026-11-29";

std::string_view without_namespace(std::string_view op) {
  if (op.starts_with("aten::")) op.remove_prefix(6);
  return op;
}

template <typename Take>
void for_each_key(std::string_view keys, const Take& take) {
  while (!keys.empty()) {
    const std::size_t comma = std::min(keys.find(','), keys.size());
    take(keys.substr(0, comma));
    keys.remove_prefix(std::min(comma + 1, keys.size()));
  }
}

bool has_key(std::string_view keys, std::string_view key) {
  bool found = false;
  for_each_key(keys, [&](std::string_view k) { found = found || k == key; });
  return found;
}

std::string_view composite_key(std::string_view keys) {
  std::string_view found;
  for_each_key(keys, [&](std::string_view k) {
    if (k.starts_with("Composite") && (found.empty() || found.ends_with("NonFunctional"))) found = k;
  });
  return found;
}

// SparseCUDA, NestedTensorCPU …: kernels for tensors of other layouts.
std::string other_layouts(std::string_view keys, std::string_view key) {
  std::string found;
  for_each_key(keys, [&](std::string_view k) {
    if (k.size() > key.size() && k.ends_with(key)) found += (found.empty() ? "" : ", ") + std::string(k);
  });
  return found;
}

Support support_named(std::string_view status) {
  if (status == "native" || status == "native_via_out") return Support::Native;
  if (status == "composite") return Support::Composite;
  if (status == "cpu_fallback" || status == "fallback") return Support::Fallback;
  if (status == "raises" || status == "unsupported") return Support::Unsupported;
  return Support::Unknown;
}

bool is_status(std::string_view word) {
  return support_named(word) != Support::Unknown || word == "unknown" || word == "phantom";
}

constexpr std::string_view kLayouts = "layouts: ";

}  // namespace

std::string_view name_of(Support support) {
  constexpr std::array<std::string_view, 5> kNames = {"native", "composite", "fallback", "unsupported", "unknown"};
  return kNames[static_cast<std::size_t>(support)];
}

std::string full_name(std::string_view op) {
  std::string name(op.find("::") == std::string_view::npos ? "aten::" : "");
  return name.append(op);
}

Support worse(Support a, Support b) {
  constexpr std::array<int, 5> kRank = {0, 0, 2, 3, 1};
  return kRank[static_cast<std::size_t>(a)] >= kRank[static_cast<std::size_t>(b)] ? a : b;
}

// What the tables say of one overload, before it is put into words.
struct Coverage::Found {
  Support support = Support::Unknown;
  bool dense = true;      // false: the kernel serves other layouts only
  std::string_view keys;  // of aten.tsv; empty: torch has no such overload
  std::optional<TableRow> row;
  std::string_view through;         // a structured overload: the out overload whose kernel does the work
  std::optional<TableRow> missing;  // the target's policy, where it decided
};

Coverage::Coverage()
    : aten_(embedded_table("aten.tsv")),
      others_(embedded_table("other_ops.tsv")),
      routes_(SortedTable(embedded_table("routes.tsv")).rows()) {
  for (const TableRow& row : aten_.rows()) {
    if (!row.cells[2].empty()) structured_.push_back(row);
  }
  for (std::size_t i = 0; i < kTargetCount; ++i) {
    if (!key_of(static_cast<Target>(i)).empty() || static_cast<Target>(i) == Target::Own) continue;
    tables_[i] = SortedTable(embedded_table(std::string(kTargetNames[i]) + ".tsv"));
    has_table_[i] = true;
  }
}

Target Coverage::replace(std::string text, const std::string& path) {
  std::optional<Target> target;
  std::uint32_t line = 0;
  bool columns = false;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view row = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++line;
    if (row.empty() || row.starts_with('#')) {
      if (row.starts_with("# target: ")) target = target_or_own(row.substr(10));
      continue;
    }
    if (!columns) {
      columns = true;
      if (!row.starts_with("op\tstatus"))
        throw Error("the columns are not op, status, evidence, limits", path, line, "begin with such a line");
      continue;
    }
    const std::size_t tab = row.find('\t');
    const std::string_view status =
        tab == std::string_view::npos ? std::string_view() : row.substr(tab + 1, row.find('\t', tab + 1) - tab - 1);
    if (!is_status(status)) {
      throw Error("unknown status \"" + std::string(status) + "\"", path, line,
                  "known are native, native_via_out, composite, cpu_fallback, raises, unknown");
    }
  }
  if (!target) throw Error("names no target", path, 1, "a line \"# target: npu\" says of which device it is");
  const auto index = static_cast<std::size_t>(*target);
  // Names are kept without their namespace, as in the tables built in.
  std::string bare;
  for (rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    bare.append(without_namespace(rest.substr(0, end))).append("\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  owned_.push_back(std::make_unique<std::string>(sorted_table_text(bare)));
  tables_[index] = SortedTable(*owned_.back());
  has_table_[index] = true;
  return *target;
}

const SortedTable* Coverage::table(Target target) const {
  const auto index = static_cast<std::size_t>(target);
  return has_table_[index] ? &tables_[index] : nullptr;
}

// A target whose kernels are torch's own: the dispatch keys say it all.
void Coverage::find_in_tree(std::string_view key, Found& found) {
  if (has_key(found.keys, key)) {
    found.support = Support::Native;
  } else if (!composite_key(found.keys).empty()) {
    found.support = Support::Composite;
  } else if (!other_layouts(found.keys, key).empty()) {
    found.support = Support::Native;
    found.dense = false;
  } else {
    found.support = Support::Unsupported;
  }
}

Coverage::Found Coverage::find(std::string_view op, Target target) const {
  Found found;
  const std::string_view name = without_namespace(op);
  const auto aten = aten_.find(name);
  if (aten) {
    found.keys = aten->cells[1];
    found.through = aten->cells[2];
  }
  const SortedTable* own = table(target);
  if (name.find("::") != std::string_view::npos) {
    found.row = others_.find(std::string(name).append("@").append(name_of(target)));
    if (found.row) {
      found.support = support_named(found.row->cells[1]);
      return found;
    }
  }
  if (own == nullptr) {
    if (aten && target != Target::Own) find_in_tree(key_of(target), found);
    return found;
  }
  found.row = own->find(name);
  // A name that torch does not have is never called.
  if (!aten && name.find("::") == std::string_view::npos) return found;
  if (found.row && found.row->cells[1] != "phantom") {
    found.support = support_named(found.row->cells[1]);
    found.dense = !found.row->cells[3].starts_with(kLayouts);
    return found;
  }
  const std::string_view composite = composite_key(found.keys);
  // The kernel that torch generates for a structured overload is no composite of its own.
  if (!found.through.empty() && (composite.empty() || composite.ends_with("NonFunctional"))) {
    const auto out = own->find(found.through);
    if (out && out->cells[1] == "native") {
      found.support = Support::Native;
      found.dense = !out->cells[3].starts_with(kLayouts);
      return found;
    }
  } else if (!composite.empty()) {
    found.support = Support::Composite;
    return found;
  }
  found.missing = own->find("@missing");
  if (!found.missing) return found;
  found.support = support_named(found.missing->cells[1]);
  // A fallback runs the CPU's kernel, where there is one.
  if (found.support == Support::Fallback && !found.keys.empty() && !has_key(found.keys, "CPU"))
    found.support = Support::Unsupported;
  return found;
}

Support Coverage::support(std::string_view op, Target target) const {
  const Found found = find(op, target);
  return found.support == Support::Native && !found.dense ? Support::Unsupported : found.support;
}

// Whether the target has a kernel for an overload that comes to the same as this out or in-place one.
bool Coverage::has_functional_form(std::string_view op, const SortedTable& own) const {
  // relu_ runs as relu; torch has both under one overload name.
  const std::size_t end = std::min(op.find('.'), op.size());
  if (end > 0 && op[end - 1] == '_') {
    const auto kernel = own.find(std::string(op.substr(0, end - 1)).append(op.substr(end)));
    if (kernel && kernel->cells[1] == "native") return true;
  }
  const auto row = aten_.find(op);
  const std::string_view out = row && !row->cells[2].empty() ? row->cells[2] : op;
  return std::any_of(structured_.begin(), structured_.end(), [&](const TableRow& form) {
    if (form.cells[2] != out) return false;
    const auto kernel = own.find(form.cells[0]);
    return kernel && kernel->cells[1] == "native";
  });
}

Support Coverage::reached(std::string_view op, Target target) const {
  const Support own = support(op, target);
  if (own == Support::Native) return own;
  const SortedTable* kernels = table(target);
  if (kernels != nullptr && kernels->find("@functionalize") && has_functional_form(op, *kernels))
    return Support::Native;
  const TableRow* route = nullptr;
  for (const TableRow& row : routes_) {
    if (row.cells[0] != op || (row.cells[1] != "*" && row.cells[1] != name_of(target))) continue;
    if (route == nullptr || row.cells[1] != "*") route = &row;
  }
  if (route != nullptr) return route->cells[2] == "-" ? Support::Unsupported : reached(route->cells[2], target);
  return own == Support::Composite ? Support::Native : own;
}

Answer Coverage::answer(std::string_view op, Target target) const {
  const Found found = find(op, target);
  Answer answer{found.support, {}, {}};
  const SortedTable* own = table(target);
  if (found.keys.empty() && !found.row && known_of_others(op)) {
    answer.evidence = found.missing ? "no kernel; " + std::string(found.missing->cells[2]) : "nothing was read";
  } else if (found.keys.empty() && !found.row) {
    answer.evidence = "torch " + std::string(torch_version()) + " has no such overload";
  } else if (found.row && (found.row->cells[1] != "phantom")) {
    answer.evidence = found.row->cells[2];
    answer.limits = found.row->cells[3];
  } else if (own != nullptr && found.support == Support::Native) {
    answer.evidence =
        "through aten::" + std::string(found.through) + ": " + std::string(own->find(found.through)->cells[2]);
  } else if (found.support == Support::Composite) {
    answer.evidence = "no kernel of its own; " + std::string(composite_key(found.keys));
  } else if (own == nullptr) {
    answer.evidence = found.support == Support::Native ? std::string(kInTree) : "no kernel; " + std::string(kInTree);
  } else if (found.missing) {
    answer.evidence = "no kernel; " + std::string(found.missing->cells[2]);
    if (support_named(found.missing->cells[1]) != found.support) answer.evidence += "; the CPU has none either";
  }
  if (own == nullptr) {
    const std::string layouts = other_layouts(found.keys, key_of(target));
    if (!layouts.empty())
      answer.limits = (found.dense && found.support == Support::Native ? "also " : std::string(kLayouts)) + layouts;
  }
  if (own != nullptr && found.row && found.row->cells[1] == "phantom")
    answer.limits = "registered, but torch " + std::string(torch_version()) + " never calls it";
  if (!found.keys.empty() && !cite(target).empty()) answer.evidence.append(" [").append(cite(target)).append("]");
  return answer;
}

std::string_view Coverage::cite(Target target) const {
  if (table(target) == nullptr) return kCiteInTree;
  for (const std::string_view line : table(target)->head()) {
    if (line.starts_with("cite: ")) return line.substr(6);
  }
  return {};
}

bool Coverage::known(std::string_view op) const { return aten_.find(without_namespace(op)).has_value(); }

bool Coverage::known_of_others(std::string_view op) const {
  return std::any_of(kTargetNames.begin(), kTargetNames.end(), [&](std::string_view target) {
    return others_.find(std::string(op).append("@").append(target)).has_value();
  });
}

std::vector<std::string_view> Coverage::overloads() const {
  std::vector<std::string_view> names;
  for (const TableRow& row : aten_.rows()) names.push_back(row.cells[0]);
  return names;
}

std::vector<std::string_view> Coverage::provenance(Target target) const {
  return table(target) != nullptr ? table(target)->head() : aten_.head();
}

std::string_view Coverage::policy(Target target, std::string_view name) const {
  const SortedTable* own = table(target);
  const auto row = own == nullptr ? std::nullopt : own->find(name);
  return row ? row->cells[2] : std::string_view();
}

bool Coverage::partial(Target target) const {
  const SortedTable* own = table(target);
  const auto row = own == nullptr ? std::nullopt : own->find("@missing");
  return own != nullptr && (!row || support_named(row->cells[1]) == Support::Unknown);
}

Coverage& coverage() {
  static Coverage instance;
  return instance;
}

}  // namespace torchport
