#include "reports/write_json.h"

#include <map>
#include <nlohmann/json.hpp>

#include "reports/effort_json.h"
#include "reports/json_text.h"

namespace torchport {
namespace {

using Json = nlohmann::ordered_json;

Json counts_json(const Counts& counts) {
  return {{"blocks", counts.blocks},
          {"degrades", counts.degrades},
          {"cosmetic", counts.cosmetic},
          {"fixed_safe", counts.fixed_safe},
          {"fixed_review", counts.fixed_review}};
}

Json files_json(const Report& report) {
  Json partial = Json::array(), unreadable = Json::array();
  for (const FileEntry& file : report.files) {
    if (file.unreadable) {
      unreadable.push_back({{"path", file.path}, {"why", file.why}});
    } else if (is_partial(file)) {
      partial.push_back({{"path", file.path}, {"why", file.why}});
    }
  }
  return {{"scanned", report.scanned},
          {"skipped", report.skipped},
          {"left_out", report.left_out},
          {"hipified", report.hipified},
          {"partial", std::move(partial)},
          {"unreadable", std::move(unreadable)}};
}

Json targets_json(const Finding& finding, const std::vector<Target>& targets) {
  Json json = Json::object();
  for (const Target target : targets) {
    json[std::string(name_of(target))] = {{"impact", name_of(finding.impact[static_cast<std::size_t>(target)])},
                                          {"why", why_on(finding, target)},
                                          {"evidence", finding.evidence[static_cast<std::size_t>(target)]}};
  }
  return json;
}

Json fix_json(const Finding& finding) {
  if (!finding.fix) return nullptr;
  Json edits = Json::array();
  for (const Edit& edit : finding.fix->edits) {
    edits.push_back({{"start", edit.span.start}, {"end", edit.span.end}, {"text", edit.text}});
  }
  return {{"applicability", name_of(finding.fix->applicability)},
          {"message", finding.fix->message},
          {"edits", std::move(edits)}};
}

Json related_json(const Report& report, const Finding& finding, const Location& location) {
  Json json = Json::array();
  for (std::size_t i = 0; i < finding.related.size(); ++i) {
    const Location::Range& range = location.related[i];
    json.push_back({{"path", report.files[finding.related[i].file].path},
                    {"line", range.start.line},
                    {"column", range.start.column},
                    {"end_line", range.end.line},
                    {"message", finding.related[i].message}});
  }
  return json;
}

Json places_json(const std::vector<KernelReport::Place>& places) {
  Json json = Json::array();
  for (const KernelReport::Place& place : places) json.push_back({{"path", place.path}, {"line", place.line}, {"symbol", place.symbol}});
  return json;
}

// Fields that Clang's reading adds are there only where it read the file.
Json kernel_json(const KernelReport& kernel) {
  Json json = {{"class", kernel.name},
          {"why", kernel.why},
          {"effort", name_of(kernel.effort)},
          {"features", kernel.features},
          {"lines", kernel.lines},
          {"is_template", kernel.is_template},
          {"launches", places_json(kernel.launches)},
          {"reached_from", places_json(kernel.reached_from)},
          {"source", kernel.clang ? "ast" : "token"}};
  if (!kernel.clang) return json;
  json["parameters"] = kernel.parameters;
  json["template"] = kernel.types;
  json["shared_bytes"] = kernel.shared_bytes;
  json["shared_bytes_open"] = kernel.shared_open;
  json["atomics"] = kernel.atomics;
  json["instructions"] = kernel.instructions;
  json["features_beyond_tokens"] = kernel.beyond_tokens;
  return json;
}

Json launch_json(const LaunchReport& launch) {
  Json json = {{"grid", launch.grid}, {"block", launch.block}, {"shared", launch.shared}, {"stream", launch.stream}, {"source", launch.clang ? "ast" : "token"}};
  json["kernels"] = places_json(launch.kernels);
  if (!launch.clang) return json;
  json["tensors"] = launch.tensors;
  json["dispatch"] = launch.dispatch;
  Json uses = Json::array();
  for (const LaunchReport::Use& use : launch.uses) {
    uses.push_back({{"path", use.place.path}, {"line", use.place.line}, {"symbol", use.place.symbol}, {"grid", use.grid}, {"block", use.block}, {"shared", use.shared}, {"stream", use.stream}});
  }
  json["uses"] = std::move(uses);
  return json;
}

Json finding_json(const Report& report, std::size_t index, const std::string& fingerprint) {
  const Finding& finding = report.findings[index];
  const Location& location = report.locations[index];
  const FileEntry& file = report.files[finding.file];
  Json json = {{"rule", finding.rule->id},
               {"name", finding.rule->name},
               {"family", finding.rule->family},
               {"path", file.path},
               {"line", location.range.start.line},
               {"column", location.range.start.column},
               {"end_line", location.range.end.line},
               {"end_column", location.range.end.column},
               {"message", finding.message},
               {"code", location.line},
               {"symbol", finding.symbol},
               {"via", name_of(finding.via)},
               {"guarded", finding.guarded},
               {"function", finding.function},
               {"part", name_of(file.part)},
               {"cell", nullptr},
               {"cell_line", nullptr},
               {"related", related_json(report, finding, location)},
               {"impact", name_of(worst_impact(finding, report.targets))},
               {"targets", targets_json(finding, report.targets)},
               {"fix", fix_json(finding)},
               {"advice", advice(finding)},
               {"fingerprint", fingerprint}};
  if (report.effort) {
    const std::int32_t cost = report.effort->classes[index];
    json["effort"] = cost < 0 ? Json(nullptr) : Json(report.effort->table.classes[static_cast<std::size_t>(cost)].id);
  }
  if (finding.kernel) json["kernel"] = kernel_json(*finding.kernel);
  if (finding.launch) json["launch"] = launch_json(*finding.launch);
  if (!finding.receiver.empty()) json["receiver"] = finding.receiver;
  if (finding.suppressed)
    json["suppressed"] = {{"why", *finding.suppressed}, {"by", finding.suppressed_outside ? "configuration" : "comment"}};
  return json;
}

Json summary_json(const Report& report) {
  Json targets = Json::object(), families = Json::object(), parts = Json::object();
  for (const Target target : report.targets) {
    targets[std::string(name_of(target))] = counts_json(report.counts[static_cast<std::size_t>(target)]);
  }
  for (const FamilyCounts& family : report.families) families[family.family] = counts_json(family.worst);
  for (std::size_t part = 0; part < kPartCount; ++part) {
    parts[std::string(name_of(static_cast<Part>(part)))] = counts_json(report.worst_by_part[part]);
  }
  return {{"findings", counts_json(report.worst)}, {"targets", std::move(targets)},
          {"families", std::move(families)},       {"parts", std::move(parts)},
          {"suppressed", report.suppressed},       {"about_files", report.notes}};
}

// The message without the one symbol that it names: "imports {symbol}, which is made of kernels", "uses a macro: {symbol}".
std::string said_of_many(std::string_view message) {
  for (const std::string_view end : {": {symbol}", " {symbol}"}) {
    if (message.ends_with(end)) message.remove_suffix(end.size());
  }
  std::string said;
  for (std::size_t open = message.find('{'); open != std::string_view::npos; open = message.find('{')) {
    const std::size_t close = message.find('}', open);
    if (close == std::string_view::npos) break;
    said += std::string(message.substr(0, open)) + "…";
    message.remove_prefix(close + 1);
  }
  return said + std::string(message);
}

// What the rules of the findings say of all that they find.
Json rules_json(const Report& report) {
  std::map<std::string, const Rule*> rules;
  for (const Finding& finding : report.findings) rules.emplace(finding.rule->id, finding.rule);
  Json json = Json::object();
  for (const auto& [id, rule] : rules) {
    json[id] = {{"name", rule->name}, {"message", said_of_many(rule->message)}};
  }
  return json;
}

Json gate_json(const Report& report, const Gate& gate) {
  Json fixed = Json::array();
  for (const KnownTie& tie : gate.fixed) {
    fixed.push_back({{"path", tie.path}, {"rule", tie.rule}, {"function", tie.function}, {"code", tie.code}});
  }
  return {{"verdict", gate.pass ? "pass" : "fail"},
          {"why", gate.why},
          {"new", gate.fresh},
          {"known", gate.known},
          {"fixed", gate.fixed.size()},
          {"suppressed", report.suppressed},
          {"fixed_ties", std::move(fixed)}};
}

void add_state(Json& finding, const Gate& gate, std::size_t index) {
  if (gate.states[index] == TieState::Uncounted) return;
  finding["state"] = gate.states[index] == TieState::New ? "new" : "known";
  finding["fails"] = gate.failing[index] ? true : false;
}

// Composite is an answer about an operator and never about a use; it stands there as 0 for readers that add up.
Json ops_json(const Report& report) {
  Json json = Json::object();
  for (const Target target : report.targets) {
    Json& counts = json[std::string(name_of(target))];
    for (const Support support : {Support::Native, Support::Composite, Support::Fallback, Support::Unsupported, Support::Unknown}) {
      counts[std::string(name_of(support))] = report.ops.by_target[static_cast<std::size_t>(target)][static_cast<std::size_t>(support)];
    }
    counts["possible"] = report.ops.possible;
    counts["host"] = report.ops.host;
  }
  return json;
}

}  // namespace

void write_json(const Report& report, std::string_view version, const Sink& sink, const Gate* gate) {
  Json targets = Json::array();
  for (const Target target : report.targets) targets.push_back(name_of(target));
  sink("{\"schema\": \"torchport.scan/1\",\n \"tool\": " + text_of({{"name", "torchport"}, {"version", version}}) +
       ",\n \"root\": " + text_of(report.root) + ",\n \"targets\": " + text_of(targets) +
       ",\n \"torch\": " + text_of({{"version", report.torch_version}, {"source", report.torch_source}}) +
       ",\n \"files\": " + text_of(files_json(report)) + ",\n \"findings\": [");
  const std::vector<std::string> names = fingerprints(report);
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    sink(i == 0 ? "\n  " : ",\n  ");
    Json finding = finding_json(report, i, names[i]);
    if (gate != nullptr) add_state(finding, *gate, i);
    sink(text_of(finding));
  }
  sink(report.findings.empty() ? "],\n" : "\n ],\n");
  if (gate != nullptr) sink(" \"gate\": " + text_of(gate_json(report, *gate)) + ",\n");
  sink(" \"rules\": " + text_of(rules_json(report)) + ",\n \"summary\": " + text_of(summary_json(report)) + ",\n \"ops\": " + text_of(ops_json(report)) + ",\n \"effort\": " +
       text_of(report.effort ? effort_json(report, *report.effort) : Json::object()) + "}\n");
}

}  // namespace torchport
