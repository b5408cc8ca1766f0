// Review fixes of host code: calls that have a counterpart for any accelerator (a table), and CUDA named as a device beside a tensor.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

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

// The macro around a call that looks at its status and throws, as the counterparts do themselves: AT_CUDA_CHECK(…).
std::optional<Span> checked(const Context& context, Span call) {
  const std::string_view text = context.source.text();
  if (before(context.source, call.start) != '(' || behind(context.source, call.end) != ')') return std::nullopt;
  const std::size_t open = text.find_last_not_of(" \t\r\n", call.start - 1);
  for (const std::string& name : context.catalogue.native_checks) {
    // is_statement() below sees that the name begins here.
    if (!text.substr(0, open).ends_with(name)) continue;
    const Span whole{static_cast<std::uint32_t>(open - name.size()), static_cast<std::uint32_t>(text.find(')', call.end) + 1)};
    if (is_statement(context.source, whole)) return whole;
  }
  return std::nullopt;
}

// "&x" -> "x", of names and members only.
std::string_view pointed_at(std::string_view argument) {
  if (!argument.starts_with('&')) return {};
  argument.remove_prefix(1);
  const bool plain = std::all_of(argument.begin(), argument.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; });
  return plain ? argument : std::string_view{};
}

// `to` with its arguments; nothing where they are not those that it speaks of.
std::optional<std::string> filled(const Context& context, const Use& use, std::string text) {
  std::size_t taken = 0;
  if (const std::size_t at = text.find("{args}"); at != std::string::npos && use.args.size() == 1) {
    text.replace(at, 6, context.source.text(use.args[0].span));
    taken = 1;
  }
  for (std::size_t n = 0; n < use.args.size(); ++n) {
    const std::string place = "{&" + std::to_string(n) + "}";
    const std::size_t at = text.find(place);
    if (at == std::string::npos) continue;
    const std::string_view name = pointed_at(context.source.text(use.args[n].span));
    if (name.empty()) return std::nullopt;
    text.replace(at, place.size(), name);
    ++taken;
  }
  if (taken != use.args.size() || text.find("{args}") != std::string::npos || text.find("{&") != std::string::npos) return std::nullopt;
  return text;
}

std::optional<Fix> row_fix(const Context& context, const Use& use, const NativeRewrite& row) {
  Span span = use.statement;
  if (!row.then.empty() && !context.source.text().substr(span.end).starts_with(row.then)) return std::nullopt;
  if (row.statement && !is_statement(context.source, span)) {
    const auto whole = checked(context, span);
    if (!whole) return std::nullopt;
    span = *whole;
  }
  auto text = filled(context, use, row.to);
  if (!text) return std::nullopt;
  std::vector<Edit> edits = {{span, std::move(*text)}};
  if (!includes(context.facts, row.header)) edits.push_back(include_edit(context.source, context.facts, "#include <" + row.header + ">"));
  return Context::fix(Applicability::Review, "does the same for any accelerator but XLA", std::move(edits));
}

std::optional<Fix> call_fix(const Context& context, const Use& use) {
  if (behind(context.source, use.callee.end) != '(' || use.statement.end <= use.callee.end) return std::nullopt;
  for (const NativeRewrite& row : context.catalogue.native_rewrites) {
    if (row.call != use.symbol) continue;
    if (auto fix = row_fix(context, use, row)) return fix;
  }
  return std::nullopt;
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

// In "kCUDA, x.get_device())" the index says whose device is meant: x, and where its argument ends.
std::optional<std::pair<std::string, std::uint32_t>> indexed_by(const SourceFile& source, std::uint32_t at) {
  constexpr std::array<std::string_view, 2> kIndices = {".get_device()", ".device().index()"};
  const std::string_view text = source.text();
  const std::size_t comma = text.find_first_not_of(" \t\r\n", at);
  const std::size_t name = comma == std::string_view::npos || text[comma] != ',' ? comma : text.find_first_not_of(" \t\r\n", comma + 1);
  if (name == comma || name == std::string_view::npos) return std::nullopt;
  std::size_t end = name;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
  for (const std::string_view index : kIndices) {
    const std::size_t close = end + index.size();
    if (end == name || !text.substr(end).starts_with(index) || behind(source, static_cast<std::uint32_t>(close)) != ')') continue;
    return std::pair{std::string(text.substr(name, end - name)), static_cast<std::uint32_t>(close)};
  }
  return std::nullopt;
}

std::optional<Fix> device_fix(const Context& context, const Use& use) {
  constexpr std::array<std::string_view, 4> kTakers = {".device(", ".to(", "at::device(", "torch::device("};
  constexpr std::array<std::string_view, 3> kDevices = {"at::Device(", "c10::Device(", "torch::Device("};
  const std::string_view text = context.source.text().substr(0, use.callee.start);
  if (use.symbol != "kCUDA") return std::nullopt;
  const auto stands_in = [&](std::string_view taker) { return text.ends_with(taker); };
  const bool taken = std::any_of(kTakers.begin(), kTakers.end(), stands_in);
  if (!taken && std::none_of(kDevices.begin(), kDevices.end(), stands_in)) return std::nullopt;
  if (const auto owner = indexed_by(context.source, use.callee.end)) {
    return Context::fix(Applicability::Review, "takes the device of " + owner->first, {{{use.callee.start, owner->second}, owner->first + ".device()"}});
  }
  const std::string tensor = taken && behind(context.source, use.callee.end) == ')' ? tensor_parameter(context, use) : std::string();
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
