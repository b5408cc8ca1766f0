// The report as SARIF 2.1.0, as the viewers of GitHub and GitLab take it: rules with help, fingerprints, related
// places, fixes, and what is allowed as suppressions.
#pragma once

#include "reports/gate.h"
#include "reports/report.h"

namespace torchport {

// With a gate, its verdict stands in the run's properties and each result has a baselineState.
void write_sarif(const Report& report, std::string_view version, const Gate* gate, const Sink& sink);

}  // namespace torchport
