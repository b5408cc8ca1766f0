#include "analyzers/embedded_native.h"

#include "analyzers/python/syntax.h"

namespace torchport {
namespace {

// Prose names `__global__` too; source has a body as well.
bool looks_native(std::string_view text) {
  const std::size_t global = text.find("__global__");
  if (global == std::string_view::npos) return text.find("<<<") != std::string_view::npos && text.find(">>>") != std::string_view::npos && text.find("#include") != std::string_view::npos;
  const std::size_t list = text.find('(', global);
  return list != std::string_view::npos && text.find('{', list) != std::string_view::npos;
}

// Line ends stay, so that lines do. An escape is written as it is in the string: "\n" ends no line of the file.
void uncover(std::string_view from, Span span, bool raw, std::string& into) {
  for (std::uint32_t i = span.start; i < span.end; ++i) {
    if (!raw && from[i] == '\\' && i + 1 < span.end && from[i + 1] != '\n') {
      // `\"` and `\\` stand for their second byte, other escapes for a blank.
      if (from[i + 1] == '"' || from[i + 1] == '\\') into[i + 1] = from[i + 1];
      ++i;
      continue;
    }
    into[i] = from[i];
  }
}

}  // namespace

std::optional<std::string> embedded_native(const SourceFile& source) {
  const std::string_view text = source.text();
  if (!looks_native(text)) return std::nullopt;
  std::string why;
  if (const auto changed = python::parseable(text, why); changed || !why.empty()) return std::nullopt;
  const python::Tree tree(text);
  std::string out(text);
  for (char& c : out) c = c == '\n' || c == '\r' ? c : ' ';
  bool any = false;
  for (python::NodeId id = 0; id < tree.size(); ++id) {
    if (tree[id].kind != python::Kind::String || !looks_native(tree.text(id))) continue;
    const std::string_view literal = tree.text(id);
    const std::size_t quote = literal.find_first_of("\"'");
    if (quote == std::string_view::npos) continue;
    const bool raw = literal.substr(0, quote).find_first_of("rR") != std::string_view::npos;
    const std::size_t marks = literal.substr(quote, 3) == "\"\"\"" || literal.substr(quote, 3) == "'''" ? 3 : 1;
    if (literal.size() < quote + 2 * marks) continue;
    const auto start = static_cast<std::uint32_t>(tree[id].span.start + quote + marks);
    uncover(text, {start, static_cast<std::uint32_t>(tree[id].span.end - marks)}, raw, out);
    any = true;
  }
  return any ? std::optional(out) : std::nullopt;
}

}  // namespace torchport
