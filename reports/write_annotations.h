// Findings as CI systems show them beside the code: GitHub's workflow commands and GitLab's code quality report. With a
// gate only what is new is annotated; known ties would drown it.
#pragma once

#include "reports/gate.h"
#include "reports/report.h"

namespace torchport {

// `::error file=…,line=…::…`, and the verdict as a last line.
void write_github(const Report& report, const Gate* gate, const Sink& sink);
// A JSON list. blocks is critical, degrades minor, cosmetic info.
void write_gitlab(const Report& report, const Gate* gate, const Sink& sink);

}  // namespace torchport
