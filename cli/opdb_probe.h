// torchport opdb probe: the table of a backend that is there, as the dispatcher tells it. The backend is loaded by
// another process.
#pragma once

#include <string>

#include "cli/options.h"

namespace torchport {

// Whose table is to be made: any device, by the one word of --target. Throws Error.
Target target_of_table(const Options& options);
// Throws Error.
std::string probe_table(const Options& options);

}  // namespace torchport
