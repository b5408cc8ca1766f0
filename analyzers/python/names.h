// Scopes and bindings of one Python file: what each name may stand for at each place. Values come next (values.h); nothing here looks
// into an expression.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzers/python/syntax.h"

namespace torchport::python {

using NameId = std::uint32_t;
using ScopeId = std::uint32_t;
using BindingId = std::uint32_t;
using PathId = std::uint32_t;
constexpr std::uint32_t kNoId = 0xffffffff;

inline std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) { return (static_cast<std::uint64_t>(a) << 32) | b; }
// Keys of attributes, by class scope or by variable: the latter carry the top bit, so that they never meet.
inline std::uint64_t class_key(ScopeId scope, NameId attribute) { return pair_key(scope, attribute); }
inline std::uint64_t variable_key(NameId base, NameId attribute) { return pair_key(base | 0x80000000u, attribute); }

// Strings to small numbers and back.
class Interner {
 public:
  NameId id(std::string_view text);
  NameId find(std::string_view text) const;  // kNoId where it never occurred
  std::string_view text(NameId id) const { return texts_[id]; }
  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string_view, NameId> ids_;
  std::vector<std::string_view> texts_;
};

// Global dotted names, each once: "torch.cuda.amp" is the child "amp" of the child "cuda" of "torch".
class Paths {
 public:
  explicit Paths(std::deque<std::string>& store) : store_(store) {}
  PathId child(PathId parent, NameId name, const Interner& names);
  PathId from_dotted(std::string_view dotted, Interner& names);
  std::string_view text(PathId id) const { return entries_[id].text; }
  PathId parent(PathId id) const { return entries_[id].parent; }
  NameId last(PathId id) const { return entries_[id].name; }
  std::deque<std::string>& store() { return store_; }

 private:
  struct Entry {
    PathId parent;
    NameId name;
    std::string_view text;
  };
  std::deque<std::string>& store_;
  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, PathId> ids_;
};

enum class ScopeKind : std::uint8_t { Module, Function, Class, Lambda, Comprehension };

struct Scope {
  ScopeKind kind = ScopeKind::Module;
  NodeId node = 0;
  ScopeId outer = kNoId;
};

enum class BindingKind : std::uint8_t {
  Import,     // path is set
  Value,      // = value
  Element,    // of the iterable `value`
  Unpacked,   // a part of `value`
  Parameter,  // value: the default, if any; `extra`: the annotation
  Context,    // with value as …
  Function,   // value: the definition
  Class,
  Other,
};

struct Binding {
  NameId name = 0;
  ScopeId scope = 0;
  BindingKind kind = BindingKind::Other;
  NodeId target = kNoNode;
  NodeId value = kNoNode;
  NodeId extra = kNoNode;   // annotation
  NodeId block = 0;         // the block of statements in which it happens
  PathId path = kNoId;
};

// x.name = value, kept by what x is: the class of `self`, else the name x.
struct AttributeBinding {
  std::uint64_t key = 0;
  NodeId target = kNoNode;
  NodeId value = kNoNode;
  NodeId extra = kNoNode;
};

class Names {
 public:
  Names(const Tree& tree, std::deque<std::string>& store);

  const Tree& tree() const { return tree_; }
  Interner& interner() { return interner_; }
  const Interner& interner() const { return interner_; }
  Paths& paths() { return paths_; }
  const Paths& paths() const { return paths_; }

  ScopeId scope_of(NodeId node) const { return node_scope_[node]; }
  NodeId block_of(NodeId node) const { return node_block_[node]; }
  const Scope& scope(ScopeId id) const { return scopes_[id]; }
  const std::vector<Scope>& scopes() const { return scopes_; }
  ScopeId own_scope(NodeId definition) const;   // of a function, class or lambda; kNoId
  NameId name_of(NodeId identifier) const { return node_name_[identifier]; }

  const std::vector<Binding>& bindings() const { return bindings_; }
  // What an identifier may stand for where it is written: the last certain binding before it and the uncertain ones after that, in a loop those
  // below it too; from inner scopes all of them. Empty: builtin, star import or unknown. `scope` gets the scope that binds it.
  std::vector<BindingId> resolve(NodeId identifier) const;
  std::vector<BindingId> resolve_name(NameId name, ScopeId scope, NodeId at) const;
  // Bindings of a name in one scope, in order of writing.
  std::pair<std::uint32_t, std::uint32_t> bindings_in(ScopeId scope, NameId name) const;

  // Assigned values of an attribute: of `self` in a class, or of the variable `base`.
  std::vector<const AttributeBinding*> attribute_bindings(ScopeId class_scope, NameId attribute) const;
  std::vector<const AttributeBinding*> attribute_bindings_of_name(NameId base, NameId attribute) const;

  // The class around a method's code, kNoId elsewhere; and whether `identifier` is its first parameter.
  ScopeId class_of(ScopeId scope) const;
  bool is_self(NodeId identifier) const;

  const std::vector<PathId>& star_imports() const { return stars_; }
  // (function scope, return statement)
  const std::vector<std::pair<ScopeId, NodeId>>& returns() const { return returns_; }
  std::vector<NodeId> returns_of(ScopeId function) const;

 private:
  friend class Binder;
  // The outermost loop around a node within the scope that `scope_node` makes.
  NodeId loop_around(NodeId at, NodeId scope_node) const;

  const Tree& tree_;
  Interner interner_;
  Paths paths_;
  std::vector<Scope> scopes_;
  std::vector<ScopeId> node_scope_;
  std::vector<NodeId> node_block_;
  std::vector<NameId> node_name_;
  std::unordered_map<NodeId, ScopeId> own_scopes_;
  std::vector<Binding> bindings_;                 // sorted by (scope, name, target)
  std::vector<AttributeBinding> attributes_;      // sorted by (key, target)
  std::vector<PathId> stars_;
  std::vector<std::pair<ScopeId, NodeId>> returns_;
};

}  // namespace torchport::python
