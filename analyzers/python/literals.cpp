#include "analyzers/python/literals.h"

#include <algorithm>
#include <array>

#include "analyzers/text.h"

namespace torchport::python {
namespace {

// The name of an option as its users write it, without dashes: "--device" -> device.
std::string_view option_name(std::string_view text) {
  const std::size_t start = text.find_first_not_of('-');
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

}  // namespace

bool Literals::wanted(std::string_view text) const {
  if (text.empty() || text.size() > 100 || text.find_first_of(" \t\n\r") != std::string_view::npos) return false;
  const auto& words = collector_.interest().words;
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return text.find(word) != std::string_view::npos; });
}

void Literals::seen(NodeId string) {
  NodeId parent = tree_[string].parent;
  if (parent != kNoNode && tree_[parent].kind == Kind::ConcatenatedString) {  // "cuda" ":0" is one string, told at its first part
    if (tree_.first_child(parent) != string) return;
    string = parent;
    parent = tree_[parent].parent;
  }
  if (parent == kNoNode || tree_[parent].kind == Kind::ExpressionStatement) return;
  bool any = false;
  for (NodeId c = string + 1; c < tree_[string].next && !any; ++c) {
    any = tree_[c].kind == Kind::StringContent && wanted(tree_.text(c));
  }
  if (any && !is_bytes_literal(tree_.text(string))) met_.push_back({string, collector_.guard()});
}

UseId Literals::choice_around(NodeId node) const {
  return !choices_.empty() && tree_.inside(node, choices_.back().first) ? choices_.back().second : kNone;
}

void Literals::choice(NodeId conditional) {
  const NodeId body = tree_.first_child(conditional);
  NodeId condition = body == kNoNode ? kNoNode : tree_.next_sibling(body);
  const NodeId last = condition == kNoNode ? kNoNode : tree_.next_sibling(condition);
  if (last == kNoNode || choice_around(conditional) != kNone) return;
  bool negated = false;
  while (tree_[condition].kind == Kind::Parenthesized || tree_[condition].kind == Kind::NotOperator) {
    negated = negated != (tree_[condition].kind == Kind::NotOperator);
    condition = tree_.first_child(condition);
    if (condition == kNoNode) return;
  }
  if (tree_[condition].kind != Kind::Call) return;
  const Val* asked = values_.of(tree_.child(condition, Field::Function)).path();
  if (asked == nullptr || asked->text != "torch.cuda.is_available") return;
  // The device string of an arm, and whether it comes as a torch.device.
  const auto arm = [&](NodeId node, bool& object) -> std::string_view {
    object = false;
    if (tree_[node].kind == Kind::Call) {
      const Val* path = values_.of(tree_.child(node, Field::Function)).path();
      const NodeId list = tree_.child(node, Field::Arguments);
      if (path == nullptr || path->text != "torch.device" || list == kNoNode) return {};
      node = tree_.first_child(list);
      object = true;
      if (node == kNoNode || tree_.next_sibling(node) != kNoNode) return {};
    }
    if (tree_[node].kind != Kind::String || tree_.child(node, Kind::Interpolation) != kNoNode) return {};
    return values_.string_text(node);
  };
  bool object = false;
  bool object_too = false;
  const std::string_view yes = arm(negated ? last : body, object);
  const std::string_view no = arm(negated ? body : last, object_too);
  if (device_type_of(yes) != "cuda" || no != "cpu" || object != object_too) return;
  NodeId whole = conditional;
  const NodeId list = tree_[conditional].parent;
  if (!object && list != kNoNode && tree_[list].kind == Kind::ArgumentList && tree_.first_child(list) == conditional &&
      tree_.next_sibling(conditional) == kNoNode) {
    const NodeId call = tree_[list].parent;
    const Val* path = values_.of(tree_.child(call, Field::Function)).path();
    if (path != nullptr && path->text == "torch.device") {
      whole = call;
      object = true;
    }
  }
  Use use;
  use.kind = UseKind::Choice;
  use.symbol = yes;
  use.bound = object ? "torch.device" : "str";
  use.span = use.callee = tree_[whole].span;
  use.form = collector_.form_of(whole);
  use.statement = tree_[collector_.statement_of(whole)].span;
  use.guard = collector_.guard();
  use.scope = collector_.function_at(whole);
  place(whole, use);
  choices_.emplace_back(whole, collector_.emit(std::move(use)));
}

