// Owns tree-sitter's grammar of CUDA C++. The analysis goes by tokens; the tree is asked whether a rewritten file still reads as it did.
#include "analyzers/cpp/analyze_cpp.h"
#include "analyzers/parse_tree.h"

extern "C" const TSLanguage* tree_sitter_cuda(void);

namespace torchport::cpp {

std::vector<Span> syntax_errors(std::string_view text) {
  const ParseMemory memory;
  std::vector<Span> errors;
  const TreeOwner tree = parse_tree(tree_sitter_cuda(), text);
  if (tree == nullptr) return {{0, 0}};
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
  for (bool more = true; more;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    if (ts_node_is_error(node) || ts_node_is_missing(node)) errors.push_back({ts_node_start_byte(node), ts_node_end_byte(node)});
    if (ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor)) continue;
    more = ts_tree_cursor_goto_next_sibling(&cursor);
    while (!more && ts_tree_cursor_goto_parent(&cursor)) more = ts_tree_cursor_goto_next_sibling(&cursor);
  }
  ts_tree_cursor_delete(&cursor);
  return errors;
}

}  // namespace torchport::cpp
