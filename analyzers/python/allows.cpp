#include <algorithm>
#include <optional>
#include <vector>

#include "analyzers/allow_text.h"
#include "analyzers/python/handles.h"
#include "analyzers/text.h"

namespace torchport::python {
namespace {

struct Lines {
  std::uint32_t first, last;
};

// Where statements begin and end, in order: simple ones whole, compound ones to the colon of their head.
std::vector<Span> statement_heads(const Tree& tree) {
  std::vector<Span> heads;
  for (NodeId i = 1; i < tree.size(); ++i) {
    const Kind outer = tree[tree[i].parent].kind;
    if (outer != Kind::Block && outer != Kind::Module) continue;
    Span head = tree[i].span;
    for (NodeId c = i + 1; c < tree[i].next; ++c) {
      if (tree[c].kind != Kind::Block) continue;
      head.end = tree[c].span.start;
      break;
    }
    if (head.start < head.end) heads.push_back(head);
  }
  return heads;
}

// The lines of the statements, or heads of statements, that the line is part of.
Lines lines_around(const std::vector<Span>& heads, const SourceFile& source, std::uint32_t line) {
  const Span span = source.line_span(line);
  Lines lines{line, line};
  auto head = std::lower_bound(heads.begin(), heads.end(), span.end, [](const Span& h, std::uint32_t end) { return h.start < end; });
  while (head != heads.begin() && (--head)->end > span.start) {
    lines.first = std::min(lines.first, source.position(head->start).line);
    lines.last = std::max(lines.last, source.position(head->end - 1).line);
  }
  return lines;
}

// The last line of what the statement on `line` opens (a def, class, if, with …), or just that line.
std::uint32_t last_line_of_statement(const Tree& tree, const SourceFile& source, std::uint32_t line) {
  const Span span = source.line_span(line);
  NodeId low = 0;
  for (NodeId high = tree.size(); low < high;) {  // nodes are in order of their start
    const NodeId middle = low + (high - low) / 2;
    if (tree[middle].span.start < span.start) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (NodeId i = low; i < tree.size() && tree[i].span.start < span.end; ++i) {
    if (tree[i].kind == Kind::Module || tree[i].kind == Kind::Block) continue;
    return source.position(tree[i].span.end == 0 ? 0 : tree[i].span.end - 1).line;
  }
  return line;
}

}  // namespace

// Forms: at the end of a line: that line's statement, all of its lines; on a line of its own: the statement below; `allow-file`: the whole file.
void find_allows(const Tree& tree, const SourceFile& source, FileFacts& facts) {
  std::optional<std::vector<Span>> heads;
  for (const Span comment : tree.comments()) {
    std::optional<AllowText> text = allow_text(source.text(comment).substr(1), comment);
    if (!text) continue;
    Allow& allow = text->allow;
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
      if (!heads) heads = statement_heads(tree);
      const Lines lines = lines_around(*heads, source, line);
      allow.first_line = lines.first;
      allow.last_line = lines.last;
    }
    facts.allows.push_back(std::move(allow));
  }
}

}  // namespace torchport::python
