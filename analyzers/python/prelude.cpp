// Where new lines may go, by which name torch is bound there, and whether they may ask for a device.
#include <algorithm>

#include "analyzers/python/handles.h"

namespace torchport::python {
namespace {

// Where the line of the offset ends, past its line end.
std::uint32_t next_line(std::string_view text, std::uint32_t at) {
  const std::size_t end = text.find_first_of("\r\n", at);
  if (end == std::string_view::npos) return static_cast<std::uint32_t>(text.size());
  const bool pair = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
  return static_cast<std::uint32_t>(end + (pair ? 2 : 1));
}

}  // namespace

void find_prelude(Values& values, FileFacts& facts) {
  const Tree& tree = values.tree();
  Names& names = values.names();
  const std::string_view text = tree.whole();
  std::uint32_t after = 0;
  bool first = true;
  NodeId first_import = kNoNode;
  for (NodeId s = tree.first_child(0); s != kNoNode; s = tree.next_sibling(s)) {
    const Kind kind = tree[s].kind;
    const bool docstring = first && kind == Kind::ExpressionStatement && tree.first_child(s) != kNoNode && tree[tree.first_child(s)].kind == Kind::String;
    first = false;
    if (kind == Kind::ImportStatement || kind == Kind::ImportFrom || kind == Kind::FutureImport || docstring) {
      if (first_import == kNoNode && (kind == Kind::ImportStatement || kind == Kind::ImportFrom)) first_import = s;
      after = next_line(text, tree[s].span.end);
      continue;
    }
    if (kind == Kind::ExpressionStatement && tree.text(s).starts_with("__")) continue;  // __author__ = …
    if (kind == Kind::Try || kind == Kind::IfStatement) continue;  // imports may go on behind it
    break;
  }
  if (after == 0) {  // no imports: behind the leading comments (the interpreter, the encoding, the licence)
    const NodeId s = tree.first_child(0);
    const std::uint32_t limit = s == kNoNode ? static_cast<std::uint32_t>(text.size()) : tree[s].span.start;
    for (std::uint32_t line = 0; line < limit && (text[line] == '#' || text[line] == '\n' || text[line] == '\r');) {
      const bool comment = text[line] == '#';
      line = next_line(text, line);
      if (comment) after = line;
    }
  }
  if (after == 0 && text.starts_with("\xef\xbb\xbf")) after = 3;
  facts.prelude.after_imports = after;
  facts.prelude.first_import = after;
  if (first_import != kNoNode) {
    const std::size_t start = tree[first_import].span.start == 0 ? std::string_view::npos : text.find_last_of("\r\n", tree[first_import].span.start - 1);
    facts.prelude.first_import = start == std::string_view::npos ? 0 : static_cast<std::uint32_t>(start + 1);
  }
  for (const Binding& b : names.bindings()) {
    if (b.kind != BindingKind::Import || names.paths().text(b.path) != "torch") continue;
    const std::string_view name = names.interner().text(b.name);
    const NodeId around = b.block == 0 ? kNoNode : tree[b.block].parent;
    if (around != kNoNode && tree[around].kind == Kind::IfStatement && tree.text(around).substr(0, 60).find("TYPE_CHECKING") != std::string_view::npos) continue;
    const bool plain = b.scope == 0 && b.block == 0;
    if (plain && tree[b.target].span.start < after) {
      facts.prelude.torch = name;
      continue;
    }
    const std::uint32_t end = b.scope == 0 ? static_cast<std::uint32_t>(text.size()) : tree[names.scope(b.scope).node].span.end;
    facts.prelude.torch_elsewhere.push_back({name, {tree[b.target].span.end, end}, b.scope == 0, !plain});
  }
  facts.prelude.devices_come_later = facts.has_identifier("multiprocessing") || facts.has_identifier("fork") ||
                                     std::any_of(facts.uses.begin(), facts.uses.end(), [](const Use& use) {
                                       return use.kind == UseKind::Literal && use.place == Place::Environment && use.symbol == "CUDA_VISIBLE_DEVICES";
                                     });
}

}  // namespace torchport::python
