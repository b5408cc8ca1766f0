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

// Code under a question about torch's version, or where torch.accelerator was asked for and is not there, is written for what it says.
bool under_version(const Context& context, const Use& use) {
  for (GuardId id = use.guard; id != kNone; id = context.guard(id).outer) {
    const Guard& guard = context.guard(id);
    if (guard.kind == GuardKind::Version) return true;
    if (guard.kind == GuardKind::Exists && guard.device == "accelerator") return true;
  }
  return false;
}

// A file or a class that is some project's CUDA backend beside others: cuda.py, cuda_accelerator.py, class CUDAAccelerator.
bool cuda_backend(const Context& context, const Use& use) {
  const std::string_view path = context.source.path();
  std::string_view file = path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  file = file.substr(0, file.rfind('.'));
  if (file == "cuda" || file.starts_with("cuda_") || file.ends_with("_cuda")) return true;
  for (std::int32_t f = use.scope; f > 0; f = context.facts.functions[static_cast<std::size_t>(f)].outer) {
    const Function& function = context.facts.functions[static_cast<std::size_t>(f)];
    const std::string_view name = function.name.substr(function.name.rfind('.') == std::string_view::npos ? 0 : function.name.rfind('.') + 1);
    if (function.is_class && (name.find("CUDA") != std::string_view::npos || name.find("Cuda") != std::string_view::npos)) return true;
  }
  return false;
}

// What a fix must not touch although the finding stands.
void keep_what_is_meant(Context& context) {
  for (Hit& hit : context.hits) {
    if (hit.use == kNone || !hit.finding.fix) continue;
    const Use& use = context.use(hit.use);
    if (in_cuda_arm(context, use) || under_version(context, use)) {
      hit.finding.fix.reset();
    } else if (cuda_backend(context, use)) {
      hit.finding.fix = Fix{Applicability::Manual, "this is the CUDA side of something; give other accelerators a side of their own", {}};
    }
  }
}

// xm.xla_device() and xm.mark_step() belong together: one cannot go without the other.
void all_or_none(Context& context, std::string_view root) {
  const auto of_root = [&](const Hit& hit) { return hit.use != kNone && context.use(hit.use).symbol.rfind(root, 0) == 0; };
  const bool left = std::any_of(context.hits.begin(), context.hits.end(), [&](const Hit& hit) {
    return of_root(hit) && context.use(hit.use).kind != UseKind::Import && (!hit.finding.fix || hit.finding.fix->edits.empty());
  });
  for (Hit& hit : context.hits) {
    if (left && of_root(hit)) hit.finding.fix.reset();
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
                               const RunOptions& options, OpCounts* counts) {
  std::vector<Finding> out;
  const Tensors tensors(facts);
  const OpUses ops = operator_uses(facts, tensors);
  if (counts != nullptr) counts->add(ops);
  Context context{catalogue, source, facts, options, file, {}, {}, tensors, ops};
  context.hit_of_use.assign(facts.uses.size(), kNone);
  add_file_status(context, out);
  if (!facts.uses.empty()) {
    match_uses(context);
    for (const bool late : {false, true}) {
      if (late) {
        keep_what_is_meant(context);
        all_or_none(context, "torch_xla");
      }
      for (const Rule& rule : catalogue.rules) {
        if (!rule.check.empty() && is_late(rule.check) == late) run_check(context, rule);
      }
    }
    keep_what_is_meant(context);
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
