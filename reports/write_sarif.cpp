#include "reports/write_sarif.h"

#include <map>
#include <nlohmann/json.hpp>

#include "reports/json_text.h"
#include "reports/level.h"
#include "reports/paint.h"

namespace torchport {
namespace {

using Json = nlohmann::ordered_json;

Json message(const std::string& text) { return {{"text", text}}; }

Json artifact(const FileEntry& file) {
  const std::string_view path = tree_path(file);
  Json json = {{"uri", uri_of(path)}};
  if (!path.starts_with('/')) json["uriBaseId"] = "%SRCROOT%";
  return json;
}

// Where a column is too far along its line to be counted, the region is of whole lines.
Json region(const Location::Range& range) {
  Json json = {{"startLine", range.start.line}};
  if (range.start.column != 0) json["startColumn"] = range.start.column;
  json["endLine"] = range.end.line;
  if (range.start.column != 0 && range.end.column != 0) json["endColumn"] = range.end.column;
  return json;
}

Json help_of(const Rule& rule) {
  std::string text = rule.why;
  if (!rule.advice.empty()) text += (text.empty() ? "" : " ") + std::string("What to do: ") + rule.advice + ".";
  if (text.empty()) text = rule.message;
  return {{"text", text}, {"markdown", text + "\n\n`torchport explain " + rule.id + "` shows examples."}};
}

Json rule_json(const Rule& rule, const std::vector<Target>& targets) {
  Finding any;
  any.rule = &rule;
  any.impact = rule.impact;
  return {{"id", rule.id},
          {"name", rule.name},
          {"shortDescription", message(rule.name + ": " + rule.message)},
          {"fullDescription", message(rule.why.empty() ? rule.message : rule.why)},
          {"help", help_of(rule)},
          {"defaultConfiguration", {{"level", rule.family == "file" ? "note" : level_of(worst_impact(any, targets))}}},
          {"properties", {{"tags", {"pytorch", rule.family}}}}};
}

Json fixes_json(const Report& report, std::size_t index) {
  const Finding& finding = report.findings[index];
  const Location& location = report.locations[index];
  Json replacements = Json::array();
  for (std::size_t i = 0; i < finding.fix->edits.size() && i < location.edits.size(); ++i) {
    const Location::Range& range = location.edits[i];
    if (range.start.column == 0 || range.end.column == 0) return Json::array();
    replacements.push_back(
        {{"deletedRegion", region(range)}, {"insertedContent", message(finding.fix->edits[i].text)}});
  }
  return Json::array({{{"description", message(std::string(name_of(finding.fix->applicability)) + ": " +
                                               printable(finding.fix->message))},
                       {"artifactChanges", Json::array({{{"artifactLocation", artifact(report.files[finding.file])},
                                                         {"replacements", std::move(replacements)}}})}}});
}

Json related_json(const Report& report, std::size_t index) {
  const Finding& finding = report.findings[index];
  Json json = Json::array();
  for (std::size_t i = 0; i < finding.related.size(); ++i) {
    const Location::Range& range = report.locations[index].related[i];
    json.push_back({{"id", i + 1},
                    {"physicalLocation",
                     {{"artifactLocation", artifact(report.files[finding.related[i].file])},
                      {"region", {{"startLine", range.start.line}, {"endLine", range.end.line}}}}},
                    {"message", message(printable(finding.related[i].message))}});
  }
  return json;
}

Json result_json(const Report& report, std::size_t index, std::size_t rule_index, const std::string& fingerprint) {
  const Finding& finding = report.findings[index];
  const bool about_file = finding.rule->family == "file";
  Json json = {{"ruleId", finding.rule->id},
               {"ruleIndex", rule_index},
               {"level", about_file ? "note" : level_of(worst_impact(finding, report.targets))},
               {"message", message(full_message(finding, report.targets))},
               {"locations", Json::array({{{"physicalLocation",
                                            {{"artifactLocation", artifact(report.files[finding.file])},
                                             {"region", region(report.locations[index].characters)}}}}})},
               {"partialFingerprints", {{"torchport/v1", fingerprint}}}};
  if (!finding.related.empty()) json["relatedLocations"] = related_json(report, index);
  if (has_edits(finding)) {
    if (Json fixes = fixes_json(report, index); !fixes.empty()) json["fixes"] = std::move(fixes);
  }
  if (finding.suppressed) {
    json["suppressions"] = Json::array({{{"kind", finding.suppressed_outside ? "external" : "inSource"},
                                         {"status", "accepted"},
                                         {"justification", printable(*finding.suppressed)}}});
  }
  return json;
}

Json properties(const Report& report, const Gate* gate) {
  Json targets = Json::array();
  for (const Target target : report.targets) targets.push_back(name_of(target));
  Json json = {{"targets", std::move(targets)}};
  if (gate == nullptr) return json;
  json["gate"] = {{"verdict", gate->pass ? "pass" : "fail"},
                  {"why", gate->why},
                  {"new", gate->fresh},
                  {"known", gate->known},
                  {"fixed", gate->fixed.size()},
                  {"suppressed", report.suppressed}};
  return json;
}

}  // namespace

void write_sarif(const Report& report, std::string_view version, const Gate* gate, const Sink& sink) {
  std::map<std::string, const Rule*> rules;
  for (const Finding& finding : report.findings) rules.emplace(finding.rule->id, finding.rule);
  std::map<std::string, std::size_t> places;
  Json rules_json = Json::array();
  for (const auto& [id, rule] : rules) {
    places.emplace(id, places.size());
    rules_json.push_back(rule_json(*rule, report.targets));
  }
  const Json driver = {
      {"name", "torchport"}, {"version", version}, {"semanticVersion", version}, {"rules", std::move(rules_json)}};
  sink(
      "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": \"2.1.0\",\n \"runs\": "
      "[{\"tool\": "
      "{\"driver\": " +
      text_of(driver) + "},\n  \"columnKind\": \"unicodeCodePoints\", \"properties\": " +
      text_of(properties(report, gate)) + ",\n  \"results\": [");
  const std::vector<std::string> names = fingerprints(report);
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    Json result = result_json(report, i, places[report.findings[i].rule->id], names[i]);
    if (gate != nullptr && gate->compared && gate->states[i] != TieState::Uncounted) {
      result["baselineState"] = gate->states[i] == TieState::New ? "new" : "unchanged";
    }
    sink((i == 0 ? "\n   " : ",\n   ") + text_of(result));
  }
  sink(report.findings.empty() ? "]}]}\n" : "\n  ]}]}\n");
}

}  // namespace torchport