void Literals::given_as_device(NodeId argument, UseId call) {
  const Val* imported = values_.of(argument).path();
  if (imported != nullptr && imported->text.substr(0, 6) != "torch.") collector_.facts().device_imports.emplace_back(imported->text);
  for (const Val& v : values_.of(argument).all) {
    if (v.what != What::String || v.node == kNoNode) continue;
    if (tree_.inside(v.node, argument)) {
      calls_[v.node] = call;
    } else {
      flows_[v.node].push_back(argument);
    }
  }
  // A parameter given on as a device makes the arguments of its callers devices, and so do names made from it.
  if (tree_[argument].kind != Kind::Identifier) return;
  for (const BindingId id : names_.resolve(argument)) {
    const Binding& b = names_.bindings()[id];
    if (b.kind == BindingKind::Parameter) device_parameters_[b.target] = true;
  }
}

void Literals::option_place(NodeId call, std::string_view keyword, Use& use) {
  const NodeId list = tree_.child(call, Field::Arguments);
  std::string_view name;
  for (NodeId a = tree_.first_child(list); a != kNoNode; a = tree_.next_sibling(a)) {
    if (tree_[a].kind == Kind::String && !values_.string_text(a).empty()) name = option_name(values_.string_text(a));
  }
  if (keyword == "default") use.place = Place::OptionDefault;
  if (keyword == "choices" || keyword == "type") use.place = Place::OptionChoice;
  use.place_name = name;
}

void Literals::argument_place(NodeId value, NodeId list, std::string_view keyword, Use& use) {
  const NodeId call = tree_[list].parent;
  const NodeId callee = tree_.child(call, Field::Function);
  if (callee == kNoNode) return;
  const std::string_view text = tree_.text(callee);
  const std::string_view last = text.substr(text.rfind('.') == std::string_view::npos ? 0 : text.rfind('.') + 1);
  if (last == "add_argument" || last == "option" || last == "Option" || last == "argument" || last == "DEFINE_string" || last == "DEFINE_enum") {
    use.place = Place::Argument;
    use.place_name = last;
    return option_place(call, keyword, use);
  }
  if (text == "os.getenv" || text == "os.environ.get" || text == "os.environ.setdefault" || text == "os.putenv" || text == "environ.get") {
    use.place = Place::Environment;
    return;
  }
  use.place = keyword.empty() ? Place::Argument : device_like_name(keyword) ? Place::DeviceArgument : Place::Argument;
  use.place_name = keyword.empty() ? last : keyword;
  if (use.place == Place::DeviceArgument) return;
  if (!keyword.empty()) return project_place(callee, -1, keyword, use);
  // The parameter that the value is handed to.
  std::int32_t position = 0;
  for (NodeId a = tree_.first_child(list); a != kNoNode && a != value; a = tree_.next_sibling(a)) {
    if (tree_[a].kind == Kind::ListSplat || tree_[a].kind == Kind::DictionarySplat || tree_[a].kind == Kind::KeywordArgument) return;
    ++position;
  }
  project_place(callee, keyword.empty() ? position : -1, keyword, use);
}

// {"default": ["cuda"]} == model.devices: what a table of devices is compared with.
bool Literals::compared(NodeId node, Use& use) const {
  NodeId child = node;
  for (NodeId up = tree_[node].parent; up != kNoNode; child = up, up = tree_[up].parent) {
    switch (tree_[up].kind) {
      case Kind::List:
      case Kind::Tuple:
      case Kind::Set:
      case Kind::Pair:
      case Kind::Dictionary:
      case Kind::Parenthesized: continue;
      case Kind::Comparison: {
        NodeId other = tree_.first_child(up);
        if (other == child) other = tree_.next_sibling(other);
        if (other == kNoNode || tree_.text(other).find("device") == std::string_view::npos) return false;
        use.place = Place::Comparison;
        use.place_name = tree_.text(other);
        return true;
      }
      default: return false;
    }
  }
  return false;
}

