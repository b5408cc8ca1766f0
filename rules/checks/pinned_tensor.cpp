#include "rules/checks/checks.h"

namespace torchport {

// x.pin_memory(): dropped only where a copy follows at once, since pinning serves nothing else there.
void check_pinned_tensor(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    const bool method = use.symbol == "*.pin_memory" || use.symbol == "torch.Tensor.pin_memory";
    if (!method || use.kind != UseKind::Call || context.hit_of_use[i] != kNone) continue;
    if (!use.args.empty()) continue;  // an accelerator's own pin_memory(tensor)
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    const std::string_view after = context.source.text().substr(use.span.end, 4);
    if (after != ".to(") continue;
    hit.finding.fix = Context::fix(Applicability::Review, "the copy works without; on CUDA it may be slower", {{{use.receiver.end, use.span.end}, ""}});
  }
}

}  // namespace torchport
