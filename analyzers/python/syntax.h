// The syntax tree of one Python file as a flat array in order of writing, so that passes over it are loops. Owns tree-sitter: nothing of it
// leaves the .cpp. Comments stand in a list of their own; of punctuation only what lies between two nodes' spans remains readable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/source.h"

namespace torchport::python {

enum class Kind : std::uint8_t {
  Other, Error, Module, Identifier, Attribute, Call, ArgumentList, KeywordArgument, ListSplat, DictionarySplat, String, StringContent,
  Interpolation, ConcatenatedString, Integer, Float, True, False, None, Conditional, BooleanOperator, NotOperator, BinaryOperator,
  UnaryOperator, Comparison, Parenthesized, Subscript, Slice, List, Set, Tuple, Dictionary, Pair, ListComprehension, SetComprehension,
  DictionaryComprehension, Generator, ForInClause, IfClause, Lambda, LambdaParameters, NamedExpression, Await, Yield, Assignment,
  AugmentedAssignment, PatternList, TuplePattern, ListPattern, ExpressionStatement, ImportStatement, ImportFrom, FutureImport, DottedName,
  AliasedImport, WildcardImport, RelativeImport, ImportPrefix, IfStatement, ElifClause, ElseClause, For, While, Try, ExceptClause, Finally,
  With, WithClause, WithItem, AsPattern, AsPatternTarget, FunctionDefinition, ClassDefinition, DecoratedDefinition, Decorator, Parameters,
  DefaultParameter, TypedParameter, TypedDefaultParameter, SplatPattern, Block, Return, Raise, Assert, Delete, Global, Nonlocal, Match,
  Case, Type, ExpressionList, Pass, Break, Continue, Ellipsis, Print, KeywordPattern, TypeAlias,
};

inline bool is_string(Kind kind) { return kind == Kind::String || kind == Kind::ConcatenatedString; }

enum class Field : std::uint8_t {
  None, Alias, Alternative, Argument, Arguments, Attribute, Body, Cause, Code, Condition, Consequence, Definition, Expression,
  FormatSpecifier, Function, Guard, Key, Left, ModuleName, Name, Object, Operator, Operators, Parameters, ReturnType, Right, Subject,
  Subscript, Superclasses, Type, TypeConversion, TypeParameters, Value,
};

using NodeId = std::uint32_t;
constexpr NodeId kNoNode = 0xffffffff;

struct Node {
  Span span;
  NodeId parent = kNoNode;
  NodeId next = 0;     // one past the last node of this subtree; also the next sibling, if that has the same parent
  Kind kind = Kind::Other;
  Field field = Field::None;
};

class Tree {
 public:
  // `text` must outlive the tree. Never fails: what cannot be parsed is an Error node. Gives up on a text that costs too much (see `complete`).
  explicit Tree(std::string_view text);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  NodeId size() const { return static_cast<NodeId>(nodes_.size()); }
  std::string_view text(NodeId id) const { return slice(nodes_[id].span); }
  std::string_view slice(Span span) const { return text_.substr(span.start, span.end - span.start); }
  std::string_view whole() const { return text_; }

  NodeId first_child(NodeId id) const { return id + 1 < nodes_[id].next ? id + 1 : kNoNode; }
  NodeId next_sibling(NodeId id) const {
    const NodeId next = nodes_[id].next;
    return next < size() && nodes_[next].parent == nodes_[id].parent ? next : kNoNode;
  }
  NodeId child(NodeId id, Field field) const;
  NodeId child(NodeId id, Kind kind) const;
  NodeId last_child(NodeId id) const;
  bool inside(NodeId id, NodeId ancestor) const { return id >= ancestor && id < nodes_[ancestor].next; }

  const std::vector<Span>& comments() const { return comments_; }
  // Error nodes and places where something is missing, in order.
  const std::vector<Span>& errors() const { return errors_; }
  bool complete() const { return complete_; }

 private:
  std::string_view text_;
  std::vector<Node> nodes_;
  std::vector<Span> comments_;
  std::vector<Span> errors_;
  bool complete_ = true;
};

// Bytes as the parser wants them where they are not so already, of the same length: in text that is not UTF-8 the bytes beyond ASCII become
// '_', so that every offset stays true. `why` is set where the encoding cannot be read (UTF-16, a zero byte).
std::optional<std::string> parseable(std::string_view bytes, std::string& why);

}  // namespace torchport::python
