// Events, streams and stream guards of CUDA that a function declares: rewritten where all that it does with them can be, all of them in one fix.
// One that is handed to a function that wants CUDA's stays, and so does what it meets.
#pragma once

#include <vector>

#include "rules/context.h"

namespace torchport {

std::vector<Fix> object_fixes(const Context& context);

}  // namespace torchport
