// Reads a backend's sources and writes which overloads it registers, as a table that `--opdb` takes. It reads text and
// runs nothing; what is registered in ways that it does not know (see README.md, "A backend of your own") is not found.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "opdb/coverage.h"

namespace torchport {

// What one folder registers: overload ("aten::add.Tensor") -> the places, "path:line", in the order of the files.
struct Registrations {
  std::map<std::string, std::vector<std::string>> places;
  std::string fallback;  // the place of a boxed fallback for all operators, if there is one
  bool fallback_to_cpu = false;
  bool asked = false;  // the dispatcher was: what it does not name is not there

  std::map<std::string, std::vector<std::string>> enumerators;  // "AddOut" -> places where it is registered
  std::map<std::string, std::string> enumerator_names;          // "AddOut" -> "aten::add.out", where a table says so
  std::vector<std::string> not_resolved;                        // enumerators that no table and no spelling explains

  void add(std::string_view op, std::string_view path, std::size_t line);
};

// TORCH_LIBRARY_IMPL(aten, KEY, m) { m.impl("…"); } and m.fallback(…).
void read_cpp(std::string_view text, std::string_view path, std::string_view key, Registrations& out);
// OpName::kAddOut: a table of such names in the text; registrations in a block, which begins at the line; what they name.
void learn_enumerators(std::string_view text, Registrations& out);
void read_enumerators(std::string_view block, std::string_view path, std::size_t first_line, Registrations& out);
std::vector<std::string> resolve_enumerators(const Coverage& coverage, Registrations& out);
// Lists of operators, or rows of the form of native_functions.yaml with `dispatch:`.
void read_functions_yaml(std::string_view text, std::string_view path, std::string_view key, Registrations& out);

// Python: decorators that are given names of operators, and calls of .impl("…", function, "KEY"). Modules that the
// package's own loader leaves out are left out.
struct PythonFile {
  std::string path;
  std::string text;
};
void read_python(const std::vector<PythonFile>& files, std::string_view key, Registrations& out);

// The table of all that is found under `folder`. `source`: what the first lines say of where it comes from. Throws
// Error where the folder cannot be read or registers nothing for the target.
std::string extract_table(const std::string& folder, Target target, const Coverage& coverage,
                          const std::string& source);

// The same of registrations that are known already.
std::string registrations_table(const Registrations& found, Target target, std::string_view key, const Coverage& coverage, const std::string& source);

// The dispatch key under which the target's kernels are registered.
std::string_view dispatch_key(Target target);

}  // namespace torchport
