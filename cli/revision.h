// The files of a run as they were in a git revision, through git's plumbing: only what differs is read from git.
// Changes nothing in the repository; a partial clone may fetch what it lacks.
#pragma once

#include <string>
#include <vector>

#include "cli/analysis.h"
#include "reports/known_ties.h"

namespace torchport {

struct Earlier {
  Inputs inputs;
  std::vector<std::size_t> same;  // of the run's files: the file of `inputs` with the same bytes, or kOther
};

// Files that are gone from the disk are taken wherever they lay: they may have been renamed into the run. Throws Error
// where the history is not there.
Earlier earlier_inputs(const Job& job, const Inputs& now, const std::string& revision);

// Says of each tie whether it lies in the run's scope, and whether its file is gone. Paths are from the top of the work
// tree.
void place_ties(std::vector<KnownTie>& ties, const Job& job, const Report& report);

}  // namespace torchport
