#include "reports/many_page.h"

#include "reports/page_data.h"
#include "reports/paint.h"
#include "reports/report_findings.h"

namespace torchport {
namespace {

Data numbers(const Json& counts) {
  Data data = hours_data(counts.at("hours"));
  for (const char* key : {"blocks", "degrades", "cosmetic"}) data[key] = counts.at(key);
  return data;
}

// Words by which a link picks the findings of one project, and those that are all that is left to do in their files.
std::string project_token(std::size_t number) { return "in:" + std::to_string(number); }
std::string gap_token(const std::string& target, const std::string& what) { return token(target + ":only", what); }

// Projects by their numbers on the page: the order of portfolio_of().
std::size_t number_of(const Json& projects, const Json& name) {
  std::size_t number = 1;
  for (const Json& project : projects) {
    if (project.at("project") == name) return number;
    ++number;
  }
  return 0;
}

Data project_rows(const Json& made, const std::string& target) {
  Data rows = Data::array();
  std::size_t number = 0;
  for (const Json& project : made.at("projects")) {
    const std::string own = project_token(++number);
    const Json& on = object_in(project.at("targets"), target);
    if (on.empty()) continue;
    const Json& files = on.at("files");
    Data row = numbers(on);
    row["number"] = number;
    row["own"] = own;
    row["project"] = shown_text(project.at("project"));
    row["total"] = files.at("total");
    row["ready"] = percent_text(files.at("as_is").get<std::uint64_t>(), files.at("total").get<std::uint64_t>());
    row["segments"] = step_bar(files, target, true).at("segments");
    for (Data& segment : row["segments"]) {
      if (segment.at("filter").is_string()) segment["filter"] = own + " " + segment["filter"].get<std::string>();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Links to the projects of those names, to what of `filter` is theirs.
Data project_links(const Json& made, const Json& names, const std::string& filter) {
  Data links = Data::array();
  for (const Json& name : names) {
    const std::size_t number = number_of(made.at("projects"), name);
    links.push_back(
        {{"project", shown_text(name)}, {"number", number}, {"filter", project_token(number) + " " + filter}});
  }
  if (!links.empty()) links.back()["last"] = true;
  return links;
}

Data target_gaps(const Json& made, const std::string& target) {
  Data rows = Data::array();
  for (const Json& gap : made.at("gaps").at(target)) {
    const std::string filter = gap_token(target, gap.at("what"));
    rows.push_back({{"what", shown_text(gap.at("what"))},
                    {"files", gap.at("files")},
                    {"filter", filter},
                    {"projects", project_links(made, gap.at("projects"), filter)}});
  }
  return rows;
}

Data blocker_rows(const Json& made) {
  Data blockers = Data::array();
  for (const Json& blocker : made.at("common_blockers")) {
    const std::string filter = "r:" + shown_text(blocker.at("rule")) + " any:blocks";
    blockers.push_back({{"rule", shown_text(blocker.at("rule"))},
                        {"name", shown_text(blocker.at("name"))},
                        {"message", shown_text(blocker.at("message"))},
                        {"n", blocker.at("projects").size()},
                        {"count", blocker.at("count")},
                        {"filter", filter},
                        {"projects", project_links(made, blocker.at("projects"), filter)}});
  }
  return blockers;
}

// The findings of one project, which the numbers lead to, with `more` words by which links pick them.
Data findings_of(const Document& document, std::size_t number, std::size_t most, const MoreTokens& more) {
  const MoreTokens own = [&](const Json& finding) {
    return " " + project_token(number) + (more ? more(finding) : std::string());
  };
  const std::size_t rows = document.json.at("findings").size();
  return {{"project", shown_text(Json(document.name))},
          {"number", number},
          {"findings", rows},
          {"has_findings", rows != 0},
          {"more", rows > most ? Data(rows - most) : Data(false)},
          {"files", file_rows(document.json, most, own)}};
}

// Those of a portfolio: what is alone in its file is picked by the gap's name.
Data project_findings(const Document& document, std::size_t number, std::size_t most) {
  std::vector<std::pair<std::string, std::map<std::string, std::string>>> gaps;
  for (const std::string& target : targets_of(document.json))
    gaps.emplace_back(target, only_gaps(document.json, target));
  const Steps steps(document.json);
  return findings_of(document, number, most, [&](const Json& finding) {
    std::string words;
    for (const auto& [target, by_path] : gaps) {
      const Step step = steps.of(finding, target);
      const auto only = by_path.find(finding.at("path"));
      if (only != by_path.end() && (step == Step::Manual || step == Step::Redesign))
        words += " " + gap_token(target, only->second);
    }
    return words;
  });
}

Data portfolio_page(const Json& made, const std::vector<Document>& documents, std::size_t most) {
  Data targets = Data::array(), gaps = Data::array(), found = Data::array();
  for (const std::string target : made.at("targets")) {
    targets.push_back({{"target", shown_text(Json(target))}, {"projects", project_rows(made, target)}});
    gaps.push_back({{"target", shown_text(Json(target))}, {"rows", target_gaps(made, target)}});
  }
  std::size_t findings = 0, number = 0;
  for (const Json& project : made.at("projects")) {
    ++number;
    for (const Document& document : documents) {
      if (document.name != project.at("project")) continue;
      found.push_back(project_findings(document, number, most));
      findings += document.json.at("findings").size();
    }
  }
  return {{"count", made.at("projects").size()}, {"targets", targets}, {"blockers", blocker_rows(made)},
          {"gaps", gaps},                        {"found", found},     {"findings", findings}};
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

Data comparison_page(const Json& made, const std::vector<Document>& documents, std::size_t most) {
  constexpr const char* kWhen[] = {"before", "after"};
  Data targets = Data::array(), found = Data::array();
  for (const auto& [target, value] : made.at("targets").items()) {
    Data rows = Data::array();
    for (std::size_t number = 1; number <= 2; ++number) {
      Data row = numbers(value.at(kWhen[number - 1]));
      row["target"] = target;
      row["when"] = kWhen[number - 1];
      row["number"] = number;
      row["own"] = project_token(number);
      rows.push_back(std::move(row));
    }
    targets.push_back({{"rows", std::move(rows)}});
  }
  std::size_t findings = 0, number = 0;
  for (const Document& document : documents) {
    found.push_back(findings_of(document, ++number, most, nullptr));
    findings += document.json.at("findings").size();
  }
  return {{"before", shown_text(made.at("before"))}, {"after", shown_text(made.at("after"))},
          {"targets", std::move(targets)},           {"new", moved_rows(made.at("new"))},
          {"fixed", moved_rows(made.at("fixed"))},   {"new_count", made.at("new").size()},
          {"fixed_count", made.at("fixed").size()},  {"found", std::move(found)},
          {"findings", findings}};
}

}  // namespace

nlohmann::json many_page(const Json& made, const std::vector<Document>& documents, std::string_view version,
                         std::size_t most) {
  Data page = made.contains("projects") ? portfolio_page(made, documents, most) : comparison_page(made, documents, most);
  page["version"] = version;
  return page;
}

}  // namespace torchport
