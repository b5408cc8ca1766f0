#include "rules/run.h"

#include <algorithm>

#include "analyzers/text.h"
#include "opdb/torch_names.h"
#include "rules/allows.h"
#include "rules/brackets.h"
#include "rules/checks/checks.h"
#include "rules/checks/native_rewrite.h"
#include "rules/context.h"
#include "rules/imports.h"
#include "rules/settle.h"

namespace torchport {
namespace {

void match_uses(Context& context) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    // What a Choice is made of is reported by the Choice.
    if (use.part_of != kNone && context.use(use.part_of).kind == UseKind::Choice) continue;
    const auto entry = context.matcher.match(use);
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
    // A version that is demanded is no branch for one.
    const bool demanded = guard.otherwise == Otherwise::Raises || guard.otherwise == Otherwise::Skips;
    if (guard.kind == GuardKind::Version && !demanded) return true;
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

// A probe by try: on a host without an accelerator it raised, and the rewritten one need not.
bool answers_a_probe(const Context& context, const Hit& hit, const Use& use) {
  if (hit.finding.rule->impact[static_cast<std::size_t>(Target::Cpu)] != Impact::Blocks) return false;
  for (GuardId id = use.guard; id != kNone; id = context.guard(id).outer) {
    if (context.guard(id).kind == GuardKind::Caught) return true;
  }
  return false;
}

// f"{torch.cuda.is_available()=}" prints its own text.
bool prints_itself(const Context& context, const Use& use) {
  if (!use.form.in_string) return false;
  std::string_view after = context.source.text().substr(use.span.end, 8);
  after.remove_prefix(std::min(after.find_first_not_of(' '), after.size()));
  return after.starts_with('=') && !after.starts_with("==");
}

// Functions that the file itself patches, as mock.patch("torch.cuda.device_count") does: the patch must go on to meet what it patches. Sorted.
std::vector<std::string_view> patched_names(const FileFacts& facts) {
  std::vector<std::string_view> names;
  for (const Use& use : facts.uses) {
    if ((use.kind == UseKind::Literal || use.kind == UseKind::Assign) && use.symbol.starts_with("torch.cuda.")) names.push_back(use.symbol);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Whether the use meets such a patch, and is not the patch itself.
bool patched(const std::vector<std::string_view>& names, const Use& use) {
  const auto [first, last] = std::equal_range(names.begin(), names.end(), use.symbol);
  return last - first > (use.kind == UseKind::Literal || use.kind == UseKind::Assign ? 1 : 0);
}

// A name handed on without a guard: what did nothing on a host without an accelerator would raise there.
bool loses_its_guard(const Context& context, const Hit& hit, const Use& use) {
  if (use.kind != UseKind::Reference || hit.from == nullptr || !hit.from->guarded || accelerator_guarded(context.facts, use)) return false;
  const char first = last_part(use.symbol).front();
  if (first >= 'A' && first <= 'Z') return false;  // a class: isinstance(s, torch.cuda.Stream)
  return hit.finding.rule->impact[static_cast<std::size_t>(Target::Cpu)] != Impact::Blocks;
}

// What a fix must not touch although the finding stands.
void keep_what_is_meant(Context& context) {
  const std::vector<std::string_view> patches = patched_names(context.facts);
  for (Hit& hit : context.hits) {
    if (hit.use == kNone || !hit.finding.fix) continue;
    const Use& use = context.use(hit.use);
    if (in_cuda_arm(context, use) || under_version(context, use) || prints_itself(context, use) || loses_its_guard(context, hit, use)) {
      hit.finding.fix.reset();
    } else if (hit.finding.fix->applicability == Applicability::Safe && patched(patches, use)) {
      hit.finding.fix->applicability = Applicability::Review;
    } else if (hit.finding.fix->applicability == Applicability::Safe && answers_a_probe(context, hit, use)) {
      hit.finding.fix->applicability = Applicability::Review;
      hit.finding.fix->message += "; the except around it then no longer stands for \"there is no device\"";
    } else if (context.facts.language == Language::Python && cuda_backend(context, use)) {
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

// Whether the edit takes a comment away that stands within code that stays; one that goes with its whole line is not meant.
bool loses_comment(const SourceFile& source, const Edit& edit) {
  const std::string_view old = source.text(edit.span);
  if (old.find('#') == std::string_view::npos || (edit.text.empty() && old.ends_with('\n'))) return false;
  char quote = 0;
  for (std::size_t i = 0; i < old.size(); ++i) {
    const char c = old[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      const std::string_view comment = old.substr(i, old.find_first_of("\r\n", i) - i);
      if (edit.text.find(comment) == std::string::npos) return true;
      i += comment.size() - 1;
    }
  }
  return false;
}

void keep_comments(Context& context) {
  for (Hit& hit : context.hits) {
    if (!hit.finding.fix) continue;
    const auto& edits = hit.finding.fix->edits;
    const bool lost = std::any_of(edits.begin(), edits.end(), [&](const Edit& e) { return loses_comment(context.source, e); });
    if (lost) hit.finding.fix = Fix{Applicability::Manual, "a comment stands inside what would change: " + hit.finding.fix->message, {}};
  }
}

// from cutlass import Float32, Int32: one import of the library, whatever it brings.
bool said_of_statement(const Context& context, const Hit& hit, std::vector<std::pair<Span, const Rule*>>& said) {
  if (hit.use == kNone || context.use(hit.use).kind != UseKind::Import || hit.finding.rule->family != "library") return false;
  const std::pair<Span, const Rule*> key{context.use(hit.use).statement, hit.finding.rule};
  if (std::find(said.begin(), said.end(), key) != said.end()) return true;
  said.push_back(key);
  if (said.size() > 8) said.erase(said.begin());
  return false;
}

// import flash_attn in the repository of flash_attn.
bool of_own_package(const RunOptions& options, const Finding& finding) {
  if (finding.rule->family != "library") return false;
  const std::string_view package = std::string_view(finding.symbol).substr(0, finding.symbol.find('.'));
  return std::binary_search(options.own_packages.begin(), options.own_packages.end(), package, std::less<>());
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
  Matcher matcher(catalogue);
  Context context{catalogue, source, facts, options, file, {}, {}, tensors, ops, matcher};
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
    rewrite_native(context);
    link_imports(context);
    keep_comments(context);
  }
  std::vector<std::pair<Span, const Rule*>> said;
  for (Hit& hit : context.hits) {
    Finding& f = hit.finding;
    const bool rewritten = f.fix && !f.fix->edits.empty();
    if (!rewritten && said_of_statement(context, hit, said)) continue;
    if (of_own_package(options, f)) continue;
    if (std::all_of(f.impact.begin(), f.impact.end(), [](Impact i) { return i == Impact::None; })) continue;
    drop_needless_brackets(source, f.fix);
    if (f.open) drop_needless_brackets(source, f.open->fix);
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

static Finding about_file(const Catalogue& catalogue, const char* rule, std::uint32_t file, std::string why) {
  Finding f;
  f.rule = catalogue.find(rule);
  f.file = file;
  f.message = std::move(why);
  if (f.rule != nullptr) f.impact = f.rule->impact;
  return f;
}

Finding unreadable(const Catalogue& catalogue, std::uint32_t file, std::string why) { return about_file(catalogue, "TP001", file, std::move(why)); }

Finding partly_read(const Catalogue& catalogue, std::uint32_t file, std::string why) { return about_file(catalogue, "TP002", file, std::move(why)); }

std::uint32_t newest_known_torch() {
  std::uint32_t newest = 213;
  for (const TorchName& name : torch_names().all()) newest = std::max(newest, name.since);
  return newest;
}

}  // namespace torchport
