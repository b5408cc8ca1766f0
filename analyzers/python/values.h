// What an expression may be: constants, global names, instances of known types, the project's own functions and classes. Follows names
// through assignments, defaults and returns within the file. What it does not know it leaves out and says so (`open`); it never guesses.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/facts.h"
#include "analyzers/python/names.h"

namespace torchport::python {

enum class What : std::uint8_t {
  None, Bool, Int, Float,
  String,    // text: its contents
  Path,      // text: a global dotted name
  Instance,  // text: dotted name of its type; empty: of the project's own class `node`
  Function,  // of this file; node: its definition
  Class,
};

struct Val {
  What what = What::None;
  std::string_view text;
  NodeId node = kNoNode;     // where the constant is written, the call that made the instance, or the definition
  PathId path = kNoId;
  Via via = Via::Import;
  bool partial = false;      // String: only its beginning is known; Path: one of several in a table, and which is decided when it runs
  NodeId import = kNoNode;   // Path: the import element through which it was reached
};

struct Vals {
  std::vector<Val> all;
  bool open = true;          // it may be something else besides

  const Val* path() const {
    for (const Val& v : all) {
      if (v.what == What::Path) return &v;
    }
    return nullptr;
  }
  const Val* instance() const {
    for (const Val& v : all) {
      if (v.what == What::Instance) return &v;
    }
    return nullptr;
  }
};

// b"…": bytes are no device.
bool is_bytes_literal(std::string_view literal);

class Values {
 public:
  Values(Names& names, std::deque<std::string>& store) : names_(names), tree_(names.tree()), store_(store) {
    memo_.assign(tree_.size(), kNoId);
  }

  // The reference stays valid: results are kept for the life of this object.
  const Vals& of(NodeId expression);
  const Vals& of_binding(BindingId binding);

  // The text of a string literal without prefix and quotes; nothing for f-strings with parts (see `of`).
  std::string_view string_text(NodeId string) const;
  // The type that `annotation` names: "torch.Tensor"; empty where unknown.
  std::string_view annotated_type(NodeId annotation);
  // The type of what calling the global name gives; empty: unknown.
  static std::string_view result_of_call(std::string_view path);
  // The same for a method of a known type.
  static std::string_view result_of_method(std::string_view type, std::string_view method);

  Names& names() { return names_; }
  const Tree& tree() const { return tree_; }

  // Whether the class or one of its bases in this file defines the method; `base` gets the first global base otherwise.
  bool defines_method(NodeId class_definition, std::string_view method, int depth = 0);
  std::string_view known_base(NodeId class_definition, int depth = 0);
  // Whether a base of the class is not known at all, so that methods may come from anywhere.
  bool has_unknown_base(NodeId class_definition, int depth = 0);

 private:
  void evaluate(NodeId node, Vals& out);
  void identifier(NodeId node, Vals& out);
  void attribute(NodeId node, Vals& out);
  void call(NodeId node, Vals& out);
  void string(NodeId node, Vals& out);
  void binary(NodeId node, Vals& out);
  void subscript(NodeId node, Vals& out);
  std::vector<NodeId> containers(NodeId object);
  void dtypes_of(NodeId container, Vals& out);
  void read_entry(NodeId container, NodeId key, Vals& out);
  void looked_up(NodeId call, NodeId object, Vals& out);
  void binding(const Binding& b, Vals& out);
  void class_attribute(ScopeId cls, NameId attribute, Vals& out);
  void self_attribute(NodeId object, NameId attribute, Vals& out);
  void formatted(NodeId node, Vals& out);
  void fallback(NodeId call, int position, Vals& out);
  void call_result(const Val& callee, NodeId node, Vals& out);
  static void merge(const Vals& from, Vals& out);
  static void add(Vals& out, Val v);

  Names& names_;
  const Tree& tree_;
  std::deque<std::string>& store_;
  std::deque<Vals> results_;
  std::vector<std::uint32_t> memo_;                         // by node: index into results_, or kBusy
  std::unordered_map<BindingId, std::uint32_t> bindings_;
  int depth_ = 0;
};

}  // namespace torchport::python
