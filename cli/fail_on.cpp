#include "cli/fail_on.h"

#include <algorithm>

#include "analyzers/error.h"
#include "cli/nearest.h"

namespace torchport {
namespace {

constexpr const char* kForm = "write it as blocks, tpu:degrades or kernel:cosmetic";

Impact impact_of(const std::string& word, const std::string& file, std::uint32_t line) {
  if (const auto known = impact_named(word); known && *known != Impact::None) return *known;
  const std::string meant = did_you_mean(word, {"blocks", "degrades", "cosmetic"});
  throw Error("unknown impact \"" + word + "\"", file, line, meant.empty() ? kForm : meant);
}

FailOn fail_on(const Job& job, const Setting& setting, const std::string& file) {
  FailOn limit;
  limit.text = setting.text;
  const std::size_t colon = setting.text.find(':');
  limit.impact = impact_of(setting.text.substr(colon == std::string::npos ? 0 : colon + 1), file, setting.line);
  if (colon == std::string::npos) return limit;
  const std::string what = setting.text.substr(0, colon);
  if (const auto target = target_named(what)) {
    if (std::find(job.targets.begin(), job.targets.end(), *target) == job.targets.end()) {
      throw Error(what + " is no target of this run", file, setting.line, "add it to --target or to targets");
    }
    limit.target = target;
    return limit;
  }
  const auto& rules = job.catalogue.rules;
  if (std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.family == what; })) {
    limit.family = what;
    return limit;
  }
  std::vector<std::string_view> known = target_names();
  for (const Rule& rule : rules) known.push_back(rule.family);
  const std::string meant = did_you_mean(what, known);
  throw Error("no target or family \"" + what + "\"", file, setting.line, meant.empty() ? kForm : meant);
}

}  // namespace

GateLimits gate_limits(const Job& job) {
  GateLimits limits;
  std::vector<Setting> words;
  for (const std::string& word : job.options.fail_on) words.push_back({word, 0});
  const bool configured = words.empty();
  if (configured) words = job.config.fail_on;
  if (words.empty()) words = {{"blocks", 0}};
  for (const Setting& setting : words) {
    limits.fail_on.push_back(fail_on(job, setting, configured && setting.line != 0 ? job.config.file : std::string()));
  }
  if (job.config.max_ties) limits.max_ties = static_cast<std::uint32_t>(std::stoul(job.config.max_ties->text));
  limits.allow_unread = job.options.allow_skipped;
  limits.ratchet = job.config.ratchet && job.config.ratchet->text == "true";
  if (limits.ratchet && job.options.baseline.empty() && job.options.since.empty()) {
    throw Error("\"ratchet\" compares with what was before", job.config.file, job.config.ratchet->line,
                "give --baseline or --since");
  }
  return limits;
}

std::vector<Decision> gate_decisions(const Job& job, const GateLimits& limits) {
  const auto from = [&](const Setting& setting) { return job.config.file + ":" + std::to_string(setting.line); };
  std::string words;
  for (const FailOn& limit : limits.fail_on) words += (words.empty() ? "" : ", ") + limit.text;
  const bool given = !job.options.fail_on.empty(), configured = !job.config.fail_on.empty();
  std::vector<Decision> decisions = {{"fail on", words,
                                      given        ? "--fail-on"
                                      : configured ? from(job.config.fail_on.front())
                                                   : "default"}};
  if (job.config.max_ties) decisions.push_back({"max ties", job.config.max_ties->text, from(*job.config.max_ties)});
  if (job.config.ratchet) decisions.push_back({"ratchet", job.config.ratchet->text, from(*job.config.ratchet)});
  return decisions;
}

}  // namespace torchport
