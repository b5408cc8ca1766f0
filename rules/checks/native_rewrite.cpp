// Review fixes of host code: calls that have a counterpart for any accelerator, objects of CUDA, CUDA named as a device, and checks for it.
#include "rules/checks/native_rewrite.h"

#include <algorithm>
#include <optional>
#include <set>

#include "rules/checks/cuda_header.h"
#include "rules/checks/native_device.h"
#include "rules/checks/native_objects.h"
#include "rules/checks/native_rows.h"
#include "rules/checks/native_tensor_check.h"
#include "rules/checks/native_text.h"

namespace torchport {
namespace {

std::optional<Fix> row_fix(const Context& context, const Use& use, const NativeRewrite& row) {
  const auto span = replaced(context, use, row);
  if (!span || !torch_has(context, row.since)) return std::nullopt;
  auto text = filled(context.source, row, argument_spans(use), [](std::string_view, std::optional<Span>) { return std::optional<std::string>(); });
  if (!text) return std::nullopt;
  std::vector<Edit> edits = {{*span, std::move(*text)}};
  if (!add_includes(context.source, context.facts, row.headers, edits)) return std::nullopt;
  return Context::fix(Applicability::Review, "does the same for any accelerator but XLA", std::move(edits));
}

std::optional<Fix> call_fix(const Context& context, const Use& use) {
  for (const NativeRewrite& row : context.catalogue.native_rewrites) {
    if (row.call != use.symbol || is_about_objects(row)) continue;
    if (auto fix = row_fix(context, use, row)) return fix;
  }
  return std::nullopt;
}

// The finding without a fix that stands on something that may be rewritten; null: it may not.
const Use* open_use(const Context& context, const Hit& hit) {
  if (hit.use == kNone || hit.finding.fix) return nullptr;
  const Use& use = context.use(hit.use);
  // Under a condition the code is meant for what it asks; in a macro nothing is known of the place.
  return use.kind != UseKind::Mention || use.guard != kNone || in_define(context.source, use.span) ? nullptr : &use;
}

template <typename Make>
void fix_open(Context& context, const Make& make) {
  for (Hit& hit : context.hits) {
    if (const Use* use = open_use(context, hit)) hit.finding.fix = make(*use);
  }
}

// What stands within the text that a fix takes away goes with it: AT_CUDA_CHECK around a call, a flag of an event that is made.
void share(Context& context, const std::vector<Fix>& fixes) {
  std::vector<std::pair<Span, const Fix*>> gone;
  for (const Fix& fix : fixes) {
    for (const Edit& edit : fix.edits) {
      if (!edit.span.empty()) gone.emplace_back(edit.span, &fix);
    }
  }
  std::sort(gone.begin(), gone.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (Hit& hit : context.hits) {
    const Use* use = open_use(context, hit);
    if (use == nullptr) continue;
    auto last = std::upper_bound(gone.begin(), gone.end(), use->span.start, [](std::uint32_t at, const auto& g) { return at < g.first.start; });
    if (last != gone.begin() && (--last)->first.contains(use->span)) hit.finding.fix = *last->second;
  }
}

// A function of which a part stays with CUDA stays whole: some of its calls changed would mix the two and port nothing.
void keep_functions_whole(Context& context, const std::vector<std::size_t>& fixed) {
  std::set<std::int32_t> stay;
  for (const Hit& hit : context.hits) {
    if (hit.use == kNone || hit.finding.fix) continue;
    const Use& use = context.use(hit.use);
    if (use.kind == UseKind::Mention && !use.symbol.starts_with('.') && !names_cuda_device(use)) stay.insert(use.scope);
  }
  for (const std::size_t h : fixed) {
    if (stay.contains(context.use(context.hits[h].use).scope)) context.hits[h].finding.fix.reset();
  }
}

bool is_written(const Hit& hit) { return hit.finding.fix && !hit.finding.fix->edits.empty(); }

// Headers of which nothing is left once the other fixes are made, in one fix with them.
void drop_headers(Context& context) {
  std::vector<Edit> all;
  const auto gone = [&](UseId use) {
    const std::int32_t hit = context.hit_of_use[static_cast<std::size_t>(use)];
    return hit != kNone && is_written(context.hits[static_cast<std::size_t>(hit)]);
  };
  if (!headers_may_go(context, gone)) return;
  for (const Hit& hit : context.hits) {
    if (hit.use != kNone && context.use(hit.use).kind == UseKind::Mention && is_written(hit)) all.insert(all.end(), hit.finding.fix->edits.begin(), hit.finding.fix->edits.end());
  }
  // Each such fix holds all the others.
  if (all.size() > 500) return;
  for (Hit& hit : context.hits) {
    if (hit.use == kNone || hit.finding.fix || hit.finding.rule->check != "cuda_header") continue;
    const auto line = header_line(context, context.use(hit.use));
    if (line) hit.finding.fix = Context::fix(Applicability::Review, "nothing of it is left once the other fixes are made", all, {{*line, ""}});
  }
}

}  // namespace

void rewrite_native(Context& context) {
  if (context.facts.language != Language::Cpp || is_endless(context.facts) || !about_torch(context.source, context.facts)) return;
  const bool host_only = !has_kernels(context.facts);
  const bool guards = std::any_of(context.facts.uses.begin(), context.facts.uses.end(), [](const Use& use) { return use.symbol.ends_with("CUDAGuard"); });
  const std::set<std::string_view> with_members = guards ? names_with_members(context.source) : std::set<std::string_view>();
  fix_open(context, [&](const Use& use) { return guard_fix(context, use, host_only, with_members); });
  if (!host_only) return;
  fix_open(context, [&](const Use& use) { return device_fix(context, use); });
  std::vector<std::size_t> open;
  for (std::size_t h = 0; h < context.hits.size(); ++h) {
    if (open_use(context, context.hits[h]) != nullptr) open.push_back(h);
  }
  share(context, object_fixes(context));
  fix_open(context, [&](const Use& use) { return call_fix(context, use); });
  std::vector<Fix> made;
  for (const Hit& hit : context.hits) {
    if (is_written(hit)) made.push_back(*hit.finding.fix);
  }
  share(context, made);
  keep_functions_whole(context, open);
  std::optional<TensorChecks> checks;
  fix_open(context, [&](const Use& use) {
    if (use.symbol != ".is_cuda") return std::optional<Fix>();
    if (!checks) checks.emplace(context);
    return checks->fix(use);
  });
  drop_headers(context);
}

}  // namespace torchport
