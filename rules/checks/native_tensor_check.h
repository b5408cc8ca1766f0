// TORCH_CHECK(x.is_cuda()) in functions of which it can be seen that no kernel stands behind them: any device but the host's will do. Runs after the
// other fixes; before a launch, or before a call of which nothing is known, the check is right and stays.
#pragma once

#include <optional>

#include "rules/context.h"

namespace torchport {

std::optional<Fix> tensor_check_fix(const Context& context, const Use& use);

}  // namespace torchport
