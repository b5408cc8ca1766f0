#include "reports/many_page.h"

#include "reports/page_data.h"
#include "reports/paint.h"
#include "reports/report_findings.h"

namespace torchport {
namespace {

std::string names_of(const Json& projects) { return printable(listed(projects.get<std::vector<std::string>>())); }

Data numbers(const Json& counts) {
  Data data = hours_data(counts.at("hours"));
  for (const char* key : {"blocks", "degrades", "cosmetic"}) data[key] = counts.at(key);
  return data;
}

Data project_rows(const Json& made, const std::string& target) {
  Data rows = Data::array();
  for (const Json& project : made.at("projects")) {
    const Json& on = object_in(project.at("targets"), target);
    if (on.empty()) continue;
    const Json& files = on.at("files");
    Data row = numbers(on);
    row["project"] = shown_text(project.at("project"));
    row["total"] = files.at("total");
    row["ready"] = percent_text(files.at("as_is").get<std::uint64_t>(), files.at("total").get<std::uint64_t>());
    row["segments"] = step_bar(files, target, true).at("segments");
    rows.push_back(std::move(row));
  }
  return rows;
}

Data portfolio_page(const Json& made) {
  Data targets = Data::array(), blockers = Data::array(), gaps = Data::array();
  for (const std::string target : made.at("targets")) {
    targets.push_back({{"target", shown_text(Json(target))}, {"projects", project_rows(made, target)}});
    Data rows = Data::array();
    for (const Json& gap : made.at("gaps").at(target)) {
      rows.push_back(
          {{"what", shown_text(gap.at("what"))}, {"files", gap.at("files")}, {"in", names_of(gap.at("projects"))}});
    }
    gaps.push_back({{"target", shown_text(Json(target))}, {"rows", std::move(rows)}});
  }
  for (const Json& blocker : made.at("common_blockers")) {
    blockers.push_back({{"rule", shown_text(blocker.at("rule"))},
                        {"name", shown_text(blocker.at("name"))},
                        {"message", shown_text(blocker.at("message"))},
                        {"n", blocker.at("projects").size()},
                        {"count", blocker.at("count")},
                        {"in", names_of(blocker.at("projects"))}});
  }
  return {{"count", made.at("projects").size()}, {"targets", targets}, {"blockers", blockers}, {"gaps", gaps}};
}

Data moved_rows(const Json& findings) {
  Data rows = Data::array();
  for (const Json& finding : findings) {
    std::string code = shown_text(finding.at("code"), 240);
    code.erase(0, code.find_first_not_of(" \t"));
    Data row = {{"line", finding.at("line")}, {"code", code}};
    for (const char* key : {"path", "rule", "name", "message", "impact"}) row[key] = shown_text(finding.at(key));
    rows.push_back(std::move(row));
  }
  return rows;
}

Data comparison_page(const Json& made) {
  Data targets = Data::array();
  for (const auto& [target, value] : made.at("targets").items()) {
    Data rows = Data::array();
    for (const char* when : {"before", "after"}) {
      Data row = numbers(value.at(when));
      row["target"] = target;
      row["when"] = when;
      rows.push_back(std::move(row));
    }
    targets.push_back({{"rows", std::move(rows)}});
  }
  return {{"before", shown_text(made.at("before"))}, {"after", shown_text(made.at("after"))},
          {"targets", std::move(targets)},           {"new", moved_rows(made.at("new"))},
          {"fixed", moved_rows(made.at("fixed"))},   {"new_count", made.at("new").size()},
          {"fixed_count", made.at("fixed").size()}};
}

}  // namespace

nlohmann::json many_page(const Json& made, std::string_view version) {
  Data page = made.contains("projects") ? portfolio_page(made) : comparison_page(made);
  page["version"] = version;
  return page;
}

}  // namespace torchport
