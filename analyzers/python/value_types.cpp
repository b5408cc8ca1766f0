// What annotations and base classes say of a type; values themselves are followed in values.cpp.
#include "analyzers/python/torch_types.h"
#include "analyzers/python/values.h"

namespace torchport::python {

std::string_view Values::annotated_type(NodeId annotation) {
  NodeId node = annotation;
  while (node != kNoNode && tree_[node].kind == Kind::Type) node = tree_.first_child(node);
  if (node == kNoNode) return {};
  std::string_view path;
  if (is_string(tree_[node].kind)) {
    const std::string_view text = string_text(node);
    const std::string_view head = text.substr(0, text.find('.'));
    const NameId name = names_.interner().find(head);
    for (const BindingId id : names_.resolve_name(name, names_.scope_of(node), node)) {
      const Binding& b = names_.bindings()[id];
      if (b.kind != BindingKind::Import) continue;
      path = names_.paths().text(b.path);
      if (head.size() < text.size()) path = store_.emplace_back(std::string(path) + std::string(text.substr(head.size())));
    }
  } else if (tree_[node].kind == Kind::Identifier && tree_.text(node) == "int") {
    return "int";
  } else if (tree_[node].kind == Kind::Identifier || tree_[node].kind == Kind::Attribute) {
    if (const Val* v = of(node).path(); v != nullptr) path = v->text;
  } else if (tree_[node].kind == Kind::BinaryOperator || tree_[node].kind == Kind::Other || tree_[node].kind == Kind::Subscript) {
    // Optional[Tensor], Tensor | None: the part that is known.
    for (NodeId c = node + 1; c < tree_[node].next; ++c) {
      if (tree_[c].kind != Kind::Identifier && tree_[c].kind != Kind::Attribute) continue;
      const Val* v = of(c).path();
      if (v != nullptr && is_known_type(v->text)) {
        // A container of tensors is no tensor.
        const std::string_view whole = tree_.text(node);
        return whole.find("Optional") == 0 || whole.find('|') != std::string_view::npos || whole.find("Union") == 0 ? type_named(v->text)
                                                                                                                    : std::string_view();
      }
    }
    return {};
  }
  return type_named(path);
}

bool Values::defines_method(NodeId cls, std::string_view method, int depth) {
  const ScopeId scope = names_.own_scope(cls);
  const NameId name = names_.interner().find(method);
  if (scope == kNoId || name == kNoId || depth > 8) return false;
  const auto [low, high] = names_.bindings_in(scope, name);
  if (low != high) return true;
  const NodeId bases = tree_.child(cls, Field::Superclasses);
  if (bases == kNoNode) return false;
  for (NodeId b = tree_.first_child(bases); b != kNoNode; b = tree_.next_sibling(b)) {
    for (const Val& v : of(b).all) {
      if (v.what == What::Class && defines_method(v.node, method, depth + 1)) return true;
    }
  }
  return false;
}

std::string_view Values::known_base(NodeId cls, int depth) {
  const NodeId bases = tree_.child(cls, Field::Superclasses);
  if (bases == kNoNode || depth > 8) return {};
  for (NodeId b = tree_.first_child(bases); b != kNoNode; b = tree_.next_sibling(b)) {
    if (tree_[b].kind == Kind::KeywordArgument) continue;
    for (const Val& v : of(b).all) {
      if (v.what == What::Path) {
        if (const auto type = type_named(v.text); !type.empty()) return type;
      } else if (v.what == What::Class) {
        if (const auto type = known_base(v.node, depth + 1); !type.empty()) return type;
      }
    }
  }
  return {};
}

bool Values::has_unknown_base(NodeId cls, int depth) {
  const NodeId bases = tree_.child(cls, Field::Superclasses);
  if (bases == kNoNode || depth > 8) return false;
  for (NodeId b = tree_.first_child(bases); b != kNoNode; b = tree_.next_sibling(b)) {
    if (tree_[b].kind == Kind::KeywordArgument || tree_.text(b) == "object") continue;
    const Vals& base = of(b);
    if (base.all.empty()) return true;
    for (const Val& v : base.all) {
      if (v.what == What::Path && type_named(v.text).empty()) return true;
      if (v.what == What::Class && has_unknown_base(v.node, depth + 1)) return true;
    }
  }
  return false;
}

}  // namespace torchport::python
