#include "analyzers/python/handles.h"

#include <algorithm>
#include <unordered_map>
#include <tuple>

#include "analyzers/python/guards.h"
#include "analyzers/python/literals.h"
#include "analyzers/text.h"

namespace torchport::python {
namespace {

class HandleFinder {
 public:
  HandleFinder(Values& values, FileFacts& facts) : values_(values), names_(values.names()), tree_(values.tree()), facts_(facts) {}

  void run() {
    for (BindingId i = 0; i < names_.bindings().size(); ++i) {
      const NameId name = names_.bindings()[i].name;
      if (!device_like_name(names_.interner().text(name))) continue;
      std::vector<ScopeId>& scopes = scopes_of_[name];  // bindings are sorted by scope
      if (scopes.empty() || scopes.back() != names_.bindings()[i].scope) scopes.push_back(names_.bindings()[i].scope);
    }
    for (const Use& use : facts_.uses) {
      if (use.kind == UseKind::Choice) choices_.push_back(use.span);
    }
    const NameId device = names_.interner().find("device");
    const NameId type = names_.interner().find("type");
    for (NodeId i = 0; i < tree_.size(); ++i) {
      if (tree_[i].kind == Kind::String && !option_is_raw_) option_is_raw_ = raw_device_option(i);
      if (tree_[i].kind != Kind::Identifier || tree_[i].field != Field::Attribute) continue;
      const NameId name = names_.name_of(i);
      if (name == kNoId || (name != device && name != type)) continue;
      const NodeId object = tree_[i].parent + 1;
      if (name == type && is_device_text(tree_.text(object))) type_reads_[tree_.text(object)].push_back(tree_[i].span.start);
      if (name == device && tree_[object].kind == Kind::Identifier && is_options_name(tree_.text(object))) option_reads_.push_back({names_.name_of(object), tree_[i].span});
    }
    for (const Binding& b : names_.bindings()) {
      const std::string_view name = names_.interner().text(b.name);
      switch (b.kind) {
        case BindingKind::Parameter:
          if (device_like_name(name)) parameter(b, name);  // see there what is asked of it
          if (is_options_name(name)) options(b, name, function_body(b.scope));
          break;
        case BindingKind::Value:
          if (device_like_name(name)) variable(b, name);
          if (is_options_name(name)) options(b, name, reach_after(b));
          break;
        case BindingKind::Function: helper(b, name); break;
        case BindingKind::Class: attributes(b.value); break;
        case BindingKind::Import:
          if (plain_device_name(name) && tree_[tree_[b.target].parent].kind == Kind::ImportFrom && names_.paths().text(b.path).substr(0, 6) != "torch.") {
            // The test helpers of transformers and diffusers give a string by this name.
            const HandleType type = name == "torch_device" ? HandleType::String : HandleType::Unknown;
            push({name, HandleKind::Constant, type, false, reach_after(b), tree_[statement(b.target)].span, {}}, &b);
          }
          break;
        default: break;
      }
    }
    std::sort(facts_.handles.begin(), facts_.handles.end(), [](const Handle& a, const Handle& b) {
      return std::tie(a.definition.start, a.reach.start, a.text) < std::tie(b.definition.start, b.reach.start, b.text);
    });
  }

 private:
  // Names that are a device and nothing else in anybody's code; others must be proven to be one.
  static bool plain_device_name(std::string_view name) {
    return name == "device" || name == "DEVICE" || name == "dev" || name == "torch_device" || name == "_device";
  }

  // add_argument("--device", default="0,1"): a device is made of it further on.
  bool raw_device_option(NodeId string) const {
    const std::string_view text = tree_.text(string);
    const NodeId list = tree_[string].parent;
    if ((text != "\"--device\"" && text != "'--device'") || list == kNoNode || tree_[list].kind != Kind::ArgumentList) return false;
    for (NodeId a = tree_.first_child(list); a != kNoNode; a = tree_.next_sibling(a)) {
      const NodeId value = tree_[a].kind == Kind::KeywordArgument && tree_.text(tree_.child(a, Field::Name)) == "default" ? tree_.child(a, Field::Value) : kNoNode;
      if (value != kNoNode && tree_[value].kind == Kind::String) return device_type_of(values_.string_text(value)).empty();
    }
    return false;
  }

  static bool is_device_text(std::string_view text) { return text.size() < 40 && device_like_name(last_part(text)); }

  // Somebody reads its `.type`: no string has that.
  bool read_as_device(const Handle& handle) const {
    const auto reads = type_reads_.find(handle.text);
    return reads != type_reads_.end() && std::any_of(reads->second.begin(), reads->second.end(), [&](std::uint32_t at) { return handle.reach.contains(Span{at, at}); });
  }

