// CUDAGuard and OptionalCUDAGuard: what they do for a device c10's own guards do for every device. An index alone names no device type.
#include <optional>
#include <set>

#include "rules/checks/checks.h"
#include "rules/checks/native_device.h"
#include "rules/checks/native_text.h"

namespace torchport {
namespace {

// Whether an argument is a device (or maybe one) by the way it is written; an index and a name of unknown type are not.
bool is_device(std::string_view text) {
  if (text.starts_with("at::")) text.remove_prefix(4);
  if (text.starts_with("c10::")) text.remove_prefix(5);
  if (text.starts_with("device_of(") && text.ends_with(")")) return true;
  return text.ends_with(".device()") || text.ends_with("->device()");
}

}  // namespace

void check_cuda_guard(Context& context, const Rule& rule) {
  std::optional<std::set<std::string_view>> with_members;
  const auto members = [&](std::string_view variable) {
    if (!with_members) with_members = names_with_members(context.source);
    return with_members->contains(variable);
  };
  for (std::size_t u = 0; u < context.facts.uses.size(); ++u) {
    const Use& use = context.facts.uses[u];
    if (use.kind != UseKind::Mention || (use.symbol != "CUDAGuard" && use.symbol != "OptionalCUDAGuard")) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(u));
    const bool plain = use.args.size() == 1 && !use.bound.empty() && !in_define(context.source, use.span) && is_device(context.source.text(use.args[0].span));
    // A guard that holds nothing yet is given its device later, by members of which c10's guards have fewer.
    if (!plain || is_endless(context.facts) || members(use.bound)) continue;
    hit.finding.fix = device_guard(context, use, Applicability::Safe, context.source.text(use.args[0].span));
  }
}

}  // namespace torchport
