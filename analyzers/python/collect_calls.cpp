// Calls, launches of Triton's kernels among them: what is called, on what, with which arguments, and which of these are devices.
#include <algorithm>

#include "analyzers/python/collect.h"
#include "analyzers/python/literals.h"
#include "analyzers/python/torch_types.h"
#include "analyzers/text.h"

namespace torchport::python {

void Collector::call(NodeId node) {
  const NodeId callee = tree_.child(node, Field::Function);
  if (callee == kNoNode) return;
  if (path_call(node, callee)) return;
  literals_->project_call(node);
  if (tree_[callee].kind == Kind::Attribute) method_call(node, callee);
  if (tree_[callee].kind == Kind::Subscript) launch(node, callee);
}

// kernel[grid](…), where the name may be a kernel's.
void Collector::launch(NodeId node, NodeId callee) {
  const NodeId name = tree_.child(callee, Field::Value);
  if (name == kNoNode || tree_[name].kind != Kind::Identifier) return;
  for (const Val& v : values_.of(name).all) {
    if (v.what == What::Function) launches_.emplace_back(v.node, tree_[node].span);
  }
}

// Whether the name was bound to a conditional, or in one place to a function of the file's own.
bool Collector::chosen_by_condition(NodeId callee) {
  if (tree_[callee].kind != Kind::Identifier) return false;
  const auto bound = names_.resolve(callee);
  return std::any_of(bound.begin(), bound.end(), [&](BindingId id) {
    const Binding& b = names_.bindings()[id];
    const Kind kind = b.value == kNoNode ? Kind::Module : tree_[b.value].kind;
    return b.kind == BindingKind::Function || (b.kind == BindingKind::Value && (kind == Kind::Conditional || kind == Kind::Lambda));
  });
}

bool Collector::path_call(NodeId node, NodeId callee) {
  NodeId base = callee;
  while (tree_[base].kind == Kind::Attribute) base = tree_.child(base, Field::Object) == kNoNode ? base + 1 : tree_.child(base, Field::Object);
  const bool named = tree_[base].kind == Kind::Identifier;
  const bool by_getattr = tree_[base].kind == Kind::Call && tree_.text(base).substr(0, 8) == "getattr(";
  if (!by_getattr && (!named || name_may_be_path_[names_.name_of(base)] == 0)) return false;
  for (const Val& v : values_.of(callee).all) {
    if (v.what != What::Path || !interesting(v.path)) continue;
    Use use = start(UseKind::Call, node, v.text);
    use.callee = tree_[callee].span;
    if (tree_[callee].kind == Kind::Attribute) use.receiver = tree_[callee + 1].span;
    link_import(use, v);
    const auto& all = values_.of(callee).all;
    use.form.ambiguous = std::any_of(all.begin(), all.end(), [&](const Val& other) { return other.what != What::None && other.path != v.path; });
    // sync = torch.cuda.synchronize if on_cuda else lambda: None: what is chosen there is told there, and may be left out here.
    if (use.via == Via::Alias && chosen_by_condition(callee)) return true;
    read_arguments(node, use, *literals_, v.text);
    if (named) handled_until_ = std::max(handled_until_, tree_[callee].next);
    emit(std::move(use));
    return true;
  }
  return false;
}

std::string_view Collector::receiver_type(NodeId receiver, std::string_view method, bool& own_method) {
  const Vals& vals = values_.of(receiver);
  own_method = false;
  std::string_view type;
  for (const Val& v : vals.all) {
    if (v.what == What::Instance && tree_[v.node].kind == Kind::ClassDefinition) {
      if (values_.defines_method(v.node, method) || (v.text.empty() && !values_.has_unknown_base(v.node))) own_method = true;
      if (type.empty()) type = v.text;
    } else if (v.what == What::Instance && type.empty()) {
      type = v.text;
    } else if (v.what == What::String || v.what == What::Int) {
      own_method = own_method || !vals.open;
    }
  }
  if (type.empty() && tree_[receiver].kind == Kind::Identifier && names_.is_self(receiver)) {
    // `self` in the body of a class within the method is that of the method, but the class around is another.
    if (const ScopeId cls = names_.class_of(names_.scope_of(receiver)); cls != kNoId) {
      const NodeId definition = names_.scope(cls).node;
      own_method = values_.defines_method(definition, method);
      type = values_.known_base(definition);
    }
  }
  // super().cuda()
  if (type.empty() && tree_[receiver].kind == Kind::Call && tree_.text(receiver).substr(0, 6) == "super(") {
    const ScopeId cls = names_.class_of(names_.scope_of(receiver));
    if (cls != kNoId) type = values_.known_base(names_.scope(cls).node);
  }
  return type;
}

void Collector::method_call(NodeId node, NodeId callee) {
  const NodeId receiver = tree_.child(callee, Field::Object);
  const NodeId attribute = tree_.child(callee, Field::Attribute);
  if (receiver == kNoNode || attribute == kNoNode) return;
  const NameId name = names_.name_of(attribute);
  if (name == kNoId || (name_is_method_[name] == 0 && name_is_tensor_method_[name] == 0)) return;
  const std::string_view method = tree_.text(attribute);
  bool own = false;
  const std::string_view type = receiver_type(receiver, method, own);
  if (own) return;
  if (name_is_method_[name] == 0 && type != kTensor) {
    if (type.empty() && values_.of(receiver).path() == nullptr) ++out_.maybe_tensor_calls;
    return;
  }
  if (const Val* path = values_.of(receiver).path(); path != nullptr && interesting(path->path)) {
    if (path->text.find('.') == std::string_view::npos || path_interest_[path->path] != 2) return;
  }
  const std::string_view symbol = keep(std::string(type.empty() ? "*" : type) + "." + std::string(method));
  Use use = start(UseKind::Call, node, symbol);
  use.via = type.empty() ? Via::Text : Via::Type;
  use.callee = tree_[callee].span;
  use.receiver = tree_[receiver].span;
  use.on = values_at(receiver);
  read_arguments(node, use, *literals_, symbol);
  emit(std::move(use));
}

bool Collector::device_place(std::string_view symbol, std::int32_t position, std::string_view keyword) const {
  for (const DevicePlace& place : interest_.places) {
    const std::size_t dot = symbol.rfind('.');
    const bool same = place.symbol == "*" || place.symbol == symbol ||
                      (dot != std::string_view::npos && place.symbol.substr(0, 2) == "*." && symbol.substr(dot) == std::string_view(place.symbol).substr(1));
    if (!same) continue;
    if (keyword.empty() ? position >= 0 && place.position == position : place.keyword == keyword) return true;
  }
  return false;
}

// getattr(torch, name), or a name bound to that alone: any dtype of torch, where one is wanted.
bool Collector::dtype_by_name(NodeId value) {
  if (tree_[value].kind == Kind::Identifier) {
    const auto bindings = names_.resolve(value);
    if (bindings.size() != 1 || names_.bindings()[bindings[0]].kind != BindingKind::Value) return false;
    value = names_.bindings()[bindings[0]].value;
  }
  if (value == kNoNode || tree_[value].kind != Kind::Call) return false;
  const NodeId callee = tree_.child(value, Field::Function), list = tree_.child(value, Field::Arguments);
  const NodeId object = list == kNoNode ? kNoNode : tree_.first_child(list);
  if (callee == kNoNode || object == kNoNode || tree_.text(callee) != "getattr" || !names_.resolve(callee).empty()) return false;
  const Val* path = values_.of(object).path();
  return path != nullptr && path->text == "torch";
}

void Collector::read_arguments(NodeId call, Use& use, Literals& literals, std::string_view symbol) {
  const NodeId list = tree_.child(call, Field::Arguments);
  if (list == kNoNode || tree_[list].kind != Kind::ArgumentList) return;
  const UseId id = static_cast<UseId>(out_.uses.size());
  std::int32_t position = 0;
  bool splatted = false;
  for (NodeId a = tree_.first_child(list); a != kNoNode; a = tree_.next_sibling(a)) {
    Arg arg;
    NodeId value = a;
    if (tree_[a].kind == Kind::KeywordArgument) {
      const NodeId name = tree_.child(a, Field::Name);
      value = tree_.child(a, Field::Value);
      if (name == kNoNode || value == kNoNode) continue;
      arg.keyword = tree_.text(name);
    } else if (tree_[a].kind == Kind::ListSplat || tree_[a].kind == Kind::DictionarySplat) {
      arg.splat = true;
      arg.options = tree_[a].kind == Kind::DictionarySplat;
      splatted = true;
    } else {
      arg.position = static_cast<std::uint32_t>(position);
    }
    arg.span = tree_[value].span;
    arg.whole = tree_[a].span;
    if (!arg.splat) {
      arg.values = values_at(value);
      if (arg.values.empty() && dtype_by_name(value)) arg.values.push_back({ValueKind::Name, "torch.*", true, tree_[value].span});
      if (device_place(symbol, arg.keyword.empty() && !splatted ? position : -1, arg.keyword)) literals.given_as_device(value, id);
      if (arg.keyword.empty()) ++position;
    }
    use.args.push_back(std::move(arg));
    if (tree_[a].kind == Kind::DictionarySplat) read_spread_dtype(a, use);
  }
}

}  // namespace torchport::python
