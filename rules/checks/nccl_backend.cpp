// "nccl" given as a backend. `"nccl" if dist.is_nccl_available() else "gloo"` goes as a whole: torch knows the backend of each device.
#include "analyzers/text.h"
#include "rules/checks/checks.h"

namespace torchport {
namespace {

// Where the conditional ends that begins with the string; nothing where it asks for something else.
std::optional<std::uint32_t> end_of_choice(const SourceFile& source, Span string) {
  const std::string_view rest = source.text().substr(string.end, 200);
  const std::size_t other = rest.find(" else ");
  if (!rest.starts_with(" if ") || other == std::string_view::npos) return std::nullopt;
  if (!trimmed(rest.substr(4, other - 4)).ends_with("is_nccl_available()")) return std::nullopt;
  for (const std::string_view gloo : {"\"gloo\"", "'gloo'"}) {
    if (rest.substr(other + 6).starts_with(gloo)) return string.end + static_cast<std::uint32_t>(other + 6 + gloo.size());
  }
  return std::nullopt;
}

}  // namespace

void check_nccl_backend(Context& context, const Rule& rule) {
  context.add_due(rule, [&](const Use& use, Hit& hit) {
    hit.finding.fix = make_fix(rule.fixes, {context.source, context.facts, context.options, use}, &hit.from);
    const auto end = end_of_choice(context.source, use.span);
    if (!hit.finding.fix || !end) return;
    for (Edit& edit : hit.finding.fix->edits) {
      if (edit.span == use.span) edit.span.end = *end;
    }
    hit.finding.fix->applicability = Applicability::Review;  // a build for CUDA without NCCL took gloo
  });
}

}  // namespace torchport
