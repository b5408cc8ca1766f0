// What a condition says about devices, and which stretches of code it guards. Reads conditions only; who stands in a guarded stretch is
// worked out by collect.
#pragma once

#include <vector>

#include "analyzers/facts.h"
#include "analyzers/python/values.h"

namespace torchport::python {

// One thing known where a condition is true (or false).
struct DeviceFact {
  GuardKind kind = GuardKind::Available;
  std::string_view device;
  bool holds = true;
  NodeId condition = kNoNode;   // the part of the condition that says it
  std::vector<std::string_view> alternatives;  // "or": other devices for which the condition is true as well
};

// A stretch of nodes under a condition.
struct Region {
  NodeId begin = 0;
  NodeId end = 0;       // half-open, in node numbers
  DeviceFact fact;
  Otherwise otherwise = Otherwise::Nothing;
  std::vector<std::string_view> others;
};

class Guards {
 public:
  explicit Guards(Values& values) : values_(values), tree_(values.tree()), names_(values.names()) {}

  // What is known where `condition` is `truth`.
  void facts(NodeId condition, bool truth, std::vector<DeviceFact>& out, int depth = 0);

  // The stretches that the construct at `node` guards: if, elif, else, while, match, what follows an early exit or an assert, the arms of conditional
  // and boolean expressions, the element of a comprehension, a try whose imports may fail, a definition under a skip decorator, the entries of a dict keyed by device type.
  // In an order such that a later one never begins before an earlier one ends, or lies inside it.
  std::vector<Region> regions(NodeId node);

 private:
  void call_facts(NodeId call, bool truth, std::vector<DeviceFact>& out, int depth);
  void comparison_facts(NodeId comparison, bool truth, std::vector<DeviceFact>& out);
  void counted_facts(NodeId comparison, std::string_view device, std::string_view op, std::string_view constant, bool truth,
                     std::vector<DeviceFact>& out);
  void name_facts(NodeId name, bool truth, std::vector<DeviceFact>& out, int depth);
  void value_facts(NodeId value, bool truth, NodeId at, std::vector<DeviceFact>& out, int depth);
  void if_regions(NodeId node, std::vector<Region>& out);
  void rest_regions(NodeId node, NodeId condition, bool truth, Otherwise otherwise, std::vector<Region>& out);
  void decorator_regions(NodeId node, std::vector<Region>& out);
  void mark_facts(NodeId expression, std::vector<DeviceFact>& out);
  NodeId skip_condition(NodeId call);
  void try_regions(NodeId node, std::vector<Region>& out);
  void import_regions(NodeId node, NodeId body, NodeId handler, std::vector<Region>& out);
  void probe_regions(NodeId node, NodeId body, std::vector<Region>& out);
  bool catches_and_goes_on(NodeId handler);
  std::string_view head_of(NodeId handler) const;
  void comprehension_regions(NodeId node, std::vector<Region>& out);
  void match_regions(NodeId node, std::vector<Region>& out);
  void dict_regions(NodeId node, std::vector<Region>& out);
  void add(NodeId begin, NodeId end, const std::vector<DeviceFact>& facts, Otherwise otherwise, const std::vector<std::string_view>& others,
           std::vector<Region>& out);
  // The device types that the nodes from begin to end ask for.
  void named_devices(NodeId begin, NodeId end, std::vector<std::string_view>& out);
  bool of_torch(NodeId attribute);
  // How a block ends: nothing where it runs on.
  bool exits(NodeId block, Otherwise& how);

  Values& values_;
  const Tree& tree_;
  Names& names_;
};

// The device type of a string such as "cuda:0", "mps", "cuda:nccl"; empty where it names none that we know.
std::string_view device_type_of(std::string_view text);

}  // namespace torchport::python
