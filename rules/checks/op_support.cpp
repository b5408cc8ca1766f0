// Operators that a target has no kernel for: what happens there, by the op database.
#include <algorithm>

#include "opdb/apis.h"
#include "opdb/sorted_table.h"
#include "rules/checks/checks.h"

namespace torchport {
namespace {

Impact impact_of(Support support) {
  return support == Support::Unsupported ? Impact::Blocks
         : support == Support::Fallback  ? Impact::Degrades
                                         : Impact::None;
}

// The overload that decides on the target, and whether only the backward pass reaches it.
std::optional<Lacking> deciding(const OpUse& op, Target target, bool trains, bool& backward) {
  const auto worst = [&](std::uint32_t row) -> std::optional<Lacking> {
    std::optional<Lacking> out;
    for (const Lacking& l : apis().lacking(row, target)) {
      const bool worse_than = !out || (l.support != out->support && worse(l.support, out->support) == l.support) ||
                              (l.support == out->support && l.share > out->share);
      if (worse_than) out = l;
    }
    return out;
  };
  backward = false;
  const Support forward = apis().support(*op.forward, target);
  if (forward != Support::Native) {
    if (auto found = worst(*op.forward);
        found && (!trains || !op.backward || worse(forward, apis().support(*op.backward, target)) == forward))
      return found;
  }
  if (!trains || !op.backward) return std::nullopt;
  backward = true;
  return worst(*op.backward);
}

std::string happens(Support support, std::string_view op, bool backward) {
  const std::string name = full_name(op) + (backward ? " (backward)" : "");
  if (op.starts_with("c10d::") && support == Support::Unsupported)
    return name + " is missing from the process group of the backend there, so the call raises";
  return support == Support::Unsupported ? name + " has no kernel there, so the call raises NotImplementedError"
                                         : name +
                                               " has no kernel there and runs on the CPU: each call copies its tensors "
                                               "to the host and the result back";
}

std::string_view instead_of(std::string_view api) {
  static const SortedTable table(embedded_table("instead.tsv"));
  const auto row = table.find(api);
  return row ? row->cells[1] : std::string_view();
}

}  // namespace

void check_op_support(Context& context, const Rule& rule) {
  for (const OpUse& op : context.ops.uses) {
    if (op.host || !op.forward) continue;
    Impacts impact{};
    bool any = false;
    for (std::size_t t = 0; t < kTargetCount; ++t) {
      impact[t] = impact_of(support_of(op, static_cast<Target>(t), context.ops.trains));
      any = any || impact[t] != Impact::None;
    }
    if (!any) continue;
    const std::int32_t known = context.hit_of_use[static_cast<std::size_t>(op.use)];
    Finding& finding = context.add(rule, op.use, impact).finding;
    // Other rules go on seeing their own finding on the use.
    context.hit_of_use[static_cast<std::size_t>(op.use)] = known;
    std::string ops;
    for (std::size_t t = 0; t < kTargetCount; ++t) {
      if (impact[t] == Impact::None) continue;
      bool backward = false;
      const auto lacking = deciding(op, static_cast<Target>(t), context.ops.trains, backward);
      if (!lacking) continue;
      finding.evidence[t] = coverage().answer(lacking->op, static_cast<Target>(t)).evidence;
      finding.why[t] = happens(lacking->support, lacking->op, backward);
      const std::string name = full_name(lacking->op);
      if (ops.find(name) == std::string::npos) ops += (ops.empty() ? "" : ", ") + name;
    }
    finding.symbol = op.api;
    finding.message = "needs " + ops + ", which not every target has";
    if (const auto instead = instead_of(op.api); !instead.empty())
      finding.fix = Fix{Applicability::Manual, std::string(instead), {}};
  }
}

}  // namespace torchport
