// Devices handed down through calls: which parameters of the file's functions take one, and what other modules may learn of that.
#include "analyzers/python/literals.h"

namespace torchport::python {

void Literals::project_place(NodeId callee, std::int32_t position, std::string_view keyword, Use& use) {
  for (const auto& [function, skipped] : callees(callee)) {
    const NodeId name = parameter_of(function, skipped, position, keyword);
    if (name == kNoNode) continue;
    if (device_parameters_.count(name) != 0) {
      use.place = Place::DeviceArgument;
      use.place_name = tree_.text(name);
      return;
    }
    // Handed on to another module, it may be a device all the same: asked for by this file's own name.
    const auto [low, high] = names_.bindings_in(names_.own_scope(function), names_.name_of(name));
    const auto parameter = low == high ? std::nullopt : exported(names_.bindings()[low]);
    if (!parameter) continue;
    use.place_callee = collector_.keep("." + collector_.module_name() + "." + parameter->function);
    use.place_position = position < 0 ? -1 : parameter->position;
  }
  if (const Val* path = values_.of(callee).path(); path != nullptr) {
    use.place_callee = path->text;
    use.place_position = position;
  }
}

std::vector<std::pair<NodeId, int>> Literals::callees(NodeId callee) {
  std::vector<std::pair<NodeId, int>> found;
  const auto method = [&](ScopeId cls, std::string_view name, int skipped) {
    const NameId id = names_.interner().find(name);
    if (cls == kNoId || id == kNoId) return;
    const auto [low, high] = names_.bindings_in(cls, id);
    if (low != high && names_.bindings()[low].kind == BindingKind::Function) found.emplace_back(names_.bindings()[low].value, skipped);
  };
  for (const Val& v : values_.of(callee).all) {
    if (v.what == What::Function) found.emplace_back(v.node, 0);
    if (v.what == What::Class) method(names_.own_scope(v.node), "__init__", 1);
  }
  if (tree_[callee].kind == Kind::Attribute) {
    const NodeId object = tree_.child(callee, Field::Object);
    const NodeId attribute = tree_.child(callee, Field::Attribute);
    if (object != kNoNode && attribute != kNoNode && tree_[object].kind == Kind::Identifier && names_.is_self(object)) {
      method(names_.class_of(names_.scope_of(object)), tree_.text(attribute), 1);
    }
  }
  return found;
}

NodeId Literals::parameter_of(NodeId function, int skipped, std::int32_t position, std::string_view keyword) const {
  const NodeId list = tree_.child(function, Field::Parameters);
  if (list == kNoNode) return kNoNode;
  std::int32_t at = -skipped;
  for (NodeId p = tree_.first_child(list); p != kNoNode; p = tree_.next_sibling(p), ++at) {
    NodeId name = p;
    if (tree_[p].kind != Kind::Identifier) name = tree_.child(p, Field::Name) != kNoNode ? tree_.child(p, Field::Name) : tree_.first_child(p);
    if (name == kNoNode || tree_[name].kind != Kind::Identifier) return kNoNode;
    if (keyword.empty() ? at == position : tree_.text(name) == keyword) return name;
  }
  return kNoNode;
}

void Literals::project_call(NodeId call) { project_calls_.push_back(call); }

// Marks the parameters that the call hands to device parameters; whether anything was new.
bool Literals::hand_on(NodeId call) {
  const NodeId callee = tree_.child(call, Field::Function);
  const NodeId list = tree_.child(call, Field::Arguments);
  if (callee == kNoNode || list == kNoNode || tree_[list].kind != Kind::ArgumentList) return false;
  const auto functions = callees(callee);
  if (functions.empty()) return false;
  bool fresh = false;
  std::int32_t position = 0;
  for (NodeId a = tree_.first_child(list); a != kNoNode; a = tree_.next_sibling(a)) {
    const bool keyword = tree_[a].kind == Kind::KeywordArgument;
    const NodeId value = keyword ? tree_.child(a, Field::Value) : a;
    const std::string_view name = keyword ? tree_.text(tree_.child(a, Field::Name)) : std::string_view();
    const std::int32_t at = keyword ? -1 : position++;
    if (value == kNoNode) continue;
    for (const auto& [function, skipped] : functions) {
      const NodeId parameter = parameter_of(function, skipped, at, name);
      if (parameter == kNoNode || device_parameters_.count(parameter) == 0) continue;
      if (tree_[value].kind == Kind::Identifier) {
        for (const BindingId id : names_.resolve(value)) {
          const Binding& b = names_.bindings()[id];
          if (b.kind == BindingKind::Parameter) fresh = device_parameters_.emplace(b.target, true).second || fresh;
        }
      }
      for (const Val& v : values_.of(value).all) {
        if (v.what == What::String && !tree_.inside(v.node, value) && flows_.find(v.node) == flows_.end()) flows_[v.node].push_back(value);
      }
    }
  }
  return fresh;
}

// A device handed down through calls: a parameter that is handed to a device parameter is one itself.
void Literals::flow_to_parameters() {
  for (const Binding& b : names_.bindings()) {
    if (b.kind == BindingKind::Parameter && device_like_name(names_.interner().text(b.name))) device_parameters_[b.target] = true;
  }
  bool fresh = true;
  for (int round = 0; fresh && round < 5; ++round) {
    fresh = false;
    for (const NodeId call : project_calls_) fresh = hand_on(call) || fresh;
  }
}

std::optional<ExportedParameter> Literals::exported(const Binding& b) const {
  const Scope& function = names_.scope(b.scope);
  if (function.kind != ScopeKind::Function || function.outer == kNoId) return std::nullopt;
  const Scope& outer = names_.scope(function.outer);
  const bool method = outer.kind == ScopeKind::Class && outer.outer == 0;
  if (!method && function.outer != 0) return std::nullopt;
  const NodeId list = tree_.child(function.node, Field::Parameters);
  ExportedParameter out;
  out.name = tree_.text(b.target);
  out.function = tree_.text(tree_.child(function.node, Field::Name));
  if (method) {
    const std::string cls(tree_.text(tree_.child(outer.node, Field::Name)));
    out.function = out.function == "__init__" ? cls : cls + "." + out.function;
  }
  out.position = method ? -1 : 0;
  for (NodeId p = tree_.first_child(list); p != kNoNode && !tree_.inside(b.target, p); p = tree_.next_sibling(p)) ++out.position;
  return out;
}

void Literals::export_parameters() {
  FileFacts& facts = collector_.facts();
  for (const Binding& b : names_.bindings()) {
    if (b.kind != BindingKind::Parameter || device_parameters_.count(b.target) == 0) continue;
    if (auto parameter = exported(b)) facts.device_parameters.push_back(std::move(*parameter));
  }
  for (const NodeId call : project_calls_) {
    const NodeId list = tree_.child(call, Field::Arguments);
    const Val* path = values_.of(tree_.child(call, Field::Function)).path();
    if (path == nullptr || list == kNoNode || tree_[list].kind != Kind::ArgumentList) continue;
    std::int32_t position = 0;
    for (NodeId a = tree_.first_child(list); a != kNoNode; a = tree_.next_sibling(a)) {
      const bool keyword = tree_[a].kind == Kind::KeywordArgument;
      const NodeId value = keyword ? tree_.child(a, Field::Value) : a;
      const std::int32_t at = keyword ? -1 : position++;
      if (value == kNoNode || tree_[value].kind != Kind::Identifier) continue;
      for (const BindingId id : names_.resolve(value)) {
        const Binding& b = names_.bindings()[id];
        if (b.kind != BindingKind::Parameter) continue;
        if (auto parameter = exported(b)) {
          facts.forwarded.push_back({std::move(*parameter), std::string(path->text), at, keyword ? std::string(tree_.text(tree_.child(a, Field::Name))) : std::string()});
        }
      }
    }
  }
}

}  // namespace torchport::python
