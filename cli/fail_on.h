// What the command line or the configuration says of failing, checked against the run's targets and rules.
#pragma once

#include "cli/job.h"
#include "reports/gate.h"

namespace torchport {

// --fail-on before the configuration before "blocks". Throws Error.
GateLimits gate_limits(const Job& job);
// What --show-config says of them.
std::vector<Decision> gate_decisions(const Job& job, const GateLimits& limits);

}  // namespace torchport
