// What a report adds to a scan: sums over its findings.
#include <algorithm>
#include <map>
#include <set>

#include "reports/document.h"

namespace torchport {
namespace {

constexpr std::size_t kBreaksFirst = 10;
constexpr std::size_t kPlaces = 3;

Json step_counts(const std::array<std::uint64_t, kStepCount>& counts) {
  Json json = Json::object();
  std::uint64_t total = 0;
  for (const std::uint64_t n : counts) total += n;
  json["total"] = total;
  for (std::size_t i = 0; i < kStepCount; ++i) json[std::string(kStepNames[i])] = counts[i];
  return json;
}

// Paths of files that were not, or not fully, understood.
std::set<std::string> not_understood(const Json& scan) {
  std::set<std::string> paths;
  for (const char* key : {"partial", "unreadable"}) {
    for (const Json& file : scan.at("files").value(key, Json::array())) paths.insert(file.value("path", ""));
  }
  return paths;
}

Json readiness_on(const Json& scan, const Steps& steps, const std::string& target) {
  std::array<std::uint64_t, kStepCount> ties{}, files{};
  for (const Json& finding : scan.at("findings")) {
    if (counts(finding)) ++ties[static_cast<std::size_t>(steps.of(finding, target))];
  }
  const std::map<std::string, Step> by_file = file_steps(scan, steps, target);
  for (const auto& [path, step] : by_file) ++files[static_cast<std::size_t>(step)];
  const Json& all = scan.at("files");
  const std::uint64_t read = all.at("scanned").get<std::uint64_t>() + all.at("skipped").get<std::uint64_t>();
  const std::uint64_t total = read + all.value("unreadable", Json::array()).size();
  files[0] += total > by_file.size() ? total - by_file.size() : 0;
  const Json ops = scan.value("ops", Json::object());
  return {{"files", step_counts(files)},
          {"ties", step_counts(ties)},
          {"ops", ops.contains(target) ? ops[target] : Json(nullptr)}};
}

struct Group {
  const Json* first = nullptr;
  SharedMessage message;
  std::uint64_t count = 0, blocks = 0, core = 0;  // core: those that block in the program itself
  std::set<std::string> files;
  std::vector<std::string> places;
  int weight = -1;  // of the first: one that blocks, and in the program itself, is shown rather than another
};

// Findings that block or degrade somewhere, by what `key` makes of them.
template <typename Key>
std::map<std::string, Group> grouped(const Json& scan, Key key) {
  std::map<std::string, Group> groups;
  for (const Json& finding : scan.at("findings")) {
    if (!counts(finding) || (finding.at("impact") != "blocks" && finding.at("impact") != "degrades")) continue;
    const std::string name = key(finding);
    if (name.empty()) continue;
    Group& group = groups[name];
    group.message.add(finding);
    const bool core = finding.at("part") == "core";
    const bool blocks = finding.at("impact") == "blocks";
    if (const int weight = (blocks ? 2 : 0) + (core ? 1 : 0); weight > group.weight) {
      group.first = &finding;
      group.weight = weight;
    }
    ++group.count;
    group.core += core && blocks ? 1 : 0;
    group.blocks += blocks ? 1 : 0;
    const std::string path = finding.at("path");
    group.files.insert(path);
    if (group.places.size() < kPlaces)
      group.places.push_back(path + ":" + std::to_string(finding.at("line").get<std::uint64_t>()));
  }
  return groups;
}

Json group_json(const Json& scan, const Group& group) {
  const Json& finding = *group.first;
  Json on = Json::object();
  for (const auto& [target, value] : finding.at("targets").items()) on[target] = value.value("impact", "none");
  const Json fix = finding.value("fix", Json(nullptr));
  return {
      {"rule", finding.at("rule")},
      {"name", finding.at("name")},
      {"family", finding.at("family")},
      {"symbol", finding.value("symbol", "")},
      {"message", group.message.text(scan)},
      {"advice", finding.value("advice", "")},
      {"fix", fix.is_object() && !fix.value("edits", Json::array()).empty() ? Json(fix.value("applicability", "manual"))
                                                                            : Json(nullptr)},
      {"effort", finding.value("effort", Json(nullptr))},
      {"count", group.count},
      {"blocks", group.blocks},
      {"core", group.core},
      {"files", group.files.size()},
      {"places", group.places},
      {"first", {{"path", finding.at("path")}, {"line", finding.at("line")}, {"code", finding.value("code", "")}}},
      {"targets", std::move(on)}};
}

std::vector<const Group*> sorted(const std::map<std::string, Group>& groups) {
  std::vector<const Group*> list;
  for (const auto& [key, group] : groups) list.push_back(&group);
  std::stable_sort(list.begin(), list.end(), [](const Group* a, const Group* b) {
    return std::tuple(a->core, a->blocks, a->count) > std::tuple(b->core, b->blocks, b->count);
  });
  return list;
}

Json breaks_first(const Json& scan) {
  const auto groups = grouped(scan, [](const Json& finding) -> std::string { return finding.at("rule"); });
  Json list = Json::array();
  for (const Group* group : sorted(groups)) {
    if (list.size() == kBreaksFirst) break;
    list.push_back(group_json(scan, *group));
  }
  return list;
}

Json of_families(const Json& scan, std::initializer_list<std::string_view> families) {
  const auto groups = grouped(scan, [&](const Json& finding) -> std::string {
    const std::string family = finding.at("family");
    if (std::find(families.begin(), families.end(), family) == families.end()) return {};
    return finding.at("rule").get<std::string>() + " " + finding.value("symbol", "");
  });
  Json list = Json::array();
  for (const Group* group : sorted(groups)) list.push_back(group_json(scan, *group));
  return list;
}

Json hours_sum(const Json& target, const std::set<std::string>& classes) {
  double low = 0, likely = 0, high = 0;
  std::uint64_t count = 0;
  for (const auto& [name, part] : object_in(target, "parts").items()) {
    for (const Json& one : part.value("classes", Json::array())) {
      if (!classes.contains(one.value("class", ""))) continue;
      low += one.value("low", 0.0);
      likely += one.value("likely", 0.0);
      high += one.value("high", 0.0);
      count += one.value("count", std::uint64_t{0}) + one.value("repeated", std::uint64_t{0});
    }
  }
  return {{"count", count}, {"low", low}, {"likely", likely}, {"high", high}};
}

Json plan_of(const Json& scan) {
  const Json& effort = scan.at("effort");
  Json plan = Json::array();
  for (const Json& phase : effort.value("phases", Json::array())) {
    std::set<std::string> classes;
    for (const Json& one : effort.value("classes", Json::array())) {
      if (one.value("phase", "") == phase.value("id", "")) classes.insert(one.value("id", ""));
    }
    Json targets = Json::object();
    std::uint64_t most = 0;
    for (const auto& [target, value] : object_in(effort, "targets").items()) {
      targets[target] = hours_sum(value, classes);
      most = std::max(most, targets[target]["count"].get<std::uint64_t>());
    }
    if (most == 0) continue;
    plan.push_back({{"id", phase.value("id", "")},
                    {"title", phase.value("title", "")},
                    {"unblocks", phase.value("unblocks", "")},
                    {"classes", classes},
                    {"targets", std::move(targets)}});
  }
  return plan;
}

Json hot_spots(const Json& scan, const Steps& steps) {
  struct Spot {
    std::uint64_t blocks = 0, degrades = 0;
    Step step = Step::AsIs;
    std::string part;
  };
  std::map<std::string, Spot> spots;
  const std::vector<std::string> targets = targets_of(scan);
  for (const Json& finding : scan.at("findings")) {
    if (!counts(finding)) continue;
    const std::string impact = finding.at("impact");
    if (impact != "blocks" && impact != "degrades") continue;
    Spot& spot = spots[finding.at("path")];
    ++(impact == "blocks" ? spot.blocks : spot.degrades);
    spot.part = finding.at("part");
    for (const std::string& target : targets) spot.step = std::max(spot.step, steps.of(finding, target));
  }
  std::vector<std::pair<std::string, Spot>> list(spots.begin(), spots.end());
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return a.second.blocks + a.second.degrades > b.second.blocks + b.second.degrades;
  });
  Json json = Json::array();
  for (const auto& [path, spot] : list) {
    json.push_back({{"path", path},
                    {"part", spot.part},
                    {"blocks", spot.blocks},
                    {"degrades", spot.degrades},
                    {"step", kStepNames[static_cast<std::size_t>(spot.step)]}});
  }
  return json;
}

