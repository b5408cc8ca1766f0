#include "analyzers/python/collect.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "analyzers/python/literals.h"
#include "analyzers/python/torch_types.h"
#include "analyzers/text.h"

namespace torchport::python {
namespace {

bool in_sorted(const std::vector<std::string>& list, std::string_view word) {
  return std::binary_search(list.begin(), list.end(), word, [](std::string_view a, std::string_view b) { return a < b; });
}

}  // namespace

Collector::Collector(const SourceFile& source, const Tree& tree, const Interest& interest, FileFacts& out)
    : source_(source), tree_(tree), interest_(interest), out_(out), names_(tree, out.names), values_(names_, out.names), guards_(values_) {}

void Collector::run() {
  functions();
  mark_names();
  Literals literals(*this, values_, guards_);
  literals_ = &literals;
  for (NodeId i = 0; i < tree_.size(); ++i) {
    open_regions(i);
    visit(i);
  }
  literals.finish();
  literals_ = nullptr;
  finish();
}

std::string Collector::module_name() const {
  const std::string& path = source_.path();
  const std::size_t start = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  return path.substr(start, path.rfind('.') - start);
}

// Functions and classes in order of writing, with their dotted names.
void Collector::functions() {
  out_.functions.push_back({{}, {0, static_cast<std::uint32_t>(source_.text().size())}, false, kNone});
  std::vector<std::pair<NodeId, std::int32_t>> around{{tree_.size(), 0}};
  for (NodeId i = 0; i < tree_.size(); ++i) {
    while (around.back().first <= i) around.pop_back();
    const Kind kind = tree_[i].kind;
    if (kind != Kind::FunctionDefinition && kind != Kind::ClassDefinition) continue;
    const NodeId name = tree_.child(i, Field::Name);
    std::string_view full = name == kNoNode ? std::string_view() : tree_.text(name);
    const std::int32_t outer = around.back().second;
    if (outer != 0 && around.size() < 8) full = keep(std::string(out_.functions[static_cast<std::size_t>(outer)].name) + "." + std::string(full));
    function_index_.emplace_back(i, static_cast<std::int32_t>(out_.functions.size()));
    around.emplace_back(tree_[i].next, static_cast<std::int32_t>(out_.functions.size()));
    out_.functions.push_back({full, tree_[i].span, kind == Kind::ClassDefinition, outer});
  }
}

std::int32_t Collector::function_at(NodeId node) const {
  const ScopeId scope = names_.scope_of(node);
  for (ScopeId s = scope; s != kNoId && s != 0; s = names_.scope(s).outer) {
    const NodeId definition = names_.scope(s).node;
    const auto it = std::lower_bound(function_index_.begin(), function_index_.end(), definition,
                                     [](const auto& entry, NodeId n) { return entry.first < n; });
    if (it != function_index_.end() && it->first == definition) return it->second;
  }
  return 0;
}

// Most identifiers can never stand for a global name of interest; only the others are worth resolving.
void Collector::mark_names() {
  const auto count = names_.interner().texts().size();
  name_may_be_path_.assign(count, names_.star_imports().empty() ? 0 : 1);
  name_is_method_.assign(count, 0);
  for (const Binding& b : names_.bindings()) {
    if (b.kind == BindingKind::Import && interesting(b.path)) name_may_be_path_[b.name] = 1;
    if (b.kind != BindingKind::Value || b.value == kNoNode) continue;
    const Kind kind = tree_[b.value].kind;
    const bool alias = kind == Kind::Attribute || kind == Kind::Identifier || kind == Kind::Conditional || kind == Kind::BooleanOperator ||
                       (kind == Kind::Call && tree_.text(b.value).substr(0, 7) == "getattr");
    if (alias) name_may_be_path_[b.name] = 1;
  }
  for (const std::string& method : interest_.methods) {
    const NameId id = names_.interner().find(method);
    if (id != kNoId) name_is_method_[id] = 1;
  }
  name_is_tensor_method_.assign(count, 0);
  const auto& texts = names_.interner().texts();
  for (NameId id = 0; id < texts.size(); ++id) name_is_tensor_method_[id] = in_sorted(interest_.tensor_methods, texts[id]) ? 1 : 0;
}

bool Collector::interesting(PathId path) {
  if (path == kNoId) return false;
  if (path >= path_interest_.size()) path_interest_.resize(path + 64, 0);
  if (path_interest_[path] != 0) return path_interest_[path] == 2;
  PathId root = path;
  while (names_.paths().parent(root) != kNoId) root = names_.paths().parent(root);
  const bool yes = in_sorted(interest_.roots, names_.paths().text(root));
  path_interest_[path] = yes ? 2 : 1;
  return yes;
}

void Collector::open_regions(NodeId node) {
  while (!open_.empty() && open_.back().first <= node) open_.pop_back();
  while (!pending_.empty() && pending_.back().begin <= node) {
    const Region& region = pending_.back();
    if (region.end > node) {
      Guard g;
      g.outer = guard();
      g.kind = region.fact.kind;
      g.device = region.fact.device;
      g.holds = region.fact.holds;
      g.otherwise = region.otherwise;
      g.condition = tree_[region.fact.condition].span;
      g.body = {tree_[region.begin].span.start, tree_[region.end - 1].span.end};
      g.others = region.others;
      out_.guards.push_back(std::move(g));
      open_.emplace_back(region.end, static_cast<GuardId>(out_.guards.size() - 1));
    }
    pending_.pop_back();
  }
}

void Collector::visit(NodeId node) {
  const Node& n = tree_[node];
  switch (n.kind) {
    case Kind::IfStatement:
    case Kind::Assert:
    case Kind::BooleanOperator:
    case Kind::Try:
    case Kind::With:
    case Kind::While:
    case Kind::Match:
    case Kind::ListComprehension:
    case Kind::SetComprehension:
    case Kind::DictionaryComprehension:
    case Kind::Generator:
    case Kind::DecoratedDefinition:
    case Kind::Dictionary:
    case Kind::Conditional: {
      std::vector<Region> found = guards_.regions(node);
      pending_.insert(pending_.end(), found.begin(), found.end());
      if (n.kind == Kind::Conditional) literals_->choice(node);
      if (n.kind == Kind::DecoratedDefinition) kernel(node);
      break;
    }
    case Kind::ImportStatement:
    case Kind::ImportFrom: imports(node); break;
    case Kind::Call: call(node); break;
    case Kind::Attribute:
    case Kind::Identifier: reference(node); break;
    case Kind::Assignment: assignment(node); break;
    case Kind::String:
      literals_->seen(node);
      annotation_text(node);
      break;
    case Kind::BinaryOperator:
    case Kind::UnaryOperator:
    case Kind::Comparison:
    case Kind::AugmentedAssignment: tensor_operator(node); break;
    case Kind::Subscript: tensor_index(node); break;
    default: break;
  }
}

NodeId Collector::statement_of(NodeId node) const {
  const NodeId known = last_statement_;
  if (known != kNoNode && tree_.inside(node, known) && names_.block_of(node) == names_.block_of(known)) return known;
  return last_statement_ = climb_to_statement(node);
}

NodeId Collector::climb_to_statement(NodeId node) const {
  while (tree_[node].parent != kNoNode) {
    const Kind outer = tree_[tree_[node].parent].kind;
    if (outer == Kind::Block || outer == Kind::Module) return node;
    node = tree_[node].parent;
  }
  return node;
}

Use Collector::start(UseKind kind, NodeId node, std::string_view symbol) {
  Use use;
  use.kind = kind;
  use.symbol = symbol;
  use.span = tree_[node].span;
  use.callee = use.span;
  use.form = form_of(node);
  use.statement = tree_[statement_of(node)].span;
  use.guard = guard();
  use.scope = function_at(node);
  use.part_of = literals_->choice_around(node);
  return use;
}

void Collector::link_import(Use& use, const Val& value) {
  use.via = value.via;
  if (value.import == kNoNode) return;
  if (const auto it = import_of_.find(value.import); it != import_of_.end()) use.import = it->second;
}

void Collector::reference(NodeId node) {
  if (node < handled_until_) return;
  const Node& n = tree_[node];
  if (n.parent == kNoNode || n.field == Field::Attribute) return;
  const Node& parent = tree_[n.parent];
  if (parent.kind == Kind::KeywordArgument && n.field == Field::Name) return;
  const bool target = n.field == Field::Left && (parent.kind == Kind::Assignment || parent.kind == Kind::AugmentedAssignment ||
                                                 parent.kind == Kind::For || parent.kind == Kind::ForInClause);
  if (target || (n.field == Field::Name && parent.kind != Kind::NamedExpression) || parent.kind == Kind::DottedName) return;
  if (parent.kind == Kind::Call && n.field == Field::Function) return;
  switch (parent.kind) {  // where a name is bound or undone, and not read
    case Kind::Parameters:
    case Kind::LambdaParameters:
    case Kind::Global:
    case Kind::Nonlocal:
    case Kind::Delete:
    case Kind::PatternList:
    case Kind::TuplePattern:
    case Kind::ListPattern:
    case Kind::SplatPattern:
    case Kind::AsPatternTarget: return;
    case Kind::TypedParameter:
      if (n.field != Field::Type) return;
      break;
    case Kind::KeywordPattern:
      if (tree_.first_child(n.parent) == node) return;
      break;
    case Kind::Type:
      if (parent.parent != kNoNode && tree_[parent.parent].kind == Kind::TypeAlias && tree_.first_child(parent.parent) == n.parent) return;
      break;
    case Kind::NamedExpression:
      if (n.field == Field::Name) return;
      break;
    default: break;
  }
  NodeId base = node;
  while (tree_[base].kind == Kind::Attribute) base = base + 1;
  if (tree_[base].kind == Kind::Identifier && name_may_be_path_[names_.name_of(base)] != 0) {
    for (const Val& v : values_.of(node).all) {
      if (v.what != What::Path || !interesting(v.path)) continue;
      Use use = start(UseKind::Reference, node, v.text);
      link_import(use, v);
      if (n.kind == Kind::Attribute) use.receiver = tree_[node + 1].span;
      if (use.form.condition && last_part(v.text) == "is_available") use.kind = UseKind::UncalledGuard;
      handled_until_ = std::max(handled_until_, n.next);
      emit(std::move(use));
      return;
    }
  }
  if (n.kind != Kind::Attribute) return;
  const NodeId attribute = tree_.child(node, Field::Attribute);
  const NameId name = attribute == kNoNode ? kNoId : names_.name_of(attribute);
  if (name == kNoId || name_is_method_[name] == 0) return;
  bool own = false;
  const NodeId receiver = tree_.child(node, Field::Object);
  const std::string_view type = receiver_type(receiver, tree_.text(attribute), own);
  if (own) return;
  const Val* path = values_.of(receiver).path();
  if (path != nullptr && interesting(path->path)) return;
  Use use = start(UseKind::Reference, node, keep(std::string(type.empty() ? "*" : type) + "." + std::string(tree_.text(attribute))));
  use.via = type.empty() ? Via::Text : Via::Type;
  use.receiver = tree_[receiver].span;
  emit(std::move(use));
}

void Collector::assignment(NodeId node) {
  const NodeId left = tree_.child(node, Field::Left);
  if (left == kNoNode || tree_[left].kind != Kind::Attribute) return;
  NodeId base = left;
  while (tree_[base].kind == Kind::Attribute) base = base + 1;
  if (tree_[base].kind != Kind::Identifier || name_may_be_path_[names_.name_of(base)] == 0) return;
  for (const Val& v : values_.of(left).all) {
    if (v.what != What::Path || !interesting(v.path)) continue;
    Use use = start(UseKind::Assign, node, v.text);
    use.callee = tree_[left].span;
    use.receiver = tree_[left + 1].span;
    link_import(use, v);
    const NodeId right = tree_.child(node, Field::Right);
    if (right != kNoNode) {
      Arg arg;
      arg.span = arg.whole = tree_[right].span;
      arg.values = values_at(right);
      use.args.push_back(std::move(arg));
    }
    handled_until_ = std::max(handled_until_, tree_[left].next);
    emit(std::move(use));
    return;
  }
}

void Collector::imports(NodeId node) {
  ImportStatement statement;
  statement.span = tree_[node].span;
  const NodeId parent = tree_[node].parent;
  statement.alone_in_block = tree_[parent].kind == Kind::Block && tree_.first_child(parent) == node && tree_[node].next == tree_[parent].next;
  const bool from = tree_[node].kind == Kind::ImportFrom;
  const NodeId module = from ? tree_.child(node, Field::ModuleName) : kNoNode;
  if (from) {
    if (module == kNoNode) return;
    statement.module = tree_.text(module);
    statement.module_span = tree_[module].span;
  }
  for (NodeId c = tree_.first_child(node); c != kNoNode; c = tree_.next_sibling(c)) {
    if (c == module || (tree_[c].kind != Kind::AliasedImport && tree_[c].kind != Kind::DottedName && tree_[c].kind != Kind::WildcardImport)) continue;
    const bool aliased = tree_[c].kind == Kind::AliasedImport;
    const NodeId name = aliased ? tree_.child(c, Field::Name) : c;
    const NodeId alias = aliased ? tree_.child(c, Field::Alias) : kNoNode;
    if (name == kNoNode) continue;
    PathId path = from ? names_.paths().from_dotted(tree_.text(module), names_.interner()) : kNoId;
    if (tree_[c].kind != Kind::WildcardImport) {
      std::string dotted = from ? std::string(names_.paths().text(path)) + "." : std::string();
      dotted += tree_.text(name);
      path = names_.paths().from_dotted(keep(dotted), names_.interner());
    }
    const std::string_view bound = alias != kNoNode ? tree_.text(alias) : from ? tree_.text(name) : tree_.text(name).substr(0, tree_.text(name).find('.'));
    import_use(c, path, bound, statement);
  }
  if (!statement.names.empty()) out_.imports.push_back(std::move(statement));
  handled_until_ = std::max(handled_until_, tree_[node].next);
}

void Collector::import_use(NodeId element, PathId path, std::string_view bound, ImportStatement& statement) {
  if (!interesting(path)) {
    // Still a name of the statement: a fix that drops others must know of it.
    statement.names.push_back(kNone);
    return;
  }
  Use use = start(UseKind::Import, element, names_.paths().text(path));
  use.bound = bound;
  const UseId id = emit(std::move(use));
  import_of_[element] = id;
  statement.names.push_back(id);
}

// A function under a decorator of a kernel language: @triton.jit.
void Collector::kernel(NodeId node) {
  const NodeId definition = tree_.child(node, Field::Definition);
  if (definition == kNoNode || tree_[definition].kind != Kind::FunctionDefinition) return;
  for (NodeId d = tree_.first_child(node); d != kNoNode; d = tree_.next_sibling(d)) {
    if (tree_[d].kind != Kind::Decorator) continue;
    NodeId expression = tree_.first_child(d);
    if (expression != kNoNode && tree_[expression].kind == Kind::Call) expression = tree_.child(expression, Field::Function);
    if (expression == kNoNode) continue;
    const Val* path = values_.of(expression).path();
    if (path == nullptr || !interesting(path->path)) continue;
    const std::string_view last = last_part(path->text);
    if (last != "jit" || path->text.substr(0, 6) == "torch.") continue;
    Use use = start(UseKind::Kernel, d, path->text);
    use.bound = tree_.text(tree_.child(definition, Field::Name));
    link_import(use, *path);
    kernels_[definition] = emit(std::move(use));
    return;
  }
}

// Sorts the uses by place and carries the references among them along.
void Collector::finish() {
  for (const auto& [definition, span] : launches_) {
    const auto kernel = kernels_.find(definition);
    if (kernel != kernels_.end()) out_.uses[static_cast<std::size_t>(kernel->second)].flows.push_back(span);
  }
  std::vector<UseId> order(out_.uses.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](UseId a, UseId b) {
    const Use& x = out_.uses[static_cast<std::size_t>(a)];
    const Use& y = out_.uses[static_cast<std::size_t>(b)];
    return std::tie(x.span.start, x.kind) < std::tie(y.span.start, y.kind);
  });
  std::vector<UseId> moved(order.size());
  std::vector<Use> sorted;
  sorted.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    moved[static_cast<std::size_t>(order[i])] = static_cast<UseId>(i);
    sorted.push_back(std::move(out_.uses[static_cast<std::size_t>(order[i])]));
  }
  const auto carry = [&](UseId& id) {
    if (id != kNone) id = moved[static_cast<std::size_t>(id)];
  };
  for (Use& use : sorted) {
    carry(use.import);
    carry(use.part_of);
  }
  for (ImportStatement& statement : out_.imports) {
    for (UseId& id : statement.names) carry(id);
  }
  out_.uses = std::move(sorted);
  out_.identifiers = names_.interner().texts();
  std::sort(out_.identifiers.begin(), out_.identifiers.end());
}

}  // namespace torchport::python