// Climbs from the string through what only passes its value on, and names where the value lands.
void Literals::place(NodeId node, Use& use) {
  NodeId child = node;
  for (NodeId up = tree_[node].parent; up != kNoNode; child = up, up = tree_[up].parent) {
    const Node& n = tree_[up];
    switch (n.kind) {
      case Kind::Parenthesized:
      case Kind::ConcatenatedString:
      case Kind::BooleanOperator:
      case Kind::BinaryOperator:
      case Kind::NamedExpression:
      case Kind::Await: continue;
      case Kind::Conditional: {
        const bool condition = child != tree_.first_child(up) && child != tree_.last_child(up);
        if (condition) return;
        continue;
      }
      case Kind::Attribute: {
        // "cuda:{}".format(…) is the string still.
        const NodeId call = n.parent;
        if (tree_[call].kind == Kind::Call && tree_.text(tree_.child(up, Field::Attribute)) == "format") {
          up = call;
          continue;
        }
        return;
      }
      case Kind::ArgumentList: return argument_place(child, up, {}, use);
      case Kind::KeywordArgument: {
        const NodeId list = n.parent;
        const NodeId name = tree_.child(up, Field::Name);
        if (list == kNoNode || name == kNoNode) return;
        if (tree_[list].kind == Kind::ArgumentList) return argument_place(up, list, tree_.text(name), use);
        return;
      }
      case Kind::DefaultParameter:
      case Kind::TypedDefaultParameter:
        use.place = Place::Default;
        use.place_name = tree_.text(tree_.child(up, Field::Name));
        return;
      case Kind::Assignment:
        if (tree_[child].field != Field::Right) return;
        use.place = Place::Assigned;
        use.place_name = tree_.text(tree_.child(up, Field::Left));
        return;
      case Kind::Pair: {
        const bool key = tree_[child].field == Field::Key;
        use.place = key ? Place::DictKey : Place::DictValue;
        const NodeId other = tree_.child(up, Field::Key);
        if (!key && compared(up, use)) return;
        if (!key && other != kNoNode && is_string(tree_[other].kind)) use.place_name = values_.string_text(other);
        if (!key && is_device_map(n.parent)) use.place = Place::DeviceArgument;
        if (key && keys_leave_out(n.parent)) use.place = Place::DeviceChoice;
        return;
      }
      case Kind::Comparison: {
        use.place = Place::Comparison;
        NodeId other = tree_.first_child(up);
        if (other == child) other = tree_.next_sibling(other);
        if (other != kNoNode) use.place_name = tree_.text(other);
        return;
      }
      case Kind::Return: {
        use.place = Place::Returned;
        const std::int32_t function = use.scope;
        if (function > 0) use.place_name = collector_.facts().functions[static_cast<std::size_t>(function)].name;
        return;
      }
      case Kind::Subscript:
        if (lists_devices(up, child, use)) return;
        use.place = tree_.text(up).find("environ") != std::string_view::npos ? Place::Environment : Place::Subscript;
        return;
      case Kind::List:
      case Kind::Tuple:
      case Kind::Set:
      case Kind::ExpressionList: {
        use.place = Place::Listed;
        NodeId outer = n.parent;
        if (tree_[outer].kind == Kind::Comparison) continue;
        if (compared(up, use)) return;
        while (tree_[outer].kind == Kind::List || tree_[outer].kind == Kind::Tuple) outer = tree_[outer].parent;
        if (tree_[outer].kind == Kind::KeywordArgument && tree_[tree_[outer].parent].kind == Kind::ArgumentList) {
          const std::string_view keyword = tree_.text(tree_.child(outer, Field::Name));
          use.place_name = keyword;
          if (keyword == "choices") argument_place(outer, tree_[outer].parent, keyword, use);
          return;
        }
        if (tree_[outer].kind == Kind::Assignment) use.place_name = tree_.text(tree_.child(outer, Field::Left));
        if (tree_[outer].kind == Kind::Return && use.scope > 0) use.place_name = collector_.facts().functions[static_cast<std::size_t>(use.scope)].name;
        // DEVICES = ["cuda"]: a list of one, by its name.
        if (tree_[outer].kind != Kind::ArgumentList && (use.place_name.find("device") != std::string_view::npos || use.place_name.find("DEVICE") != std::string_view::npos) &&
            tree_.next_sibling(tree_.first_child(up)) == kNoNode) {
          use.place = Place::DeviceChoice;
          return;
        }
        if (tree_[outer].kind == Kind::ArgumentList) {
          const NodeId callee = tree_.child(tree_[outer].parent, Field::Function);
          if (callee != kNoNode) use.place_name = tree_.text(callee);
        }
        if (use.place_name.find("parametrize") == std::string_view::npos && beside_devices(up, child)) use.place = Place::DeviceChoice;
        return;
      }
      case Kind::ListComprehension:
      case Kind::SetComprehension:
      case Kind::Generator:
      case Kind::Lambda:
        // [f"cuda:{i}" for i in range(n)]: only devices are counted off like that.
        if ((use.partial ? use.symbol == "cuda:" : use.symbol.starts_with("cuda:%") || use.symbol.starts_with("cuda:{")) && child == (n.kind == Kind::Lambda ? tree_.last_child(up) : tree_.first_child(up)))
          use.place = Place::DeviceArgument;
        return;
      case Kind::Type: {
        use.place = Place::Annotation;
        const NodeId parameters = tree_[up].parent;
        if (parameters != kNoNode && tree_[parameters].parent != kNoNode) lists_devices(tree_[parameters].parent, child, use);
        return;
      }
      default: return;
    }
  }
}

