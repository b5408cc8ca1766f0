#include "rules/checks/checks.h"
#include "analyzers/text.h"

namespace torchport {
namespace {

// Whether torch.manual_seed was given the same seed just above, with nothing but other seeds in between.
bool seeded_above(const Context& context, const Use& use, std::string_view seed, bool& adjacent) {
  adjacent = true;
  if (seed.find('(') != std::string_view::npos) return false;  // asked for twice it need not be the same
  const SourceFile& source = context.source;
  const std::uint32_t own = source.position(use.statement.start).line;
  const std::string_view indent = source.text({source.line_span(own).start, use.statement.start});
  for (std::uint32_t line = own; --line > 0;) {
    const std::string_view text = source.line_text(line);
    if (trimmed(text).empty()) continue;
    if (text.substr(0, indent.size()) != indent) return false;
    const std::string_view code = text.substr(indent.size());
    if (code.substr(0, 1) == "#") continue;
    if (code[0] == ' ' || code[0] == '\t' || code.find("seed(") == std::string_view::npos) {
      if (indent.empty() || code.substr(0, 4) == "def ") return false;
      adjacent = false;
      continue;
    }
    const Span span{source.line_span(line).start, source.line_span(line).end};
    for (const Use& other : context.facts.uses) {
      if (!span.contains(other.span) || other.kind != UseKind::Call || other.symbol != "torch.manual_seed") continue;
      const Arg* given = find_argument(other, 0, "seed");
      if (given != nullptr && other.form.own_lines && trimmed(source.text(given->span)) == seed) return true;
    }
  }
  return false;
}

}  // namespace

// torch.cuda.manual_seed(_all): below torch.manual_seed of the same seed it does nothing more and goes; elsewhere that call takes its place.
void check_cuda_seed(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    const bool module = use.symbol.rfind("torch.cuda.manual_seed", 0) == 0 || use.symbol.rfind("torch.cuda.random.manual_seed", 0) == 0;
    if (!module || context.hit_of_use[i] != kNone) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    if (use.kind != UseKind::Call) continue;
    const Arg* seed = find_argument(use, 0, "seed");
    bool adjacent = false;
    if (seed != nullptr && use.form.own_lines && !use.receiver.empty() && seeded_above(context, use, trimmed(context.source.text(seed->span)), adjacent)) {
      const Span lines = context.source.whole_lines(use.statement);
      const std::string_view behind = trimmed(context.source.text({use.statement.end, lines.end}));
      if (behind.empty() || behind.starts_with('#')) {
        hit.finding.fix = Context::fix(adjacent ? Applicability::Safe : Applicability::Review, "goes: torch.manual_seed above has seeded every device", {{lines, ""}});
        continue;
      }
    }
    const FixSite site{context.source, context.facts, context.options, use};
    hit.finding.fix = make_fix(rule.fixes, site, &hit.from);
  }
}

}  // namespace torchport
