// Operators and indices on values that are proven tensors: each is a use, as a call of the method that Python calls for
// it.
#include <algorithm>
#include <array>

#include "analyzers/python/collect.h"
#include "analyzers/python/torch_types.h"

namespace torchport::python {
namespace {

ValueKind kind_of(What what) {
  switch (what) {
    case What::None:
      return ValueKind::None;
    case What::Bool:
      return ValueKind::Bool;
    case What::Int:
      return ValueKind::Int;
    case What::Float:
      return ValueKind::Float;
    case What::String:
      return ValueKind::String;
    case What::Path:
      return ValueKind::Name;
    case What::Instance:
      return ValueKind::Instance;
    default:
      return ValueKind::Unknown;
  }
}

struct Operator {
  std::string_view text;
  std::string_view symbol;
};

// Longer ones first: "**" begins with "*".
constexpr std::array kBinary = std::to_array<Operator>({
    {"**", "torch.Tensor.__pow__"},
    {"//", "torch.Tensor.__floordiv__"},
    {"<<", "torch.Tensor.__lshift__"},
    {">>", "torch.Tensor.__rshift__"},
    {"+", "torch.Tensor.__add__"},
    {"-", "torch.Tensor.__sub__"},
    {"*", "torch.Tensor.__mul__"},
    {"/", "torch.Tensor.__truediv__"},
    {"%", "torch.Tensor.__mod__"},
    {"@", "torch.Tensor.__matmul__"},
    {"&", "torch.Tensor.__and__"},
    {"|", "torch.Tensor.__or__"},
    {"^", "torch.Tensor.__xor__"},
});
constexpr std::array kComparison = std::to_array<Operator>({
    {"<=", "torch.Tensor.__le__"},
    {">=", "torch.Tensor.__ge__"},
    {"==", "torch.Tensor.__eq__"},
    {"!=", "torch.Tensor.__ne__"},
    {"<", "torch.Tensor.__lt__"},
    {">", "torch.Tensor.__gt__"},
});

template <std::size_t N>
std::string_view symbol_of(const std::array<Operator, N>& operators, std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\\"), text.size()));
  for (const Operator& o : operators) {
    if (text.starts_with(o.text)) return o.symbol;
  }
  return {};
}

}  // namespace

std::vector<Value> Collector::values_at(NodeId node) {
  std::vector<Value> out;
  for (const Val& v : values_.of(node).all) {
    if (kind_of(v.what) != ValueKind::Unknown) out.push_back({kind_of(v.what), v.text, v.partial, tree_[v.node].span});
  }
  return out;
}

bool Collector::is_tensor(NodeId node) {
  // A constant is none, and asking costs.
  switch (tree_[node].kind) {
    case Kind::Integer:
    case Kind::Float:
    case Kind::String:
    case Kind::List:
    case Kind::Tuple:
    case Kind::None:
      return false;
    default:
      break;
  }
  const Val* value = values_.of(node).instance();
  return value != nullptr && value->text == kTensor;
}

// x[x > 0], x[~mask], x[padding_mask & y]: by its form or its name.
bool Collector::reads_like_mask(NodeId node) const {
  for (int depth = 0; depth < 8; ++depth) {
    const Kind kind = tree_[node].kind;
    if (kind == Kind::Identifier) return tree_.text(node) == "mask" || tree_.text(node).ends_with("_mask");
    if (kind == Kind::Comparison) {
      const NodeId left = tree_.first_child(node);
      const NodeId right = left == kNoNode ? kNoNode : tree_.next_sibling(left);
      return right != kNoNode &&
             !symbol_of(kComparison, tree_.slice({tree_[left].span.end, tree_[right].span.start})).empty();
    }
    const bool goes_on = kind == Kind::Parenthesized || kind == Kind::BinaryOperator ||
                         (kind == Kind::UnaryOperator && tree_.text(node)[0] == '~');
    if (!goes_on || tree_.first_child(node) == kNoNode) return false;
    if (kind == Kind::BinaryOperator) {
      const NodeId left = tree_.child(node, Field::Left);
      const NodeId right = tree_.child(node, Field::Right);
      if (left == kNoNode || right == kNoNode) return false;
      const std::string_view op = tree_.slice({tree_[left].span.end, tree_[right].span.start});
      if (op.find('&') == std::string_view::npos && op.find('|') == std::string_view::npos) return false;
    }
    node = tree_.first_child(node);
  }
  return false;
}

void Collector::emit_on_tensor(UseKind kind, NodeId node, std::string_view symbol, const std::vector<NodeId>& operands,
                               NodeId assigned) {
  Use use = start(kind, node, symbol);
  use.via = Via::Type;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Arg arg;
    arg.position = static_cast<std::uint32_t>(i);
    arg.span = arg.whole = tree_[operands[i]].span;
    arg.values = values_at(operands[i]);
    use.args.push_back(std::move(arg));
  }
  if (assigned != kNoNode) {
    use.span = tree_[tree_[node].parent].span;  // what is written is a part of it
    Arg arg;
    arg.keyword = "value";
    arg.span = arg.whole = tree_[assigned].span;
    arg.values = values_at(assigned);
    use.args.push_back(std::move(arg));
  }
  emit(std::move(use));
}

