// The effort table of a run: the one built in, with what torchport.yaml says of it.
#pragma once

#include "cli/job.h"
#include "reports/effort.h"

namespace torchport {

// Throws Error with the file, the line and the nearest known class.
EffortTable effort_table(const Job& job);

}  // namespace torchport
