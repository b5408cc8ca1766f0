#include "analyzers/python/syntax.h"

#include <array>

#include "analyzers/parse_tree.h"

extern "C" const TSLanguage* tree_sitter_python(void);

namespace torchport::python {
namespace {

struct KindName {
  std::string_view name;
  Kind kind;
};

constexpr KindName kKindNames[] = {
    {"module", Kind::Module}, {"identifier", Kind::Identifier}, {"attribute", Kind::Attribute}, {"call", Kind::Call},
    {"argument_list", Kind::ArgumentList}, {"keyword_argument", Kind::KeywordArgument}, {"list_splat", Kind::ListSplat},
    {"dictionary_splat", Kind::DictionarySplat}, {"string", Kind::String}, {"string_content", Kind::StringContent},
    {"interpolation", Kind::Interpolation}, {"concatenated_string", Kind::ConcatenatedString}, {"integer", Kind::Integer},
    {"float", Kind::Float}, {"true", Kind::True}, {"false", Kind::False}, {"none", Kind::None},
    {"conditional_expression", Kind::Conditional}, {"boolean_operator", Kind::BooleanOperator}, {"not_operator", Kind::NotOperator},
    {"binary_operator", Kind::BinaryOperator}, {"unary_operator", Kind::UnaryOperator}, {"comparison_operator", Kind::Comparison},
    {"parenthesized_expression", Kind::Parenthesized}, {"subscript", Kind::Subscript}, {"slice", Kind::Slice}, {"list", Kind::List},
    {"set", Kind::Set}, {"tuple", Kind::Tuple}, {"dictionary", Kind::Dictionary}, {"pair", Kind::Pair},
    {"list_comprehension", Kind::ListComprehension}, {"set_comprehension", Kind::SetComprehension},
    {"dictionary_comprehension", Kind::DictionaryComprehension}, {"generator_expression", Kind::Generator},
    {"for_in_clause", Kind::ForInClause}, {"if_clause", Kind::IfClause}, {"lambda", Kind::Lambda},
    {"lambda_within_for_in_clause", Kind::Lambda}, {"lambda_parameters", Kind::LambdaParameters},
    {"named_expression", Kind::NamedExpression}, {"await", Kind::Await}, {"yield", Kind::Yield}, {"assignment", Kind::Assignment},
    {"augmented_assignment", Kind::AugmentedAssignment}, {"pattern_list", Kind::PatternList}, {"tuple_pattern", Kind::TuplePattern},
    {"list_pattern", Kind::ListPattern}, {"expression_statement", Kind::ExpressionStatement},
    {"import_statement", Kind::ImportStatement}, {"import_from_statement", Kind::ImportFrom},
    {"future_import_statement", Kind::FutureImport}, {"dotted_name", Kind::DottedName}, {"aliased_import", Kind::AliasedImport},
    {"wildcard_import", Kind::WildcardImport}, {"relative_import", Kind::RelativeImport}, {"import_prefix", Kind::ImportPrefix},
    {"if_statement", Kind::IfStatement}, {"elif_clause", Kind::ElifClause}, {"else_clause", Kind::ElseClause},
    {"for_statement", Kind::For}, {"while_statement", Kind::While}, {"try_statement", Kind::Try}, {"except_clause", Kind::ExceptClause},
    {"except_group_clause", Kind::ExceptClause}, {"finally_clause", Kind::Finally}, {"with_statement", Kind::With},
    {"with_clause", Kind::WithClause}, {"with_item", Kind::WithItem}, {"as_pattern", Kind::AsPattern},
    {"as_pattern_target", Kind::AsPatternTarget}, {"function_definition", Kind::FunctionDefinition},
    {"class_definition", Kind::ClassDefinition}, {"decorated_definition", Kind::DecoratedDefinition}, {"decorator", Kind::Decorator},
    {"parameters", Kind::Parameters}, {"default_parameter", Kind::DefaultParameter}, {"typed_parameter", Kind::TypedParameter},
    {"typed_default_parameter", Kind::TypedDefaultParameter}, {"list_splat_pattern", Kind::SplatPattern},
    {"dictionary_splat_pattern", Kind::SplatPattern}, {"block", Kind::Block}, {"return_statement", Kind::Return},
    {"raise_statement", Kind::Raise}, {"assert_statement", Kind::Assert}, {"delete_statement", Kind::Delete},
    {"global_statement", Kind::Global}, {"nonlocal_statement", Kind::Nonlocal}, {"match_statement", Kind::Match},
    {"case_clause", Kind::Case}, {"type", Kind::Type}, {"expression_list", Kind::ExpressionList}, {"pass_statement", Kind::Pass},
    {"break_statement", Kind::Break}, {"continue_statement", Kind::Continue}, {"ellipsis", Kind::Ellipsis},
    {"print_statement", Kind::Print}, {"keyword_pattern", Kind::KeywordPattern}, {"type_alias_statement", Kind::TypeAlias},
};

constexpr std::string_view kFieldNames[] = {
    "", "alias", "alternative", "argument", "arguments", "attribute", "body", "cause", "code", "condition", "consequence", "definition",
    "expression", "format_specifier", "function", "guard", "key", "left", "module_name", "name", "object", "operator", "operators",
    "parameters", "return_type", "right", "subject", "subscript", "superclasses", "type", "type_conversion", "type_parameters", "value",
};

// The grammar's numbers turned into ours, made once.
struct Vocabulary {
  std::vector<Kind> kinds;
  std::vector<Field> fields;
  TSSymbol comment = 0;
  TSSymbol continuation = 0;
  TSSymbol print = 0, exec = 0;

