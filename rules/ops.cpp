#include "rules/ops.h"

#include <algorithm>
#include <array>

namespace torchport {
namespace {

// Modules of torch whose functions work on tensors: a name that the database does not know is an operator it knows
// nothing of.
constexpr std::array kOperatorModules = std::to_array<std::string_view>(
    {"torch.nn.functional.", "torch.linalg.", "torch.fft.", "torch.special.", "torch.ops."});

bool unknown_operator(std::string_view symbol) {
  return std::any_of(kOperatorModules.begin(), kOperatorModules.end(),
                     [&](std::string_view module) { return symbol.starts_with(module); });
}

}  // namespace

OpUses operator_uses(const FileFacts& facts, const Tensors& tensors) {
  OpUses found;
  found.possible = facts.maybe_tensor_calls;
  found.trains = facts.has_identifier("backward");
  for (std::size_t i = 0; i < facts.uses.size(); ++i) {
    const Use& use = facts.uses[i];
    if (use.kind != UseKind::Call && use.kind != UseKind::Operator && use.kind != UseKind::Index) continue;
    if (use.symbol.starts_with("*.")) {
      if (use.kind == UseKind::Index || apis().is_tensor_method(use.symbol.substr(2))) ++found.possible;
      continue;
    }
    OpUse op{static_cast<UseId>(i), use.symbol, {}, {}, false};
    if (const auto call = apis().find(use)) {
      op.api = call->api;
      op.forward = call->forward;
      op.backward = call->backward;
    } else if (!unknown_operator(use.symbol)) {
      continue;
    }
    op.host = tensors.on_host(use) || (Tensors::is_maker(use) && device_asked(use) == nullptr && !takes_unseen(use) &&
                                       !use.symbol.ends_with("_like") && !use.symbol.starts_with("torch.Tensor."));
    found.uses.push_back(op);
  }
  return found;
}

Support support_of(const OpUse& use, Target target, bool trains) {
  if (use.host || target == Target::Cpu) return use.forward || use.host ? Support::Native : Support::Unknown;
  if (!use.forward) return Support::Unknown;
  Support support = apis().support(*use.forward, target);
  if (trains && use.backward) support = worse(support, apis().support(*use.backward, target));
  return support;
}

void OpCounts::add(const OpUses& found) {
  possible += found.possible;
  for (const OpUse& use : found.uses) {
    if (use.host) {
      ++host;
      continue;
    }
    ++uses;
    for (std::size_t t = 0; t < kTargetCount; ++t)
      ++by_target[t][static_cast<std::size_t>(support_of(use, static_cast<Target>(t), found.trains))];
  }
}

void OpCounts::add(const OpCounts& other) {
  uses += other.uses;
  possible += other.possible;
  host += other.host;
  for (std::size_t t = 0; t < kTargetCount; ++t) {
    for (std::size_t s = 0; s < 5; ++s) by_target[t][s] += other.by_target[t][s];
  }
}

}  // namespace torchport
