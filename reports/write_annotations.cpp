#include "reports/write_annotations.h"

#include <nlohmann/json.hpp>

#include "reports/level.h"
#include "reports/paint.h"

namespace torchport {
namespace {

using Json = nlohmann::ordered_json;

// What would end a message or, in a property, the property is %-encoded.
std::string escaped(std::string_view text, bool property) {
  std::string safe;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      safe += {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[static_cast<unsigned char>(c) & 15]};
    } else {
      safe += c;
    }
  }
  return safe;
}

bool annotated(const Report& report, const Gate* gate, std::size_t index) {
  if (report.findings[index].suppressed) return false;
  return gate == nullptr || gate->states[index] == TieState::New || report.findings[index].rule->family == "file";
}

Impact impact_of(const Report& report, const Finding& finding) {
  return finding.rule->family == "file" ? Impact::None : worst_impact(finding, report.targets);
}

std::string_view github_command(std::string_view level) { return level == "note" ? "notice" : level; }

std::string_view gitlab_severity(std::string_view level) {
  return level == "error" ? "critical" : level == "warning" ? "minor" : "info";
}

}  // namespace

void write_github(const Report& report, const Gate* gate, const Sink& sink) {
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    if (!annotated(report, gate, i)) continue;
    const Finding& finding = report.findings[i];
    const Location::Range& at = report.locations[i].characters;
    std::string line = "::" + std::string(github_command(level_of(impact_of(report, finding)))) +
                       " file=" + escaped(printable(tree_path(report.files[finding.file])), true) +
                       ",line=" + std::to_string(at.start.line) + ",endLine=" + std::to_string(at.end.line);
    // Columns hold within one line only.
    if (at.start.line == at.end.line && at.start.column != 0 && at.end.column != 0) {
      line += ",col=" + std::to_string(at.start.column) + ",endColumn=" + std::to_string(at.end.column);
    }
    line += ",title=" + escaped(finding.rule->id + " " + finding.rule->name, true);
    sink(line + "::" + escaped(full_message(finding, report.targets), false) + "\n");
  }
  if (gate == nullptr) return;
  sink(std::string(gate->pass ? "::notice" : "::error") +
       " title=torchport::" + escaped(printable(gate->verdict_line(report)), false) + "\n");
}

void write_gitlab(const Report& report, const Gate* gate, const Sink& sink) {
  const std::vector<std::string> names = fingerprints(report);
  const char* between = "[\n ";
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    if (!annotated(report, gate, i)) continue;
    const Finding& finding = report.findings[i];
    const Location::Range& at = report.locations[i].range;
    const Json json = {{"description", full_message(finding, report.targets)},
                       {"check_name", finding.rule->id + " " + finding.rule->name},
                       {"fingerprint", names[i]},
                       {"severity", gitlab_severity(level_of(impact_of(report, finding)))},
                       {"location",
                        {{"path", printable(tree_path(report.files[finding.file]))},
                         {"lines", {{"begin", at.start.line}, {"end", at.end.line}}}}}};
    sink(between + json.dump(-1, ' ', false, Json::error_handler_t::replace));
    between = ",\n ";
  }
  sink(*between == '[' ? "[]\n" : "\n]\n");
}

}  // namespace torchport
