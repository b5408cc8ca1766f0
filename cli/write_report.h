// Picks the writer of --format and gives it where to write.
#pragma once

#include "cli/job.h"
#include "cli/output.h"
#include "reports/gate.h"
#include "reports/report.h"

namespace torchport {

// `gate` is null for scan. Paths in the text of a gate become relative to the current folder.
void write_report(const Job& job, Report& report, const Gate* gate, Output& output);
void say_what_was_not_read(const Report& report);

}  // namespace torchport
