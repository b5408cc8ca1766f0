// Several scans beside each other, and one after another.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyzers/error.h"
#include "reports/document.h"
#include "rules/rule.h"

namespace torchport {
namespace {

constexpr std::size_t kCommon = 20;
constexpr std::size_t kGaps = 10;

Json hours_of(const Json& scan, const std::string& target) {
  const Json effort = scan.at("effort").value("targets", Json::object()).value(target, Json::object());
  return {
      {"low", effort.value("low", 0.0)}, {"likely", effort.value("likely", 0.0)}, {"high", effort.value("high", 0.0)}};
}

Json counts_on(const Json& scan, const std::string& target) {
  std::map<std::string, std::uint64_t> numbers = {{"blocks", 0}, {"degrades", 0}, {"cosmetic", 0}};
  for (const Json& finding : scan.at("findings")) {
    if (!counts(finding)) continue;
    const auto known = numbers.find(impact_on(finding, target));
    if (known != numbers.end()) ++known->second;
  }
  return {{"blocks", numbers["blocks"]}, {"degrades", numbers["degrades"]}, {"cosmetic", numbers["cosmetic"]}};
}

std::vector<std::string> all_targets(const std::vector<Document>& documents) {
  std::vector<std::string> targets;
  for (const Document& document : documents) {
    for (const std::string& target : targets_of(document.json)) {
      if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
    }
  }
  return targets;
}

Json project_json(const Document& document) {
  const Json report = report_of(document);
  Json targets = Json::object();
  for (const std::string& target : targets_of(report)) {
    targets[target] = counts_on(report, target);
    targets[target]["hours"] = hours_of(report, target);
    targets[target]["files"] = report.at("readiness").at(target).at("files");
  }
  return {{"project", document.name}, {"targets", std::move(targets)}};
}

double likely(const Json& project) {
  double hours = 0;
  for (const auto& [target, value] : project.at("targets").items())
    hours = std::max(hours, value.at("hours").at("likely").get<double>());
  return hours;
}

Json common_blockers(const std::vector<Document>& documents) {
  struct Blocker {
    const Json* first = nullptr;
    const Json* scan = nullptr;  // that of first
    SharedMessage message;
    std::set<std::string> projects;
    std::uint64_t count = 0;
  };
  std::map<std::string, Blocker> blockers;
  for (const Document& document : documents) {
    for (const Json& finding : document.json.at("findings")) {
      if (!counts(finding) || finding.at("impact") != "blocks") continue;
      Blocker& blocker = blockers[finding.at("rule")];
      if (blocker.first == nullptr) {
        blocker.first = &finding;
        blocker.scan = &document.json;
      }
      blocker.message.add(finding);
      blocker.projects.insert(document.name);
      ++blocker.count;
    }
  }
  std::vector<const Blocker*> list;
  for (const auto& [rule, blocker] : blockers) list.push_back(&blocker);
  std::stable_sort(list.begin(), list.end(), [](const Blocker* a, const Blocker* b) {
    return std::pair(a->projects.size(), a->count) > std::pair(b->projects.size(), b->count);
  });
  Json json = Json::array();
  for (const Blocker* blocker : list) {
    if (json.size() == kCommon) break;
    json.push_back({{"rule", blocker->first->at("rule")},
                    {"name", blocker->first->at("name")},
                    {"message", blocker->message.text(*blocker->scan)},
                    {"projects", blocker->projects},
                    {"count", blocker->count}});
  }
  return json;
}

// What would have to be there: a library, an operator, or what the rule is about.
std::string gap_of(const Json& finding) {
  const std::string symbol = finding.value("symbol", ""), family = finding.at("family");
  if (!symbol.empty() && family == "library") return symbol.substr(0, symbol.find('.'));
  if (!symbol.empty() && (family == "op" || family == "sparse" || family == "numeric")) return symbol;
  return finding.at("name");
}

Json gaps(const std::vector<Document>& documents, const std::string& target) {
  std::map<std::string, std::pair<std::uint64_t, std::set<std::string>>> freed;
  for (const Document& document : documents) {
    for (const auto& [path, name] : only_gaps(document.json, target)) {
      auto& [files, projects] = freed[name];
      ++files;
      projects.insert(document.name);
    }
  }
  std::vector<std::pair<std::string, std::pair<std::uint64_t, std::set<std::string>>>> list(freed.begin(), freed.end());
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
  Json json = Json::array();
  for (const auto& [name, what] : list) {
    if (json.size() == kGaps) break;
    json.push_back({{"what", name}, {"files", what.first}, {"projects", what.second}});
  }
  return json;
}

Json finding_brief(const Json& finding) {
  return {{"rule", finding.at("rule")},        {"name", finding.at("name")},
          {"path", finding.at("path")},        {"line", finding.at("line")},
          {"impact", finding.at("impact")},    {"message", finding.at("message")},
          {"code", finding.value("code", "")}, {"fingerprint", finding.at("fingerprint")}};
}

// The same finding in two scans of one project from different folders, where fingerprints hold other paths.
using PlaceKey = std::tuple<std::string, std::string, std::string, std::string>;
PlaceKey place_key(const Json& finding) {
  std::string code = finding.value("code", "");
  std::erase_if(code, [](char c) { return c == ' ' || c == '\t'; });
  return {finding.at("path"), finding.at("rule"), finding.value("function", ""), std::move(code)};
}

using Known = std::map<std::string, const Json*>;  // by fingerprint
Known known_of(const Json& scan) {
  Known known;
  for (const Json& finding : scan.at("findings")) {
    if (counts(finding)) known.emplace(finding.at("fingerprint"), &finding);
  }
  return known;
}

bool worse(const Json& finding, const Json& than, const std::vector<std::string>& targets) {
  return std::any_of(targets.begin(), targets.end(), [&](const std::string& target) {
    return impact_named(impact_on(finding, target)) > impact_named(impact_on(than, target));
  });
}

// Those of the scan that are not known; with `targets`, also those that are worse on one of them than they were.
std::vector<const Json*> without(const Json& scan, const Known& known, const std::vector<std::string>& targets = {}) {
  std::vector<const Json*> list;
  for (const Json& finding : scan.at("findings")) {
    if (!counts(finding)) continue;
    const auto same = known.find(finding.at("fingerprint"));
    if (same == known.end() || worse(finding, *same->second, targets)) list.push_back(&finding);
  }
  return list;
}

// Those of `one` that `other` has not; with `targets`, also those that are worse on one of them.
Json only_in(const Json& one, const Json& other, const std::vector<std::string>& targets = {}) {
  std::multimap<PlaceKey, const Json*> alike;
  for (const Json* finding : without(other, known_of(one))) alike.emplace(place_key(*finding), finding);
  Json list = Json::array();
  for (const Json* finding : without(one, known_of(other), targets)) {
    const auto same = alike.find(place_key(*finding));
    const bool known = same != alike.end() && !worse(*finding, *same->second, targets);
    if (same != alike.end()) alike.erase(same);
    if (!known) list.push_back(finding_brief(*finding));
  }
  return list;
}

}  // namespace

std::map<std::string, std::string> only_gaps(const Json& scan, const std::string& target) {
  const Steps steps(scan);
  std::map<std::string, std::set<std::string>> by_file;
  for (const Json& finding : scan.at("findings")) {
    const Step step = steps.of(finding, target);
    if (step == Step::Manual || step == Step::Redesign) by_file[finding.at("path")].insert(gap_of(finding));
  }
  std::map<std::string, std::string> only;
  for (const auto& [path, names] : by_file) {
    if (names.size() == 1) only.emplace(path, *names.begin());
  }
  return only;
}

void tell_apart(std::vector<Document>& documents) {
  std::set<std::string> taken;
  for (Document& document : documents) {
    const std::string name = document.name;
    for (std::size_t n = 2; !taken.insert(document.name).second; ++n) document.name = name + " (" + std::to_string(n) + ")";
  }
}

Json portfolio_of(const std::vector<Document>& documents) {
  std::vector<Json> projects;
  for (const Document& document : documents) projects.push_back(project_json(document));
  std::stable_sort(projects.begin(), projects.end(),
                   [](const Json& a, const Json& b) { return likely(a) < likely(b); });
  Json by_target = Json::object();
  for (const std::string& target : all_targets(documents)) by_target[target] = gaps(documents, target);
  return {{"schema", "torchport.portfolio/1"},
          {"targets", all_targets(documents)},
          {"projects", projects},
          {"common_blockers", common_blockers(documents)},
          {"gaps", std::move(by_target)}};
}

Json comparison_of(const Document& before, const Document& after) {
  Json targets = Json::object();
  std::vector<std::string> common;
  for (const std::string& target : targets_of(after.json)) {
    const std::vector<std::string> old = targets_of(before.json);
    if (std::find(old.begin(), old.end(), target) == old.end()) continue;
    common.push_back(target);
    targets[target] = {{"before", counts_on(before.json, target)}, {"after", counts_on(after.json, target)}};
    targets[target]["before"]["hours"] = hours_of(before.json, target);
    targets[target]["after"]["hours"] = hours_of(after.json, target);
  }
  if (targets.empty())
    throw Error("the two have no target in common", after.name, 0, "scan both for the same --target");
  return {{"schema", "torchport.comparison/1"},
          {"before", before.name},
          {"after", after.name},
          {"targets", std::move(targets)},
          {"fixed", only_in(before.json, after.json)},
          {"new", only_in(after.json, before.json, common)}};
}

}  // namespace torchport
