// Fixes of C++ findings that need no check of their own. Runs after all checks; touches findings without a fix only.
#pragma once

#include "rules/context.h"

namespace torchport {

void rewrite_native(Context& context);

}  // namespace torchport
