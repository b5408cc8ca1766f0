// How an expression stands in its statement.
#include "analyzers/python/collect.h"

namespace torchport::python {

Form Collector::form_of(NodeId node) const {
  Form form;
  const NodeId parent = tree_[node].parent;
  if (parent == kNoNode) return form;
  const Node& p = tree_[parent];
  switch (p.kind) {
    case Kind::ExpressionStatement: form.statement = tree_[parent].next == tree_[node].next && parent + 1 == node; break;
    case Kind::Attribute:
    case Kind::BinaryOperator:
    case Kind::UnaryOperator:
    case Kind::NotOperator:
    case Kind::Comparison:
    case Kind::BooleanOperator:
    case Kind::Conditional:
    case Kind::ListSplat:
    case Kind::DictionarySplat:
    case Kind::Await: form.operand = true; break;
    case Kind::Call: form.operand = tree_[node].field == Field::Function; break;
    case Kind::Subscript: form.operand = tree_[node].field == Field::Value; break;
    case Kind::Interpolation:
    case Kind::IfClause: form.operand = true; break;
    case Kind::ForInClause: form.operand = tree_[node].field == Field::Right; break;
    default: break;
  }
  form.negated = p.kind == Kind::NotOperator;
  form.tight = form.operand && p.kind != Kind::NotOperator && p.kind != Kind::BooleanOperator && p.kind != Kind::Conditional;
  if (form.statement) {
    const std::string_view text = source_.text();
    std::uint32_t before = tree_[parent].span.start;
    while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\t')) --before;
    std::uint32_t after = tree_[parent].span.end;
    while (after < text.size() && (text[after] == ' ' || text[after] == '\t')) ++after;
    const bool starts = before == 0 || text[before - 1] == '\n' || text[before - 1] == '\r';
    const bool ends = after == text.size() || text[after] == '\n' || text[after] == '\r' || text[after] == '#';
    form.own_lines = starts && ends;
  }
  NodeId child = node;
  bool direct = true;  // still part of the condition itself
  int left = 200;      // nobody nests deeper; generated chains of calls would cost the square of their length
  for (NodeId up = parent; up != kNoNode && left > 0; child = up, up = tree_[up].parent, --left) {
    const Kind kind = tree_[up].kind;
    if (kind == Kind::Interpolation) form.in_string = true;
    if (kind == Kind::Type || kind == Kind::Delete) form.fixed = true;
    if (kind == Kind::Decorator) form.decorator = true;
    const bool conditional = (kind == Kind::IfStatement || kind == Kind::ElifClause || kind == Kind::While) && tree_[child].field == Field::Condition;
    if (direct && (conditional || kind == Kind::Assert)) form.condition = true;
    if (direct && kind == Kind::Conditional && child != tree_.first_child(up) && child != tree_.last_child(up)) form.condition = true;
    direct = direct && (kind == Kind::NotOperator || kind == Kind::BooleanOperator || kind == Kind::Parenthesized || kind == Kind::Comparison);
    if (kind == Kind::Block || kind == Kind::Module) break;
  }
  return form;
}

}  // namespace torchport::python
