// Finds the scopes of a file and what each binds.
#include <algorithm>
#include <tuple>

#include "analyzers/python/names.h"

namespace torchport::python {
namespace {

bool is_scope_expression(Kind kind) {
  return kind == Kind::ListComprehension || kind == Kind::SetComprehension || kind == Kind::DictionaryComprehension || kind == Kind::Generator;
}

}  // namespace

// One pass over the tree in order of writing.
class Binder {
 public:
  explicit Binder(Names& n) : n_(n), tree_(n.tree_) {}

  void run() {
    const NodeId size = tree_.size();
    n_.node_scope_.resize(size);
    n_.node_block_.resize(size);
    n_.node_name_.assign(size, kNoId);
    n_.scopes_.push_back({});
    scopes_.push_back({size, 0});
    blocks_.push_back({size, 0});
    for (NodeId i = 0; i < size; ++i) {
      while (scopes_.back().first <= i) scopes_.pop_back();
      while (blocks_.back().first <= i) blocks_.pop_back();
      const Node& node = tree_[i];
      enter(i, node);
      n_.node_scope_[i] = scopes_.back().second;
      n_.node_block_[i] = blocks_.back().second;
      if (node.kind == Kind::Block) blocks_.push_back({node.next, i});
      if (node.kind == Kind::Identifier) n_.node_name_[i] = n_.interner_.id(tree_.text(i));
      visit(i, node);
    }
    const auto order = [](const Binding& a, const Binding& b) {
      return std::tie(a.scope, a.name, a.target) < std::tie(b.scope, b.name, b.target);
    };
    std::stable_sort(n_.bindings_.begin(), n_.bindings_.end(), order);
    std::stable_sort(n_.returns_.begin(), n_.returns_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::stable_sort(n_.attributes_.begin(), n_.attributes_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.key, a.target) < std::tie(b.key, b.target);
    });
  }

 private:
  // A body opens its definition's scope; names, parameters' defaults and annotations belong outside.
  void enter(NodeId i, const Node& node) {
    if (node.parent == kNoNode) return;
    const Kind outer = tree_[node.parent].kind;
    const bool definition = outer == Kind::FunctionDefinition || outer == Kind::ClassDefinition || outer == Kind::Lambda;
    if (definition && node.field == Field::Body) {
      scopes_.push_back({node.next, n_.own_scopes_.at(node.parent)});
    } else if (is_scope_expression(node.kind)) {
      n_.own_scopes_[i] = new_scope(ScopeKind::Comprehension, i);
      scopes_.push_back({node.next, n_.own_scopes_[i]});
    }
  }

  void visit(NodeId i, const Node& node) {
    switch (node.kind) {
      case Kind::FunctionDefinition:
      case Kind::ClassDefinition: definition(i, node); break;
      case Kind::Lambda:
        n_.own_scopes_[i] = new_scope(ScopeKind::Lambda, i);
        parameters(tree_.child(i, Field::Parameters), n_.own_scopes_[i]);
        break;
      case Kind::Assignment: assignment(i); break;
      case Kind::AugmentedAssignment: bind(tree_.child(i, Field::Left), BindingKind::Other, kNoNode); break;
      case Kind::NamedExpression: bind(tree_.child(i, Field::Name), BindingKind::Value, tree_.child(i, Field::Value)); break;
      case Kind::For:
      case Kind::ForInClause: bind(tree_.child(i, Field::Left), BindingKind::Element, tree_.child(i, Field::Right)); break;
      case Kind::AsPattern: as_pattern(i); break;
      case Kind::ImportStatement: import_statement(i); break;
      case Kind::ImportFrom: import_from(i); break;
      case Kind::Global: bound_outside(i, 0); break;
      case Kind::Nonlocal: bound_outside(i, function_around()); break;
      case Kind::Identifier: capture(i, node); break;
      case Kind::TypeAlias: bind_alias(i); break;
      case Kind::Delete: unbind(i); break;
      case Kind::Return: n_.returns_.emplace_back(n_.node_scope_[i], i); break;
      default: break;
    }
  }

  ScopeId new_scope(ScopeKind kind, NodeId node) {
    n_.scopes_.push_back({kind, node, scopes_.back().second});
    return static_cast<ScopeId>(n_.scopes_.size() - 1);
  }

  NameId name_at(NodeId identifier) { return n_.interner_.id(tree_.text(identifier)); }

  void add(NameId name, BindingKind kind, NodeId target, NodeId value, NodeId extra = kNoNode, PathId path = kNoId) {
    ScopeId scope = scopes_.back().second;
    if (const auto it = outer_names_.find(pair_key(scope, name)); it != outer_names_.end()) scope = it->second;
    // A comprehension's walrus and imports inside lambdas do not exist, so only loops bind there.
    n_.bindings_.push_back({name, scope, kind, target, value, extra, blocks_.back().second, path});
  }

