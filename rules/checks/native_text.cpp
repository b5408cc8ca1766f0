#include "rules/checks/native_text.h"

#include <algorithm>
#include <array>

#include "analyzers/text.h"

namespace torchport {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// A name with `::` behind it that is the whole first part of what it begins.
bool names_space(std::string_view text, std::string_view space) {
  for (std::size_t at = text.find(space); at != std::string_view::npos; at = text.find(space, at + 1)) {
    if (at == 0 || !is_word(text[at - 1])) return true;
  }
  return false;
}

}  // namespace

bool in_define(const SourceFile& source, Span span) {
  std::uint32_t line = source.position(span.start).line;
  while (line > 1 && source.line_text(line - 1).ends_with('\\')) --line;
  std::string_view text = source.line_text(line);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.starts_with('#');
}

bool includes(const FileFacts& facts, std::string_view header) {
  return std::any_of(facts.uses.begin(), facts.uses.end(), [&](const Use& use) { return use.kind == UseKind::Include && use.symbol == header; });
}

bool add_includes(const SourceFile& source, const FileFacts& facts, const std::vector<std::string>& headers, std::vector<Edit>& edits) {
  const std::uint32_t at = facts.prelude.after_imports;
  const bool homeless = at == mark_size(source.text()) && std::any_of(facts.uses.begin(), facts.uses.end(), [](const Use& u) { return u.kind == UseKind::Include; });
  // A fragment is included amid other code, in a namespace maybe.
  const bool fragment = source.path().ends_with(".inl") && at == mark_size(source.text());
  const bool open_end = at == source.text().size() && !source.text().empty() && source.text().back() != '\n';
  for (const std::string& header : headers) {
    if (includes(facts, header)) continue;
    if (homeless || fragment || facts.prelude.conditional_torch) return false;
    const std::string line = "#include <" + header + ">", end(source.line_end());
    edits.push_back({{at, at}, open_end ? end + line : line + end});
  }
  return true;
}

std::set<std::string_view> names_with_members(const SourceFile& source) {
  std::set<std::string_view> names;
  const std::string_view text = source.text();
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
    std::size_t start = dot;
    while (start > 0 && is_word(text[start - 1])) --start;
    names.insert(text.substr(start, dot - start));
  }
  return names;
}

bool names_cuda_device(const Use& use) { return use.symbol == "kCUDA" || use.symbol.ends_with("DeviceType::CUDA"); }

bool has_kernels(const FileFacts& facts) {
  return std::any_of(facts.uses.begin(), facts.uses.end(), [](const Use& use) { return use.kind == UseKind::Launch || use.kind == UseKind::NativeKernel; });
}

bool is_endless(const FileFacts& facts) { return facts.uses.size() > 20000; }

bool about_torch(const SourceFile& source, const FileFacts& facts) {
  const bool included = std::any_of(facts.uses.begin(), facts.uses.end(), [](const Use& use) {
    return use.kind == UseKind::Include && (use.symbol.starts_with("torch/") || use.symbol.starts_with("ATen/") || use.symbol.starts_with("c10/"));
  });
  constexpr std::array<std::string_view, 3> kSpaces = {"at::", "torch::", "c10::"};
  return included || std::any_of(kSpaces.begin(), kSpaces.end(), [&](std::string_view space) { return names_space(source.text(), space); });
}

char byte_before(const SourceFile& source, std::uint32_t at) {
  const std::string_view text = source.text().substr(0, at);
  const std::size_t last = text.find_last_not_of(kBlanks);
  return last == std::string_view::npos ? ';' : text[last];
}

char byte_behind(const SourceFile& source, std::uint32_t at) {
  const std::size_t next = source.text().find_first_not_of(kBlanks, at);
  return next == std::string_view::npos ? '\0' : source.text()[next];
}

bool is_statement(const SourceFile& source, Span call) {
  const char first = byte_before(source, call.start);
  return (first == ';' || first == '{' || first == '}') && byte_behind(source, call.end) == ';';
}

std::string_view statement_around(const SourceFile& source, Span span) {
  constexpr std::uint32_t kLongest = 2048;
  const auto size = static_cast<std::uint32_t>(source.text().size());
  std::string_view before = source.text({span.start - std::min(span.start, kLongest), span.start}), behind = source.text({span.start, std::min(size, span.end + kLongest)});
  const std::size_t first = before.find_last_of(";{}");
  before = before.substr(first == std::string_view::npos ? 0 : first + 1);
  behind = behind.substr(0, behind.find(';'));
  return {before.data(), before.size() + behind.size()};
}

Span whole_statement(const SourceFile& source, Span call) {
  const std::string_view text = source.text();
  Span whole{call.start, static_cast<std::uint32_t>(text.find(';', call.end) + 1)};
  const Span line = source.line_span(source.position(whole.start).line);
  const std::uint32_t last = source.position(whole.end).line;
  const Span last_line = source.line_span(last);
  if (!trimmed(source.text({line.start, whole.start})).empty() || !trimmed(source.text({whole.end, std::max(last_line.end, whole.end)})).empty()) return whole;
  return {line.start, last < source.line_count() ? source.line_span(last + 1).start : last_line.end};
}

std::string_view pointed_at(std::string_view argument) {
  if (!argument.starts_with('&')) return {};
  argument.remove_prefix(1);
  return std::all_of(argument.begin(), argument.end(), [](char c) { return is_word(c) || c == '.'; }) ? argument : std::string_view{};
}

}  // namespace torchport
