// The findings as a page: Markdown for a pull request or a job's summary, JUnit for what shows tests.
#pragma once

#include "reports/gate.h"
#include "reports/report.h"

namespace torchport {

// With a gate: its verdict, and what is new; else all that is not allowed.
void write_markdown(const Report& report, const Gate* gate, const Sink& sink);
// A case for each finding: failed where it fails the gate, skipped where it is allowed; and one for the verdict.
void write_junit(const Report& report, const Gate& gate, const Sink& sink);

}  // namespace torchport
