#include "reports/write_pages.h"

#include <nlohmann/json.hpp>

#include "reports/level.h"
#include "reports/page.h"
#include "reports/paint.h"

namespace torchport {
namespace {

using PageData = nlohmann::json;

// What GitHub shows in a summary has an end.
constexpr std::size_t kRows = 500;

PageData finding_row(const Report& report, const Gate* gate, std::size_t index) {
  const Finding& finding = report.findings[index];
  const Location& location = report.locations[index];
  const FileEntry& file = report.files[finding.file];
  PageData row = {{"rule", finding.rule->id},
              {"name", finding.rule->name},
              {"family", finding.rule->family},
              {"path", printable(tree_path(file))},
              {"line", location.range.start.line},
              {"impact", name_of(worst_impact(finding, report.targets))},
              {"impacts", impacts_text(finding, report.targets)},
              {"message", printable(finding.message)},
              {"full", full_message(finding, report.targets)},
              {"code", known_tie(report, index).code},
              {"advice", printable(advice(finding))},
              {"fix", has_edits(finding) ? PageData(name_of(finding.fix->applicability)) : PageData(false)},
              {"fails", gate != nullptr && gate->failing[index]},
              {"known", gate != nullptr && gate->states[index] == TieState::Known}};
  if (finding.suppressed) row["suppressed"] = {{"why", printable(*finding.suppressed)}};
  return row;
}

PageData targets_model(const Report& report) {
  PageData targets = PageData::array();
  for (const Target target : report.targets) {
    const Counts& c = report.counts[static_cast<std::size_t>(target)];
    targets.push_back({{"target", name_of(target)},
                       {"blocks", c.blocks},
                       {"degrades", c.degrades},
                       {"cosmetic", c.cosmetic},
                       {"fixed_safe", c.fixed_safe},
                       {"fixed_review", c.fixed_review},
                       {"by_hand", c.blocks + c.degrades - c.fixed_safe - c.fixed_review}});
  }
  return targets;
}

PageData gate_model(const Report& report, const Gate& gate) {
  PageData fixed = PageData::array();
  for (const KnownTie& tie : gate.fixed) fixed.push_back({{"path", tie.path}, {"rule", tie.rule}, {"code", tie.code}});
  return {{"verdict", gate.pass ? "pass" : "fail"},
          {"pass", gate.pass},
          {"why", printable(gate.why)},
          {"counts", gate.counts(report)},
          {"new", gate.fresh},
          {"known", gate.known},
          {"fixed", gate.fixed.size()},
          {"has_fixed", !gate.fixed.empty()},
          {"fixed_ties", std::move(fixed)}};
}

PageData model(const Report& report, const Gate* gate) {
  PageData data = {{"targets", targets_model(report)},
               {"allowed_count", report.suppressed},
               {"scanned", report.scanned},
               {"skipped", report.skipped},
               {"gate", gate != nullptr ? gate_model(report, *gate) : PageData(false)}};
  return data;
}

}  // namespace

void write_markdown(const Report& report, const Gate* gate, const Sink& sink) {
  PageData data = model(report, gate);
  PageData rows = PageData::array(), allowed = PageData::array();
  std::size_t shown = 0, more = 0;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const bool suppressed = report.findings[i].suppressed.has_value();
    const bool known = gate != nullptr && gate->states[i] == TieState::Known;
    if (known) continue;
    if (shown == kRows) {
      ++more;
      continue;
    }
    ++shown;
    (suppressed ? allowed : rows).push_back(finding_row(report, gate, i));
  }
  data["has_findings"] = !rows.empty();
  data["has_allowed"] = !allowed.empty();
  data["findings"] = std::move(rows);
  data["allowed"] = std::move(allowed);
  data["more"] = more == 0 ? PageData(false) : PageData(more);
  render("findings.md", data, Markup::Markdown, sink);
}

void write_junit(const Report& report, const Gate& gate, const Sink& sink) {
  PageData data = model(report, &gate);
  PageData cases = PageData::array();
  std::size_t failed = gate.pass ? 0 : 1;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    cases.push_back(finding_row(report, &gate, i));
    failed += gate.failing[i] ? 1 : 0;
  }
  data["cases"] = std::move(cases);
  data["tests"] = report.findings.size() + 1;
  data["failures"] = failed;
  render("gate.xml", data, Markup::Html, sink);
}

}  // namespace torchport
