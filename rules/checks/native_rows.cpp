#include "rules/checks/native_rows.h"

#include <algorithm>
#include <array>

#include "rules/checks/native_text.h"

namespace torchport {
namespace {

constexpr std::string_view kBlankBytes = " \t\r\n";

// The macro around a call that looks at its status and throws, as the counterparts do themselves: AT_CUDA_CHECK(…).
std::optional<Span> checked(const Context& context, Span call) {
  const std::string_view text = context.source.text();
  if (byte_before(context.source, call.start) != '(' || byte_behind(context.source, call.end) != ')') return std::nullopt;
  const std::size_t open = text.find_last_not_of(kBlankBytes, call.start - 1);
  for (const std::string& name : context.catalogue.native_checks) {
    // is_statement() sees that the name begins here.
    if (!text.substr(0, open).ends_with(name)) continue;
    const Span whole{static_cast<std::uint32_t>(open - name.size()), static_cast<std::uint32_t>(text.find(')', call.end) + 1)};
    if (is_statement(context.source, whole)) return whole;
  }
  return std::nullopt;
}

// Fills one row's `to`.
class Filler {
 public:
  Filler(const SourceFile& source, const std::vector<Span>& args, const ObjectText& object) : source_(source), args_(args), object_(object), used_(args.size(), false) {}

  // The text for what stands between braces.
  std::optional<std::string> place(std::string_view word) {
    if (word == "accelerator") return std::string(kAccelerator);
    if (word == "args") return args_.size() == 1 ? std::optional(std::string(argument(0))) : std::nullopt;
    const std::size_t blank = word.find(' ');
    const std::string_view kind = blank == std::string_view::npos ? (word.starts_with('&') ? "&" : "") : word.substr(0, blank);
    const auto n = static_cast<std::size_t>(word.back() - '0');
    const bool there = n < args_.size();
    if (kind == "zero") return !there || argument(n) == "0" ? std::optional(std::string()) : std::nullopt;
    if (kind == "stream") return object_(kind, there ? std::optional(span(n)) : std::nullopt);
    if (!there) return std::nullopt;
    if (kind.empty()) return std::string(argument(n));
    if (kind == "bool") return argument(n) == "true" || argument(n) == "false" ? std::optional(std::string(argument(n))) : std::nullopt;
    if (kind != "&") return object_(kind, span(n));
    const std::string_view name = pointed_at(argument(n));
    return name.empty() ? std::nullopt : std::optional(std::string(name));
  }

  bool all_used() const { return std::all_of(used_.begin(), used_.end(), [](bool used) { return used; }); }

 private:
  Span span(std::size_t n) {
    used_[n] = true;
    return args_[n];
  }
  std::string_view argument(std::size_t n) { return source_.text(span(n)); }

  const SourceFile& source_;
  const std::vector<Span>& args_;
  const ObjectText& object_;
  std::vector<bool> used_;
};

}  // namespace

bool torch_has(const Context& context, std::uint32_t since) { return context.options.min_torch == 0 || since <= context.options.min_torch; }

bool is_about_objects(const NativeRewrite& row) {
  constexpr std::array<std::string_view, 5> kPlaces = {"{event ", "{stream ", "{new ", "{end ", "{flag "};
  if (!row.of.empty() || !row.gives.empty()) return true;
  return std::any_of(kPlaces.begin(), kPlaces.end(), [&](std::string_view place) { return row.to.find(place) != std::string::npos; });
}

std::optional<std::string> filled(const SourceFile& source, const NativeRewrite& row, const std::vector<Span>& args, const ObjectText& object) {
  Filler filler(source, args, object);
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t open = row.to.find('{', at);
    out.append(row.to, at, open - at);
    if (open == std::string::npos) break;
    const std::size_t close = row.to.find('}', open);
    const auto text = filler.place(std::string_view(row.to).substr(open + 1, close - open - 1));
    if (!text) return std::nullopt;
    out += *text;
    at = close + 1;
  }
  return filler.all_used() ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Span> replaced(const Context& context, const Use& use, const NativeRewrite& row) {
  const std::string_view text = context.source.text();
  Span span = use.statement;
  span.start = use.callee.start;
  if (!row.then.empty() && !text.substr(span.end).starts_with(row.then)) return std::nullopt;
  if (!row.with.empty()) {
    const std::size_t at = text.find_first_not_of(" \t", span.end);
    if (at == std::string_view::npos || !text.substr(at).starts_with(row.with)) return std::nullopt;
    span.end = static_cast<std::uint32_t>(at + row.with.size());
  } else if (use.statement.end <= use.callee.end) {
    return std::nullopt;  // no call
  }
  if (!row.statement || is_statement(context.source, span)) return span;
  return checked(context, span);
}

std::vector<Span> argument_spans(const Use& use) {
  std::vector<Span> spans;
  for (const Arg& arg : use.args) spans.push_back(arg.span);
  return spans;
}

}  // namespace torchport
