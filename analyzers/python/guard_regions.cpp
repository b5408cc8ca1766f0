// Which stretches of code a construct guards; what its condition says is worked out in guards.cpp.
#include <algorithm>

#include "analyzers/python/guard_words.h"
#include "analyzers/python/guards.h"
#include "analyzers/text.h"

namespace torchport::python {

// Whether the attribute is one of the module torch.
bool Guards::of_torch(NodeId attribute) {
  const Val* object = values_.of(tree_[attribute].parent + 1).path();
  return object != nullptr && object->text == "torch";
}

void Guards::named_devices(NodeId begin, NodeId end, std::vector<std::string_view>& out) {
  // A chain is read as far as a person would; without an end, generated code would cost the square of its length.
  constexpr NodeId kFar = 4000;
  end = std::min(end, begin + kFar);
  for (NodeId i = begin; i < end && i < tree_.size(); ++i) {
    const Kind kind = tree_[i].kind;
    if (kind == Kind::Identifier) {
      std::string_view text = tree_.text(i);
      if (text == "torch_npu") text = "npu";
      if (text == "torch_xla") text = "xla";
      // torch.accelerator, and not some library's object of that name.
      if ((text == "accelerator" && tree_[i].field == Field::Attribute && of_torch(i)) || text == "current_accelerator") unique_push(out, "accelerator");
      bool negative = false;
      const std::string_view device = text == "cuda" ? std::string_view("cuda") : device_in_name(text, negative);
      if (!device.empty() && device != "cuda" && device != "cpu" && device != "accelerator") unique_push(out, device);
    } else if (kind == Kind::StringContent) {
      const std::string_view device = device_type_of(tree_.text(i));
      if (!device.empty() && device != "cuda" && device != "cpu") unique_push(out, device);
    }
  }
}

bool Guards::exits(NodeId block, Otherwise& how) {
  if (block == kNoNode) return false;
  const NodeId last = tree_.last_child(block);
  if (last == kNoNode) return false;
  switch (tree_[last].kind) {
    case Kind::Raise: how = has(tree_.text(last), "Skip") ? Otherwise::Skips : Otherwise::Raises; return true;
    case Kind::Return: how = Otherwise::Nothing; return true;
    case Kind::Continue:
    case Kind::Break: how = Otherwise::Nothing; return true;
    case Kind::ExpressionStatement: {
      const std::string_view text = tree_.text(last);
      if (has(text, "skip")) {
        how = Otherwise::Skips;
        return starts(text, "pytest.skip") || starts(text, "self.skipTest") || has(text, "skip(");
      }
      if (starts(text, "sys.exit") || starts(text, "exit(") || starts(text, "quit(") || starts(text, "os._exit")) {
        how = Otherwise::Raises;
        return true;
      }
      return false;
    }
    default: return false;
  }
}

void Guards::add(NodeId begin, NodeId end, const std::vector<DeviceFact>& facts, Otherwise otherwise,
                 const std::vector<std::string_view>& others, std::vector<Region>& out) {
  if (begin >= end) return;
  for (const DeviceFact& fact : facts) {
    Region region{begin, end, fact, otherwise, others};
    for (const std::string_view d : fact.alternatives) unique_push(region.others, d);
    out.push_back(std::move(region));
  }
}

void Guards::rest_regions(NodeId node, NodeId condition, bool truth, Otherwise otherwise, std::vector<Region>& out) {
  const NodeId block = tree_[node].parent;
  if (block == kNoNode || tree_[node].next >= tree_[block].next) return;
  std::vector<DeviceFact> known;
  facts(condition, truth, known);
  if (known.empty()) return;
  std::vector<std::string_view> others;
  if (otherwise == Otherwise::Nothing) named_devices(node, tree_[block].next, others);
  add(tree_[node].next, tree_[block].next, known, otherwise, others, out);
}

void Guards::if_regions(NodeId node, std::vector<Region>& out) {
  struct Arm {
    NodeId condition, block;
  };
  std::vector<Arm> arms{{tree_.child(node, Field::Condition), tree_.child(node, Field::Consequence)}};
  NodeId otherwise_block = kNoNode;
  for (NodeId c = tree_.first_child(node); c != kNoNode; c = tree_.next_sibling(c)) {
    if (tree_[c].kind == Kind::ElifClause) arms.push_back({tree_.child(c, Field::Condition), tree_.child(c, Field::Consequence)});
    if (tree_[c].kind == Kind::ElseClause) otherwise_block = tree_.child(c, Field::Body);
  }
  bool asks = false;
  for (const Arm& arm : arms) {
    std::vector<DeviceFact> known;
    facts(arm.condition, true, known);
    facts(arm.condition, false, known);
    asks = asks || !known.empty();
  }
  if (!asks) return;
  std::vector<std::string_view> others;
  for (const Arm& arm : arms) {
    if (arm.condition != kNoNode) named_devices(arm.condition, tree_[arm.condition].next, others);
  }
  if (otherwise_block != kNoNode) named_devices(otherwise_block, tree_[otherwise_block].next, others);
  Otherwise how = Otherwise::Nothing;
  const bool leaves = exits(arms[0].block, how);
  // What follows the statement comes last in the text, so first here: collect takes regions from the back.
  if (leaves && arms.size() == 1 && otherwise_block == kNoNode) rest_regions(node, arms[0].condition, false, how, out);
  if (leaves && how == Otherwise::Nothing) named_devices(tree_[node].next, tree_[tree_[node].parent].next, others);
  std::vector<Region> own;
  std::vector<DeviceFact> failed;
  Otherwise other = arms.size() > 1 || otherwise_block != kNoNode ? Otherwise::OtherPath : Otherwise::Nothing;
  if (other == Otherwise::Nothing && leaves && how == Otherwise::Nothing && tree_[node].next < tree_[tree_[node].parent].next) {
    other = Otherwise::OtherPath;
  }
  if (Otherwise end; otherwise_block != kNoNode && arms.size() == 1 && exits(otherwise_block, end) && end == Otherwise::Raises) other = end;
  for (const Arm& arm : arms) {
    std::vector<DeviceFact> known = failed;
    facts(arm.condition, true, known);
    if (arm.block != kNoNode) add(arm.block, tree_[arm.block].next, known, other, others, own);
    constexpr std::size_t kMostFailed = 8;
    if (failed.size() < kMostFailed) facts(arm.condition, false, failed);
  }
  if (otherwise_block != kNoNode) add(otherwise_block, tree_[otherwise_block].next, failed, other, others, own);
  out.insert(out.end(), own.rbegin(), own.rend());
}

// pytest.mark.skipif(…), unittest.skipUnless(…), require_cuda, skip_mps; what is known where the marked code runs.
void Guards::mark_facts(NodeId expression, std::vector<DeviceFact>& out) {
  const bool call = tree_[expression].kind == Kind::Call;
  const NodeId callee = call ? tree_.child(expression, Field::Function) : expression;
  if (callee == kNoNode) return;
  const std::string_view text = tree_.text(callee);
  const std::string name = lower(text.substr(text.rfind('.') == std::string_view::npos ? 0 : text.rfind('.') + 1));
  const bool skips = has(name, "skip");
  const bool unless = has(name, "unless");
  const NodeId condition = call ? skip_condition(expression) : kNoNode;
  if (skips && condition != kNoNode) return facts(condition, unless, out);
  if (!skips && !has(name, "require") && !has(name, "only") && !has(text, "mark")) return;
  bool negative = false;
  std::vector<std::string_view> others;
  const std::string_view device = device_in_name(name, negative, &others);
  const bool holds = negative == (skips && !unless);
  // That one device is not there says nothing of another.
  if (device.empty() || device == "cpu" || (!holds && device != "cuda")) return;
  out.push_back({GuardKind::Available, device, holds, expression, std::move(others)});
}

NodeId Guards::skip_condition(NodeId call) {
  const NodeId list = tree_.child(call, Field::Arguments);
  const NodeId first = list == kNoNode ? kNoNode : tree_.first_child(list);
  if (first != kNoNode && tree_[first].kind != Kind::KeywordArgument) return first;
  for (NodeId argument = first; argument != kNoNode; argument = tree_.next_sibling(argument)) {
    const NodeId keyword = tree_.child(argument, Field::Name);
    if (keyword != kNoNode && tree_.text(keyword) == "condition") return tree_.child(argument, Field::Value);
  }
  return kNoNode;
}

void Guards::decorator_regions(NodeId node, std::vector<Region>& out) {
  for (NodeId d = tree_.first_child(node); d != kNoNode; d = tree_.next_sibling(d)) {
    if (tree_[d].kind != Kind::Decorator) continue;
    const NodeId expression = tree_.first_child(d);
    if (expression == kNoNode) continue;
    std::vector<DeviceFact> known;
    mark_facts(expression, known);
    if (known.empty() && tree_[expression].kind == Kind::Identifier) {  // gpu = pytest.mark.skipif(…), then @gpu
      for (const BindingId found : names_.resolve(expression)) {
        const Binding& b = names_.bindings()[found];
        if (b.kind == BindingKind::Value && b.value != kNoNode && tree_[b.value].kind == Kind::Call && known.empty()) mark_facts(b.value, known);
      }
    }
    const NodeId definition = tree_.child(node, Field::Definition);
    if (!known.empty() && definition != kNoNode) add(definition, tree_[definition].next, known, Otherwise::Skips, {}, out);
  }
}

// `except ImportError`, up to its colon.
std::string_view Guards::head_of(NodeId handler) const {
  const std::string_view text = tree_.slice({tree_[handler].span.start, std::min(tree_[handler].span.start + 80, tree_[handler].span.end)});
  return text.substr(0, text.find(':'));
}

// except RuntimeError: return False. A handler that may raise again, or leave the program, answers no question.
bool Guards::catches_and_goes_on(NodeId handler) {
  const std::string_view caught = head_of(handler);
  const bool errors = caught.size() <= 8 || has(caught, "Exception") || has(caught, "RuntimeError") || has(caught, "AssertionError");
  for (NodeId n = handler; errors && n < tree_[handler].next; ++n) {
    if (tree_[n].kind == Kind::Raise) return false;
  }
  Otherwise end = Otherwise::Nothing;
  exits(tree_.child(handler, Kind::Block), end);
  return errors && end != Otherwise::Raises;
}

// try: torch.zeros(1).cuda(); ok = True
// except Exception: ok = False
// A long body is work that may fail, and no probe; where the handler does nothing, what comes last in the body decides nothing.
void Guards::probe_regions(NodeId node, NodeId body, std::vector<Region>& out) {
  constexpr int kLongest = 4;
  int statements = 0;
  NodeId last = kNoNode;
  for (NodeId s = tree_.first_child(body); s != kNoNode; s = tree_.next_sibling(s)) {
    const Kind kind = tree_[s].kind;
    if (++statements > kLongest || kind == Kind::For || kind == Kind::While || kind == Kind::With || kind == Kind::Try || kind == Kind::IfStatement) return;
    last = s;
  }
  NodeId first_handler = kNoNode;
  bool acts = tree_.child(node, Kind::ElseClause) != kNoNode;
  for (NodeId h = tree_.first_child(node); h != kNoNode; h = tree_.next_sibling(h)) {
    if (tree_[h].kind != Kind::ExceptClause || !catches_and_goes_on(h)) continue;
    if (first_handler == kNoNode) first_handler = h;
    const NodeId block = tree_.child(h, Kind::Block);
    const NodeId only = block == kNoNode ? kNoNode : tree_.first_child(block);
    const std::string_view text = only == kNoNode ? std::string_view() : trimmed(tree_.text(only));
    acts = acts || (only != kNoNode && (tree_.next_sibling(only) != kNoNode || (text != "pass" && text != "..." && text != "continue")));
  }
  if (first_handler == kNoNode || last == kNoNode) return;
  const DeviceFact fact{GuardKind::Caught, "", true, first_handler, {}};
  add(body, acts || tree_[last].kind == Kind::Return ? tree_[body].next : last, {fact}, Otherwise::OtherPath, {}, out);
}

void Guards::try_regions(NodeId node, std::vector<Region>& out) {
  const NodeId body = tree_.child(node, Field::Body);
  const NodeId handler = tree_.child(node, Kind::ExceptClause);
  if (body == kNoNode || handler == kNoNode) return;
  const std::size_t before = out.size();
  import_regions(node, body, handler, out);
  if (out.size() == before) probe_regions(node, body, out);
}

void Guards::import_regions(NodeId node, NodeId body, NodeId handler, std::vector<Region>& out) {
  const std::string_view head = head_of(handler);
  const bool import = has(head, "ImportError") || has(head, "ModuleNotFoundError") || has(head, "Exception") || head.size() <= 8;
  if (!import || (tree_.child(body, Kind::ImportStatement) == kNoNode && tree_.child(body, Kind::ImportFrom) == kNoNode)) return;
  Otherwise end = Otherwise::Nothing;
  const bool leaves = exits(tree_.child(handler, Kind::Block), end);
  const Otherwise otherwise = leaves && end != Otherwise::Nothing ? end : Otherwise::OtherPath;
  const DeviceFact fact{GuardKind::Import, "", true, handler, {}};
  if (const NodeId rest = tree_.child(node, Kind::ElseClause); rest != kNoNode) add(rest, tree_[rest].next, {fact}, otherwise, {}, out);
  add(body, tree_[body].next, {fact}, otherwise, {}, out);
}

// [f(x) for x in xs if use_cuda]: the element is guarded by each condition.
void Guards::comprehension_regions(NodeId node, std::vector<Region>& out) {
  const NodeId element = tree_.first_child(node);
  for (NodeId c = element; c != kNoNode; c = tree_.next_sibling(c)) {
    if (tree_[c].kind != Kind::IfClause || tree_.first_child(c) == kNoNode) continue;
    std::vector<DeviceFact> known;
    facts(tree_.first_child(c), true, known);
    add(element, tree_[element].next, known, Otherwise::Nothing, {}, out);
  }
}

// match device.type: case "cuda": …
void Guards::match_regions(NodeId node, std::vector<Region>& out) {
  const NodeId block = tree_.child(node, Kind::Block);
  if (block == kNoNode) return;
  std::vector<std::string_view> all;
  std::vector<Region> own;
  for (NodeId c = tree_.first_child(block); c != kNoNode; c = tree_.next_sibling(c)) {
    const NodeId body = tree_.child(c, Field::Consequence);
    if (tree_[c].kind != Kind::Case || body == kNoNode) continue;
    std::vector<std::string_view> devices;
    for (NodeId i = c; i < body; ++i) {
      const std::string_view device = tree_[i].kind == Kind::StringContent ? device_type_of(tree_.text(i)) : std::string_view();
      if (!device.empty()) unique_push(devices, device);
    }
    if (devices.empty()) continue;
    for (const std::string_view device : devices) unique_push(all, device);
    DeviceFact fact{GuardKind::DeviceType, devices[0], true, c, {}};
    fact.alternatives.assign(devices.begin() + 1, devices.end());
    own.push_back({body, tree_[body].next, std::move(fact), Otherwise::OtherPath, {}});
  }
  for (auto region = own.rbegin(); region != own.rend(); ++region) {
    for (const std::string_view device : all) {
      if (device != region->fact.device) unique_push(region->others, device);
    }
    out.push_back(std::move(*region));
  }
}

void Guards::dict_regions(NodeId node, std::vector<Region>& out) {
  std::vector<std::string_view> devices;
  std::vector<Region> own;
  for (NodeId p = tree_.first_child(node); p != kNoNode; p = tree_.next_sibling(p)) {
    if (tree_[p].kind != Kind::Pair) return;
    const NodeId key = tree_.child(p, Field::Key);
    const NodeId value = tree_.child(p, Field::Value);
    if (key == kNoNode || value == kNoNode || tree_[key].kind != Kind::String) return;
    const std::string_view device = device_type_of(values_.string_text(key));
    if (device.empty()) return;
    unique_push(devices, device);
    own.push_back({value, tree_[value].next, {GuardKind::DeviceType, device, true, key, {}}, Otherwise::OtherPath, {}});
  }
  if (devices.size() < 2) return;
  for (Region& region : own) region.others = devices;
  out.insert(out.end(), own.rbegin(), own.rend());
}

std::vector<Region> Guards::regions(NodeId node) {
  std::vector<Region> out;
  switch (tree_[node].kind) {
    case Kind::IfStatement: if_regions(node, out); break;
    case Kind::Assert: rest_regions(node, tree_.first_child(node), true, Otherwise::Raises, out); break;
    case Kind::Conditional: {
      const NodeId body = tree_.first_child(node);
      const NodeId condition = body == kNoNode ? kNoNode : tree_.next_sibling(body);
      const NodeId last = condition == kNoNode ? kNoNode : tree_.next_sibling(condition);
      if (last == kNoNode) break;
      std::vector<DeviceFact> yes;
      std::vector<DeviceFact> no;
      facts(condition, true, yes);
      facts(condition, false, no);
      std::vector<std::string_view> others;
      named_devices(condition, tree_[last].next, others);
      add(last, tree_[last].next, no, Otherwise::OtherPath, others, out);
      add(body, tree_[body].next, yes, Otherwise::OtherPath, others, out);
      break;
    }
    case Kind::BooleanOperator: {
      const NodeId left = tree_.child(node, Field::Left);
      const NodeId right = tree_.child(node, Field::Right);
      if (left == kNoNode || right == kNoNode) break;
      std::vector<DeviceFact> known;
      facts(left, has(tree_.slice({tree_[left].span.end, tree_[right].span.start}), "and"), known);
      add(right, tree_[right].next, known, Otherwise::Nothing, {}, out);
      break;
    }
    case Kind::Try: try_regions(node, out); break;
    case Kind::With: {
      const NodeId body = tree_.child(node, Field::Body);
      if (body == kNoNode) break;
      const std::string_view head = tree_.slice({tree_[node].span.start, std::min(tree_[body].span.start, tree_[node].span.start + 200)});
      if (!has(head, "suppress(") && !has(head, "assertRaises") && !has(head, "pytest.raises(")) break;
      add(body, tree_[body].next, {{GuardKind::Caught, "", true, tree_.first_child(node), {}}}, Otherwise::OtherPath, {}, out);
      break;
    }
    case Kind::Match: match_regions(node, out); break;
    case Kind::ListComprehension:
    case Kind::SetComprehension:
    case Kind::DictionaryComprehension:
    case Kind::Generator: comprehension_regions(node, out); break;
    case Kind::While: {
      const NodeId body = tree_.child(node, Field::Body);
      std::vector<DeviceFact> known;
      facts(tree_.child(node, Field::Condition), true, known);
      if (body != kNoNode) add(body, tree_[body].next, known, Otherwise::Nothing, {}, out);
      break;
    }
    case Kind::DecoratedDefinition: decorator_regions(node, out); break;
    case Kind::Dictionary: dict_regions(node, out); break;
    default: break;
  }
  return out;
}

}  // namespace torchport::python