void Collector::tensor_operator(NodeId node) {
  const Kind kind = tree_[node].kind;
  if (kind == Kind::UnaryOperator) {
    const NodeId argument = tree_.child(node, Field::Argument);
    if (argument == kNoNode || !is_tensor(argument)) return;
    const char sign = source_.text()[tree_[node].span.start];
    if (sign == '+') return;
    return emit_on_tensor(UseKind::Operator, node, sign == '~' ? "torch.Tensor.__invert__" : "torch.Tensor.__neg__",
                          {argument}, kNoNode);
  }
  const bool comparison = kind == Kind::Comparison;
  const NodeId left = comparison ? tree_.first_child(node) : tree_.child(node, Field::Left);
  if (left == kNoNode) return;
  const NodeId right = comparison ? tree_.next_sibling(left) : tree_.child(node, Field::Right);
  if (right == kNoNode || (!is_tensor(left) && !is_tensor(right))) return;
  const std::string_view between = tree_.slice({tree_[left].span.end, tree_[right].span.start});
  const std::string_view symbol = comparison ? symbol_of(kComparison, between) : symbol_of(kBinary, between);
  if (!symbol.empty()) emit_on_tensor(UseKind::Operator, node, symbol, {left, right}, kNoNode);
}

bool Collector::is_element(NodeId node) const {
  if (tree_[node].kind != Kind::Identifier) return false;
  const auto bound = names_.resolve(node);
  return std::any_of(bound.begin(), bound.end(), [&](BindingId id) { return names_.bindings()[id].kind == BindingKind::Element; });
}

void Collector::tensor_index(NodeId node) {
  const NodeId object = tree_.child(node, Field::Value);
  if (object == kNoNode || tree_[node].parent == kNoNode || tree_[tree_[node].parent].kind == Kind::Delete) return;
  std::vector<NodeId> indices;
  for (NodeId c = tree_.first_child(node); c != kNoNode; c = tree_.next_sibling(c)) {
    if (tree_[c].field == Field::Subscript) indices.push_back(c);
  }
  // What is indexed by a tensor is one; by what a loop over a tensor gives, it may be a list as well.
  const auto by_tensor = [&](NodeId index) {
    return tree_[index].kind != Kind::Slice && tree_[index].kind != Kind::Subscript && is_tensor(index) && !is_element(index);
  };
  const bool tensor = is_tensor(object) || std::any_of(indices.begin(), indices.end(), by_tensor);
  if (!tensor && std::none_of(indices.begin(), indices.end(), [&](NodeId index) { return reads_like_mask(index); }))
    return;
  const Node& parent = tree_[tree_[node].parent];
  const bool assigned = parent.kind == Kind::Assignment && tree_[node].field == Field::Left;
  const NodeId value = assigned ? tree_.child(tree_[node].parent, Field::Right) : kNoNode;
  const std::string_view known = assigned ? "torch.Tensor.__setitem__" : "torch.Tensor.__getitem__";
  emit_on_tensor(UseKind::Index, node, tensor ? known : assigned ? "*.__setitem__" : "*.__getitem__", indices, value);
  if (!tensor) out_.uses.back().via = Via::Text;
  out_.uses.back().on = values_at(object);
  out_.uses.back().receiver = tree_[object].span;
}

}  // namespace torchport::python
