#include <algorithm>

#include "rules/checks/checks.h"
#include "rules/checks/conditions.h"
#include "rules/checks/device_text.h"

namespace torchport {
namespace {

bool device_side(std::string_view other) {
  for (const std::string_view word : {"device", ".type", "accelerator", "map_location", "dev"}) {
    if (other.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// pin_memory=device.type == "cuda": pinned memory is a matter of CUDA, so the question is the right one.
bool pins_memory(const SourceFile& source, const Use& use) {
  const std::string_view text = source.text();
  const std::size_t from = use.span.start > 80 ? use.span.start - 80 : 0;
  const std::string_view before = text.substr(from, use.span.start - from);
  const std::size_t at = before.rfind("pin_memory=");
  return at != std::string_view::npos && before.find_first_of(",\n(", at) == std::string_view::npos;
}

// Where `other == "cuda"` stands: the operator and the constant, a set of device types included.
struct Sides {
  Span constant;        // with its operator, when it comes second
  bool negated = false;
  bool ok = false;
};

Sides sides(const SourceFile& source, const Use& use) {
  Sides out;
  const std::string_view text = source.text();
  const char* begin = text.data();
  if (use.place_name.data() < begin || use.place_name.data() >= begin + text.size()) return out;
  const auto other = static_cast<std::uint32_t>(use.place_name.data() - begin);
  const std::uint32_t other_end = other + static_cast<std::uint32_t>(use.place_name.size());
  if (other_end > use.span.start) return out;
  std::string between(text.substr(other_end, use.span.start - other_end));
  between.erase(std::remove_if(between.begin(), between.end(), [](char c) { return c == ' ' || c == '\t'; }), between.end());
  out.constant = {other_end, use.span.end};
  if (between == "==" || between == "!=") {
    out.negated = between == "!=";
    out.ok = true;
    return out;
  }
  const bool membership = between == "in(" || between == "in[" || between == "in{" || between == "notin(" || between == "notin[" || between == "notin{";
  if (!membership) return out;
  out.negated = between[0] == 'n';
  const std::size_t close = text.find_first_of(")]}", use.span.end);
  if (close == std::string_view::npos || text.substr(use.span.end, close - use.span.end).find_first_of("([{\n") != std::string_view::npos) return out;
  out.constant.end = static_cast<std::uint32_t>(close + 1);
  out.ok = true;
  return out;
}

// type in ("cuda", "xpu"): a list of accelerators that any may join.
bool in_set(const SourceFile& source, const Use& use) {
  const Sides s = sides(source, use);
  return s.ok && s.constant.end > use.span.end;
}

bool in_test(const Context& context, const Use& use) {
  const std::string_view name = context.facts.functions[static_cast<std::size_t>(use.scope)].name;
  return name.substr(name.rfind('.') + 1).starts_with("test");
}

std::optional<Fix> comparison_fix(const Context& context, const Use& use) {
  const SourceFile& source = context.source;
  const Sides s = sides(source, use);
  if (s.ok) {
    const bool type = use.place_name.find("type") != std::string_view::npos || use.place_name.find("device") != std::string_view::npos;
    if (!type || use.symbol != "cuda") return std::nullopt;
    return Context::fix(Applicability::Review, "asks for any accelerator", {{s.constant, s.negated ? " == \"cpu\"" : " != \"cpu\""}});
  }
  // "cuda" in str(device)
  const std::string_view after = source.text().substr(use.span.end, 12);
  if (use.symbol == "cuda" && after.rfind(" in ", 0) == 0 && use.place_name.find("device") != std::string_view::npos) {
    return Context::fix(Applicability::Review, "asks for any accelerator", {{{use.span.start, use.span.end + 4}, "\"cpu\" not in "}});
  }
  return std::nullopt;
}

}  // namespace

// x.device.type == "cuda": a branch for CUDA alone.
void check_device_comparison(Context& context, const Rule& rule) {
  std::uint32_t last_end = 0;
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.kind != UseKind::Literal || use.place != Place::Comparison || !is_cuda_device(use.symbol, use.partial)) continue;
    if (context.hit_of_use[i] != kNone || use.span.start < last_end || !device_side(use.place_name)) continue;
    if (pins_memory(context.source, use)) continue;
    const Consequences c = consequences(context, use);
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    Finding& f = hit.finding;
    f.impact = condition_impacts(c, rule.impact);
    const bool assertion = context.source.text(use.statement).starts_with("assert");
    const bool test = assertion && in_test(context, use);
    if (test) {
      f.message = "expects CUDA and nothing else";
    } else if (c.raises) {
      f.message = "the program refuses to run on any other device";
    }
    if (test) {  // what a test expects of a result, once that is put on any accelerator
      const auto d = device_at(context.source, context.facts, use.span, context.options);
      const Sides s = sides(context.source, use);
      if (d && s.ok && s.constant.end == use.span.end && use.symbol == "cuda" && use.place_name.ends_with("device.type")) {
        f.fix = Context::fix(Applicability::Review, "expects the accelerator that is there", {{use.span, d->type}}, d->edits);
      }
    } else if (c.unfixable) {
      f.fix = Fix{Applicability::Manual, "first free the code under this condition, which has ties without a fix", {}};
    } else if (assertion || (c.skips && meant_for_cuda(context, use))) {
      continue;  // a demand of the code behind it
    } else if (c.others.empty() || c.raises || c.skips || in_set(context.source, use)) {
      f.fix = comparison_fix(context, use);
    }
    last_end = use.span.end;
  }
}

}  // namespace torchport
