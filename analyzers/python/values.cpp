#include "analyzers/python/values.h"

#include <algorithm>

#include "analyzers/python/torch_types.h"

namespace torchport::python {
namespace {

constexpr int kMaxDepth = 60;         // of expressions within expressions and names within names
constexpr std::size_t kMaxValues = 8;
const Vals kUnknown{};

}  // namespace

bool is_bytes_literal(std::string_view literal) {
  const std::string_view prefix = literal.substr(0, literal.find_first_of("'\""));
  return prefix.find_first_of("bB") != std::string_view::npos;
}

const Vals& Values::of(NodeId node) {
  if (node == kNoNode) return kUnknown;
  if (memo_[node] != kNoId) return results_[memo_[node]];
  if (depth_ >= kMaxDepth) return kUnknown;
  ++depth_;
  const auto index = static_cast<std::uint32_t>(results_.size());
  results_.emplace_back();
  memo_[node] = index;  // whoever asks while this is worked out gets "unknown": a cycle
  Vals out;
  evaluate(node, out);
  results_[index] = std::move(out);
  --depth_;
  return results_[index];
}

const Vals& Values::of_binding(BindingId id) {
  if (const auto it = bindings_.find(id); it != bindings_.end()) return results_[it->second];
  if (depth_ >= kMaxDepth) return kUnknown;
  ++depth_;
  const auto index = static_cast<std::uint32_t>(results_.size());
  results_.emplace_back();
  bindings_[id] = index;
  Vals out;
  binding(names_.bindings()[id], out);
  results_[index] = std::move(out);
  --depth_;
  return results_[index];
}

void Values::add(Vals& out, Val v) {
  if (out.all.size() >= kMaxValues) {
    out.open = true;
    return;
  }
  for (const Val& known : out.all) {
    if (known.what == v.what && known.text == v.text && known.node == v.node) return;
  }
  out.all.push_back(v);
}

void Values::merge(const Vals& from, Vals& out) {
  for (const Val& v : from.all) add(out, v);
  out.open = out.open || from.open;
}

void Values::evaluate(NodeId node, Vals& out) {
  const Node& n = tree_[node];
  const auto constant = [&](What what) {
    out.open = false;
    add(out, {what, tree_.text(node), node, kNoId, Via::Import, false, kNoNode});
  };
  switch (n.kind) {
    case Kind::None: return constant(What::None);
    case Kind::True:
    case Kind::False: return constant(What::Bool);
    case Kind::Integer: return constant(What::Int);
    case Kind::Float: return constant(What::Float);
    case Kind::String:
    case Kind::ConcatenatedString: return string(node, out);
    case Kind::Identifier: return identifier(node, out);
    case Kind::Attribute: return attribute(node, out);
    case Kind::Call: return call(node, out);
    case Kind::Subscript: return subscript(node, out);
    case Kind::BinaryOperator:
    case Kind::UnaryOperator: return binary(node, out);
    case Kind::Comparison: {
      // A comparison of tensors is a tensor (a mask).
      const Val* left = of(tree_.first_child(node)).instance();
      const Val* right = left != nullptr ? nullptr : of(tree_.last_child(node)).instance();
      if ((left != nullptr && left->text == kTensor) || (right != nullptr && right->text == kTensor)) add(out, {What::Instance, kTensor, node, kNoId, Via::Type, false, kNoNode});
      return;
    }
    case Kind::Parenthesized:
    case Kind::Await:
      out.open = false;
      return merge(of(tree_.first_child(node)), out);
    case Kind::NamedExpression:
      out.open = false;
      return merge(of(tree_.child(node, Field::Value)), out);
    case Kind::Conditional: {
      out.open = false;
      const NodeId body = tree_.first_child(node);
      merge(of(body), out);
      return merge(of(tree_.last_child(node)), out);
    }
    case Kind::BooleanOperator:
      out.open = false;
      merge(of(tree_.child(node, Field::Left)), out);
      return merge(of(tree_.child(node, Field::Right)), out);
    default: return;
  }
}

void Values::identifier(NodeId node, Vals& out) {
  const std::vector<BindingId> found = names_.resolve(node);
  if (found.empty()) {
    // A star import of a known root may bring the name; rules match known symbols only.
    for (const PathId star : names_.star_imports()) {
      if (out.all.size() >= 3) break;
      const PathId path = names_.paths().child(star, names_.name_of(node), names_.interner());
      add(out, {What::Path, names_.paths().text(path), node, path, Via::Alias, false, kNoNode});
    }
    return;
  }
  out.open = false;
  for (const BindingId id : found) merge(of_binding(id), out);
}

void Values::binding(const Binding& b, Vals& out) {
  switch (b.kind) {
    case BindingKind::Import:
      out.open = false;
      return add(out, {What::Path, names_.paths().text(b.path), b.target, b.path, Via::Import, false, b.value});
    case BindingKind::Value: {
      out.open = false;
      if (b.value != kNoNode) merge(of(b.value), out);
      for (Val& v : out.all) {
        if (v.what == What::Path && v.via == Via::Import) v.via = Via::Alias;
      }
      if (out.all.empty() && b.extra != kNoNode) {
        if (const auto type = annotated_type(b.extra); !type.empty()) add(out, {What::Instance, type, b.target, kNoId, Via::Type, false, kNoNode});
      }
      return;
    }
    case BindingKind::Parameter:
      if (b.extra != kNoNode) {
        if (const auto type = annotated_type(b.extra); !type.empty()) add(out, {What::Instance, type, b.target, kNoId, Via::Type, false, kNoNode});
      }
      if (b.value != kNoNode) merge(of(b.value), out);
      return;
    case BindingKind::Context: return merge(of(b.value), out);
    case BindingKind::Element: {
      const Kind kind = b.value == kNoNode ? Kind::Other : tree_[b.value].kind;
      if (kind != Kind::List && kind != Kind::Tuple && kind != Kind::Set && kind != Kind::ExpressionList) {
        const Val* from = of(b.value).instance();
        if (from != nullptr && from->text == kTensor) add(out, {What::Instance, kTensor, b.target, kNoId, Via::Type, false, kNoNode});
        return;
      }
      out.open = false;
      for (NodeId c = tree_.first_child(b.value); c != kNoNode; c = tree_.next_sibling(c)) merge(of(c), out);
      return;
    }
    case BindingKind::Function: out.open = false; return add(out, {What::Function, {}, b.value, kNoId, Via::Value, false, kNoNode});
    case BindingKind::Class: out.open = false; return add(out, {What::Class, {}, b.value, kNoId, Via::Value, false, kNoNode});
    default: return;
  }
}

void Values::attribute(NodeId node, Vals& out) {
  const NodeId object = tree_.child(node, Field::Object);
  const NodeId attribute = tree_.child(node, Field::Attribute);
  if (object == kNoNode || attribute == kNoNode) return;
  const NameId name = names_.name_of(attribute);
  if (tree_[object].kind == Kind::Identifier) self_attribute(object, name, out);
  const std::string_view text = tree_.text(attribute);
  for (const Val& v : of(object).all) {
    if (v.what == What::Path) {
      const PathId path = names_.paths().child(v.path, name, names_.interner());
      add(out, {What::Path, names_.paths().text(path), node, path, v.via, false, v.import});
    } else if (v.what == What::Instance && v.text == kTensor && is_tensor_attribute(text)) {
      add(out, {What::Instance, kTensor, node, kNoId, Via::Type, false, kNoNode});
    } else if (v.what == What::Instance && v.text == kTensor && text == "device") {
      add(out, {What::Instance, "torch.device", node, kNoId, Via::Type, false, kNoNode});
    } else if (v.what == What::Instance && tree_[v.node].kind == Kind::ClassDefinition) {
      class_attribute(names_.own_scope(v.node), name, out);
    }
  }
}

// What the class gives its instances; another value may be put in from elsewhere, so it stays open.
void Values::class_attribute(ScopeId cls, NameId attribute, Vals& out) {
  if (cls == kNoId) return;
  const auto [low, high] = names_.bindings_in(cls, attribute);
  for (auto b = low; b < high && b < low + 6; ++b) {
    if (names_.bindings()[b].kind == BindingKind::Value) merge(of_binding(b), out);
  }
  for (const AttributeBinding* b : names_.attribute_bindings(cls, attribute)) {
    if (b->value != kNoNode) merge(of(b->value), out);
  }
  out.open = true;
}

void Values::self_attribute(NodeId object, NameId attribute, Vals& out) {
  std::vector<const AttributeBinding*> found;
  const ScopeId cls = names_.class_of(names_.scope_of(object));
  if (cls != kNoId && names_.is_self(object)) {
    found = names_.attribute_bindings(cls, attribute);
    const auto [low, high] = names_.bindings_in(cls, attribute);
    for (auto b = low; b < high && b < low + 6; ++b) merge(of_binding(b), out);
  } else {
    found = names_.attribute_bindings_of_name(names_.name_of(object), attribute);
  }
  for (const AttributeBinding* b : found) {
    if (b->value != kNoNode) merge(of(b->value), out);
    if (b->extra != kNoNode) {
      if (const auto type = annotated_type(b->extra); !type.empty()) add(out, {What::Instance, type, b->target, kNoId, Via::Type, false, kNoNode});
    }
  }
}

void Values::call(NodeId node, Vals& out) {
  const NodeId callee = tree_.child(node, Field::Function);
  if (callee == kNoNode) return;
  const Kind kind = tree_[callee].kind;
  if (kind == Kind::Attribute) {
    const NodeId object = tree_.child(callee, Field::Object);
    const NodeId attribute = tree_.child(callee, Field::Attribute);
    if (object == kNoNode || attribute == kNoNode) return;
    const std::string_view method = tree_.text(attribute);
    if (method == "format" && is_string(tree_[object].kind)) return formatted(node, out);
    if (method == "get" || method == "pop" || method == "setdefault") {
      fallback(node, 1, out);
      looked_up(node, object, out);
    }
    for (const Val& v : of(object).all) {
      if (v.what != What::Instance || v.text.empty()) continue;
      if (const auto type = result_of_method(v.text, method); !type.empty()) {
        add(out, {What::Instance, type, node, kNoId, Via::Type, false, kNoNode});
      }
    }
  }
  for (const Val& v : of(callee).all) call_result(v, node, out);
  // self.conv(x), where self.conv is a module of torch's.
  for (const Val& v : of(callee).all) {
    if (v.what != What::Instance || v.text != kModule || tree_[v.node].kind != Kind::Call) continue;
    const Val* made = of(tree_.child(v.node, Field::Function)).path();
    if (made != nullptr && module_gives_tensor(made->text)) add(out, {What::Instance, kTensor, node, kNoId, Via::Type, false, kNoNode});
  }
  if (kind == Kind::Identifier && tree_.text(callee) == "int" && names_.resolve(callee).empty()) {
    out.open = false;
    add(out, {What::Instance, "int", node, kNoId, Via::Type, false, kNoNode});
    return;
  }
  if (kind == Kind::Identifier && tree_.text(callee) == "getattr" && names_.resolve(callee).empty()) {
    fallback(node, 2, out);
    const NodeId list = tree_.child(node, Field::Arguments);
    const NodeId object = list == kNoNode ? kNoNode : tree_.first_child(list);
    const NodeId name = object == kNoNode ? kNoNode : tree_.next_sibling(object);
    // One of several names: who knows which.
    if (name == kNoNode || of(name).open || of(name).all.size() != 1) return;
    for (const Val& v : of(object).all) {
      for (const Val& n : of(name).all) {
        if (v.what != What::Path || n.what != What::String || n.partial || n.text.empty()) continue;
        const PathId path = names_.paths().child(v.path, names_.interner().id(n.text), names_.interner());
        add(out, {What::Path, names_.paths().text(path), node, path, Via::Value, false, v.import});
      }
    }
  }
}

// cfg.get("device", "cuda"), getattr(args, "device", "cuda"): may be anything; the default at `position` is what we can see.
void Values::fallback(NodeId call, int position, Vals& out) {
  const NodeId list = tree_.child(call, Field::Arguments);
  NodeId argument = list == kNoNode ? kNoNode : tree_.first_child(list);
  for (int i = 0; i < position && argument != kNoNode; ++i) argument = tree_.next_sibling(argument);
  if (argument == kNoNode || !is_string(tree_[argument].kind)) return;
  merge(of(argument), out);
  out.open = true;
}

void Values::call_result(const Val& callee, NodeId node, Vals& out) {
  if (callee.what == What::Path) {
    if (callee.text == "os.environ.get" || callee.text == "os.getenv") {  // may be anything; the default is what we can see
      const NodeId list = tree_.child(node, Field::Arguments);
      const NodeId key = list == kNoNode ? kNoNode : tree_.first_child(list);
      const NodeId fallback = key == kNoNode ? kNoNode : tree_.next_sibling(key);
      if (fallback == kNoNode) return;
      merge(of(tree_[fallback].kind == Kind::KeywordArgument ? tree_.child(fallback, Field::Value) : fallback), out);
      out.open = true;
      return;
    }
    const std::string_view type = result_of_call(callee.text);
    if (type.empty()) return;
    out.open = false;
    add(out, {What::Instance, type, node, kNoId, Via::Type, false, kNoNode});
    return;
  }
  if (callee.what == What::Class) {
    out.open = false;
    add(out, {What::Instance, known_base(callee.node), callee.node, kNoId, Via::Type, false, kNoNode});
    return;
  }
  if (callee.what == What::Function) {
    const ScopeId scope = names_.own_scope(callee.node);
    if (scope == kNoId) return;
    const std::vector<NodeId> returns = names_.returns_of(scope);
    for (std::size_t i = 0; i < returns.size() && i < 6; ++i) {
      const NodeId value = tree_.first_child(returns[i]);
      if (value != kNoNode) merge(of(value), out);
    }
  }
}

std::string_view Values::string_text(NodeId node) const {
  const NodeId content = tree_.child(node, Kind::StringContent);
  if (content == kNoNode) return {};
  return tree_.text(content);
}

void Values::string(NodeId node, Vals& out) {
  if (is_bytes_literal(tree_.text(node))) return;
  out.open = false;
  NodeId literal = node;
  std::string joined;
  const bool concatenated = tree_[node].kind == Kind::ConcatenatedString;
  if (concatenated) literal = tree_.first_child(node);
  bool partial = false;
  std::size_t parts = 0;
  std::string_view only;
  for (; literal != kNoNode && !partial; literal = concatenated ? tree_.next_sibling(literal) : kNoNode) {
    for (NodeId c = tree_.first_child(literal); c != kNoNode; c = tree_.next_sibling(c)) {
      if (tree_[c].kind == Kind::Interpolation) {
        partial = true;
        break;
      }
      if (tree_[c].kind != Kind::StringContent) continue;
      only = tree_.text(c);
      joined += only;
      ++parts;
    }
  }
  const std::string_view text = parts == 0 ? std::string_view() : parts == 1 ? only : std::string_view(store_.emplace_back(std::move(joined)));
  add(out, {What::String, text, node, kNoId, Via::Value, partial, kNoNode});
}

// "cuda:{}".format(…): the constant beginning.
void Values::formatted(NodeId node, Vals& out) {
  const NodeId object = tree_.child(tree_.child(node, Field::Function), Field::Object);
  for (const Val& v : of(object).all) {
    const std::size_t brace = v.text.find('{');
    if (v.what == What::String && brace != std::string_view::npos) {
      out.open = false;
      add(out, {What::String, v.text.substr(0, brace), v.node, kNoId, Via::Value, true, kNoNode});
    }
  }
}

void Values::binary(NodeId node, Vals& out) {
  const NodeId left = tree_[node].kind == Kind::UnaryOperator ? tree_.child(node, Field::Argument) : tree_.child(node, Field::Left);
  const NodeId right = tree_.child(node, Field::Right);
  if (left == kNoNode) return;
  const std::string_view op = right == kNoNode ? "" : tree_.slice({tree_[left].span.end, tree_[right].span.start});
  for (const Val& v : of(left).all) {
    if (v.what == What::String && op.find('%') != std::string_view::npos) {
      const std::size_t percent = v.text.find('%');
      out.open = false;
      if (percent != std::string_view::npos) add(out, {What::String, v.text.substr(0, percent), v.node, kNoId, Via::Value, true, kNoNode});
    } else if (v.what == What::String && op.find('+') != std::string_view::npos) {
      out.open = false;
      add(out, {What::String, v.text, v.node, kNoId, Via::Value, true, kNoNode});
    } else if (v.what == What::Instance && v.text == kTensor) {
      add(out, {What::Instance, kTensor, node, kNoId, Via::Type, false, kNoNode});
    }
  }
  if (right == kNoNode || !out.all.empty()) return;
  const Val* other = of(right).instance();
  if (other != nullptr && other->text == kTensor) add(out, {What::Instance, kTensor, node, kNoId, Via::Type, false, kNoNode});
}

}  // namespace torchport::python
