#include <algorithm>
#include <optional>
#include <set>

#include "opdb/extract/extract.h"
#include "analyzers/text.h"

namespace torchport {
namespace {

struct YamlFunction {
  std::string name;
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

}  // namespace

void read_functions_yaml(std::string_view text, std::string_view path, std::string_view key, Registrations& out) {
  std::vector<YamlFunction> functions;
  std::size_t number = 0;
  std::size_t indent = 0;  // of `dispatch:`
  bool dispatch = false;
  bool lists_of_ours = false;  // the file is of one backend, whose key it names
  std::string_view list;
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
      dispatch = false;
      continue;
    }
    if (row.starts_with("- func:")) {
      functions.push_back({std::string(name_of_function(trimmed(row.substr(7)))), {}, number, lists_of_ours});
      dispatch = false;
    } else if (row.starts_with("- ") && lists_of_ours && !list.empty() && row.find(':') == std::string_view::npos) {
      functions.push_back({std::string(name_of_function(row.substr(2))), {}, number, true});
    } else if (row.starts_with("dispatch:")) {
      dispatch = true;
      indent = start;
    } else if (row.starts_with("structured_delegate:") && !functions.empty()) {
      functions.back().delegate = trimmed(row.substr(20));
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
    if (f.registered || registered.contains(f.delegate)) out.add("aten::" + f.name, path, f.line);
  }
}

}  // namespace torchport
