#include "reports/report_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "reports/many_page.h"
#include "reports/page.h"
#include "reports/page_data.h"
#include "reports/paint.h"
#include "reports/report_findings.h"
#include "reports/treemap.h"

namespace torchport {
namespace {

constexpr double kMapWidth = 1000, kMapHeight = 440;
constexpr std::size_t kMapFiles = 400;  // more would be dust
constexpr std::size_t kMarkdownRows = 500;

constexpr std::array<std::string_view, 5> kSupports = {"native", "composite", "fallback", "unsupported", "unknown"};

Data ops_bar(const Json& ops, const std::string& target) {
  std::uint64_t total = 0;
  Data segments = Data::array();
  for (const auto kind : kSupports) total += ops.value(std::string(kind), std::uint64_t{0});
  for (const auto kind : kSupports) {
    const std::uint64_t n = ops.value(std::string(kind), std::uint64_t{0});
    const bool bad = kind == "fallback" || kind == "unsupported";
    if (n != 0) segments.push_back(segment(kind, kind, n, total, bad ? "f:op " + target + (kind == "fallback" ? ":degrades" : ":blocks") : std::string()));
  }
  if (!segments.empty()) segments.back()["last"] = true;
  return {{"what", "operator uses"}, {"total", total}, {"segments", std::move(segments)}};
}

Data class_rows(const Json& effort, const Json& target_effort, const std::string& target) {
  Data rows = Data::array();
  for (const Json& one : effort.value("classes", Json::array())) {
    const std::string id = one.value("id", "");
    std::uint64_t count = 0, repeated = 0;
    Json hours = {{"low", 0.0}, {"likely", 0.0}, {"high", 0.0}};
    for (const auto& [part, value] : object_in(target_effort, "parts").items()) {
      for (const Json& entry : value.value("classes", Json::array())) {
        if (entry.value("class", "") != id) continue;
        count += entry.value("count", std::uint64_t{0});
        repeated += entry.value("repeated", std::uint64_t{0});
        for (const char* key : {"low", "likely", "high"}) hours[key] = hours[key].get<double>() + entry.value(key, 0.0);
      }
    }
    if (count == 0) continue;
    const std::string filter = id == "parity"    ? target + ":ties"
                               : id == "unknown" ? "f:file"
                                                 : "e:" + id + " " + target + ":ties";
    Data row = hours_data(hours);
    row.update({{"what", shown_text(one.value("what", Json("")))},
                {"count", count},
                {"repeated", repeated == 0 ? Data(false) : Data(repeated)},
                {"filter", filter}});
    rows.push_back(std::move(row));
  }
  return rows;
}

Data part_rows(const Json& target_effort) {
  Data rows = Data::array();
  for (const auto& [part, value] : object_in(target_effort, "parts").items()) {
    if (value.value("high", 0.0) <= 0) continue;
    Data row = hours_data(value);
    row["part"] = shown_text(Json(part));
    rows.push_back(std::move(row));
  }
  return rows;
}

Data target_data(const Json& report, const std::string& target) {
  const Json& readiness = report.at("readiness").at(target);
  const Json& files = readiness.at("files");
  const Json effort = report.at("effort").value("targets", Json::object()).value(target, Json::object());
  const std::uint64_t total = files.at("total"), ready = files.at("as_is");
  const std::uint64_t fixed = ready + files.at("fix").get<std::uint64_t>();
  std::uint64_t blocks = 0, degrades = 0, cosmetic = 0;
  for (const Json& finding : report.at("findings")) {
    if (!counts(finding)) continue;
    const std::string impact = impact_on(finding, target);
    blocks += impact == "blocks" ? 1 : 0;
    degrades += impact == "degrades" ? 1 : 0;
    cosmetic += impact == "cosmetic" ? 1 : 0;
  }
  Data bars = Data::array({step_bar(files, target, true), step_bar(readiness.at("ties"), target, false)});
  const Json& ops = readiness.at("ops");
  if (ops.is_object() && !ops.empty()) bars.push_back(ops_bar(ops, target));
  Data data = {{"target", shown_text(Json(target))},
               {"blocks", blocks},
               {"degrades", degrades},
               {"cosmetic", cosmetic},
               {"ready", percent_text(ready, total)},
               {"ready_fixed", percent_text(fixed, total)},
               {"ready_reviewed", percent_text(fixed + files.at("review").get<std::uint64_t>(), total)},
               {"bars", std::move(bars)},
               {"ops_judged", ops.is_object() && !ops.empty()},
               {"hours", hours_data(effort)},
               {"by_hand", hours_data(effort.value("by_hand", Json::object()))},
               {"taken", share_text(effort.value("fixes_take_away", 0.0))},
               {"parts", part_rows(effort)},
               {"classes", class_rows(report.at("effort"), effort, target)}};
  return data;
}

Data group_row(const Json& group, bool by_symbol) {
  const Json& first = group.at("first");
  const Json fix = group.value("fix", Json(nullptr));
  const std::string symbol = by_symbol ? symbol_token(group.at("symbol")) : std::string();
  const std::string filter =
      "r:" + shown_text(group.at("rule")) + (symbol.empty() ? "" : " " + symbol) + " any:blocks|any:degrades";
  std::string code = shown_text(first.value("code", Json("")), 160);
  code.erase(0, code.find_first_not_of(" \t"));
  return {{"rule", shown_text(group.at("rule"))},
          {"name", shown_text(group.at("name"))},
          {"symbol", group.at("symbol") == "" ? Data(false) : Data(shown_text(group.at("symbol")))},
          {"message", shown_text(group.at("message"))},
          {"advice", shown_text(group.at("advice"))},
          {"fix", fix.is_string() ? Data(fix.get<std::string>()) : Data(false)},
          {"count", group.at("count")},
          {"blocks", group.at("blocks")},
          {"some_milder", group.at("blocks") != 0 && group.at("blocks") != group.at("count")},
          {"files", group.at("files")},
          {"several_files", group.at("files") > 1},
          {"impacts", impacts_of(group.at("targets"))},
          {"place", shown_text(first.at("path")) + ":" + first.at("line").dump()},
          {"code", code},
          {"filter", filter}};
}

Data group_rows(const Json& groups, bool by_symbol) {
  Data rows = Data::array();
  for (const Json& group : groups) rows.push_back(group_row(group, by_symbol));
  return rows;
}

using Told = std::vector<std::pair<std::string, std::string>>;  // a target, and the names of those like it

Data plan_rows(const Json& plan, const Told& told) {
  Data rows = Data::array();
  for (const Json& phase : plan) {
    Data targets = Data::array();
    std::string classes;
    for (const Json& one : phase.at("classes")) classes += (classes.empty() ? "e:" : "|e:") + one.get<std::string>();
    for (const auto& [target, names] : told) {
      const Json& value = object_in(phase.at("targets"), target);
      if (value.empty()) continue;
      Data row = hours_data(value);
      row.update({{"names", names},
                  {"count", value.at("count")},
                  {"filter", (phase.at("id") == "parity" ? std::string() : classes + " ") + target + ":ties"}});
      targets.push_back(std::move(row));
    }
    rows.push_back({{"n", rows.size() + 1},
                    {"title", shown_text(phase.at("title"))},
                    {"unblocks", shown_text(phase.at("unblocks"))},
                    {"targets", std::move(targets)}});
  }
  return rows;
}

Data box_data(const TreemapBox& box, const Json* spot) {
  const std::string path = printable(box.path);
  const std::string name = printable(box.name);
  const auto room = static_cast<std::size_t>(std::max(0.0, (box.width - 8) / 7));
  std::string label = width_of(name) <= room ? name : room < 4 ? std::string() : shown_text(Json(name), room - 1);
  if (box.height < 15) label.clear();
  Data data = {{"x", number_text(box.x)},
               {"y", number_text(box.y)},
               {"w", number_text(box.width)},
               {"h", number_text(box.height)},
               {"tx", number_text(box.x + 4)},
               {"ty", number_text(box.y + 12)},
               {"label", label.empty() ? Data(false) : Data(label)},
               {"folder", box.file < 0},
               {"filter", "path:" + path},
               {"path", path}};
  if (spot != nullptr) {
    data["step"] = spot->at("step");
    data["blocks"] = spot->at("blocks");
    data["degrades"] = spot->at("degrades");
  }
  return data;
}

Data map_data(const Json& spots) {
  std::vector<TreemapFile> files;
  for (const Json& spot : spots) {
    if (files.size() == kMapFiles) break;
    files.push_back(
        {spot.at("path"), spot.at("blocks").get<std::uint64_t>() + spot.at("degrades").get<std::uint64_t>()});
  }
  Data boxes = Data::array();
  for (const TreemapBox& box : treemap(files, kMapWidth, kMapHeight)) {
    boxes.push_back(box_data(box, box.file < 0 ? nullptr : &spots[static_cast<std::size_t>(box.file)]));
  }
  return {{"width", number_text(kMapWidth, "%.0f")},
          {"height", number_text(kMapHeight, "%.0f")},
          {"boxes", std::move(boxes)},
          {"more", spots.size() > kMapFiles ? Data(spots.size() - kMapFiles) : Data(false)}};
}

Data spot_rows(const Json& spots) {
  Data rows = Data::array();
  for (const Json& spot : spots) {
    if (rows.size() == 10) break;
    const std::string path = shown_text(spot.at("path"));
    rows.push_back({{"path", path},
                    {"blocks", spot.at("blocks")},
                    {"degrades", spot.at("degrades")},
                    {"step", kStepWords[static_cast<std::size_t>(std::find(std::begin(kStepNames), std::end(kStepNames),
                                                                           spot.at("step").get<std::string>()) -
                                                                 std::begin(kStepNames)) %
                                        kStepCount]
                                 .files},
                    {"filter", "path:" + path + " any:blocks|any:degrades"}});
  }
  return rows;
}

Data unknown_data(const Json& unknowns) {
  Data files = Data::array(), ops = Data::array(), not_counted = Data::array();
  for (const char* key : {"partial", "unreadable"}) {
    for (const Json& file : unknowns.at(key)) {
      files.push_back(
          {{"path", shown_text(file.value("path", Json("")))}, {"why", shown_text(file.value("why", Json("")))}});
    }
  }
  for (const auto& [target, n] : unknowns.at("operators").items()) ops.push_back({{"target", target}, {"n", n}});
  for (const Json& line : unknowns.at("not_counted")) not_counted.push_back(shown_text(line));
  return {{"files", files},
          {"has_files", !files.empty()},
          {"left_out", unknowns.at("left_out") == 0 ? Data(false) : Data(unknowns.at("left_out"))},
          {"hipified", unknowns.at("hipified") == 0 ? Data(false) : Data(unknowns.at("hipified"))},
          {"ops", ops},
          {"not_counted", not_counted}};
}

// Targets on which everything is alike are told of together, under the first.
Told told_targets(const Json& report) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  const auto alike = [&](const std::string& a, const std::string& b) {
    const Json& ops = object_in(report, "ops");
    return ops.value(a, Json(nullptr)) == ops.value(b, Json(nullptr)) &&
           std::all_of(report.at("findings").begin(), report.at("findings").end(),
                       [&](const Json& finding) { return impact_on(finding, a) == impact_on(finding, b); });
  };
  for (const std::string& target : targets_of(report)) {
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return alike(group.first, target); });
    if (same == groups.end()) {
      groups.push_back({target, {target}});
    } else {
      same->second.push_back(target);
    }
  }
  Told told;
  for (const auto& [first, names] : groups) told.emplace_back(first, printable(listed(names)));
  return told;
}

