#include <algorithm>
#include <optional>
#include <set>

#include "analyzers/text.h"
#include "opdb/extract/extract.h"
#include "opdb/torch_names.h"

namespace torchport {
namespace {

struct YamlFunction {
  std::string name;  // with its namespace
  std::string delegate;  // structured_delegate: the overload whose kernel does it all
  std::size_t line = 0;
  bool registered = false;
};

// "CPU, XPU: kernel" holds the key before its colon.
bool names_key(std::string_view row, std::string_view key) {
  std::string_view keys = row.substr(0, row.find(':'));
  while (!keys.empty()) {
    const std::size_t comma = std::min(keys.find(','), keys.size());
    if (trimmed(keys.substr(0, comma)) == key) return true;
    keys.remove_prefix(std::min(comma + 1, keys.size()));
  }
  return false;
}

std::string_view name_of_function(std::string_view value) {
  return trimmed(value.substr(0, value.find_first_of("( #")));
}

// 213 of "v2.13"; nothing if it is none.
std::optional<std::uint32_t> version_of(std::string_view word) {
  word = trimmed(word);
  if (word.starts_with('v')) word.remove_prefix(1);
  return parse_torch_version(word);
}

// What the plugin of Ascend says of the releases of torch: "all_version", "v2.1, v2.2", "[v2.1, newest]", both ends included.
bool for_torch(std::string_view versions, std::uint32_t torch) {
  versions = trimmed(versions);
  if (versions == "all_version") return true;
  if (versions.starts_with('[')) {
    const std::size_t comma = std::min(versions.find(','), versions.size() - 1);
    const std::string_view last = trimmed(versions.substr(comma + 1, versions.find(']') - comma - 1));
    const auto first = version_of(versions.substr(1, comma - 1));
    return first && *first <= torch && (last == "newest" || version_of(last).value_or(0) >= torch);
  }
  while (!versions.empty()) {
    const std::size_t comma = std::min(versions.find(','), versions.size());
    if (version_of(versions.substr(0, comma)) == torch) return true;
    versions.remove_prefix(std::min(comma + 1, versions.size()));
  }
  return false;
}

// The YAML of Ascend's op-plugin: a function is registered where one of its kinds of kernel is there for the torch.
void read_plugin_yaml(std::string_view text, std::string_view path, Registrations& out) {
  const std::uint32_t torch = *parse_torch_version(Coverage::torch_version());
  std::string_view section;
  std::string name;
  std::size_t number = 0, line_of_name = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end), row = trimmed(line);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const std::size_t colon = row.find(':');
    if (row.empty() || row.starts_with('#') || colon == std::string_view::npos) continue;
    if (line[0] != ' ' && line[0] != '-') {
      section = row.substr(0, colon);
    } else if (row.starts_with("- func:")) {
      name = name_of_function(trimmed(row.substr(7)));
      line_of_name = number;
      // Functions of the plugin's own; `symint` repeats some of them.
      if (section == "custom" || name.starts_with("npu_")) name.insert(0, "npu::");
      else if (section == "autograd" || section == "quant") name.clear();  // other keys
      else name.insert(0, "aten::");
    } else if (!name.empty() && (row.starts_with("acl_op:") || row.starts_with("op_api:") || row.starts_with("internal_format_opapi:")) &&
               for_torch(row.substr(colon + 1), torch)) {
      if (!out.places.contains(name)) out.add(name, path, line_of_name);
      name.clear();
    }
  }
}

}  // namespace

void read_functions_yaml(std::string_view text, std::string_view path, std::string_view key, Registrations& out) {
  if (text.starts_with("all_version:")) {
    if (key == "PrivateUse1") read_plugin_yaml(text, path, out);
    return;
  }
  std::vector<YamlFunction> functions;
  std::size_t number = 0;
  std::size_t indent = 0;  // of `dispatch:`
  bool dispatch = false;
  bool lists_of_ours = false;  // the file is of one backend, whose key it names
  std::string_view list;
  std::string ns = "aten::";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const std::size_t start = line.find_first_not_of(' ');
    if (start == std::string_view::npos || line[start] == '#') continue;
    const std::string_view row = trimmed(line);
    if (start == 0 && row.find(':') != std::string_view::npos && row[0] != '-') {
      list = row.substr(0, row.find(':'));
      if (list == "backend") lists_of_ours = trimmed(row.substr(8)) == key || trimmed(row.substr(8)) == "NPU";
      // What torch_npu adds of its own is no operator of aten.
      ns = list == "custom" ? "npu::" : "aten::";
      dispatch = false;
      continue;
    }
    if (row.starts_with("- func:")) {
      functions.push_back({ns + std::string(name_of_function(trimmed(row.substr(7)))), {}, number, lists_of_ours});
      dispatch = false;
    } else if (row.starts_with("- ") && lists_of_ours && !list.empty() && row.find(':') == std::string_view::npos) {
      functions.push_back({ns + std::string(name_of_function(row.substr(2))), {}, number, true});
    } else if (row.starts_with("dispatch:")) {
      dispatch = true;
      indent = start;
    } else if (row.starts_with("structured_delegate:") && !functions.empty()) {
      functions.back().delegate = "aten::" + std::string(trimmed(row.substr(20)));
    } else if (dispatch && start > indent && !functions.empty()) {
      functions.back().registered = functions.back().registered || names_key(row, key);
    } else {
      dispatch = false;
    }
  }
  std::set<std::string_view> registered;
  for (const YamlFunction& f : functions) {
    if (f.registered) registered.insert(f.name);
  }
  for (const YamlFunction& f : functions) {
    if (f.registered || registered.contains(f.delegate)) out.add(f.name, path, f.line);
  }
}

}  // namespace torchport