  void definition(NodeId i, const Node& node) {
    const bool function = node.kind == Kind::FunctionDefinition;
    const NodeId name = tree_.child(i, Field::Name);
    if (name != kNoNode) add(name_at(name), function ? BindingKind::Function : BindingKind::Class, name, i);
    const ScopeId scope = new_scope(function ? ScopeKind::Function : ScopeKind::Class, i);
    n_.own_scopes_[i] = scope;
    if (function) parameters(tree_.child(i, Field::Parameters), scope);
  }

  void parameters(NodeId list, ScopeId scope) {
    if (list == kNoNode) return;
    scopes_.push_back({tree_.size(), scope});
    for (NodeId p = tree_.first_child(list); p != kNoNode; p = tree_.next_sibling(p)) {
      NodeId name = p;
      NodeId value = kNoNode;
      NodeId annotation = kNoNode;
      const Kind kind = tree_[p].kind;
      if (kind == Kind::DefaultParameter || kind == Kind::TypedDefaultParameter) {
        name = tree_.child(p, Field::Name);
        value = tree_.child(p, Field::Value);
        annotation = tree_.child(p, Field::Type);
      } else if (kind == Kind::TypedParameter) {
        name = tree_.first_child(p);
        annotation = tree_.child(p, Field::Type);
      }
      if (name != kNoNode && tree_[name].kind == Kind::SplatPattern) {
        name = tree_.first_child(name);
        if (name != kNoNode && tree_[name].kind == Kind::Identifier) add(name_at(name), BindingKind::Other, name, kNoNode);
      } else if (name != kNoNode && tree_[name].kind == Kind::Identifier) {
        add(name_at(name), BindingKind::Parameter, name, value, annotation);
      }
    }
    scopes_.pop_back();
  }

  void assignment(NodeId i) {
    const NodeId left = tree_.child(i, Field::Left);
    NodeId right = tree_.child(i, Field::Right);
    while (right != kNoNode && tree_[right].kind == Kind::Assignment) right = tree_.child(right, Field::Right);
    bind(left, BindingKind::Value, right, tree_.child(i, Field::Type));
  }

  void bind(NodeId target, BindingKind kind, NodeId value, NodeId annotation = kNoNode) {
    if (target == kNoNode) return;
    switch (tree_[target].kind) {
      case Kind::Identifier: add(name_at(target), kind, target, value, annotation); break;
      case Kind::Attribute: bind_attribute(target, kind == BindingKind::Value ? value : kNoNode, annotation); break;
      case Kind::PatternList:
      case Kind::TuplePattern:
      case Kind::ListPattern:
      case Kind::Tuple:
      case Kind::List:
      case Kind::ExpressionList: bind_parts(target, kind, value); break;
      case Kind::SplatPattern:
      case Kind::Parenthesized:
      case Kind::ListSplat: bind(tree_.first_child(target), BindingKind::Other, kNoNode); break;
      default: break;
    }
  }

  void bind_parts(NodeId target, BindingKind kind, NodeId value) {
    const bool pairs = kind == BindingKind::Value && value != kNoNode &&
                       (tree_[value].kind == Kind::ExpressionList || tree_[value].kind == Kind::Tuple || tree_[value].kind == Kind::List) &&
                       count(value) == count(target);
    NodeId part = pairs ? tree_.first_child(value) : value;
    for (NodeId t = tree_.first_child(target); t != kNoNode; t = tree_.next_sibling(t)) {
      bind(t, pairs ? BindingKind::Value : BindingKind::Unpacked, part);
      if (pairs) part = tree_.next_sibling(part);
    }
  }

  std::size_t count(NodeId list) const {
    std::size_t n = 0;
    for (NodeId c = tree_.first_child(list); c != kNoNode; c = tree_.next_sibling(c)) ++n;
    return n;
  }

  void bind_attribute(NodeId target, NodeId value, NodeId annotation) {
    const NodeId object = tree_.child(target, Field::Object);
    const NodeId attribute = tree_.child(target, Field::Attribute);
    if (object == kNoNode || attribute == kNoNode || tree_[object].kind != Kind::Identifier) return;
    const NameId base = name_at(object);
    const NameId name = name_at(attribute);
    const ScopeId scope = scopes_.back().second;
    const ScopeId cls = n_.class_of(scope);
    const bool self = cls != kNoId && base == first_parameter(scope);
    n_.attributes_.push_back({self ? class_key(cls, name) : variable_key(base, name), target, value, annotation});
  }

  // The first parameter of the method around `scope`.
  NameId first_parameter(ScopeId scope) const {
    while (scope != kNoId && n_.scopes_[scope].kind != ScopeKind::Function) scope = n_.scopes_[scope].outer;
    if (scope == kNoId) return kNoId;
    const NodeId list = tree_.child(n_.scopes_[scope].node, Field::Parameters);
    NodeId first = list == kNoNode ? kNoNode : tree_.first_child(list);
    if (first != kNoNode && tree_[first].kind == Kind::TypedParameter) first = tree_.first_child(first);
    return first != kNoNode && tree_[first].kind == Kind::Identifier ? n_.interner_.find(tree_.text(first)) : kNoId;
  }

