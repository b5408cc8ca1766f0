#include <algorithm>

#include "analyzers/allow_text.h"
#include "analyzers/python/handles.h"

namespace torchport::python {
namespace {

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
    const std::optional<AllowText> text = allow_text(source.text(comment).substr(1));
    if (!text) continue;
    Allow allow;
    allow.span = comment;
    allow.known_form = text->known_form;
    allow.rules = text->rules;
    allow.why = text->why;
    const std::uint32_t line = source.position(comment.start).line;
    const bool own_line = trimmed(source.text({source.line_span(line).start, comment.start})).empty();
    if (text->file) {
      allow.first_line = 1;
      allow.last_line = source.line_count();
    } else if (own_line && line < source.line_count()) {
      std::uint32_t next = line + 1;
      while (next < source.line_count() && (trimmed(source.line_text(next)).empty() || trimmed(source.line_text(next))[0] == '#')) ++next;
      allow.first_line = next;
      allow.last_line = last_line_of_statement(tree, source, next);
    } else {
      allow.first_line = allow.last_line = line;
    }
    facts.allows.push_back(std::move(allow));
  }
}

}  // namespace torchport::python
