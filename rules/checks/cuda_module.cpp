// The module torch.cuda itself: `import torch.cuda`, which brings nothing that `import torch` does not, and torch.cuda handed on whole.
#include "analyzers/text.h"
#include "rules/checks/checks.h"

namespace torchport {
namespace {

// Whether the file has `import torch` at its top as well.
bool imports_torch(const Context& context) {
  for (const Use& use : context.facts.uses) {
    if (use.kind == UseKind::Import && use.symbol == "torch" && use.bound == "torch" && use.scope == 0 && use.guard == kNone) return true;
  }
  return false;
}

std::optional<Fix> import_fix(const Context& context, const ImportStatement& statement) {
  const SourceFile& source = context.source;
  const Span line = source.line_span(source.position(statement.span.start).line);
  const bool own_line = trimmed(source.text(line)) == source.text(statement.span);
  if (!own_line || statement.alone_in_block || !imports_torch(context)) {
    return Context::fix(Applicability::Safe, "torch brings its module for CUDA itself", {{statement.span, "import torch"}});
  }
  return Context::fix(Applicability::Safe, "torch brings its module for CUDA itself", {{source.whole_lines(statement.span), ""}});
}

// getattr(torch.cuda, name), run(torch.cuda)
bool is_argument(const SourceFile& source, Span span) {
  const std::string_view before = trimmed(source.text().substr(0, span.start));
  return before.ends_with('(') || before.ends_with(',');
}

}  // namespace

void check_cuda_module(Context& context, const Rule& rule) {
  for (const ImportStatement& statement : context.facts.imports) {
    if (!statement.module.empty() || statement.names.size() != 1 || statement.names[0] == kNone) continue;
    const Use& use = context.use(statement.names[0]);
    if (use.symbol != "torch.cuda" || use.bound != "torch" || context.hit_of_use[static_cast<std::size_t>(statement.names[0])] != kNone) continue;
    Hit& hit = context.add(rule, statement.names[0]);
    hit.finding.message = "imports torch.cuda by name";
    hit.finding.fix = import_fix(context, statement);
  }
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.kind != UseKind::Reference || use.symbol != "torch.cuda" || context.hit_of_use[i] != kNone || !is_argument(context.source, use.span)) continue;
    context.add(rule, static_cast<UseId>(i));
  }
}

}  // namespace torchport
