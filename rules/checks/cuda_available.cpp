#include <algorithm>

#include "rules/checks/checks.h"
#include "analyzers/text.h"
#include "rules/checks/conditions.h"

namespace torchport {
namespace {

// ("cpu", "cuda")[torch.cuda.is_available()]: what is looked up must change with it.
bool looks_up(const Context& context, const Use& use) {
  const std::string_view after = context.source.text().substr(use.span.end, 2);
  return after.starts_with("]") || after == ")]";
}

bool only_printed(const Context& context, const Use& use) {
  const std::string_view statement = context.source.text(use.statement);
  for (const std::string_view head : {"print(", "logger.", "logging.", "log.", "self.log("}) {
    if (statement.substr(0, head.size()) == head) return true;
  }
  return false;
}

// merge(cuda=torch.cuda.is_available()): the argument speaks of CUDA itself.
bool answers_for_cuda(const Context& context, const Use& use) {
  std::string_view before = context.source.text().substr(0, use.span.start);
  if (before.ends_with("not ")) before.remove_suffix(4);
  if (!before.ends_with('=')) return false;
  before.remove_suffix(1);
  std::size_t start = before.size();
  while (start > 0 && is_word(before[start - 1])) --start;
  const std::string_view keyword = before.substr(start);
  before = before.substr(0, before.find_last_not_of(" \t\r\n", start == 0 ? 0 : start - 1) + 1);
  return keyword.find("cuda") != std::string_view::npos && (before.ends_with('(') || before.ends_with(','));
}

}  // namespace

// torch.cuda.device_count() > 1 as a condition is held back with what hangs on it.
void hold_back_counts(Context& context) {
  for (Hit& hit : context.hits) {
    if (hit.use == kNone || context.use(hit.use).symbol != "torch.cuda.device_count" || !hit.finding.fix || hit.finding.fix->edits.empty()) continue;
    const Consequences c = consequences(context, context.use(hit.use));
    if (c.unfixable) {
      hit.finding.fix = Fix{Applicability::Manual, "first free the code under this condition, which has ties without a fix", {}};
    } else if (c.review) {
      hit.finding.fix->applicability = Applicability::Review;
    }
  }
}

// torch.cuda.is_available(): what it means depends on what is done with the answer.
void check_cuda_available(Context& context, const Rule& rule) {
  hold_back_counts(context);
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.kind != UseKind::Call || use.symbol != "torch.cuda.is_available") continue;
    if (use.part_of != kNone && context.use(use.part_of).kind == UseKind::Choice) continue;
    const Consequences c = consequences(context, use);
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    Finding& f = hit.finding;
    f.impact = condition_impacts(c, rule.impact);
    if (!c.any && only_printed(context, use)) {
      for (Impact& impact : f.impact) impact = std::min(impact, Impact::Cosmetic);
    }
    if (c.raises) f.message = "the program refuses to run without CUDA";
    if (c.skips) f.message = "the test is skipped without CUDA and looks passed";
    const FixSite site{context.source, context.facts, context.options, use};
    // A build asks for CUDA to build CUDA.
    if (context.source.path().ends_with("setup.py")) continue;
    if ((c.skips && meant_for_cuda(context, use)) || answers_for_cuda(context, use)) continue;
    if (!c.unfixable) f.fix = make_fix(rule.fixes, site, &hit.from);
    if (f.fix && (c.skips || c.review || looks_up(context, use))) f.fix->applicability = Applicability::Review;
    if (c.unfixable) f.fix = Fix{Applicability::Manual, "first free the code under this condition, which has ties without a fix", {}};
  }
}

}  // namespace torchport
