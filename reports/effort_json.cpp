#include "reports/effort_json.h"

#include <cmath>

namespace torchport {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double hours) { return std::round(hours * 100) / 100; }

Json part_json(const EffortTable& table, const PartEffort& part) {
  Json json = hours_json(part.hours);
  json["by_hand"] = hours_json(part.by_hand);
  Json classes = Json::array();
  for (const ClassEffort& one : part.classes) {
    Json entry = {{"class", table.classes[one.index].id}, {"count", one.count}, {"repeated", one.repeated}};
    entry.update(hours_json(one.hours));
    classes.push_back(std::move(entry));
  }
  json["classes"] = std::move(classes);
  return json;
}

Json target_json(const EffortEstimate& effort, Target target) {
  Hours hours, by_hand;
  Json parts = Json::object();
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const PartEffort& part = effort.targets[static_cast<std::size_t>(target)][i];
    parts[std::string(name_of(static_cast<Part>(i)))] = part_json(effort.table, part);
    hours += part.hours;
    by_hand += part.by_hand;
  }
  Json json = hours_json(hours);
  json["by_hand"] = hours_json(by_hand);
  json["fixes_take_away"] = std::round(taken_away(hours, by_hand) * 1e4) / 1e4;
  json["parts"] = std::move(parts);
  return json;
}

}  // namespace

Json hours_json(const Hours& hours) {
  return {{"low", rounded(hours.low)}, {"likely", rounded(hours.likely)}, {"high", rounded(hours.high)}};
}

Json effort_json(const Report& report, const EffortEstimate& effort) {
  Json classes = Json::array(), sizes = Json::array(), phases = Json::array(), targets = Json::object();
  for (const EffortClass& one : effort.table.classes) {
    classes.push_back({{"id", one.id},
                       {"what", one.what},
                       {"phase", one.phase},
                       {"hours", {one.hours.low, one.hours.likely, one.hours.high}}});
  }
  for (std::size_t i = 0; i < effort.table.sizes.size(); ++i) {
    const EffortSize& size = effort.table.sizes[i];
    const bool last = i + 1 == effort.table.sizes.size();
    sizes.push_back({{"up_to", last ? Json(nullptr) : Json(size.up_to)}, {"times", size.times}});
  }
  for (const EffortPhase& phase : effort.table.phases) {
    phases.push_back({{"id", phase.id}, {"title", phase.title}, {"unblocks", phase.unblocks}});
  }
  for (const Target target : report.targets) targets[std::string(name_of(target))] = target_json(effort, target);
  return {{"unit", "hours"},
          {"targets", std::move(targets)},
          {"classes", std::move(classes)},
          {"sizes", std::move(sizes)},
          {"phases", std::move(phases)},
          {"not_counted", effort.table.not_counted}};
}

}  // namespace torchport
