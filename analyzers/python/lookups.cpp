// What is read from a dict, list or tuple that is written out: by a key that is known, or dtypes by one that is not.
#include "analyzers/python/torch_types.h"
#include "analyzers/python/values.h"

namespace torchport::python {
namespace {

constexpr std::size_t kMostEntries = 64;

bool is_container(Kind kind) { return kind == Kind::Dictionary || kind == Kind::List || kind == Kind::Tuple; }

}  // namespace

// Where the container is written: here, or where the name or the attribute of `self` was bound.
std::vector<NodeId> Values::containers(NodeId object) {
  std::vector<NodeId> found;
  const auto take = [&](NodeId value) {
    if (value != kNoNode && is_container(tree_[value].kind)) found.push_back(value);
  };
  const auto take_binding = [&](BindingId id) {
    if (names_.bindings()[id].kind == BindingKind::Value) take(names_.bindings()[id].value);
  };
  take(object);
  if (tree_[object].kind == Kind::Identifier) {
    for (const BindingId id : names_.resolve(object)) take_binding(id);
  } else if (tree_[object].kind == Kind::Attribute) {
    const NodeId owner = tree_.child(object, Field::Object), attribute = tree_.child(object, Field::Attribute);
    if (owner == kNoNode || attribute == kNoNode || tree_[owner].kind != Kind::Identifier || !names_.is_self(owner)) return found;
    const ScopeId cls = names_.class_of(names_.scope_of(owner));
    if (cls == kNoId) return found;
    const auto [low, high] = names_.bindings_in(cls, names_.name_of(attribute));
    for (auto b = low; b < high && b < low + 6; ++b) take_binding(b);
    for (const AttributeBinding* b : names_.attribute_bindings(cls, names_.name_of(attribute))) take(b->value);
  }
  return found;
}

// The dtypes among the entries: all of them may be meant, and where they differ which one is decided when it runs.
void Values::dtypes_of(NodeId container, Vals& out) {
  std::vector<Val> dtypes;
  std::size_t entries = 0;
  for (NodeId p = tree_.first_child(container); p != kNoNode; p = tree_.next_sibling(p)) {
    if (++entries > kMostEntries) return;
    const NodeId value = tree_[p].kind == Kind::Pair ? tree_.child(p, Field::Value) : p;
    const Val* path = value == kNoNode ? nullptr : of(value).path();
    if (path == nullptr || !is_dtype(path->text)) return;  // a table of something else
    dtypes.push_back(*path);
  }
  for (Val& dtype : dtypes) {
    dtype.partial = dtype.partial || dtype.text != dtypes[0].text;
    dtypes[0].partial = dtypes[0].partial || dtype.partial;
  }
  for (const Val& dtype : dtypes) add(out, dtype);
}

void Values::read_entry(NodeId container, NodeId key, Vals& out) {
  const Vals& keys = of(key);
  const bool one = keys.all.size() == 1 && !keys.all[0].partial;
  if (tree_[container].kind != Kind::Dictionary) {
    std::size_t index = 0;
    const NodeId first = tree_.first_child(container);
    const bool plain = one && keys.all[0].what == What::Int && keys.all[0].text.find_first_not_of("0123456789") == std::string_view::npos;
    if (!plain || keys.open || keys.all[0].text.size() > 2) return dtypes_of(container, out);
    for (const char digit : keys.all[0].text) index = index * 10 + static_cast<std::size_t>(digit - '0');
    NodeId at = first;
    for (; index != 0 && at != kNoNode; --index) at = tree_.next_sibling(at);
    if (at == kNoNode) return;
    const Val* path = of(at).path();
    if (path != nullptr && is_dtype(path->text)) add(out, *path);
    return;
  }
  const std::size_t before = out.all.size();
  if (!one || keys.open) dtypes_of(container, out);
  if (!one || keys.all[0].what != What::String || out.all.size() != before) return;
  for (NodeId p = tree_.first_child(container); p != kNoNode; p = tree_.next_sibling(p)) {
    if (tree_[p].kind != Kind::Pair) continue;
    const Vals& k = of(tree_.child(p, Field::Key));
    if (k.all.size() == 1 && k.all[0].what == What::String && k.all[0].text == keys.all[0].text) merge(of(tree_.child(p, Field::Value)), out);
  }
}

void Values::subscript(NodeId node, Vals& out) {
  const NodeId object = tree_.child(node, Field::Value);
  const NodeId key = tree_.child(node, Field::Subscript);
  if (object == kNoNode || key == kNoNode) return;
  for (const Val& v : of(object).all) {
    if (v.what == What::Instance && v.text == kTensor) add(out, {What::Instance, kTensor, node, kNoId, Via::Type, false, kNoNode});
  }
  for (const NodeId container : containers(object)) read_entry(container, key, out);
}

// DTYPES.get(name, torch.float32)
void Values::looked_up(NodeId call, NodeId object, Vals& out) {
  const NodeId list = tree_.child(call, Field::Arguments);
  const NodeId key = list == kNoNode ? kNoNode : tree_.first_child(list);
  if (key == kNoNode) return;
  const std::size_t before = out.all.size();
  for (const NodeId container : containers(object)) {
    if (tree_[container].kind == Kind::Dictionary) dtypes_of(container, out);
  }
  const NodeId otherwise = tree_.next_sibling(key);
  const Val* path = otherwise == kNoNode ? nullptr : of(otherwise).path();
  if (path == nullptr || !is_dtype(path->text)) return;
  Val last = *path;
  for (std::size_t i = before; i < out.all.size(); ++i) {
    if (out.all[i].text != last.text) last.partial = true;
  }
  for (std::size_t i = before; i < out.all.size() && last.partial; ++i) out.all[i].partial = true;
  add(out, last);
}

}  // namespace torchport::python
