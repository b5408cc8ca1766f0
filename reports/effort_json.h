// An estimate as the JSON of scan and report holds it.
#pragma once

#include <nlohmann/json.hpp>

#include "reports/effort.h"
#include "reports/report.h"

namespace torchport {

nlohmann::ordered_json effort_json(const Report& report, const EffortEstimate& effort);
// {"low": 0.5, "likely": 1, "high": 3.25}: to a hundredth of an hour.
nlohmann::ordered_json hours_json(const Hours& hours);

}  // namespace torchport