Json unknowns(const Json& scan) {
  const Json& files = scan.at("files");
  Json ops = Json::object();
  for (const auto& [target, counts] : object_in(scan, "ops").items()) {
    if (counts.is_object() && counts.contains("unknown")) ops[target] = counts["unknown"];
  }
  return {{"partial", files.at("partial")},
          {"unreadable", files.value("unreadable", Json::array())},
          {"left_out", files.value("left_out", 0)},
          {"hipified", files.value("hipified", 0)},
          {"operators", std::move(ops)},
          {"not_counted", scan.at("effort").value("not_counted", Json::array())}};
}

}  // namespace

std::map<std::string, Step> file_steps(const Json& scan, const Steps& steps, const std::string& target) {
  std::map<std::string, Step> by_file;
  for (const std::string& path : not_understood(scan)) by_file[path] = Step::Unknown;
  for (const Json& finding : scan.at("findings")) {
    if (!counts(finding)) continue;
    Step& file = by_file[finding.at("path")];
    file = std::max(file, steps.of(finding, target));
  }
  return by_file;
}

Json report_of(const Document& document) {
  Json report = document.json;
  const Steps steps(report);
  report["schema"] = "torchport.report/1";
  report["project"] = document.name;
  Json readiness = Json::object();
  for (const std::string& target : targets_of(report)) readiness[target] = readiness_on(report, steps, target);
  report["readiness"] = std::move(readiness);
  report["breaks_first"] = breaks_first(report);
  report["plan"] = plan_of(report);
  report["hot_spots"] = hot_spots(report, steps);
  report["libraries"] = of_families(report, {"library"});
  report["kernels"] = of_families(report, {"kernel"});
  report["operators"] = of_families(report, {"op", "shape", "sparse", "autograd", "numeric"});
  report["unknowns"] = unknowns(report);
  return report;
}

}  // namespace torchport
