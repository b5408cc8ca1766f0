#include <algorithm>

#include "rules/checks/checks.h"
#include "rules/checks/device_text.h"

namespace torchport {
namespace {

const Value* cuda_value(const Arg* arg) {
  if (arg == nullptr) return nullptr;
  const auto it = std::find_if(arg->values.begin(), arg->values.end(),
                               [](const Value& v) { return v.kind == ValueKind::String && is_cuda_device(v.text, v.partial); });
  return it == arg->values.end() ? nullptr : &*it;
}

// The argument with the comma before it.
Span with_comma(const SourceFile& source, const Arg& arg) {
  const std::string_view text = source.text();
  std::uint32_t start = arg.whole.start;
  while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t' || text[start - 1] == '\n' || text[start - 1] == '\r')) --start;
  return start > 0 && text[start - 1] == ',' ? Span{start - 1, arg.whole.end} : Span{};
}

bool option_call(const Use& use) {
  if (use.kind != UseKind::Call) return false;
  const std::string_view last = use.symbol.substr(use.symbol.rfind('.') + 1);
  return last == "add_argument" || last == "option" || last == "DEFINE_string" || last == "Option";
}

// --device, --gpu, --accelerator, --cuda-device; --framework and --arch are other things.
bool names_a_device(const Context& context, const Use& use) {
  std::string name;
  for (const Arg& arg : use.args) {
    if (arg.keyword.empty() || arg.keyword == "dest") name += context.source.text(arg.span);
  }
  for (const std::string_view word : {"dev", "gpu", "cuda", "accel", "DEV", "GPU", "place"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return name.empty();
}

// Whether the default is given as a device somewhere.
bool flows_to_device(const Context& context, const Use& use) {
  return std::any_of(context.facts.uses.begin(), context.facts.uses.end(), [&](const Use& literal) {
    return literal.kind == UseKind::Literal && use.span.contains(literal.span) && !literal.flows.empty();
  });
}

void shut_out(Finding& f) {
  f.message = "the choices of the option shut other accelerators out";
  for (Impact& impact : f.impact) impact = std::min(impact, Impact::Degrades);
  f.impact[static_cast<std::size_t>(Target::Cpu)] = Impact::None;
}

// Choices on a line of their own are a place of their own; the fix of the default takes them along.
void tell_choices(Context& context, const Rule& rule, const Arg& choices, std::uint32_t line, const Fix& fix) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.kind != UseKind::Literal || !choices.span.contains(use.span) || !is_cuda_device(use.symbol, use.partial) || context.hit_of_use[i] != kNone) continue;
    if (context.source.position(use.span.start).line == line) return;
    Finding& f = context.add(rule, static_cast<UseId>(i)).finding;
    shut_out(f);
    f.fix = fix;
    return;
  }
}

}  // namespace

// --device with default="cuda" or choices that shut other backends out.
void check_device_option(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (!option_call(use) || context.hit_of_use[i] != kNone) continue;
    const Arg* initial = find_argument(use, -1, "default");
    const Arg* choices = find_argument(use, -1, "choices");
    const Arg* type = find_argument(use, -1, "type");
    if (choices == nullptr && type != nullptr && context.source.text(type->span).find("Choice(") != std::string_view::npos) choices = type;  // click
    const Value* value = cuda_value(initial);
    const bool limited = choices != nullptr && context.source.text(choices->span).find("cuda") != std::string_view::npos;
    if (value == nullptr && !limited) continue;
    if (!names_a_device(context, use) && !flows_to_device(context, use)) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    Finding& f = hit.finding;
    f.span = value != nullptr ? initial->span : choices->span;
    if (value == nullptr) {
      shut_out(f);
    }
    // ROCm is no device of torch: what is chosen among is something else.
    if (limited && context.source.text(choices->span).find("rocm") != std::string_view::npos) continue;
    std::vector<Edit> edits;
    std::vector<Edit> more;
    bool safe = !limited;
    if (value != nullptr && value->origin == initial->span) {
      const auto d = device_at(context.source, context.facts, initial->span, context.options);
      if (!d) continue;
      edits.push_back({initial->span, d->type});
      more = d->edits;
      safe = safe && d->safe && device_index(value->text) < 0;
    } else if (value != nullptr) {
      continue;  // the constant that it names is the finding
    }
    if (limited) {
      const Span cut = with_comma(context.source, *choices);
      if (cut.empty()) continue;
      edits.push_back({cut, ""});
    }
    const Fix fix = Context::fix(safe ? Applicability::Safe : Applicability::Review,
                         limited ? "takes the accelerator that is there and lets any device be named" : "takes the accelerator that is there",
                         std::move(edits), more);
    f.fix = fix;
    if (value != nullptr && limited) tell_choices(context, rule, *choices, context.source.position(f.span.start).line, fix);
  }
}

}  // namespace torchport