Data project_page(const Json& report, std::string_view version, std::size_t most) {
  Data targets = Data::array();
  const auto told = told_targets(report);
  for (const auto& [target, names] : told) {
    targets.push_back(target_data(report, target));
    targets.back()["names"] = names;
  }
  const Json& files = report.at("files");
  std::uint64_t allowed = 0;
  for (const Json& finding : report.at("findings")) allowed += finding.contains("suppressed") ? 1 : 0;
  const std::size_t rows = report.at("findings").size();
  Data page = {{"project", shown_text(report.at("project"))},
               {"version", version},
               {"torch", shown_text(report.value("torch", Json::object()).value("version", Json("")))},
               {"scanned", files.at("scanned")},
               {"skipped", files.at("skipped")},
               {"suppressed", allowed},
               {"targets", std::move(targets)},
               {"breaks", group_rows(report.at("breaks_first"), false)},
               {"plan", plan_rows(report.at("plan"), told)},
               {"map", map_data(report.at("hot_spots"))},
               {"spots", spot_rows(report.at("hot_spots"))},
               {"libraries", group_rows(report.at("libraries"), true)},
               {"kernels", group_rows(report.at("kernels"), true)},
               {"operators", group_rows(report.at("operators"), true)},
               {"unknowns", unknown_data(report.at("unknowns"))},
               {"files", file_rows(report, most)},
               {"findings", rows},
               {"more", rows > most ? Data(rows - most) : Data(false)},
               {"rules", rule_rows(report)}};
  for (const char* list : {"breaks", "plan", "spots", "libraries", "kernels", "operators", "files"}) {
    page[std::string("has_") + list] = !page[list].empty();
  }
  return page;
}

// "report" of "torchport.report/1".
std::string page_kind(const Json& report) {
  const std::string schema = report.at("schema");
  const std::size_t dot = schema.find('.');
  return schema.substr(dot + 1, schema.find('/') - dot - 1);
}

}  // namespace

void write_report_html(const Json& report, std::string_view version, const Sink& sink,
                       const std::vector<Document>& documents) {
  const std::string kind = page_kind(report);
  const auto all = static_cast<std::size_t>(-1);
  render(kind + ".html",
         kind == "report" ? project_page(report, version, all) : many_page(report, documents, version, all),
         Markup::Html, sink);
}

void write_report_markdown(const Json& report, std::string_view version, const Sink& sink,
                           const std::vector<Document>& documents) {
  const std::string kind = page_kind(report);
  render(kind + ".md",
         kind == "report" ? project_page(report, version, kMarkdownRows)
                          : many_page(report, documents, version, kMarkdownRows),
         Markup::Markdown, sink);
}

}  // namespace torchport
