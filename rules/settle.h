// Findings that only the whole project can settle: a string given to a function of another module is a device if that function takes one.
#pragma once

#include <string_view>

#include "analyzers/project.h"
#include "rules/finding.h"

namespace torchport {

// Gives the finding the impacts and the fix that it has for sure, where the project says that it is about a device; whether it did.
bool settle(const Project& project, std::string_view path, Finding& finding);

}  // namespace torchport
