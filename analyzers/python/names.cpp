#include "analyzers/python/names.h"

#include <algorithm>
#include <tuple>

namespace torchport::python {

NameId Interner::id(std::string_view text) {
  const auto [it, fresh] = ids_.try_emplace(text, static_cast<NameId>(texts_.size()));
  if (fresh) texts_.push_back(text);
  return it->second;
}

NameId Interner::find(std::string_view text) const {
  const auto it = ids_.find(text);
  return it == ids_.end() ? kNoId : it->second;
}

PathId Paths::child(PathId parent, NameId name, const Interner& names) {
  const auto [it, fresh] = ids_.try_emplace(pair_key(parent, name), static_cast<PathId>(entries_.size()));
  if (fresh) {
    std::string_view text = names.text(name);
    if (parent != kNoId) text = store_.emplace_back(std::string(entries_[parent].text) + "." + std::string(text));
    entries_.push_back({parent, name, text});
  }
  return it->second;
}

PathId Paths::from_dotted(std::string_view dotted, Interner& names) {
  PathId path = kNoId;
  // The dots of a relative import stay with the first part.
  std::size_t start = 0;
  std::size_t end = dotted.find_first_not_of('.');
  end = end == std::string_view::npos ? dotted.size() : std::min(dotted.find('.', end), dotted.size());
  while (start < dotted.size()) {
    path = child(path, names.id(dotted.substr(start, end - start)), names);
    start = end + 1;
    end = start < dotted.size() ? std::min(dotted.find('.', start), dotted.size()) : dotted.size();
  }
  return path;
}

ScopeId Names::own_scope(NodeId definition) const {
  const auto it = own_scopes_.find(definition);
  return it == own_scopes_.end() ? kNoId : it->second;
}

std::pair<std::uint32_t, std::uint32_t> Names::bindings_in(ScopeId scope, NameId name) const {
  const auto key = std::pair(scope, name);
  const auto low = std::lower_bound(bindings_.begin(), bindings_.end(), key,
                                    [](const Binding& b, const auto& k) { return std::pair(b.scope, b.name) < k; });
  auto high = low;
  while (high != bindings_.end() && high->scope == scope && high->name == name) ++high;
  return {static_cast<std::uint32_t>(low - bindings_.begin()), static_cast<std::uint32_t>(high - bindings_.begin())};
}

std::vector<BindingId> Names::resolve(NodeId identifier) const {
  return resolve_name(node_name_[identifier], node_scope_[identifier], identifier);
}

NodeId Names::loop_around(NodeId at, NodeId scope_node) const {
  NodeId loop = kNoNode;
  for (NodeId n = tree_[at].parent; n != kNoNode && n != scope_node; n = tree_[n].parent) {
    if (tree_[n].kind == Kind::While || tree_[n].kind == Kind::For) loop = n;
  }
  return loop;
}

std::vector<BindingId> Names::resolve_name(NameId name, ScopeId scope, NodeId at) const {
  std::vector<BindingId> found;
  if (name == kNoId) return found;
  for (ScopeId s = scope; s != kNoId; s = scopes_[s].outer) {
    if (s != scope && scopes_[s].kind == ScopeKind::Class) continue;
    const auto [low, high] = bindings_in(s, name);
    if (low == high) continue;
    const bool here = s == scope || scopes_[scope].kind == ScopeKind::Comprehension;
    std::uint32_t last = high;
    if (here) {
      while (last > low && bindings_[last - 1].target >= at) --last;
      if (last == low) last = high;  // only bound later: a loop brings it round
    }
    if (const NodeId loop = here && last < high ? loop_around(at, scopes_[s].node) : kNoNode; loop != kNoNode) {
      for (std::uint32_t b = high; b > last && found.size() < 3; --b) {
        if (tree_.inside(bindings_[b - 1].target, loop)) found.push_back(b - 1);
      }
    }
    for (std::uint32_t b = last; b > low && found.size() < 6; --b) {
      // x = f(x): the value is worked out before the name is bound.
      const Binding& binding = bindings_[b - 1];
      const bool definition = binding.kind == BindingKind::Function || binding.kind == BindingKind::Class;
      if (here && binding.value != kNoNode && !definition && b - 1 > low && tree_.inside(at, binding.value)) continue;
      found.push_back(b - 1);
      const NodeId block = bindings_[b - 1].block;
      const bool certain = here ? tree_.inside(at, block) : block == 0 || tree_[block].parent == scopes_[s].node;
      if (certain) break;
    }
    return found;
  }
  return found;
}

std::vector<const AttributeBinding*> Names::attribute_bindings(ScopeId class_scope, NameId attribute) const {
  std::vector<const AttributeBinding*> found;
  const std::uint64_t key = class_key(class_scope, attribute);
  auto it = std::lower_bound(attributes_.begin(), attributes_.end(), key, [](const auto& a, std::uint64_t k) { return a.key < k; });
  for (; it != attributes_.end() && it->key == key && found.size() < 6; ++it) found.push_back(&*it);
  return found;
}

std::vector<const AttributeBinding*> Names::attribute_bindings_of_name(NameId base, NameId attribute) const {
  std::vector<const AttributeBinding*> found;
  const std::uint64_t key = variable_key(base, attribute);
  auto it = std::lower_bound(attributes_.begin(), attributes_.end(), key, [](const auto& a, std::uint64_t k) { return a.key < k; });
  for (; it != attributes_.end() && it->key == key && found.size() < 6; ++it) found.push_back(&*it);
  return found;
}

ScopeId Names::class_of(ScopeId scope) const {
  while (scope != kNoId && scopes_[scope].kind != ScopeKind::Class) {
    const ScopeId outer = scopes_[scope].outer;
    if (scopes_[scope].kind == ScopeKind::Function && outer != kNoId && scopes_[outer].kind == ScopeKind::Class) return outer;
    scope = outer;
  }
  return kNoId;
}

bool Names::is_self(NodeId identifier) const {
  for (const BindingId id : resolve(identifier)) {
    const Binding& b = bindings_[id];
    if (b.kind != BindingKind::Parameter || b.value != kNoNode) return false;
    const Scope& function = scopes_[b.scope];
    if (function.outer == kNoId || scopes_[function.outer].kind != ScopeKind::Class) return false;
    const NodeId list = tree_.child(function.node, Field::Parameters);
    const NodeId first = list == kNoNode ? kNoNode : tree_.first_child(list);
    if (first == kNoNode || !tree_.inside(b.target, first)) return false;
    return true;
  }
  return false;
}

std::vector<NodeId> Names::returns_of(ScopeId function) const {
  std::vector<NodeId> found;
  auto it = std::lower_bound(returns_.begin(), returns_.end(), function, [](const auto& r, ScopeId f) { return r.first < f; });
  for (; it != returns_.end() && it->first == function; ++it) found.push_back(it->second);
  return found;
}

}  // namespace torchport::python
