#include "rules/checks/native_text.h"

#include <algorithm>

namespace torchport {

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

Edit include_edit(const SourceFile& source, const FileFacts& facts, std::string_view line) {
  const std::uint32_t at = facts.prelude.after_imports;
  std::string text = std::string(line) + std::string(source.line_end());
  if (at == source.text().size() && !source.text().empty() && source.text().back() != '\n') text = std::string(source.line_end()) + std::string(line);
  return {{at, at}, std::move(text)};
}

bool has_kernels(const FileFacts& facts) {
  return std::any_of(facts.uses.begin(), facts.uses.end(), [](const Use& use) { return use.kind == UseKind::Launch || use.kind == UseKind::NativeKernel; });
}

}  // namespace torchport