  static bool is_options_name(std::string_view name) {
    return name == "args" || name == "opt" || name == "opts" || name == "options" || name == "cfg" || name == "config" || name == "flags" || name == "hparams";
  }

  // Where the name is bound anew it is another thing: behind that in the same scope, and in all of an inner scope.
  void hide(Handle& handle, const Binding& made) {
    const auto [low, high] = names_.bindings_in(made.scope, made.name);
    bool bound_again = false;
    const auto& all = names_.bindings();
    const auto behind = std::upper_bound(all.begin() + low, all.begin() + high, made.target, [](NodeId target, const Binding& b) { return target < b.target; });
    for (auto b = behind; b != all.begin() + high && !bound_again; ++b) {  // in order of writing: the first one is the nearest
      const std::uint32_t start = tree_[statement(b->target)].span.start;
      if (start < handle.reach.start) continue;
      handle.reach.end = std::min(handle.reach.end, start);
      bound_again = true;
    }
    const auto scopes = scopes_of_.find(made.name);
    for (const ScopeId scope : scopes == scopes_of_.end() ? std::vector<ScopeId>() : scopes->second) {
      if (scope == made.scope) continue;
      const Span span = tree_[names_.scope(scope).node].span;
      if (handle.reach.contains(span)) handle.hidden.push_back(span);
    }
    if (bound_again) hide_inner(handle, made.scope);  // they may be called when it is another thing already
  }

  void hide_inner(Handle& handle, ScopeId scope) {
    for (ScopeId s = 1; s < names_.scopes().size(); ++s) {
      if (names_.scope(s).outer == scope && names_.scope(s).kind != ScopeKind::Comprehension) handle.hidden.push_back(tree_[names_.scope(s).node].span);
    }
  }

  void push(Handle handle, const Binding* made = nullptr) {
    if (made != nullptr) hide(handle, *made);
    if (handle.type == HandleType::Unknown && read_as_device(handle)) handle.type = HandleType::Device;
    if (handle.reach.start < handle.reach.end) facts_.handles.push_back(handle);
  }

  NodeId statement(NodeId node) const {
    while (tree_[node].parent != kNoNode && tree_[tree_[node].parent].kind != Kind::Block && tree_[tree_[node].parent].kind != Kind::Module) {
      node = tree_[node].parent;
    }
    return node;
  }

  Span function_body(ScopeId scope) const {
    if (names_.scope(scope).kind != ScopeKind::Function) return {};
    const NodeId body = tree_.child(names_.scope(scope).node, Field::Body);
    return body == kNoNode ? Span{} : tree_[body].span;
  }

  // From the end of the binding's statement to the end of the block that certainly has it.
  Span reach_after(const Binding& b) const {
    const NodeId made = statement(b.target);
    NodeId block = b.block;
    std::uint32_t start = tree_[made].span.end;
    if (block != 0) {
      // Both arms of an if bind it: it is certain after the whole if.
      const NodeId arm = tree_[block].parent;
      const Kind kind = tree_[arm].kind;
      const NodeId conditional = kind == Kind::IfStatement ? arm : kind == Kind::ElseClause || kind == Kind::ElifClause ? tree_[arm].parent : kNoNode;
      if (conditional != kNoNode && tree_[conditional].kind == Kind::IfStatement && every_arm_binds(conditional, b)) {
        start = tree_[conditional].span.end;
        block = tree_[conditional].parent;
      }
    }
    if (block == 0) return {start, tree_[0].span.end};
    return {start, tree_[block].span.end};
  }

  bool every_arm_binds(NodeId conditional, const Binding& b) const {
    const auto [low, high] = names_.bindings_in(b.scope, b.name);
    const auto binds = [&](NodeId block) {
      for (auto i = low; i < high; ++i) {
        if (names_.bindings()[i].block == block) return true;
      }
      return false;
    };
    if (!binds(tree_.child(conditional, Field::Consequence))) return false;
    for (NodeId c = tree_.first_child(conditional); c != kNoNode; c = tree_.next_sibling(c)) {
      if (tree_[c].kind == Kind::ElifClause && !binds(tree_.child(c, Field::Consequence))) return false;
      if (tree_[c].kind == Kind::ElseClause && !binds(tree_.child(c, Field::Body))) return false;
    }
    return tree_.child(conditional, Kind::ElseClause) != kNoNode;
  }

  HandleType type_of(const Vals& vals) const {
    HandleType type = HandleType::Unknown;
    for (const Val& v : vals.all) {
      HandleType one = HandleType::Unknown;
      if (v.what == What::String) one = HandleType::String;
      if (v.what == What::Int) one = HandleType::Index;
      if (v.what == What::Instance && v.text == "torch.device") one = HandleType::Device;
      if (one == HandleType::Unknown) continue;
      if (type != HandleType::Unknown && type != one) return HandleType::Unknown;
      type = one;
    }
    return type;
  }

