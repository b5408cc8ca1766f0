// Asks git through its own commands, without a shell, and without running anything that the repository's configuration
// names. What the answer means is the caller's.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/child.h"

namespace torchport {

// `git -C folder arguments…` with `input` as its standard input; its output goes to `take` piece by piece as it comes. Neither a GIT_DIR of the
// environment (hooks set it) nor who owns the repository has a say; no lock is taken.
ChildResult run_git(const std::string& folder, const std::vector<std::string>& arguments,
                    const std::function<void(std::string_view)>& take, std::string_view input = {});

}  // namespace torchport
