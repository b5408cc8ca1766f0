// A dtype that comes by `**options`: of the dict as it is written and of what is put into it later. A device there needs no argument: its string
// is found by itself.
#include "analyzers/python/collect.h"

namespace torchport::python {
namespace {

constexpr NodeId kFarthest = 4000;  // nodes between where the dict is made and where it is spread: generated code would cost the square of its length

}  // namespace

// {"dtype": …}, dict(dtype=…), options.update(…): the Pair or KeywordArgument.
NodeId Collector::entry_of_dtype(NodeId made) const {
  const NodeId list = tree_[made].kind == Kind::Call ? tree_.child(made, Field::Arguments) : made;
  if (list == kNoNode) return kNoNode;
  for (NodeId p = tree_.first_child(list); p != kNoNode; p = tree_.next_sibling(p)) {
    if (tree_[p].kind == Kind::Dictionary && list != made) {
      if (const NodeId inner = entry_of_dtype(p); inner != kNoNode) return inner;
    }
    const bool pair = tree_[p].kind == Kind::Pair;
    if (!pair && tree_[p].kind != Kind::KeywordArgument) continue;
    const NodeId key = tree_.child(p, pair ? Field::Key : Field::Name);
    if (key == kNoNode) continue;
    const std::string_view name = pair ? values_.string_text(key) : tree_.text(key);
    if (name == "dtype") return p;
  }
  return kNoNode;
}

// options["dtype"] = … and options.update(dtype=…) after the dict was made and before it is spread.
std::vector<NodeId> Collector::later_dtypes(const Binding& made, NodeId splat) {
  std::vector<NodeId> found;
  if (made.target >= splat || splat - made.target > kFarthest) return found;
  const std::string_view name = tree_.text(made.target);
  for (NodeId i = made.target; i < splat; ++i) {
    NodeId entry = kNoNode;
    if (tree_[i].kind == Kind::Assignment) {
      const NodeId left = tree_.child(i, Field::Left);
      if (left == kNoNode || tree_[left].kind != Kind::Subscript) continue;
      const NodeId object = tree_.child(left, Field::Value), key = tree_.child(left, Field::Subscript);
      if (object == kNoNode || key == kNoNode || tree_.text(object) != name || !is_string(tree_[key].kind) || values_.string_text(key) != "dtype") continue;
      entry = tree_.child(i, Field::Right);
    } else if (tree_[i].kind == Kind::Call) {
      const NodeId callee = tree_.child(i, Field::Function);
      const NodeId object = callee == kNoNode ? kNoNode : tree_.child(callee, Field::Object);
      if (object == kNoNode || tree_.text(object) != name || tree_.text(tree_.child(callee, Field::Attribute)) != "update") continue;
      if (const NodeId pair = entry_of_dtype(i); pair != kNoNode) entry = tree_.child(pair, Field::Value);
    }
    if (entry == kNoNode || names_.scope_of(i) != made.scope) continue;
    // On the way that leads from the one to the other what came before holds no longer.
    NodeId statement = i;
    while (tree_[statement].kind != Kind::ExpressionStatement && tree_[statement].parent != kNoNode) statement = tree_[statement].parent;
    if (tree_[statement].parent != kNoNode && tree_.inside(splat, tree_[statement].parent)) found.clear();
    found.push_back(entry);
  }
  return found;
}

void Collector::add_dtype(NodeId value, NodeId whole, Use& use) {
  Arg arg;
  arg.keyword = "dtype";
  arg.span = tree_[value].span;
  arg.whole = tree_[whole].span;
  arg.values = values_at(value);
  use.args.push_back(std::move(arg));
}

void Collector::read_spread_dtype(NodeId splat, Use& use) {
  NodeId made = tree_.first_child(splat);
  if (made != kNoNode && tree_[made].kind == Kind::Identifier) {
    const auto bindings = names_.resolve(made);
    if (bindings.size() != 1) return;
    const Binding& binding = names_.bindings()[bindings[0]];
    const auto later = later_dtypes(binding, splat);
    for (const NodeId value : later) add_dtype(value, value, use);
    made = later.empty() && binding.kind == BindingKind::Value ? binding.value : kNoNode;
  }
  if (made == kNoNode) return;
  if (tree_[made].kind == Kind::Call) {
    const NodeId function = tree_.child(made, Field::Function);
    if (function == kNoNode || tree_.text(function) != "dict") return;
  } else if (tree_[made].kind != Kind::Dictionary) {
    return;
  }
  const NodeId entry = entry_of_dtype(made);
  if (entry == kNoNode) return;
  if (const NodeId value = tree_.child(entry, Field::Value); value != kNoNode) add_dtype(value, entry, use);
}

}  // namespace torchport::python
