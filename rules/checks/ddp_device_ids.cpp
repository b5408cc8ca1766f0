#include "rules/checks/checks.h"

namespace torchport {
namespace {

bool settled(std::string_view value) { return value.substr(0, 4) == "None" || value.find(" if ") != std::string_view::npos; }

}  // namespace

// DistributedDataParallel(net, device_ids=[rank], output_device=rank): right on accelerators, refused for a model on the CPU.
void check_ddp_device_ids(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    const bool ddp = use.symbol == "torch.nn.parallel.DistributedDataParallel" || use.symbol == "torch.nn.parallel.distributed.DistributedDataParallel";
    if (!ddp || use.kind != UseKind::Call || context.hit_of_use[i] != kNone) continue;
    const Arg* ids = find_argument(use, 1, "device_ids");
    if (ids == nullptr || settled(context.source.text(ids->span))) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    hit.finding.span = ids->span;
    const auto d = device_at(context.source, context.facts, use.span, context.options);
    if (!d || d->type.find('\n') != std::string::npos) continue;
    const std::string condition = "None if " + d->type + " == \"cpu\" else ";
    std::vector<Edit> edits{{{ids->span.start, ids->span.start}, condition}};
    const Arg* output = find_argument(use, 2, "output_device");
    if (output != nullptr && !settled(context.source.text(output->span))) edits.push_back({{output->span.start, output->span.start}, condition});
    hit.finding.fix = Context::fix(d->safe ? Applicability::Safe : Applicability::Review, "gives the numbers where the model is on an accelerator",
                                   std::move(edits), d->edits);
  }
}

}  // namespace torchport
