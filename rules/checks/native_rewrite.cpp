// Review fixes of host code: calls that have a counterpart for any accelerator (a table), and CUDA named as a device beside a tensor.
#include <algorithm>
#include <array>
#include <optional>

#include "rules/checks/native_rewrite.h"
#include "rules/checks/native_text.h"

namespace torchport {
namespace {

char before(const SourceFile& source, std::uint32_t at) {
  const std::string_view text = source.text().substr(0, at);
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? ';' : text[last];
}

char behind(const SourceFile& source, std::uint32_t at) {
  const std::size_t next = source.text().find_first_not_of(" \t\r\n", at);
  return next == std::string_view::npos ? '\0' : source.text()[next];
}

bool is_statement(const SourceFile& source, Span call) {
  const char first = before(source, call.start);
  return (first == ';' || first == '{' || first == '}') && behind(source, call.end) == ';';
}

std::optional<Fix> call_fix(const Context& context, const Use& use) {
  const auto& table = context.catalogue.native_rewrites;
  const auto row = std::find_if(table.begin(), table.end(), [&](const NativeRewrite& r) { return r.call == use.symbol; });
  if (row == table.end() || behind(context.source, use.callee.end) != '(' || use.statement.end <= use.callee.end) return std::nullopt;
  if (row->statement && !is_statement(context.source, use.statement)) return std::nullopt;
  std::string text = row->to;
  if (const std::size_t at = text.find("{args}"); at != std::string::npos) {
    if (use.args.size() != 1) return std::nullopt;
    text.replace(at, 6, context.source.text(use.args[0].span));
  } else if (!use.args.empty()) {
    return std::nullopt;
  }
  std::vector<Edit> edits = {{use.statement, std::move(text)}};
  if (!includes(context.facts, row->header)) edits.push_back(include_edit(context.source, context.facts, "#include <" + row->header + ">"));
  return Context::fix(Applicability::Review, "does the same for any accelerator but XLA", std::move(edits));
}

// The first parameter of the function around that is a tensor, and no list, pointer or option of one.
std::string tensor_parameter(const Context& context, const Use& use) {
  for (const NativeFunction& native : context.facts.natives) {
    if (native.function != use.scope || native.side != Side::Host) continue;
    std::string_view left = context.source.text(native.parameters);
    while (!left.empty()) {
      const std::size_t comma = std::min(left.find(','), left.size());
      const std::string_view one = left.substr(0, std::min(left.substr(0, comma).find('='), comma));
      left = left.substr(std::min(comma + 1, left.size()));
      const std::size_t type = one.find("Tensor");
      if (type == std::string_view::npos || one.find_first_of("<>*[(") != std::string_view::npos) continue;
      const std::size_t name = one.find_first_not_of(" \t\n&", type + 6);
      if (name == std::string_view::npos || name == type + 6) continue;
      const std::string_view rest = one.substr(name);
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r\n"));
      if (word != "const") return std::string(word);
    }
  }
  return {};
}

std::optional<Fix> device_fix(const Context& context, const Use& use) {
  constexpr std::array<std::string_view, 4> kTakers = {".device(", ".to(", "at::device(", "torch::device("};
  const std::string_view text = context.source.text().substr(0, use.callee.start);
  if (use.symbol != "kCUDA" || behind(context.source, use.callee.end) != ')') return std::nullopt;
  if (std::none_of(kTakers.begin(), kTakers.end(), [&](std::string_view taker) { return text.ends_with(taker); })) return std::nullopt;
  const std::string tensor = tensor_parameter(context, use);
  if (tensor.empty()) return std::nullopt;
  return Context::fix(Applicability::Review, "takes the device of " + tensor, {{use.callee, tensor + ".device()"}});
}

}  // namespace

void rewrite_native(Context& context) {
  if (context.facts.language != Language::Cpp || has_kernels(context.facts)) return;
  for (Hit& hit : context.hits) {
    if (hit.use == kNone || hit.finding.fix) continue;
    const Use& use = context.use(hit.use);
    // Under a condition the code is meant for what it asks; in a macro nothing is known of the place.
    if (use.kind != UseKind::Mention || use.guard != kNone || in_define(context.source, use.span)) continue;
    hit.finding.fix = call_fix(context, use);
    if (!hit.finding.fix) hit.finding.fix = device_fix(context, use);
  }
}

}  // namespace torchport
