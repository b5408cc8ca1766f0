// Adds the comments that allow what a file holds, for a project that starts to gate: what is there is allowed by name, what comes is told.
// Changes no line but by a comment at its end. Reads and writes no files, prints nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/analysis.h"

namespace torchport {

struct AllowsAdded {
  std::string text;
  std::vector<Finding> allowed;  // pointing into rules; their spans are those of the old text
  std::vector<Finding> left;     // no comment could be put where it holds: within a string, behind a backslash
};

AllowsAdded add_allows(const Job& job, const Input& input, const std::string& bytes, Language language);

}  // namespace torchport
