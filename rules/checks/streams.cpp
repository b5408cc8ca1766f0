#include <algorithm>
#include <array>

#include "rules/checks/checks.h"
#include "rules/fix.h"

namespace torchport {
namespace {

// opdb/data/torch_names.tsv: torch.Stream.__enter__ is there since 2.7, torch.accelerator.current_stream since 2.6.
constexpr std::uint32_t kStreamsAreEntered = 207;

bool old_torch(const Context& context) { return context.options.min_torch != 0 && context.options.min_torch < kStreamsAreEntered; }

// Raw handles go to kernels, which want the stream of their own backend.
bool hands_out_handles(const Context& context) { return context.facts.has_identifier("cuda_stream"); }

// with torch.cuda.stream(s): -> with s:
std::optional<Fix> entered(const Use& use) {
  const Arg* stream = find_argument(use, 0, "stream");
  if (stream == nullptr || use.args.size() != 1 || use.kind != UseKind::Call) return std::nullopt;
  return Context::fix(Applicability::Review, "a stream is entered itself; None is not, where torch.cuda.stream took it",
                      {{{use.span.start, stream->span.start}, ""}, {{stream->span.end, use.span.end}, ""}});
}

// What is asked of the stream right behind the call: "wait_stream" of current_stream().wait_stream(s).
std::string_view asked_of(const Context& context, const Use& use) {
  const std::string_view after = context.source.text().substr(use.span.end);
  if (after.empty() || after[0] != '.') return {};
  return after.substr(1, after.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 1) - 1);
}

bool known_method(std::string_view name) {
  constexpr std::array kMethods = std::to_array<std::string_view>({"synchronize", "wait_stream", "wait_event", "record_event", "query"});
  return std::find(kMethods.begin(), kMethods.end(), name) != kMethods.end();
}

bool stands_alone(const Context& context, Span statement) {
  const Span first = context.source.line_span(context.source.position(statement.start).line);
  const Span last = context.source.line_span(context.source.position(statement.end).line);
  const std::string_view before = context.source.text({first.start, statement.start});
  const std::string_view after = context.source.text({statement.end, std::max(statement.end, last.end)});
  const std::size_t next = after.find_first_not_of(" \t\r\n");
  return before.find_first_not_of(" \t") == std::string_view::npos && (next == std::string_view::npos || after[next] == '#');
}

std::optional<Fix> current(const Context& context, const Use& use) {
  if (use.kind != UseKind::Call || use.symbol != "torch.cuda.current_stream" || use.form.in_string) return std::nullopt;
  if (use.args.size() > 1 || (use.args.size() == 1 && (use.args[0].splat || !use.args[0].keyword.empty()))) return std::nullopt;
  const std::string_view method = asked_of(context, use);
  const std::string_view statement = context.source.text(use.statement);
  const bool assigned = use.span.end == use.statement.end && statement.find('=') < use.span.start - use.statement.start;
  if (!known_method(method) && !assigned) return std::nullopt;
  std::vector<Edit> edits;
  std::vector<Edit> import;
  const std::string torch = torch_name(context.source, context.facts, use.span, import);
  edits.push_back({use.callee, torch + ".accelerator.current_stream"});
  const std::string message = "the stream of the accelerator that is there; it has no cuda_stream handle";
  if (accelerator_guarded(context.facts, use)) return Context::fix(Applicability::Review, message, std::move(edits), import);
  Use whole = use;
  whole.form.statement = whole.form.own_lines = use.statement.start == use.span.start && stands_alone(context, use.statement);
  if (!assigned && !whole.form.statement) return std::nullopt;
  const FixSite site{context.source, context.facts, context.options, whole};
  auto fix = guarded_fix(site, std::move(edits), "None");
  if (!fix) return std::nullopt;
  return Context::fix(Applicability::Review, message, std::move(fix->edits));
}

}  // namespace

// torch.cuda.stream(s) and torch.cuda.current_stream(): a torch.Stream does the same on every accelerator, but gives kernels no handle.
void check_streams(Context& context, const Rule& rule) {
  context.add_due(rule, [&](const Use& use, Hit& hit) {
    if (old_torch(context) || hands_out_handles(context)) return;
    hit.finding.fix = use.symbol.find("current_stream") != std::string_view::npos ? current(context, use) : entered(use);
  });
}

}  // namespace torchport
