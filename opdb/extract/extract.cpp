#include "opdb/extract/extract.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analyzers/error.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

bool is_test(const std::string& path) {
  return path.find("/test/") != std::string::npos || path.find("/tests/") != std::string::npos ||
         path.starts_with("test/") || path.starts_with("tests/");
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error("cannot be read", file.string(), 0, "check its permissions");
  return text.str();
}

std::vector<fs::path> files_under(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(".")) {
      if (it->is_directory(error)) it.disable_recursion_pending();
      continue;
    }
    if (it->is_regular_file(error)) files.push_back(it->path());
  }
  if (error) throw Error(error.message(), folder, 0, "give the folder of a backend's sources");
  std::sort(files.begin(), files.end());
  return files;
}

std::string cell(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string row_of(const std::string& op, const std::vector<std::string>& places, bool known) {
  std::string evidence = places.front();
  if (places.size() > 1) evidence += " (+" + std::to_string(places.size() - 1) + ")";
  return cell(op) + "\t" + (known ? "native" : "phantom") + "\t" + cell(evidence) + "\t\n";
}

std::string policy_row(const Registrations& found) {
  if (found.asked && found.fallback.empty()) return "@missing\traises\tthe dispatcher has no fallback for all operators on the key\t\n";
  if (found.asked) return "@missing\tunknown\tthe dispatcher has a fallback for all operators on the key; write cpu_fallback or raises where you know what it does\t\n";
  if (found.fallback.empty())
    return "@missing\tunknown\tno fallback for all operators was found in the sources; write raises or cpu_fallback "
           "where you know\t\n";
  const char* status = found.fallback_to_cpu ? "cpu_fallback" : "unknown";
  return "@missing\t" + std::string(status) + "\tboxed fallback, " + cell(found.fallback) + "\t\n";
}

}  // namespace

void Registrations::add(std::string_view op, std::string_view path, std::size_t line) {
  places[std::string(op)].push_back(std::string(path) + ":" + std::to_string(line));
}

std::string_view dispatch_key(Target target) {
  switch (target) {
    case Target::Xpu:
      return "XPU";
    case Target::Mps:
      return "MPS";
    case Target::Xla:
      return "XLA";
    case Target::Rocm:
    case Target::Cuda:
      return "CUDA";
    case Target::Cpu:
      return "CPU";
    default:
      return "PrivateUse1";
  }
}

std::string extract_table(const std::string& folder, Target target, const Coverage& coverage,
                          const std::string& source) {
  const std::string_view key = dispatch_key(target);
  Registrations found;
  std::vector<PythonFile> python;
  for (const fs::path& file : files_under(folder)) {
    const std::string path = fs::path(file).lexically_relative(folder).generic_string();
    const std::string extension = file.extension().string();
    if (is_test(path)) continue;
    if (extension == ".cpp" || extension == ".cc" || extension == ".cxx" || extension == ".cu" || extension == ".h" ||
        extension == ".hpp" || extension == ".mm") {
      read_cpp(read(file), path, key, found);
    } else if (extension == ".py") {
      python.push_back({path, read(file)});
    } else if (path.ends_with("functions.yaml")) {
      read_functions_yaml(read(file), path, key, found);
    }
  }
  read_python(python, key, found);
  found.not_resolved = resolve_enumerators(coverage, found);
  if (found.places.empty()) {
    throw Error("registers nothing under the key " + std::string(key), folder, 0,
                "TORCH_LIBRARY_IMPL, decorators with names of operators and *functions.yaml are read");
  }
  return registrations_table(found, target, key, coverage, source);
}

std::string registrations_table(const Registrations& found, Target target, std::string_view key, const Coverage& coverage,
                                const std::string& source) {
  std::size_t phantoms = 0;
  std::string rows;
  for (const auto& [op, places] : found.places) {
    const bool known = !op.starts_with("aten::") || coverage.known(op);
    if (!known) ++phantoms;
    rows += row_of(op, places, known);
  }
  std::string head = "# target: " + std::string(name_of(target)) + "\n# source: " + cell(source) +
                     "\n# cite: " + cell(source) + "\n# registrations: " + std::to_string(found.places.size()) + " names under the key " +
                     std::string(key) + ", of which " + std::to_string(phantoms) + " name no overload of torch " +
                     std::string(Coverage::torch_version()) + " (phantom)\n";
  if (!found.not_resolved.empty()) {
    head += "# enumerators that name no overload by their spelling, left out:";
    for (const std::string& name : found.not_resolved) head += " k" + cell(name);
    head += "\n";
  }
  return head + "op\tstatus\tevidence\tlimits\n" + policy_row(found) + rows;
}

}  // namespace torchport
