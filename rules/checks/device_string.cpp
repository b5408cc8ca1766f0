#include <algorithm>

#include "analyzers/device_names.h"
#include "rules/checks/checks.h"
#include "rules/checks/device_text.h"

namespace torchport {
namespace {

// Calls that print, search or compare texts: a device's name in them is a word.
bool text_call(std::string_view callee) {
  for (const std::string_view name : {"print", "info", "warning", "warn", "debug", "error", "log", "getLogger", "write", "startswith", "endswith",
                                      "replace", "split", "find", "index", "count", "join", "strip", "lower", "upper", "get", "pop", "hasattr",
                                      "getattr", "setattr", "isinstance", "ValueError", "RuntimeError", "Exception", "add_argument", "option", "open",
                                      "ArgumentParser", "help", "lang", "language", "get_lexer", "Target", "title", "label", "prog", "description", "suffix",
                                      "prefix", "Path", "join", "devices"}) {
    if (callee == name) return true;
  }
  return false;
}

// Whether the string is a device, and how sure that is.
enum class Verdict { No, Maybe, Yes };

Verdict judge(const Use& use) {
  if (!use.flows.empty()) return Verdict::Yes;
  switch (use.place) {
    case Place::DeviceArgument:
    case Place::Returned:
    case Place::Default: return Verdict::Yes;
    case Place::Assigned: return device_like_name(use.place_name) || use.symbol.size() > 4 ? Verdict::Yes : Verdict::Maybe;
    case Place::Argument: return text_call(use.place_name) ? Verdict::No : Verdict::Maybe;
    case Place::DictValue: return use.place_name.find("device") != std::string_view::npos ? Verdict::Yes : Verdict::Maybe;
    case Place::Listed: return use.place_name.find("parametrize") != std::string_view::npos ? Verdict::Maybe : Verdict::No;
    default: return Verdict::No;
  }
}

// Whether "cuda:0" and "cuda" can be told apart in the file.
bool asks_for_index(const Context& context) {
  if (uses_indices(context.facts) || context.facts.has_identifier("index")) return true;
  const std::string_view text = context.source.text();
  return text.find(".device ==") != std::string_view::npos || text.find(".device !=") != std::string_view::npos || text.find("str(") != std::string_view::npos;
}

// The other files may know what the string is for.
void ask_project(const Context& context, const Use& use, Finding& f) {
  const bool constant = use.place == Place::Assigned && use.scope == 0 && use.place_name.find_first_of(".[ ,(") == std::string_view::npos;
  if (use.place_callee.empty() && !constant) return;
  OpenQuestion q;
  q.callee = use.place_callee;
  q.position = use.place_position;
  q.name = use.place_callee.empty() || use.place_position < 0 ? std::string(use.place_name) : std::string();
  q.message = f.message;
  q.impact = f.impact;
  Use sure = use;
  if (!use.place_callee.empty()) sure.place = Place::Default;  // a string that stays one
  q.fix = device_string_fix(context, sure);
  if (q.fix) q.fix->applicability = std::max(q.fix->applicability, Applicability::Review);
  f.open = std::move(q);
}

// self.assertEqual(x.device.type, "cuda"): the type of the device that x was put on.
std::optional<Fix> expected_type(const Context& context, const Use& use) {
  const auto d = device_at(context.source, context.facts, use.span, context.options);
  if (!d || use.symbol != "cuda") return std::nullopt;
  return Context::fix(Applicability::Review, "expects the accelerator that is there", {{use.span, d->type}}, d->edits);
}

}  // namespace

// "cuda" and its kin, wherever a device is given.
void check_device_string(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.kind != UseKind::Literal || !is_cuda_device(use.symbol, use.partial) || context.hit_of_use[i] != kNone) continue;
    if (use.part_of != kNone) {
      if (context.use(use.part_of).kind == UseKind::Choice) continue;
      // The call has a finding of its own that is about this argument.
      if (const std::int32_t h = context.hit_of_use[static_cast<std::size_t>(use.part_of)]; h != kNone) {
        Span& span = context.hits[static_cast<std::size_t>(h)].finding.span;
        if (use.span.start >= span.start) span.end = std::max(span.end, use.span.end);
        continue;
      }
    }
    const Verdict verdict = judge(use);
    if (verdict == Verdict::No) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    if (verdict == Verdict::Maybe) {
      ask_project(context, use, hit.finding);
      for (Impact& impact : hit.finding.impact) impact = std::min(impact, Impact::Degrades);
      hit.finding.message = "names CUDA in what looks like a device";
      if (use.place == Place::Listed) hit.finding.fix = device_string_fix(context, use);
      if (use.place_name.starts_with("assert") && context.source.text(use.statement).find("device.type") != std::string_view::npos) {
        hit.finding.fix = expected_type(context, use);
      }
      continue;
    }
    hit.finding.fix = device_string_fix(context, use);
  }
}

// "cuda" if torch.cuda.is_available() else "cpu": runs everywhere, on the CPU where there is another accelerator.
void check_device_choice(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.kind != UseKind::Choice) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    if (use.form.in_string || use.form.fixed) continue;
    // "gpu" is a word of somebody else's; an index that was chosen stays chosen.
    if (use.symbol == "gpu" || device_index(use.symbol) > 0) continue;
    const bool given = use.place == Place::DeviceArgument;
    const auto d = given ? device_at(context.source, context.facts, use.span, context.options)
                         : device_choice(context.source, context.facts, use.span, context.options);
    if (!d) continue;
    const bool object = use.bound == "torch.device";
    std::string text = object || (given && takes_device(context, use.span)) ? d->text : d->type;
    if (use.form.operand && text.find(" or ") != std::string::npos && text[0] != '(') text = "(" + text + ")";
    const bool same = device_index(use.symbol) < 0 || !asks_for_index(context);
    hit.finding.fix = Context::fix(d->safe && same ? Applicability::Safe : Applicability::Review, "takes the accelerator that is there, else the CPU",
                                   {{use.span, text}}, d->edits);
  }
}

}  // namespace torchport
