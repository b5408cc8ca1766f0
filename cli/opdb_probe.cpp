#include "cli/opdb_probe.h"

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "analyzers/error.h"
#include "cli/output.h"
#include "cli/programs.h"
#include "embedded_probe.h"
#include "opdb/coverage.h"
#include "opdb/extract/extract.h"

namespace torchport {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 16> text{};
  gmtime_r(&now, &parts);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

// "NAME<tab>VALUE" lines: two about the dispatcher, then an operator each.
Registrations registrations_of(std::string_view text, std::string& torch, const std::string& path) {
  Registrations found;
  found.asked = true;
  bool complete = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) continue;  // what the backend itself printed while it was loaded
    const std::string_view name = line.substr(0, tab), value = line.substr(tab + 1);
    if (name == "torch") {
      torch = value;
    } else if (name == "fallback") {
      complete = true;
      if (value == "yes") found.fallback = "the dispatcher";
    } else if (complete && name.find("::") != std::string_view::npos) {
      found.places[std::string(name)].emplace_back(value.empty() ? "the dispatcher" : value);
    }
  }
  if (!complete) throw Error("the probe ended before it had asked the dispatcher", path, 0, "load the backend by hand to see why");
  return found;
}

}  // namespace

Target target_of_table(const Options& options) {
  const std::string& word = options.targets.front();
  const auto target = target_or_own(word);
  if (!target) throw Error("\"" + word + "\" cannot be the name of a device", {}, 0, "names are like npu");
  if (*target == Target::Own) note(word + " is none of the targets that torchport knows: this makes a table for a device of that name");
  return *target;
}

std::string probe_table(const Options& options) {
  const bool library = !options.library.empty();
  if (library == !options.python.empty())
    throw Error("probe wants a backend", {}, 0, "give --library LIB.so or --python MODULE, and --target T");
  if (options.targets.size() != 1) throw Error("probe wants --target, one target", {}, 0, "it says whose table this is");
  const Target target = target_of_table(options);
  const std::string key = options.key.empty() ? std::string(dispatch_key(target)) : options.key;
  const std::string& backend = library ? options.library : options.python;
  std::string output, torch;
  if (library) {
    // A name without a slash would be looked for where the system keeps its libraries.
    output = run_program("torchport-probe", "TORCHPORT_PROBE", {std::filesystem::absolute(backend).string(), key}, backend);
  } else {
    const char* python = std::getenv("TORCHPORT_PYTHON");
    output = run_command({python == nullptr || *python == '\0' ? "python3" : python, "-c", std::string(embedded_probe()[0].bytes), backend, key}, backend);
  }
  const Registrations found = registrations_of(output, torch, backend);
  if (found.places.empty())
    throw Error("registers nothing under the key " + key, backend, 0, "name the backend's key with --key");
  const std::string name = library ? std::filesystem::path(backend).filename().string() : "Python module " + backend;
  return registrations_table(found, target, key, coverage(), name + ", loaded into torch " + torch + ", " + today());
}

}  // namespace torchport
