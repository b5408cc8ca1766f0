// Owns tree-sitter's grammar of CUDA C++. The analysis goes by tokens; the tree is asked whether a rewritten file still reads as it did.
#include <tree_sitter/api.h>

#include <memory>

#include "analyzers/cpp/analyze_cpp.h"
#include "analyzers/parse_memory.h"

extern "C" const TSLanguage* tree_sitter_cuda(void);

namespace torchport::cpp {
namespace {

struct ParserDelete {
  void operator()(TSParser* p) const { ts_parser_delete(p); }
};
struct TreeDelete {
  void operator()(TSTree* t) const {
    if constexpr (!kTreesFreeThemselves) ts_tree_delete(t);
  }
};

// Counted in calls and not in time, so that the outcome is the same on every machine.
std::unique_ptr<TSTree, TreeDelete> parse(std::string_view text) {
  const std::unique_ptr<TSParser, ParserDelete> parser(ts_parser_new());
  ts_parser_set_language(parser.get(), tree_sitter_cuda());
  TSInput input{};
  input.payload = &text;
  input.encoding = TSInputEncodingUTF8;
  input.read = [](void* payload, std::uint32_t at, TSPoint, std::uint32_t* size) -> const char* {
    const auto& all = *static_cast<std::string_view*>(payload);
    *size = at < all.size() ? static_cast<std::uint32_t>(all.size()) - at : 0;
    return *size == 0 ? "" : all.data() + at;
  };
  std::uint64_t left = 20000 + text.size() / 2;
  TSParseOptions options{};
  options.payload = &left;
  options.progress_callback = [](TSParseState* state) -> bool { return (*static_cast<std::uint64_t*>(state->payload))-- == 0; };
  return std::unique_ptr<TSTree, TreeDelete>(ts_parser_parse_with_options(parser.get(), nullptr, input, options));
}

}  // namespace

std::vector<Span> syntax_errors(std::string_view text) {
  const ParseMemory memory;
  std::vector<Span> errors;
  const auto tree = parse(text);
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
