#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "analyzers/error.h"
#include "embedded_effort.h"
#include "reports/effort.h"
#include "rules/load.h"

namespace torchport {
namespace {

using nlohmann::json;

class TableReader {
 public:
  explicit TableReader(std::string path) : path_(std::move(path)) {}

  EffortTable read(const json& top) {
    keys(top, {"classes", "sizes", "phases", "not_counted"});
    if (top.contains("sizes")) {
      for (const json& node : list(top, "sizes")) read_size(node);
    }
    for (const json& node : list(top, "phases")) {
      keys(node, {"id", "title", "unblocks"});
      table_.phases.push_back({text(node, "id"), text(node, "title"), text(node, "unblocks")});
    }
    for (const json& node : list(top, "classes")) read_class(node);
    for (const json& node : list(top, "not_counted")) table_.not_counted.push_back(node.get<std::string>());
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const json& node, const std::string& what) const {
    throw Error(what, path_, node.is_object() ? node.value(kLineKey, 0U) : 0, "see the head of reports/effort.yaml");
  }

  void keys(const json& node, std::initializer_list<std::string_view> known) const {
    if (!node.is_object()) fail(node, "must be a map");
    for (const auto& [key, value] : node.items()) {
      if (key != kLineKey && std::find(known.begin(), known.end(), key) == known.end())
        fail(node, "unknown key \"" + key + "\"");
    }
  }

  std::string text(const json& node, const char* key) const {
    if (!node.contains(key) || !node[key].is_string()) fail(node, std::string("needs \"") + key + "\", a text");
    return node[key];
  }

  const json& list(const json& node, const char* key) const {
    if (!node.contains(key) || !node[key].is_array()) fail(node, std::string("needs \"") + key + "\", a list");
    return node[key];
  }

  static std::vector<std::string> words(const json& node, const char* key) {
    if (!node.contains(key)) return {};
    if (node[key].is_array()) return node[key].get<std::vector<std::string>>();
    return {node[key].get<std::string>()};
  }

  Hours hours(const json& node) const {
    const json& numbers = list(node, "hours");
    if (numbers.size() != 3) fail(node, "\"hours\" are three: low, likely, high");
    std::array<double, 3> h{};
    for (std::size_t i = 0; i < 3; ++i) h[i] = std::atof(numbers[i].get<std::string>().c_str());
    if (!(0 <= h[0] && h[0] <= h[1] && h[1] <= h[2])) fail(node, "\"hours\" must rise");
    return {h[0], h[1], h[2]};
  }

  // Without "up_to": all that is longer.
  void read_size(const json& node) {
    keys(node, {"up_to", "times"});
    EffortSize made;
    made.up_to = node.contains("up_to") ? static_cast<std::uint32_t>(std::strtoul(text(node, "up_to").c_str(), nullptr, 10))
                                        : std::numeric_limits<std::uint32_t>::max();
    made.times = std::atof(text(node, "times").c_str());
    const bool rises = table_.sizes.empty() || (table_.sizes.back().up_to < made.up_to && table_.sizes.back().times <= made.times);
    if (!rises || !(made.times > 0)) fail(node, "\"sizes\" must rise");
    table_.sizes.push_back(made);
  }

  void read_class(const json& node) {
    keys(node, {"id", "phase", "hours", "what", "when", "each", "once"});
    EffortClass made;
    made.id = text(node, "id");
    made.what = text(node, "what");
    made.phase = text(node, "phase");
    made.hours = hours(node);
    if (node.contains("each")) {
      const std::string each = text(node, "each");
      if (each != "finding" && each != "tied-file" && each != "unknown-file") fail(node, "unknown \"each\"");
      made.each = each == "finding" ? Each::Finding : each == "tied-file" ? Each::TiedFile : Each::UnknownFile;
    }
    if (node.contains("once")) {
      const std::string once = text(node, "once");
      constexpr std::array<std::string_view, 5> kOnce = {"line", "file", "package", "symbol", "place"};
      const auto found = std::find(kOnce.begin(), kOnce.end(), once);
      if (found == kOnce.end()) fail(node, "unknown \"once\"");
      made.once = static_cast<Once>(found - kOnce.begin());
    }
    if (node.contains("when")) {
      const json& when = node["when"];
      keys(when, {"fix", "family", "effort", "name", "features"});
      made.fix = words(when, "fix");
      made.family = words(when, "family");
      made.effort = words(when, "effort");
      made.name = words(when, "name");
      made.features = words(when, "features");
    }
    const bool has_phase = std::any_of(table_.phases.begin(), table_.phases.end(),
                                       [&](const EffortPhase& phase) { return phase.id == made.phase; });
    if (!has_phase) fail(node, "no phase \"" + made.phase + "\"");
    table_.classes.push_back(std::move(made));
  }

  std::string path_;
  EffortTable table_;
};

}  // namespace

EffortTable read_effort_table(std::string_view text, const std::string& path) {
  return TableReader(path).read(yaml_to_json(std::string(text), path));
}

EffortTable built_in_effort_table() {
  const EmbeddedFile& file = embedded_effort().front();
  return read_effort_table(file.bytes, std::string(file.path));
}

}  // namespace torchport
