#include "analyzers/python/guards.h"

#include <algorithm>
#include <array>

#include "analyzers/python/guard_words.h"

namespace torchport::python {
namespace {

constexpr std::array kDeviceTypes = std::to_array<std::string_view>(
    {"cuda", "cpu", "mps", "xpu", "npu", "hpu", "xla", "tpu", "neuron", "mlu", "musa", "hip", "rocm", "meta", "mtia", "privateuseone"});

// is_xformers_available, HAS_TRITON, _APEX_AVAILABLE: asks for a library.
bool asks_for_library(std::string_view name) {
  const std::string low = lower(name);
  const bool available = has(low, "available") || has(low, "installed") || has(low, "importable");
  return available || starts(low, "has_") || starts(low, "_has_") || starts(low, "is_has_") || starts(low, "have_");
}

// TORCH_VERSION >= …, _TORCH_GREATER_EQUAL_2_4, version.parse(torch.__version__) …
bool asks_for_version(std::string_view text) {
  const std::string low = lower(text);
  if (!has(low, "torch")) return false;
  return has(low, "version") || has(low, "greater") || has(low, "_ge_") || has(low, "_lt_") || has(low, "_gt_") || has(low, "_2_") || has(low, "less_than");
}

// torch.cuda.is_available -> cuda, torch.backends.mps.is_available -> mps.
std::string_view availability(std::string_view path) {
  if (!starts(path, "torch.")) return {};
  std::string_view rest = path.substr(6);
  if (starts(rest, "backends.")) rest = rest.substr(9);
  const std::size_t dot = rest.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view what = rest.substr(dot + 1);
  const std::string_view device = rest.substr(0, dot);
  if (what != "is_available" && what != "device_count" && what != "is_built" && what != "is_initialized") return {};
  if (device == "accelerator") return "accelerator";
  for (const std::string_view type : kDeviceTypes) {
    if (type == device) return type;
  }
  return {};
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view device_in_name(std::string_view name, bool& negative, std::vector<std::string_view>* others) {
  const std::string low = lower(name);
  negative = starts(low, "no_") || starts(low, "disable_") || has(low, "_no_") || starts(low, "not_") || starts(low, "without_") ||
             starts(low, "non_") || has(low, "_non_");
  std::string word;
  std::string_view found;
  // cuda_or_xpu: CUDA first, whatever the order.
  const auto take = [&](std::string_view device) {
    std::string_view other = found;
    if (found == "cuda") {
      other = device;
    } else {
      found = device;
    }
    if (others != nullptr && !other.empty() && other != found) unique_push(*others, other);
  };
  const auto judge = [&] {
    if (word == "cuda" || word == "gpu" || word == "gpus" || word == "nvidia") take("cuda");
    for (const std::string_view type : kDeviceTypes) {
      if (word == type && type != "meta" && type != "cuda") take(type == "hip" ? "rocm" : type);
    }
    if (word == "accelerator" || word == "accel") take("accelerator");
    word.clear();
  };
  for (const char c : low) {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      word += c;
    } else {
      judge();
    }
  }
  judge();
  return found;
}

void unique_push(std::vector<std::string_view>& list, std::string_view item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

std::string_view device_type_of(std::string_view text) {
  const std::string_view head = text.substr(0, text.find(':'));
  for (const std::string_view type : kDeviceTypes) {
    if (type == head) return type;
  }
  return head == "gpu" && head == text ? std::string_view("cuda") : std::string_view();
}

void Guards::facts(NodeId condition, bool truth, std::vector<DeviceFact>& out, int depth) {
  if (condition == kNoNode || depth > 12) return;
  switch (tree_[condition].kind) {
    case Kind::Parenthesized: return facts(tree_.first_child(condition), truth, out, depth + 1);
    case Kind::NotOperator: return facts(tree_.child(condition, Field::Argument), !truth, out, depth + 1);
    case Kind::NamedExpression: return facts(tree_.child(condition, Field::Value), truth, out, depth + 1);
    case Kind::BooleanOperator: {
      const NodeId left = tree_.child(condition, Field::Left);
      const NodeId right = tree_.child(condition, Field::Right);
      if (left == kNoNode || right == kNoNode) return;
      const bool conjunction = has(tree_.slice({tree_[left].span.end, tree_[right].span.start}), "and");
      if (conjunction == truth) {
        facts(left, truth, out, depth + 1);
        facts(right, truth, out, depth + 1);
        return;
      }
      std::vector<DeviceFact> a;
      std::vector<DeviceFact> b;
      facts(left, truth, a, depth + 1);
      facts(right, truth, b, depth + 1);
      if (a.empty() || b.empty() || a[0].holds != b[0].holds) return;
      a[0].alternatives.push_back(b[0].device);
      for (const std::string_view more : b[0].alternatives) a[0].alternatives.push_back(more);
      out.push_back(a[0]);
      return;
    }
    case Kind::Call: return call_facts(condition, truth, out, depth);
    case Kind::Comparison: return comparison_facts(condition, truth, out);
    case Kind::Identifier:
    case Kind::Attribute: return name_facts(condition, truth, out, depth);
    default: return;
  }
}

void Guards::call_facts(NodeId call, bool truth, std::vector<DeviceFact>& out, int depth) {
  const NodeId callee = tree_.child(call, Field::Function);
  if (callee == kNoNode) return;
  const NodeId list = tree_.child(call, Field::Arguments);
  const NodeId first = list == kNoNode ? kNoNode : tree_.first_child(list);
  if (const Val* path = values_.of(callee).path(); path != nullptr) {
    if (const auto device = availability(path->text); !device.empty()) {
      out.push_back({GuardKind::Available, device, truth, call, {}});
      return;
    }
  }
  const std::string_view text = tree_.text(callee);
  if ((text == "all" || text == "any") && first != kNoNode && (tree_[first].kind == Kind::List || tree_[first].kind == Kind::Tuple)) {
    if (truth != (text == "all")) return;  // which of them it was is not known
    for (NodeId c = tree_.first_child(first); c != kNoNode; c = tree_.next_sibling(c)) facts(c, truth, out, depth + 1);
    return;
  }
  if ((text == "bool" || text == "all" || text == "any") && first != kNoNode) return facts(first, truth, out, depth + 1);
  if (text == "hasattr" && first != kNoNode) {
    const NodeId name = tree_.next_sibling(first);
    const Val* object = values_.of(first).path();
    const Vals& value = values_.of(name);
    if (object != nullptr && value.all.size() == 1 && (object->text == "torch" || object->text == "torch.backends")) {
      const std::string_view device = value.all[0].text == "accelerator" ? "accelerator" : device_type_of(value.all[0].text);
      if (!device.empty()) out.push_back({GuardKind::Exists, device, truth, call, {}});
    }
    return;
  }
  // x.device.type.startswith("cuda"), a project's own is_cuda_available().
  const std::string_view last = text.substr(text.rfind('.') == std::string_view::npos ? 0 : text.rfind('.') + 1);
  if (last == "startswith" && first != kNoNode) {
    const Vals& value = values_.of(first);
    const std::string_view device = value.all.size() == 1 ? device_type_of(value.all[0].text) : std::string_view();
    if (!device.empty()) out.push_back({GuardKind::DeviceType, device, truth, call, {}});
    return;
  }
  for (const Val& v : values_.of(callee).all) {
    if (v.what != What::Function) continue;
    const std::size_t before = out.size();
    const std::vector<NodeId> returns = names_.returns_of(names_.own_scope(v.node));
    if (returns.size() == 1) facts(tree_.first_child(returns[0]), truth, out, depth + 2);
    for (std::size_t i = before; i < out.size(); ++i) out[i].condition = call;
    if (out.size() != before) return;
  }
  const bool asks = starts(last, "is_") || starts(last, "has_") || starts(last, "use_") || has(last, "available") || has(last, "support");
  bool negative = false;
  if (const auto device = device_in_name(last, negative); asks && !device.empty()) {
    // By its spelling only: what it really asks for is not known.
    out.push_back({GuardKind::Flag, device, truth != negative, call, {}});
  } else if ((asks && asks_for_library(last)) || last == "find_spec") {
    out.push_back({GuardKind::Import, {}, truth, call, {}});
  } else if (asks_for_version(tree_.text(call))) {
    out.push_back({GuardKind::Version, {}, truth, call, {}});
  }
}

// torch.cuda.device_count() > 0, torch.cuda.is_available() == False
void Guards::counted_facts(NodeId comparison, std::string_view device, std::string_view op, std::string_view constant, bool truth,
                           std::vector<DeviceFact>& out) {
  const bool nothing = constant == "0" || constant == "False" || constant == "None";
  const bool equal = has(op, "==") || (has(op, "is") && !has(op, "not"));
  const bool unequal = has(op, "!=") || has(op, "not");
  if (equal || unequal) {
    const bool absent = nothing == equal;
    // "is not two" says nothing; "is two" says that there are some.
    if (!nothing && constant != "True" && truth != equal) return;
    out.push_back({GuardKind::Available, device, truth != absent, comparison, {}});
    return;
  }
  if (has(op, "<") && !has(op, "=") && constant == "1") return out.push_back({GuardKind::Available, device, !truth, comparison, {}});
  if (!has(op, ">")) return;
  const bool some = constant == "0" || (has(op, ">=") && constant == "1");
  if (truth || some) out.push_back({GuardKind::Available, device, truth, comparison, {}});
}

void Guards::comparison_facts(NodeId comparison, bool truth, std::vector<DeviceFact>& out) {
  const NodeId left = tree_.first_child(comparison);
  const NodeId right = left == kNoNode ? kNoNode : tree_.next_sibling(left);
  if (right == kNoNode || tree_.next_sibling(right) != kNoNode) return;
  if (asks_for_version(tree_.text(left)) || has(tree_.text(left), "torch.__version__")) {
    out.push_back({GuardKind::Version, {}, truth, comparison, {}});
    return;
  }
  std::string_view op = tree_.slice({tree_[left].span.end, tree_[right].span.start});
  const bool negated = has(op, "!=") || has(op, "not");
  const bool membership = has(op, "in");
  if (tree_[left].kind == Kind::Call) {
    if (const Val* path = values_.of(tree_.child(left, Field::Function)).path(); path != nullptr && !availability(path->text).empty()) {
      return counted_facts(comparison, availability(path->text), op, tree_.text(right), truth, out);
    }
  }
  // importlib.util.find_spec("torch_npu") is None
  if (tree_[right].kind == Kind::None && has(tree_.text(left), "find_spec(")) {
    out.push_back({GuardKind::Import, {}, truth == negated, comparison, {}});
    return;
  }
  // HAS_CUDA is False, use_cuda == 1, n_gpus > 0
  const std::string_view answer = tree_.text(right);
  if (tree_[left].kind == Kind::Identifier || tree_[left].kind == Kind::Attribute || tree_[left].kind == Kind::Call) {
    const bool yes = answer == "True" || answer == "1";
    if ((yes || answer == "False" || answer == "0") && (has(op, "==") || has(op, "is") || has(op, "!="))) return facts(left, (truth != negated) == yes, out, 1);
    if (has(op, ">") && (answer == "0" || (answer == "1" && truth))) return facts(left, truth, out, 1);
  }
  NodeId constant = right;
  NodeId other = left;
  const auto is_constant = [&](NodeId n) {
    const Kind k = tree_[n].kind;
    return k == Kind::String || k == Kind::Tuple || k == Kind::List || k == Kind::Set;
  };
  if (!is_constant(right) && is_constant(left)) std::swap(constant, other);
  std::vector<std::string_view> devices;
  const auto collect = [&](NodeId n) {
    for (const Val& v : values_.of(n).all) {
      const std::string_view type = v.what == What::String ? device_type_of(v.text) : std::string_view();
      if (!type.empty()) unique_push(devices, type);
    }
  };
  if (tree_[constant].kind == Kind::Call) {  // x.device == torch.device("cuda")
    const Val* path = values_.of(tree_.child(constant, Field::Function)).path();
    const NodeId list = tree_.child(constant, Field::Arguments);
    if (path != nullptr && path->text == "torch.device" && list != kNoNode && tree_.first_child(list) != kNoNode) {
      collect(tree_.first_child(list));
    }
  } else if (is_constant(constant) && tree_[constant].kind != Kind::String) {
    for (NodeId c = tree_.first_child(constant); c != kNoNode; c = tree_.next_sibling(c)) collect(c);
    if (!membership) devices.clear();
  } else if (tree_[constant].kind == Kind::String) {
    collect(constant);
    if (devices.empty() || tree_[other].kind == Kind::String) return;
  }
  if (devices.empty()) return;
  DeviceFact fact{GuardKind::DeviceType, devices[0], truth != negated, comparison, {}};
  fact.alternatives.assign(devices.begin() + 1, devices.end());
  // "cuda" first, whatever the order of writing.
  for (std::string_view& d : fact.alternatives) {
    if (d == "cuda") std::swap(d, fact.device);
  }
  out.push_back(std::move(fact));
}

void Guards::name_facts(NodeId node, bool truth, std::vector<DeviceFact>& out, int depth) {
  const std::size_t before = out.size();
  if (tree_[node].kind == Kind::Identifier) {
    const std::vector<BindingId> found = names_.resolve(node);
    for (std::size_t i = 0; i < found.size() && out.size() == before; ++i) {
      const Binding& b = names_.bindings()[found[i]];
      if (b.kind == BindingKind::Value) value_facts(b.value, truth, node, out, depth);
    }
  } else {
    const NodeId object = tree_.child(node, Field::Object);
    const NodeId attribute = tree_.child(node, Field::Attribute);
    if (object == kNoNode || attribute == kNoNode) return;
    const std::string_view text = tree_.text(attribute);
    if (text == "is_cuda" || text == "is_xpu" || text == "is_mps" || text == "is_cpu") {
      out.push_back({GuardKind::DeviceType, text.substr(3), truth, node, {}});
      return;
    }
    if (const Val* path = values_.of(node).path(); path != nullptr) {
      if (path->text == "torch.version.cuda") out.push_back({GuardKind::Available, "cuda", truth, node, {}});
      if (path->text == "torch.version.hip") out.push_back({GuardKind::Available, "rocm", truth, node, {}});
      // torch.cuda.is_available without its parentheses is always true: no guard.
      if (starts(path->text, "torch.")) return;
    }
    if (tree_[object].kind == Kind::Identifier) {
      const NameId name = names_.name_of(attribute);
      const ScopeId cls = names_.class_of(names_.scope_of(object));
      const auto list = cls != kNoId && names_.is_self(object) ? names_.attribute_bindings(cls, name)
                                                               : names_.attribute_bindings_of_name(names_.name_of(object), name);
      for (const AttributeBinding* b : list) {
        if (out.size() == before) value_facts(b->value, truth, node, out, depth);
      }
    }
  }
  if (out.size() != before) return;
  const NodeId last = tree_[node].kind == Kind::Identifier ? node : tree_.child(node, Field::Attribute);
  bool negative = false;
  const std::string_view device = device_in_name(tree_.text(last), negative);
  if (!device.empty()) {
    out.push_back({GuardKind::Flag, device, truth != negative, node, {}});
  } else if (asks_for_version(tree_.text(last))) {
    out.push_back({GuardKind::Version, {}, truth, node, {}});
  } else if (asks_for_library(tree_.text(last))) {
    out.push_back({GuardKind::Import, {}, truth, node, {}});
  }
}

void Guards::value_facts(NodeId value, bool truth, NodeId at, std::vector<DeviceFact>& out, int depth) {
  const std::size_t before = out.size();
  facts(value, truth, out, depth + 1);
  for (std::size_t i = before; i < out.size(); ++i) out[i].condition = at;
}

}  // namespace torchport::python