  Vocabulary() {
    const TSLanguage* language = tree_sitter_python();
    kinds.resize(ts_language_symbol_count(language), Kind::Other);
    for (TSSymbol s = 0; s < kinds.size(); ++s) {
      if (ts_language_symbol_type(language, s) != TSSymbolTypeRegular) continue;
      const std::string_view name = ts_language_symbol_name(language, s);
      if (name == "comment") comment = s;
      if (name == "line_continuation") continuation = s;
      if (name == "print_statement") print = s;
      if (name == "exec_statement") exec = s;
      for (const auto& k : kKindNames) {
        if (k.name == name) kinds[s] = k.kind;
      }
    }
    fields.resize(ts_language_field_count(language) + 1, Field::None);
    for (TSFieldId f = 1; f < fields.size(); ++f) {
      const std::string_view name = ts_language_field_name_for_id(language, f);
      for (std::size_t i = 1; i < std::size(kFieldNames); ++i) {
        if (kFieldNames[i] == name) fields[f] = static_cast<Field>(i);
      }
    }
  }
};

const Vocabulary& vocabulary() {
  static const Vocabulary instance;
  return instance;
}

class CursorOwner {
 public:
  explicit CursorOwner(TSNode root) : cursor_(ts_tree_cursor_new(root)) {}
  ~CursorOwner() { ts_tree_cursor_delete(&cursor_); }
  CursorOwner(const CursorOwner&) = delete;
  CursorOwner& operator=(const CursorOwner&) = delete;
  TSTreeCursor* get() { return &cursor_; }

 private:
  TSTreeCursor cursor_;
};

// Kinds that never have children: half of all nodes, and a cursor is slow to tell.
bool is_leaf(Kind kind) { return kind == Kind::Identifier || kind == Kind::Integer || kind == Kind::Float || kind == Kind::True || kind == Kind::False || kind == Kind::None; }

}  // namespace

Tree::Tree(std::string_view text) : text_(text) {
  const ParseMemory memory;
  const TreeOwner tree = parse_tree(tree_sitter_python(), text);
  if (tree == nullptr) {
    complete_ = false;
    nodes_.push_back({{0, static_cast<std::uint32_t>(text.size())}, kNoNode, 1, Kind::Module, Field::None});
    return;
  }
  const Vocabulary& words = vocabulary();
  nodes_.reserve(text.size() / 6 + 16);
  CursorOwner owner(ts_tree_root_node(tree.get()));
  TSTreeCursor* cursor = owner.get();
  NodeId parent = kNoNode;
  std::vector<NodeId> path;      // for each level the cursor is down: the node kept there, or kNoNode for one passed over
  bool down = true;
  for (;;) {
    if (down) {
      const TSNode node = ts_tree_cursor_current_node(cursor);
      const Span span{ts_node_start_byte(node), ts_node_end_byte(node)};
      const bool named = ts_node_is_named(node);
      const TSSymbol symbol = ts_node_symbol(node);
      if (ts_node_is_missing(node)) errors_.push_back(span);
      bool keep = named && symbol != words.continuation;
      if (named && symbol == words.comment) {
        comments_.push_back(span);
        keep = false;
      }
      const bool error = named && symbol == static_cast<TSSymbol>(-1);
      if (named && !error && (symbol == words.print || symbol == words.exec)) errors_.push_back(span);  // Python 2, which the grammar takes
      if (error) errors_.push_back(span);
      if (keep) {
        const Kind kind = error ? Kind::Error : words.kinds[symbol];
        // The module starts at its first token, but lines before it belong to it as well.
        const Span own = path.empty() ? Span{0, static_cast<std::uint32_t>(text.size())} : span;
        nodes_.push_back({own, parent, 0, kind, words.fields[ts_tree_cursor_current_field_id(cursor)]});
        if (!is_leaf(kind) && ts_tree_cursor_goto_first_child(cursor)) {
          path.push_back(parent);
          parent = static_cast<NodeId>(nodes_.size() - 1);
          continue;
        }
        nodes_.back().next = static_cast<NodeId>(nodes_.size());
      }
    }
    if (ts_tree_cursor_goto_next_sibling(cursor)) {
      down = true;
      continue;
    }
    if (path.empty() || !ts_tree_cursor_goto_parent(cursor)) break;
    nodes_[parent].next = static_cast<NodeId>(nodes_.size());
    parent = path.back();
    path.pop_back();
    down = false;
  }
  if (nodes_.empty()) nodes_.push_back({{0, static_cast<std::uint32_t>(text.size())}, kNoNode, 1, Kind::Module, Field::None});
  nodes_[0].kind = Kind::Module;
}

NodeId Tree::child(NodeId id, Field field) const {
  for (NodeId c = first_child(id); c != kNoNode; c = next_sibling(c)) {
    if (nodes_[c].field == field) return c;
  }
  return kNoNode;
}

NodeId Tree::child(NodeId id, Kind kind) const {
  for (NodeId c = first_child(id); c != kNoNode; c = next_sibling(c)) {
    if (nodes_[c].kind == kind) return c;
  }
  return kNoNode;
}

NodeId Tree::last_child(NodeId id) const {
  NodeId last = kNoNode;
  for (NodeId c = first_child(id); c != kNoNode; c = next_sibling(c)) last = c;
  return last;
}

}  // namespace torchport::python
