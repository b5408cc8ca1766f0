
#include "rules/checks/checks.h"
#include "analyzers/text.h"

namespace torchport {

// torch.cuda.get_device_properties(…): of all its fields only the name has a portable counterpart.
void check_device_properties(Context& context, const Rule& rule) {
  constexpr std::string_view kName = ".name";
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.symbol != "torch.cuda.get_device_properties" || context.hit_of_use[i] != kNone) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    const std::string_view after = context.source.text().substr(use.span.end, kName.size() + 1);
    const bool name = after.substr(0, kName.size()) == kName && (after.size() == kName.size() || (!is_word(after.back()) && after.back() != '('));
    if (use.kind != UseKind::Call || !name || use.form.in_string) continue;
    const auto d = device_choice(context.source, context.facts, use.span, context.options);
    if (!d) continue;
    const Span whole{use.span.start, use.span.end + static_cast<std::uint32_t>(kName.size())};
    hit.finding.fix = Context::fix(Applicability::Review, "the name of the device type; a model's name is known to its own backend only",
                                   {{whole, "str(" + d->text + ")"}}, d->edits);
  }
}

}  // namespace torchport
