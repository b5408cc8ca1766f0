// Walks one file's tree once and writes down its uses. The parts that ask more than one look at a node are in literals.h (strings that name
// devices) and handles.h (the project's own device names).
#pragma once

#include <unordered_map>
#include <vector>

#include "analyzers/facts.h"
#include "analyzers/python/guards.h"
#include "analyzers/python/values.h"

namespace torchport::python {

class Literals;

class Collector {
 public:
  Collector(const SourceFile& source, const Tree& tree, const Interest& interest, FileFacts& out);
  void run();

  // For literals and handles.
  Form form_of(NodeId node) const;
  NodeId statement_of(NodeId node) const;
  NodeId climb_to_statement(NodeId node) const;
  UseId emit(Use use) {
    out_.uses.push_back(std::move(use));
    return static_cast<UseId>(out_.uses.size() - 1);
  }
  GuardId guard() const { return open_.empty() ? kNone : open_.back().second; }
  std::int32_t function_at(NodeId node) const;
  Values& values() { return values_; }
  Guards& guards() { return guards_; }
  const Interest& interest() const { return interest_; }
  FileFacts& facts() { return out_; }
  bool device_place(std::string_view symbol, std::int32_t position, std::string_view keyword) const;
  // The last part of the file's module name: "utils" of pkg/utils.py.
  std::string module_name() const;
  // A copy that lives as long as the facts.
  std::string_view keep(std::string_view text) { return out_.names.emplace_back(text); }

 private:
  void functions();
  void mark_names();
  bool interesting(PathId path);
  void open_regions(NodeId node);
  void visit(NodeId node);
  void call(NodeId node);
  bool chosen_by_condition(NodeId callee);
  bool path_call(NodeId node, NodeId callee);
  void method_call(NodeId node, NodeId callee);
  void reference(NodeId node);
  void assignment(NodeId node);
  void imports(NodeId node);
  void import_use(NodeId element, PathId path, std::string_view bound, ImportStatement& statement);
  void kernel(NodeId node);
  void tensor_operator(NodeId node);
  void tensor_index(NodeId node);
  void emit_on_tensor(UseKind kind, NodeId node, std::string_view symbol, const std::vector<NodeId>& operands, NodeId assigned);
  std::vector<Value> values_at(NodeId node);
  bool is_tensor(NodeId node);
  bool reads_like_mask(NodeId node) const;
  void launch(NodeId node, NodeId callee);
  bool is_annotation(NodeId string) const;
  void annotation_text(NodeId string);
  void annotation_name(NodeId string, std::string_view dotted, Span span);
  void read_arguments(NodeId call, Use& use, Literals& literals, std::string_view symbol);
  bool is_element(NodeId node) const;
  void read_spread_dtype(NodeId splat, Use& use);
  void add_dtype(NodeId value, NodeId whole, Use& use);
  NodeId entry_of_dtype(NodeId made) const;
  std::vector<NodeId> later_dtypes(const Binding& made, NodeId splat);
  bool dtype_by_name(NodeId value);
  std::string_view receiver_type(NodeId receiver, std::string_view method, bool& own_method);
  Use start(UseKind kind, NodeId node, std::string_view symbol);
  void link_import(Use& use, const Val& value);
  void finish();

  const SourceFile& source_;
  const Tree& tree_;
  const Interest& interest_;
  FileFacts& out_;
  Names names_;
  Values values_;
  Guards guards_;
  std::vector<Region> pending_;                        // latest to begin first
  std::vector<std::pair<NodeId, GuardId>> open_;       // (end, guard)
  std::vector<char> name_may_be_path_;                 // by NameId
  std::vector<char> name_is_method_;
  std::vector<char> name_is_tensor_method_;
  std::vector<char> path_interest_;                    // by PathId: 0 unknown, 1 no, 2 yes
  std::unordered_map<NodeId, UseId> import_of_;        // import element -> its use
  std::vector<std::pair<NodeId, std::int32_t>> function_index_;  // (definition, index into FileFacts::functions)
  std::unordered_map<NodeId, UseId> kernels_;          // definition -> its use
  std::vector<std::pair<NodeId, Span>> launches_;      // (definition, launch)
  NodeId handled_until_ = 0;                           // nodes before this belong to a name already taken
  Literals* literals_ = nullptr;
  mutable NodeId last_statement_ = kNoNode;            // uses come in order, so the next one is mostly in the same statement
};

}  // namespace torchport::python
