// torch.cuda.device(x.device) as a context: the device of a tensor gives its index itself, None where it lies on the CPU, so no guard is needed.
#include "analyzers/text.h"
#include "rules/checks/checks.h"

namespace torchport {
namespace {

// p.device, model.weight.device: a torch.device. What self.device or args.device is nobody here knows.
bool device_of_tensor(std::string_view text) {
  constexpr std::string_view kEnd = ".device";
  if (!text.ends_with(kEnd)) return false;
  const std::string_view owner = text.substr(0, text.size() - kEnd.size());
  for (const std::string_view holder : {"self", "cls", "args", "opt", "opts", "options", "cfg", "config", "conf", "flags", "hparams", "torch"}) {
    if (last_part(owner) == holder) return false;
  }
  return true;
}

}  // namespace

void check_device_context(Context& context, const Rule& rule) {
  context.add_due(rule, [&](const Use& use, Hit& hit) {
    const FixSite site{context.source, context.facts, context.options, use};
    const Arg* given = use.kind == UseKind::Call ? find_argument(use, 0, "device") : nullptr;
    if (given == nullptr || !device_of_tensor(context.source.text(given->span))) {
      hit.finding.fix = make_fix(rule.fixes, site, &hit.from);
      return;
    }
    FixTemplate own = rule.fixes.front();
    own.text = "torch.accelerator.device_index({0/device}.index)";
    own.guarded = false;
    hit.finding.fix = make_fix({own}, site);
    if (hit.finding.fix) hit.from = &rule.fixes.front();
  });
}

}  // namespace torchport