  // `case name:` binds; a dotted name in a pattern is read.
  void capture(NodeId i, const Node& node) {
    const Node& name = tree_[node.parent == kNoNode ? i : node.parent];
    if (name.kind != Kind::DottedName || name.parent == kNoNode || tree_[name.parent].kind != Kind::Other) return;
    if (node.parent + 1 == i && name.next == i + 1) add(name_at(i), BindingKind::Other, i, kNoNode);
  }

  // del name: from there on it is nothing that we know.
  void unbind(NodeId i) {
    for (NodeId c = i + 1; c < tree_[i].next; ++c) {
      const Kind outer = tree_[tree_[c].parent].kind;
      const bool plain = outer == Kind::Delete || outer == Kind::ExpressionList || outer == Kind::Tuple || outer == Kind::List || outer == Kind::Parenthesized;
      if (tree_[c].kind == Kind::Identifier && plain) add(name_at(c), BindingKind::Other, c, kNoNode);
    }
  }

  // type name = …
  void bind_alias(NodeId i) {
    NodeId name = tree_.first_child(i);
    while (name != kNoNode && tree_[name].kind == Kind::Type) name = tree_.first_child(name);
    if (name != kNoNode && tree_[name].kind == Kind::Identifier) add(name_at(name), BindingKind::Other, name, kNoNode);
  }

  void as_pattern(NodeId i) {
    const NodeId value = tree_.first_child(i);
    const NodeId target = tree_.child(i, Kind::AsPatternTarget);
    if (target != kNoNode) bind(tree_.first_child(target), BindingKind::Context, value);
  }

  void import_statement(NodeId i) {
    for (NodeId c = tree_.first_child(i); c != kNoNode; c = tree_.next_sibling(c)) {
      if (tree_[c].kind == Kind::AliasedImport) {
        const NodeId alias = tree_.child(c, Field::Alias);
        const PathId path = n_.paths_.from_dotted(squeezed(tree_.child(c, Field::Name)), n_.interner_);
        if (alias != kNoNode) add(name_at(alias), BindingKind::Import, c, c, kNoNode, path);
      } else if (tree_[c].kind == Kind::DottedName) {
        const NodeId first = tree_.first_child(c);
        if (first == kNoNode) continue;
        const NameId name = name_at(first);
        add(name, BindingKind::Import, c, c, kNoNode, n_.paths_.child(kNoId, name, n_.interner_));
      }
    }
  }

  void import_from(NodeId i) {
    const NodeId module = tree_.child(i, Field::ModuleName);
    if (module == kNoNode) return;
    const PathId base = n_.paths_.from_dotted(squeezed(module), n_.interner_);
    for (NodeId c = tree_.first_child(i); c != kNoNode; c = tree_.next_sibling(c)) {
      if (c == module) continue;
      if (tree_[c].kind == Kind::WildcardImport) n_.stars_.push_back(base);
      const bool aliased = tree_[c].kind == Kind::AliasedImport;
      const NodeId name = aliased ? tree_.child(c, Field::Name) : tree_[c].kind == Kind::DottedName ? c : kNoNode;
      const NodeId bound = aliased ? tree_.child(c, Field::Alias) : name;
      if (name == kNoNode || bound == kNoNode) continue;
      const PathId path = n_.paths_.child(base, n_.interner_.id(squeezed(name)), n_.interner_);
      add(n_.interner_.id(squeezed(bound)), BindingKind::Import, c, c, kNoNode, path);
    }
  }

  // A dotted name without the blanks that Python allows in it.
  std::string_view squeezed(NodeId node) {
    const std::string_view text = tree_.text(node);
    if (text.find_first_of(" \t\\\n\r") == std::string_view::npos) return text;
    std::string copy;
    for (const char c : text) {
      if (std::string_view(" \t\\\n\r").find(c) == std::string_view::npos) copy += c;
    }
    return *interned_.insert(interned_.end(), std::move(copy));
  }

  // global, nonlocal: what this scope assigns to these names is bound in `outside`.
  void bound_outside(NodeId i, ScopeId outside) {
    for (NodeId c = tree_.first_child(i); c != kNoNode; c = tree_.next_sibling(c)) {
      if (tree_[c].kind == Kind::Identifier) outer_names_[pair_key(scopes_.back().second, name_at(c))] = outside;
    }
  }

  ScopeId function_around() const {
    ScopeId scope = n_.scopes_[scopes_.back().second].outer;
    while (scope != kNoId && scope != 0 && n_.scopes_[scope].kind != ScopeKind::Function) scope = n_.scopes_[scope].outer;
    return scope == kNoId ? 0 : scope;
  }

  Names& n_;
  const Tree& tree_;
  std::vector<std::pair<NodeId, ScopeId>> scopes_;   // (end, scope)
  std::vector<std::pair<NodeId, NodeId>> blocks_;    // (end, block)
  std::unordered_map<std::uint64_t, ScopeId> outer_names_;   // by scope and name
  std::deque<std::string>& interned_ = n_.paths_.store();
};

Names::Names(const Tree& tree, std::deque<std::string>& store) : tree_(tree), paths_(store) { Binder(*this).run(); }

}  // namespace torchport::python
