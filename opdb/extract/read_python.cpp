#include <algorithm>
#include <map>
#include <set>

#include "analyzers/python/syntax.h"
#include "opdb/extract/extract.h"

namespace torchport {
namespace {

using python::Field;
using python::Kind;
using python::kNoNode;
using python::NodeId;
using python::Tree;

std::string_view string_of(const Tree& tree, NodeId node) {
  const NodeId content = tree[node].kind == Kind::String ? tree.child(node, Kind::StringContent) : kNoNode;
  return content == kNoNode ? std::string_view() : tree.text(content);
}

// "aten::…" and the strings of a list or tuple of such.
void operators_in(const Tree& tree, NodeId node, std::vector<std::string_view>& out) {
  if (const auto text = string_of(tree, node); text.starts_with("aten::")) out.push_back(text);
  if (tree[node].kind != Kind::List && tree[node].kind != Kind::Tuple) return;
  for (NodeId c = tree.first_child(node); c != kNoNode; c = tree.next_sibling(c)) operators_in(tree, c, out);
}

std::string_view callee_name(const Tree& tree, NodeId call) {
  const NodeId callee = tree.child(call, Field::Function);
  if (callee == kNoNode) return {};
  const std::string_view text = tree.text(callee);
  return text.substr(text.rfind('.') == std::string_view::npos ? 0 : text.rfind('.') + 1);
}

std::vector<NodeId> arguments_of(const Tree& tree, NodeId call) {
  std::vector<NodeId> out;
  const NodeId list = tree.child(call, Field::Arguments);
  for (NodeId c = list == kNoNode ? kNoNode : tree.first_child(list); c != kNoNode; c = tree.next_sibling(c))
    out.push_back(c);
  return out;
}

std::vector<std::string_view> given_operators(const Tree& tree, NodeId call) {
  std::vector<std::string_view> out;
  const auto arguments = arguments_of(tree, call);
  if (!arguments.empty()) operators_in(tree, arguments[0], out);
  return out;
}

std::size_t line_of(const Tree& tree, NodeId node) {
  const std::string_view before = tree.whole().substr(0, tree[node].span.start);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

// The names of decorators that are given operators: @register_aten(["aten::add.Tensor"]).
void learn_decorators(const Tree& tree, std::set<std::string, std::less<>>& names) {
  for (NodeId i = 0; i < tree.size(); ++i) {
    if (tree[i].kind != Kind::Decorator) continue;
    const NodeId call = tree.first_child(i);
    if (call != kNoNode && tree[call].kind == Kind::Call && !given_operators(tree, call).empty())
      names.emplace(callee_name(tree, call));
  }
}

// A loader that imports all modules of a package leaves some out: `if ".legacy" in name: continue`.
void learn_left_out(const Tree& tree, std::set<std::string, std::less<>>& folders) {
  if (tree.whole().find("walk_packages") == std::string_view::npos &&
      tree.whole().find("iter_modules") == std::string_view::npos)
    return;
  for (NodeId i = 0; i < tree.size(); ++i) {
    if (tree[i].kind != Kind::Comparison) continue;
    const std::string_view text = string_of(tree, tree.first_child(i));
    if (text.size() > 1 && text[0] == '.' && tree.text(i).find(" in ") != std::string_view::npos)
      folders.emplace(text.substr(1));
  }
}

bool left_out(std::string_view path, const std::set<std::string, std::less<>>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return path.find("/" + folder + "/") != std::string_view::npos || path.starts_with(folder + "/");
  });
}

// lib = torch.library.Library("ns", "IMPL", "KEY"): of which namespace a library is, and the key that its kernels get
// unless they name another.
struct Library {
  std::string_view ns, key;
};
std::map<std::string_view, Library> libraries_of(const Tree& tree) {
  std::map<std::string_view, Library> found;
  for (NodeId i = 0; i < tree.size(); ++i) {
    if (tree[i].kind != Kind::Assignment) continue;
    const NodeId left = tree.child(i, Field::Left), right = tree.child(i, Field::Right);
    if (left == kNoNode || right == kNoNode || tree[right].kind != Kind::Call || callee_name(tree, right) != "Library") continue;
    const auto arguments = arguments_of(tree, right);
    if (arguments.empty() || string_of(tree, arguments[0]).empty()) continue;
    found[tree.text(left)] = {string_of(tree, arguments[0]), arguments.size() > 2 ? string_of(tree, arguments[2]) : std::string_view()};
  }
  return found;
}

// lib.impl("name", function, "KEY") and @torch.library.impl(lib, "name", "KEY").
void read_impl(const Tree& tree, NodeId call, const std::map<std::string_view, Library>& libraries, const PythonFile& file, std::string_view key,
               Registrations& out) {
  const auto arguments = arguments_of(tree, call);
  if (arguments.empty()) return;
  const auto given = libraries.find(tree.text(arguments[0]));
  const bool decorator = given != libraries.end();
  const std::string_view callee = tree.text(tree.child(call, Field::Function));
  const auto own = decorator ? given : libraries.find(callee.substr(0, callee.size() - std::min<std::size_t>(callee.size(), 5)));
  const Library library = own == libraries.end() ? Library{"aten", {}} : own->second;
  const std::size_t name_at = decorator ? 1 : 0;
  if (arguments.size() <= name_at) return;
  const std::string_view op = string_of(tree, arguments[name_at]);
  const std::string_view named = arguments.size() > 2 ? string_of(tree, arguments[2]) : std::string_view();
  if (op.empty() || (named.empty() ? library.key : named) != key) return;
  out.add(op.find("::") == std::string_view::npos ? std::string(library.ns) + "::" + std::string(op) : std::string(op), file.path, line_of(tree, call));
}

void read_file(const Tree& tree, const PythonFile& file, std::string_view key,
               const std::set<std::string, std::less<>>& decorators, Registrations& out) {
  const auto libraries = libraries_of(tree);
  for (NodeId i = 0; i < tree.size(); ++i) {
    if (tree[i].kind == Kind::Call) {
      const std::string_view name = callee_name(tree, i);
      if (name == "impl") {
        read_impl(tree, i, libraries, file, key, out);
      } else if (decorators.contains(name)) {
        for (const std::string_view op : given_operators(tree, i)) out.add(op, file.path, line_of(tree, i));
      }
    } else if (tree[i].kind == Kind::Assignment) {
      // A table of names that a loop registers: ATEN_OP_MAPPING = {"abs": ["aten::abs", "aten::abs.out"]}
      const NodeId left = tree.child(i, Field::Left);
      const NodeId right = tree.child(i, Field::Right);
      if (left == kNoNode || right == kNoNode || tree[right].kind != Kind::Dictionary ||
          tree.text(left).find("ATEN") == std::string_view::npos)
        continue;
      for (NodeId p = tree.first_child(right); p != kNoNode; p = tree.next_sibling(p)) {
        const NodeId value = tree[p].kind == Kind::Pair ? tree.child(p, Field::Value) : kNoNode;
        std::vector<std::string_view> ops;
        if (value != kNoNode) operators_in(tree, value, ops);
        for (const std::string_view op : ops) out.add(op, file.path, line_of(tree, value));
      }
    }
  }
}

}  // namespace

void read_python(const std::vector<PythonFile>& files, std::string_view key, Registrations& out) {
  std::set<std::string, std::less<>> decorators, folders;
  for (const PythonFile& file : files) {
    const Tree tree(file.text);
    learn_decorators(tree, decorators);
    learn_left_out(tree, folders);
  }
  for (const PythonFile& file : files) {
    if (left_out(file.path, folders)) continue;
    read_file(Tree(file.text), file, key, decorators, out);
  }
}

}  // namespace torchport
