// torchport opdb probe: the table of a backend that is there, as the dispatcher tells it. The backend is loaded by
// another process.
#pragma once

#include <string>

#include "cli/options.h"

namespace torchport {

// Throws Error.
std::string probe_table(const Options& options);

}  // namespace torchport
