#include "cli/effort.h"

#include <algorithm>
#include <cstdlib>

#include "analyzers/error.h"
#include "cli/nearest.h"

namespace torchport {
namespace {

Hours hours_of(const EffortSetting& setting, const std::string& file) {
  std::vector<double> numbers;
  for (const Setting& word : setting.hours) {
    char* end = nullptr;
    const double number = std::strtod(word.text.c_str(), &end);
    if (*end == '\0' && number >= 0 && number < 1e6) numbers.push_back(number);
  }
  if (numbers.size() != 3 || setting.hours.size() != 3 || !std::is_sorted(numbers.begin(), numbers.end())) {
    throw Error("\"" + setting.name.text + "\" needs three numbers below a million that rise: low, likely and high hours", file,
                setting.name.line, "write it as [0.05, 0.2, 0.5]");
  }
  return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace

EffortTable effort_table(const Job& job) {
  EffortTable table = built_in_effort_table();
  for (const EffortSetting& setting : job.config.effort) {
    const auto known = std::find_if(table.classes.begin(), table.classes.end(),
                                    [&](const EffortClass& one) { return one.id == setting.name.text; });
    if (known == table.classes.end()) {
      std::vector<std::string_view> names;
      std::string all;
      for (const EffortClass& one : table.classes) {
        names.push_back(one.id);
        all += (all.empty() ? "known are " : ", ") + one.id;
      }
      const std::string meant = did_you_mean(setting.name.text, names);
      throw Error("no class of effort \"" + setting.name.text + "\"", job.config.file, setting.name.line,
                  meant.empty() ? all : meant);
    }
    known->hours = hours_of(setting, job.config.file);
  }
  return table;
}

}  // namespace torchport