namespace {

// Device types of torch, and "auto".
bool names_device(std::string_view text) {
  constexpr std::array kNames = std::to_array<std::string_view>({"auto", "cpu", "cuda", "hpu", "meta", "mlu", "mps", "neuron", "npu", "tpu", "xla", "xpu"});
  return std::binary_search(kNames.begin(), kNames.end(), text.substr(0, text.find(':')));
}

}  // namespace

// Whether the strings within `list` are devices, one at least beside `one`: ["cuda", "cpu"], and not ["cuda", "rocm"].
bool Literals::beside_devices(NodeId list, NodeId one) const {
  bool others = false;
  int seen = 0;
  for (NodeId c = list + 1; c < tree_[list].next && ++seen <= 64; ++c) {
    if (tree_[c].kind != Kind::String || c == one) continue;
    if (!names_device(values_.string_text(c))) return false;
    others = true;
  }
  return others;
}

// Literal["cpu", "cuda"]: a type of device names. Literal["cuda", "triton"] is one of something else.
bool Literals::lists_devices(NodeId type, NodeId one, Use& use) {
  const NodeId head = tree_.first_child(type);
  if (head == kNoNode || tree_[head].span.end - tree_[head].span.start > 64 || last_part(tree_.text(head)) != "Literal") return false;
  const bool alone = tree_.text(type).find(',') == std::string_view::npos;
  if (!alone && !beside_devices(type, one)) return false;
  use.place = Place::DeviceChoice;
  return true;
}

// {"cuda": "nccl", "cpu": "gloo"}: the backends by device type, without another accelerator's. Other tables with such keys may be of anything.
bool Literals::keys_leave_out(NodeId dictionary) const {
  if (dictionary == kNoNode || tree_[dictionary].kind != Kind::Dictionary) return false;
  int keys = 0;
  bool nccl = false;
  for (NodeId pair = tree_.first_child(dictionary); pair != kNoNode; pair = tree_.next_sibling(pair)) {
    const NodeId key = tree_[pair].kind == Kind::Pair ? tree_.child(pair, Field::Key) : kNoNode;
    if (key == kNoNode || tree_[key].kind != Kind::String || ++keys > 8) return false;
    const std::string_view name = values_.string_text(key);
    if (name != "cuda" && name != "cpu") return false;
    const NodeId value = tree_.child(pair, Field::Value);
    nccl = nccl || (value != kNoNode && tree_[value].kind == Kind::String && values_.string_text(value) == "nccl");
  }
  return keys > 1 && nccl;
}

// {"": "cuda:0"} that is given or kept as a device_map.
bool Literals::is_device_map(NodeId dictionary) const {
  if (dictionary == kNoNode || tree_[dictionary].kind != Kind::Dictionary || tree_[dictionary].parent == kNoNode) return false;
  const NodeId holder = tree_[dictionary].parent;
  NodeId name = kNoNode;
  if (tree_[holder].kind == Kind::KeywordArgument) name = tree_.child(holder, Field::Name);
  if (tree_[holder].kind == Kind::Assignment) name = tree_.child(holder, Field::Left);
  if (tree_[holder].kind != Kind::Pair) return name != kNoNode && last_part(tree_.text(name)) == "device_map";
  name = tree_.child(holder, Field::Key);
  return name != kNoNode && is_string(tree_[name].kind) && values_.string_text(name) == "device_map";
}

void Literals::finish() {
  flow_to_parameters();
  export_parameters();
  for (const Met& met : met_) {
    Use use;
    use.kind = UseKind::Literal;
    const Vals& vals = values_.of(met.node);
    if (vals.all.empty()) continue;
    use.symbol = vals.all[0].text;
    use.partial = vals.all[0].partial;
    use.span = use.callee = tree_[met.node].span;
    use.form = collector_.form_of(met.node);
    use.statement = tree_[collector_.statement_of(met.node)].span;
    use.guard = met.guard;
    use.scope = collector_.function_at(met.node);
    use.via = Via::Text;
    place(met.node, use);
    for (const auto& [whole, id] : choices_) {
      if (tree_.inside(met.node, whole)) use.part_of = id;
    }
    if (const auto it = calls_.find(met.node); it != calls_.end()) {
      use.place = Place::DeviceArgument;
      use.via = Via::Value;
      if (use.part_of == kNone) use.part_of = it->second;
    }
    if (const auto it = flows_.find(met.node); it != flows_.end()) {
      use.via = Via::Value;
      for (const NodeId argument : it->second) use.flows.push_back(tree_[argument].span);
    }
    collector_.emit(std::move(use));
  }
}

}  // namespace torchport::python
