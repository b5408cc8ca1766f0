// String constants that name devices and the like: where each stands, where it goes through names, and the choices ("cuda" if … else "cpu")
// that they are part of.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "analyzers/device_names.h"
#include "analyzers/python/collect.h"

namespace torchport::python {

class Literals {
 public:
  Literals(Collector& collector, Values& values, Guards& guards)
      : collector_(collector), values_(values), guards_(guards), tree_(values.tree()), names_(values.names()) {}

  // A string met on the walk; `guard` is the innermost one around it.
  void seen(NodeId string);
  // "cuda" if torch.cuda.is_available() else "cpu", alone or as the only argument of torch.device(...).
  void choice(NodeId conditional);
  // An argument that stands in a device place: its strings are devices, wherever they are written.
  void given_as_device(NodeId argument, UseId call);
  // A call of a function of this file or of another module of the project.
  void project_call(NodeId call);
  // The Choice, if any, whose condition or arms the node is part of.
  UseId choice_around(NodeId node) const;
  // Writes the Literal uses, when the whole file has been walked.
  void finish();

 private:
  struct Met {
    NodeId node;
    GuardId guard;
  };
  bool wanted(std::string_view text) const;
  bool compared(NodeId node, Use& use) const;
  bool lists_devices(NodeId type, NodeId one, Use& use);
  bool beside_devices(NodeId list, NodeId one) const;
  bool keys_leave_out(NodeId dictionary) const;
  bool is_device_map(NodeId dictionary) const;
  void place(NodeId node, Use& use);
  void argument_place(NodeId value, NodeId list, std::string_view keyword, Use& use);
  void project_place(NodeId callee, std::int32_t position, std::string_view keyword, Use& use);
  void option_place(NodeId call, std::string_view keyword, Use& use);
  void flow_to_parameters();
  // The definitions that a callee may be, and how many leading parameters the call does not write (self).
  std::vector<std::pair<NodeId, int>> callees(NodeId callee);
  // The name node of the parameter that the argument number `position`, or the keyword, is bound to.
  NodeId parameter_of(NodeId function, int skipped, std::int32_t position, std::string_view keyword) const;
  bool hand_on(NodeId call);
  void export_parameters();
  std::optional<ExportedParameter> exported(const Binding& parameter) const;

  Collector& collector_;
  Values& values_;
  Guards& guards_;
  const Tree& tree_;
  Names& names_;
  std::vector<Met> met_;
  std::map<NodeId, std::vector<NodeId>> flows_;      // string -> arguments in device places
  std::map<NodeId, UseId> calls_;                    // string written in such an argument -> the call
  std::map<NodeId, bool> device_parameters_;         // parameter name nodes that are given on as devices
  std::vector<std::pair<NodeId, UseId>> choices_;
  std::vector<NodeId> project_calls_;
};

}  // namespace torchport::python
