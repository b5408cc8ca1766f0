#include <algorithm>

#include "rules/checks/checks.h"

namespace torchport {

// torch.load(f, map_location={"cuda:1": "cuda:0"}) and lambdas that call .cuda(): the argument as a whole is the tie.
void check_load_location(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.kind != UseKind::Call || (use.symbol != "torch.load" && use.symbol != "torch.jit.load") || context.hit_of_use[i] != kNone) continue;
    const Arg* where = find_argument(use, 1, "map_location");
    if (where == nullptr) continue;
    const std::string_view text = context.source.text(where->span);
    const bool mapped = text.substr(0, 1) == "{" || text.substr(0, 6) == "lambda";
    if (!mapped || (text.find("\"cuda") == std::string_view::npos && text.find("'cuda") == std::string_view::npos && text.find(".cuda(") == std::string_view::npos)) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    hit.finding.span = where->span;
    hit.finding.fix = Context::fix(Applicability::Review, "loads to the CPU", {{where->span, "\"cpu\""}});
    // What stands inside the map is part of this finding.
    for (std::size_t j = 0; j < context.facts.uses.size(); ++j) {
      const std::int32_t inner = context.hit_of_use[j];
      if (inner == kNone || j == i || !where->span.contains(context.facts.uses[j].span)) continue;
      context.hits[static_cast<std::size_t>(inner)].finding.impact.fill(Impact::None);
    }
  }
}

}  // namespace torchport
