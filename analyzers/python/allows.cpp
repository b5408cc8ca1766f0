#include <algorithm>

#include "analyzers/python/handles.h"

namespace torchport::python {
namespace {

constexpr std::string_view kMark = "torchport:";

std::string_view trim(std::string_view s) {
  const std::size_t start = s.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  return s.substr(start, s.find_last_not_of(" \t\r") - start + 1);
}

// The lines of the block that the statement on `line` opens (a def, class, if, with …), or just that line.
std::uint32_t last_line_of_statement(const Tree& tree, const SourceFile& source, std::uint32_t line) {
  const Span span = source.line_span(line);
  for (NodeId i = 0; i < tree.size(); ++i) {
    if (tree[i].span.start < span.start || tree[i].kind == Kind::Module || tree[i].kind == Kind::Block) continue;
    if (tree[i].span.start >= span.end) break;
    return source.position(tree[i].span.end == 0 ? 0 : tree[i].span.end - 1).line;
  }
  return line;
}

}  // namespace

// Forms: at the end of a line: that line's statement; on a line of its own: the statement below; `allow-file`: the whole file.
void find_allows(const Tree& tree, const SourceFile& source, FileFacts& facts) {
  for (const Span comment : tree.comments()) {
    std::string_view text = trim(source.text(comment).substr(1));
    if (text.substr(0, kMark.size()) != kMark) continue;
    text = trim(text.substr(kMark.size()));
    Allow allow;
    allow.span = comment;
    const bool file = text.substr(0, 10) == "allow-file";
    if (!file && text.substr(0, 5) != "allow") {
      allow.known_form = false;
      facts.allows.push_back(std::move(allow));
      continue;
    }
    text = trim(text.substr(file ? 10 : 5));
    const std::size_t dashes = text.find("--");
    allow.why = dashes == std::string_view::npos ? std::string_view() : trim(text.substr(dashes + 2));
    std::string_view rules = text.substr(0, dashes);
    while (!(rules = trim(rules)).empty()) {
      const std::size_t end = std::min(rules.find_first_of(", \t"), rules.size());
      if (end > 0) allow.rules.push_back(rules.substr(0, end));
      rules = rules.substr(std::min(end + 1, rules.size()));
    }
    allow.known_form = !allow.rules.empty();
    const std::uint32_t line = source.position(comment.start).line;
    const bool own_line = trim(source.text({source.line_span(line).start, comment.start})).empty();
    if (file) {
      allow.first_line = 1;
      allow.last_line = source.line_count();
    } else if (own_line && line < source.line_count()) {
      std::uint32_t next = line + 1;
      while (next < source.line_count() && (trim(source.line_text(next)).empty() || trim(source.line_text(next))[0] == '#')) ++next;
      allow.first_line = next;
      allow.last_line = last_line_of_statement(tree, source, next);
    } else {
      allow.first_line = allow.last_line = line;
    }
    facts.allows.push_back(std::move(allow));
  }
}

}  // namespace torchport::python