  // torch.device("cpu")
  bool is_cpu(NodeId value) const {
    const std::string_view text = tree_.text(value);
    return text.find("device(") != std::string_view::npos && text.size() < 24 && text.find("cpu") != std::string_view::npos;
  }

  // "cuda" if torch.cuda.is_available() else "cpu" and its portable forms.
  bool chosen(NodeId value) const {
    if (value == kNoNode) return false;
    const std::string_view text = tree_.text(value);
    if (text.find("current_accelerator(") != std::string_view::npos && text.find(" or ") != std::string_view::npos) return true;
    const Span span = tree_[value].span;
    if (std::find(choices_.begin(), choices_.end(), span) != choices_.end()) return true;
    // "cuda" and nothing else, maybe in torch.device(…): a fix makes it the accelerator.
    if (tree_[value].kind == Kind::Call && values_.of(tree_.child(value, Field::Function)).path() != nullptr &&
        values_.of(tree_.child(value, Field::Function)).path()->text == "torch.device" && tree_.child(value, Field::Arguments) != kNoNode) {
      value = tree_.first_child(tree_.child(value, Field::Arguments));
      if (value == kNoNode) return false;
    }
    const Vals& vals = values_.of(value);
    return !vals.open && !vals.all.empty() && std::all_of(vals.all.begin(), vals.all.end(), [&](const Val& v) {
      return v.what == What::String && v.text == "cuda" && !v.partial;
    });
  }

  void parameter(const Binding& b, std::string_view name) {
    // A parameter that may be None is no device yet.
    if (b.value != kNoNode && tree_[b.value].kind == Kind::None) return;
    const std::string_view annotation = b.extra == kNoNode ? std::string_view() : tree_.text(b.extra);
    const bool device_type = annotation.find("device") != std::string_view::npos;
    for (const std::string_view other : {"None", "Optional", "int", "bool", "List", "list", "Dict", "dict", "Tuple", "Sequence", "Callable"}) {
      if (annotation.find(other) != std::string_view::npos) return;
    }
    if (!plain_device_name(name) && !device_type) return;
    const Span body = function_body(b.scope);
    HandleType type = b.extra != kNoNode && values_.annotated_type(b.extra) == "torch.device" ? HandleType::Device : HandleType::Unknown;
    if (b.extra != kNoNode && tree_.text(b.extra) == "str") type = HandleType::String;
    if (type == HandleType::Unknown && b.value != kNoNode) type = type_of(values_.of(b.value));
    const bool meta = b.value != kNoNode && tree_.text(b.value).find("meta") != std::string_view::npos;
    if (type == HandleType::Index || meta) return;
    push({name, HandleKind::Parameter, type, false, body, {body.start, body.start}, {}}, &b);
  }

  void variable(const Binding& b, std::string_view name) {
    if (names_.scope(b.scope).kind == ScopeKind::Class || b.value == kNoNode) return;
    const HandleKind kind = b.scope == 0 ? HandleKind::Constant : HandleKind::Local;
    const Vals& vals = values_.of(b.value);
    // What fix writes: a torch.device, or the string that is its type.
    const std::string_view text = tree_.text(b.value);
    const bool accelerator = text.find("current_accelerator(") != std::string_view::npos;
    const HandleType type = !accelerator ? type_of(vals) : text.find(").type") != std::string_view::npos ? HandleType::String : HandleType::Device;
    const bool none = vals.all.size() == 1 && (vals.all[0].what == What::None || vals.all[0].text == "cpu");
    if (!plain_device_name(name) && type != HandleType::Device && type != HandleType::String) return;
    const bool other = std::any_of(vals.all.begin(), vals.all.end(), [](const Val& v) { return v.what == What::String && !v.partial && device_type_of(v.text).empty(); });
    if (none || other || is_cpu(b.value) || type == HandleType::Index) return;
    push({name, kind, type, chosen(b.value), reach_after(b), tree_[statement(b.target)].span, {}}, &b);
  }

  // args.device, where the file reads or writes that attribute.
  void options(const Binding& b, std::string_view name, Span reach) {
    const NameId device = names_.interner().find("device");
    if (device == kNoId) return;
    const auto read = std::find_if(option_reads_.begin(), option_reads_.end(),
                                   [&](const auto& r) { return r.first == b.name && reach.contains(r.second); });
    if (read == option_reads_.end()) return;
    facts_.names.push_back(std::string(name) + ".device");
    Handle handle{facts_.names.back(), HandleKind::Option, HandleType::Unknown, false, reach, {reach.start, reach.start}, {}};
    const auto set = names_.attribute_bindings_of_name(b.name, device);
    if (set.empty() && option_is_raw_) return;
    if (set.size() > 1) return;  // which one holds where is not followed
    if (!set.empty()) {
      const NodeId made = statement(set.front()->target);
      if (!reach.contains(tree_[made].span)) return;
      handle.type = set.front()->value == kNoNode ? HandleType::Unknown : type_of(values_.of(set.front()->value));
      handle.chosen = chosen(set.front()->value);
      handle.definition = tree_[made].span;
      handle.reach.start = handle.definition.end;
      if (names_.block_of(set.front()->target) != 0) handle.reach.end = std::min(handle.reach.end, tree_[names_.block_of(set.front()->target)].span.end);
    }
    push(handle);
  }

