#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzers/error.h"
#include "cli/commands.h"
#include "cli/job.h"
#include "cli/nearest.h"
#include "cli/output.h"
#include "reports/paint.h"

namespace torchport {
namespace {

using Json = nlohmann::ordered_json;

std::string indented(std::string_view text, std::string_view by) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    out += std::string(by) + printable(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string impact_text(const Impacts& impacts, const std::vector<Target>& targets) {
  std::vector<std::pair<Impact, std::string>> groups;
  for (const Target target : targets) {
    const Impact impact = impacts[static_cast<std::size_t>(target)];
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == impact; });
    if (known == groups.end()) {
      groups.emplace_back(impact, name_of(target));
    } else {
      known->second += ", " + std::string(name_of(target));
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [impact, names] : groups)
    text += (text.empty() ? "" : "; ") + std::string(name_of(impact)) + " (" + names + ")";
  return text;
}

std::string fixes_text(const Rule& rule, const Paint& paint) {
  std::string text;
  for (const FixTemplate& fix : rule.fixes) {
    text += paint.bold("fix") + "      " + std::string(name_of(fix.safety));
    if (fix.since != 0) text += ", from torch " + torch_text(fix.since);
    if (!fix.message.empty()) text += ": " + printable(fix.message);
    text += "\n";
    if (!fix.text.empty()) text += indented(fix.text, "           ");
  }
  if (!rule.advice.empty()) text += paint.bold("by hand") + "  " + printable(rule.advice) + "\n";
  return text;
}

std::string examples_text(const Rule& rule, const Paint& paint) {
  std::string text;
  for (const Example& example : rule.examples) {
    if (!example.before.empty()) {
      text += "\n" + paint.bold("before") + "\n" + indented(example.before, "    ");
      if (!example.after.empty()) text += paint.bold("after") + "\n" + indented(example.after, "    ");
    } else if (!example.keep.empty()) {
      text += "\n" + paint.bold("left alone") + "\n" + indented(example.keep, "    ");
    }
  }
  return text;
}

std::string rule_text(const Rule& rule, const std::vector<Target>& targets, const Paint& paint) {
  std::string text =
      paint.bold(rule.id + " " + rule.name) + " (" + rule.family + ")\n" + printable(rule.message) + "\n\n";
  if (!rule.why.empty()) text += paint.bold("why") + "      " + printable(rule.why) + "\n";
  text += paint.bold("impact") + "   " + impact_text(rule.impact, targets) + "\n";
  if (rule.guarded != rule.impact) text += paint.bold("guarded") + "  " + impact_text(rule.guarded, targets) + "\n";
  text += paint.bold("effort") + "   " + std::string(name_of(rule.effort)) + "\n";
  return text + fixes_text(rule, paint) + examples_text(rule, paint);
}

std::string fix_word(const Rule& rule) {
  if (rule.fixes.empty()) return rule.check.empty() ? "by hand" : "by check";
  return std::string(name_of(rule.fixes.front().safety));
}

Json impacts_json(const Impacts& impacts) {
  Json json = Json::object();
  for (const Target target : known_targets())
    json[std::string(name_of(target))] = name_of(impacts[static_cast<std::size_t>(target)]);
  return json;
}

std::string rules_json(const Catalogue& catalogue) {
  Json rows = Json::array();
  for (const Rule& rule : catalogue.rules) {
    Json fixes = Json::array();
    for (const FixTemplate& fix : rule.fixes) {
      fixes.push_back({{"applicability", name_of(fix.safety)},
                       {"message", fix.message},
                       {"since", fix.since == 0 ? Json(nullptr) : Json(torch_text(fix.since))}});
    }
    rows.push_back({{"id", rule.id},
                    {"name", rule.name},
                    {"family", rule.family},
                    {"message", rule.message},
                    {"why", rule.why},
                    {"advice", rule.advice},
                    {"effort", name_of(rule.effort)},
                    {"impact", impacts_json(rule.impact)},
                    {"guarded", impacts_json(rule.guarded)},
                    {"fixes", std::move(fixes)}});
  }
  const Json json = {{"schema", "torchport.rules/1"}, {"rules", std::move(rows)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string rules_table(const Catalogue& catalogue, const std::vector<Target>& targets, const Paint& paint) {
  std::array<std::size_t, 4> widths = {2, 4, 6, 6};
  std::vector<std::array<std::string, 4>> rows = {{"id", "name", "family", "impact"}};
  for (const Rule& rule : catalogue.rules) {
    Impact worst = Impact::None;
    for (const Target target : targets) worst = std::max(worst, rule.impact[static_cast<std::size_t>(target)]);
    rows.push_back({rule.id, rule.name, rule.family, std::string(name_of(worst))});
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i) line += padded(rows[r][i], widths[i] + 2);
    line += padded(r == 0 ? "fix" : fix_word(catalogue.rules[r - 1]), 10);
    text += r == 0 ? paint.bold(line + "message") + "\n" : line + printable(catalogue.rules[r - 1].message) + "\n";
  }
  return text;
}

}  // namespace

int run_explain(const Options& options) {
  const Catalogue catalogue = load_catalogue(options);
  const std::vector<Target> targets = options.targets.empty() ? known_targets() : chosen_targets(options.targets);
  Output output(options.output);
  const Paint paint(output.colour());
  std::string text;
  for (const std::string& word : options.paths) {
    const Rule* rule = catalogue.find(word);
    if (rule == nullptr) {
      std::vector<std::string_view> known;
      for (const Rule& candidate : catalogue.rules) known.insert(known.end(), {candidate.id, candidate.name});
      const std::string meant = did_you_mean(word, known);
      throw Error("no rule \"" + word + "\"", {}, 0, meant.empty() ? "see torchport rules" : meant + "?");
    }
    text += (text.empty() ? "" : "\n") + rule_text(*rule, targets, paint);
  }
  output.write(text);
  output.finish();
  return 0;
}

int run_rules_command(const Options& options) {
  const Catalogue catalogue = load_catalogue(options);
  Output output(options.output);
  output.write(options.format == "json"
                   ? rules_json(catalogue)
                   : rules_table(catalogue, chosen_targets(options.targets), Paint(output.colour())));
  output.finish();
  return 0;
}

}  // namespace torchport
