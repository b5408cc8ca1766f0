#include "rules/run.h"

#include <algorithm>

#include "opdb/torch_names.h"
#include "rules/allows.h"
#include "rules/checks/checks.h"
#include "rules/context.h"
#include "rules/imports.h"
#include "rules/match.h"
#include "rules/settle.h"

namespace torchport {
namespace {

void match_uses(Context& context) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    // What a Choice is made of is reported by the Choice.
    if (use.part_of != kNone && context.use(use.part_of).kind == UseKind::Choice) continue;
    const auto entry = match_use(context.catalogue, use);
    if (!entry) continue;
    const Rule& rule = context.catalogue.rules[entry->rule];
    const bool silent = std::all_of(rule.impact.begin(), rule.impact.end(), [](Impact impact) { return impact == Impact::None; });
    if (silent || !rule.check.empty()) continue;  // a check looks at its uses itself
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    if (use.kind == UseKind::Import) continue;  // link_imports gives it its fix
    const FixSite site{context.source, context.facts, context.options, use};
    hit.finding.fix = make_fix(rule.fixes, site, &hit.from);
  }
}

// In the arm that a chain over device types has for CUDA, CUDA's own calls are right.
bool in_cuda_arm(const Context& context, const Use& use) {
  for (GuardId id = use.guard; id != kNone; id = context.guard(id).outer) {
    const Guard& guard = context.guard(id);
    if (guard.kind != GuardKind::DeviceType || !guard.holds || guard.device != "cuda" || guard.condition.contains(use.span)) continue;
    for (const std::string_view other : guard.others) {
      if (other != "cuda" && other != "cpu" && other != "accelerator") return true;
    }
  }
  return false;
}

void keep_cuda_arms(Context& context) {
  for (Hit& hit : context.hits) {
    if (hit.use != kNone && in_cuda_arm(context, context.use(hit.use))) hit.finding.fix.reset();
  }
}

void add_file_status(Context& context, std::vector<Finding>& out) {
  if (context.facts.status != Status::Partial && context.facts.status != Status::Failed) return;
  const Rule* rule = context.catalogue.find(context.facts.status == Status::Failed ? "TP001" : "TP002");
  if (rule == nullptr) return;
  Finding f;
  f.rule = rule;
  f.file = context.file;
  f.span = {context.facts.status_span.start, context.facts.status_span.start};
  f.message = context.facts.status_why;
  f.impact = rule->impact;
  out.push_back(std::move(f));
}

}  // namespace

std::vector<Finding> run_rules(const Catalogue& catalogue, const SourceFile& source, const FileFacts& facts, std::uint32_t file,
                               const RunOptions& options) {
  std::vector<Finding> out;
  Context context{catalogue, source, facts, options, file, {}, {}};
  context.hit_of_use.assign(facts.uses.size(), kNone);
  add_file_status(context, out);
  if (!facts.uses.empty()) {
    match_uses(context);
    for (const bool late : {false, true}) {
      if (late) keep_cuda_arms(context);
      for (const Rule& rule : catalogue.rules) {
        if (!rule.check.empty() && is_late(rule.check) == late) run_check(context, rule);
      }
    }
    link_imports(context);
  }
  for (Hit& hit : context.hits) {
    Finding& f = hit.finding;
    if (std::all_of(f.impact.begin(), f.impact.end(), [](Impact i) { return i == Impact::None; })) continue;
    if (f.fix && f.fix->message.empty()) f.fix->message = f.rule->advice;
    if (options.project != nullptr) settle(*options.project, source.path(), f);
    if (!f.fix && !f.rule->advice.empty()) f.fix = Fix{Applicability::Manual, f.rule->advice, {}};
    out.push_back(std::move(f));
  }
  apply_allows(catalogue, source, facts, file, out);
  std::stable_sort(out.begin(), out.end(), [](const Finding& a, const Finding& b) {
    return a.span != b.span ? a.span < b.span : a.rule->id < b.rule->id;
  });
  return out;
}

Finding unreadable(const Catalogue& catalogue, std::uint32_t file, std::string why) {
  Finding f;
  f.rule = catalogue.find("TP001");
  f.file = file;
  f.message = std::move(why);
  if (f.rule != nullptr) f.impact = f.rule->impact;
  return f;
}

std::uint32_t newest_known_torch() {
  std::uint32_t newest = 213;
  for (const TorchName& name : torch_names().all()) newest = std::max(newest, name.since);
  return newest;
}

}  // namespace torchport