  // get_device() without arguments, defined at the top of the file.
  void helper(const Binding& b, std::string_view name) {
    if (b.scope != 0 || b.block != 0) return;
    const std::string_view verbless = name.substr(0, 4) == "get_" ? name.substr(4) : name.substr(0, 5) == "pick_" ? name.substr(5) : std::string_view();
    if (verbless.empty() || !device_like_name(verbless) || verbless.find("name") != std::string_view::npos) return;
    const NodeId list = tree_.child(b.value, Field::Parameters);
    if (list == kNoNode || tree_.first_child(list) != kNoNode) return;
    HandleType type = HandleType::Unknown;
    bool all_chosen = false;
    for (const NodeId r : names_.returns_of(names_.own_scope(b.value))) {
      const NodeId value = tree_.first_child(r);
      if (value == kNoNode) return;
      type = type_of(values_.of(value));
      all_chosen = chosen(value);
    }
    facts_.names.push_back(std::string(name) + "()");
    const Span span = tree_[b.value].span;
    if ((type != HandleType::Device && type != HandleType::String) || tree_.text(b.value).starts_with("async")) return;
    push({facts_.names.back(), HandleKind::Helper, type, all_chosen, {span.end, tree_[0].span.end}, span, {}}, &b);
  }

  // self.device, made in __init__: in the rest of it and in the other methods.
  void attributes(NodeId cls) {
    const ScopeId scope = names_.own_scope(cls);
    const NodeId body = tree_.child(cls, Field::Body);
    if (scope == kNoId || body == kNoNode) return;
    for (const std::string_view name : {"device", "_device", "dev", "torch_device"}) {
      const NameId id = names_.interner().find(name);
      if (id == kNoId) continue;
      const auto made = names_.attribute_bindings(scope, id);
      if (made.size() == 1) attribute_handles(*made[0], body, name);  // set twice: which one holds where is not followed
    }
  }

  void attribute_handles(const AttributeBinding& made, NodeId body, std::string_view name) {
    const NodeId target = made.target;
    ScopeId function = names_.scope_of(target);
    while (function != kNoId && names_.scope(function).kind != ScopeKind::Function) function = names_.scope(function).outer;
    if (function == kNoId) return;
    const NodeId init = names_.scope(function).node;
    if (tree_.text(tree_.child(init, Field::Name)) != "__init__") return;
    const NodeId block = names_.block_of(target);
    if (block != tree_.child(init, Field::Body)) return;  // made under a condition
    const NodeId base = tree_.child(target, Field::Object);
    facts_.names.push_back(std::string(tree_.text(base)) + "." + std::string(name));
    Handle handle{facts_.names.back(), HandleKind::Attribute, HandleType::Unknown, false, {}, tree_[statement(target)].span, {}};
    if (made.value != kNoNode) handle.type = type_of(values_.of(made.value));
    if (handle.type == HandleType::Index) return;
    handle.chosen = chosen(made.value);
    handle.reach = {handle.definition.end, tree_[block].span.end};
    push(handle);
    for (NodeId m = tree_.first_child(body); m != kNoNode; m = tree_.next_sibling(m)) {
      const NodeId method = tree_[m].kind == Kind::DecoratedDefinition ? tree_.child(m, Field::Definition) : m;
      if (method == kNoNode || tree_[method].kind != Kind::FunctionDefinition || method == init) continue;
      const NodeId list = tree_.child(method, Field::Parameters);
      const NodeId first = list == kNoNode ? kNoNode : tree_.first_child(list);
      const NodeId code = tree_.child(method, Field::Body);
      if (first == kNoNode || code == kNoNode || tree_.text(first) != tree_.text(base)) continue;
      handle.reach = tree_[code].span;
      push(handle);
    }
  }

  Values& values_;
  Names& names_;
  const Tree& tree_;
  FileFacts& facts_;
  std::vector<Span> choices_;
  std::unordered_map<NameId, std::vector<ScopeId>> scopes_of_;   // that bind a name like a device's
  std::vector<std::pair<NameId, Span>> option_reads_;
  bool option_is_raw_ = false;   // see raw_device_option
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> type_reads_;   // of `.type`, by what it is read of
};

}  // namespace

void find_handles(Values& values, FileFacts& facts) { HandleFinder(values, facts).run(); }

}  // namespace torchport::python
