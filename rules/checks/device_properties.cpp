#include "rules/checks/checks.h"
#include "analyzers/text.h"

namespace torchport {
namespace {

// Whether the attribute `name` is read of what the call gives.
bool reads(const Context& context, const Use& use, std::string_view name) {
  const std::string_view after = context.source.text().substr(use.span.end, name.size() + 1);
  return after.substr(0, name.size()) == name && (after.size() == name.size() || (!is_word(after.back()) && after.back() != '('));
}

std::optional<Fix> fix_of_name(const Context& context, const Use& use, Span whole) {
  const auto d = device_choice(context.source, context.facts, use.span, context.options);
  if (!d) return std::nullopt;
  return Context::fix(Applicability::Review, "the name of the device type; a model's name is known to its own backend only", {{whole, "str(" + d->text + ")"}}, d->edits);
}

std::optional<Fix> fix_of_memory(const Context& context, const Use& use, Span whole) {
  if (!available("torch.accelerator.get_memory_info", context.options) || use.args.size() > 1 || (use.args.size() == 1 && use.args[0].splat)) return std::nullopt;
  std::vector<Edit> import;
  const std::string torch = torch_name(context.source, context.facts, use.span, import);
  const std::string given = use.args.empty() ? std::string() : std::string(context.source.text(use.args[0].span));
  std::string text = torch + ".accelerator.get_memory_info(" + given + ")[1]";
  if (!accelerator_guarded(context.facts, use)) text = "(" + text + " if " + torch + ".accelerator.is_available() else 0)";
  return Context::fix(Applicability::Review, "all the memory of the accelerator; 0 without one", {{whole, text}}, import);
}

}  // namespace

// torch.cuda.get_device_properties(…): of all its fields the name and the memory have portable counterparts.
void check_device_properties(Context& context, const Rule& rule) {
  constexpr std::string_view kName = ".name", kMemory = ".total_memory";
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.symbol != "torch.cuda.get_device_properties" || context.hit_of_use[i] != kNone) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    if (use.kind != UseKind::Call || use.form.in_string) continue;
    const auto upto = [&](std::string_view field) { return Span{use.span.start, use.span.end + static_cast<std::uint32_t>(field.size())}; };
    if (reads(context, use, kName)) hit.finding.fix = fix_of_name(context, use, upto(kName));
    if (reads(context, use, kMemory)) hit.finding.fix = fix_of_memory(context, use, upto(kMemory));
  }
}

}  // namespace torchport
