#include "reports/report_findings.h"

#include <map>

#include "reports/paint.h"

namespace torchport {
namespace {

// Words by which a link picks rows: "r:TP101 f:device p:core e:fix-safe neuron:blocks neuron:ties neuron:fix".
std::string tokens(const Json& finding, const Steps& steps, const std::vector<std::string>& targets) {
  std::string words = "r:" + finding.at("rule").get<std::string>() + " f:" + finding.at("family").get<std::string>();
  if (const std::string symbol = symbol_token(finding.value("symbol", "")); !symbol.empty()) words += " " + symbol;
  if (!counts(finding)) return words + (finding.contains("suppressed") ? " allowed" : " about-file");
  words += " p:" + finding.at("part").get<std::string>() + " any:" + finding.at("impact").get<std::string>();
  if (const Json effort = finding.value("effort", Json(nullptr)); effort.is_string())
    words += " e:" + effort.get<std::string>();
  for (const std::string& target : targets) {
    words += " " + target + ":" + impact_on(finding, target);
    if (ties_on(finding, target)) words += " " + target + ":ties";
    words += " " + target + ":" + std::string(kStepNames[static_cast<std::size_t>(steps.of(finding, target))]);
  }
  return words;
}

std::string first_line_of(const Json& finding) {
  std::string code = shown_text(finding.value("code", Json("")), 240);
  code.erase(0, code.find_first_not_of(" \t"));
  return code;
}

nlohmann::json row(const Json& finding, const Steps& steps, const std::vector<std::string>& targets,
                   const MoreTokens& more) {
  const bool allowed = finding.contains("suppressed"), about_file = finding.at("family") == "file";
  const Json fix = finding.value("fix", Json(nullptr));
  const bool edits = fix.is_object() && !fix.value("edits", Json::array()).empty();
  Json on = Json::object();
  for (const std::string& target : targets) on[target] = impact_on(finding, target);
  return {{"line", finding.at("line")},
          {"rule", shown_text(finding.at("rule"))},
          {"name", shown_text(finding.at("name"))},
          {"message", shown_text(finding.at("message"))},
          {"impacts", about_file ? std::string() : impacts_of(on)},
          {"impact", about_file ? "note"
                     : allowed  ? "allowed"
                                : shown_text(finding.at("impact"))},
          {"code", first_line_of(finding)},
          {"fix", edits ? nlohmann::json(fix.value("applicability", "manual")) : nlohmann::json(false)},
          {"advice", shown_text(finding.value("advice", Json("")))},
          {"allowed", allowed ? nlohmann::json({{"why", shown_text(finding["suppressed"].value("why", Json("")))}})
                              : nlohmann::json(false)},
          {"tokens", shown_text(Json(tokens(finding, steps, targets) + (more ? more(finding) : std::string())), 2000)}};
}

}  // namespace

std::string token(const std::string& kind, const std::string& name) {
  if (name.empty()) return {};
  std::string word = kind + ":" + shown_text(Json(name), 200);
  for (char& c : word) {
    if (c == ' ' || c == '\t' || c == '|') c = '_';
  }
  return word;
}

std::string symbol_token(const std::string& symbol) { return token("s", symbol); }

std::string shown_text(const Json& text, std::size_t most) {
  std::string whole = text.is_string() ? printable(text.get_ref<const std::string&>()) : text.dump();
  if (whole.size() <= most) return whole;
  while (most > 0 && (static_cast<unsigned char>(whole[most]) & 0xC0) == 0x80) --most;
  return whole.substr(0, most) + "…";
}

std::string impacts_of(const Json& targets) {
  std::string text;
  for (const char* impact : {"blocks", "degrades", "cosmetic"}) {
    std::string names;
    for (const auto& [target, value] : targets.items()) {
      if (value == impact) names += (names.empty() ? "" : ", ") + target;
    }
    if (!names.empty()) text += (text.empty() ? "" : "; ") + names + ": " + impact;
  }
  return printable(text);
}

nlohmann::json file_rows(const Json& report, std::size_t most, const MoreTokens& more) {
  const Steps steps(report);
  const std::vector<std::string> targets = targets_of(report);
  std::vector<std::map<std::string, Step>> hardest;
  for (const std::string& target : targets) hardest.push_back(file_steps(report, steps, target));
  const MoreTokens words = [&](const Json& finding) {
    std::string text = more ? more(finding) : std::string();
    for (std::size_t t = 0; counts(finding) && t < targets.size(); ++t)
      text += " " + targets[t] + ":file-" + std::string(kStepNames[static_cast<std::size_t>(hardest[t].at(finding.at("path")))]);
    return text;
  };
  nlohmann::json files = nlohmann::json::array();
  std::size_t shown = 0;
  for (const Json& finding : report.at("findings")) {
    if (shown++ == most) break;
    const std::string path = shown_text(finding.at("path"));
    if (files.empty() || files.back()["path"] != path) {
      files.push_back({{"path", path}, {"id", files.size()}, {"count", 0}, {"rows", nlohmann::json::array()}});
    }
    nlohmann::json made = row(finding, steps, targets, words);
    made["id"] = shown;
    made["path"] = path;
    files.back()["count"] = files.back()["count"].get<std::size_t>() + 1;
    files.back()["rows"].push_back(std::move(made));
  }
  return files;
}

nlohmann::json rule_rows(const Json& report) {
  std::map<std::string, nlohmann::json> rules;
  std::map<std::string, std::size_t> numbers;
  for (const Json& finding : report.at("findings")) {
    const std::string id = finding.at("rule");
    ++numbers[id];
    std::string why;
    for (const auto& [target, value] : finding.at("targets").items()) {
      if (why.empty()) why = value.value("why", "");
    }
    nlohmann::json& rule = rules[id];
    if (!rule.is_null() && !rule["why"].get<std::string>().empty()) continue;
    rule = {{"id", shown_text(Json(id))},
            {"name", shown_text(finding.at("name"))},
            {"why", shown_text(Json(why), 1000)},
            {"advice", shown_text(finding.value("advice", Json("")))}};
  }
  nlohmann::json list = nlohmann::json::array();
  for (auto& [id, rule] : rules) {
    rule["count"] = numbers[id];
    list.push_back(std::move(rule));
  }
  return list;
}

}  // namespace torchport
