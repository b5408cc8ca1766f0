// Applies fixes to one file's text. Pure: reads and writes no files.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/finding.h"

namespace torchport {

struct LeftFix {
  const Finding* finding = nullptr;
  std::string why;            // "needs --unsafe", "overlaps another fix", "has no fix", …
};

struct Rewrite {
  std::string text;           // equal to the old text where nothing was applied
  std::vector<const Finding*> applied;
  std::vector<LeftFix> left;
};

// Takes fixes in the order of the findings; a fix of which an edit overlaps one already taken (and is not the same edit) is left for the next
// round. Suppressed findings are never fixed. `unsafe`: Review fixes too.
Rewrite apply_fixes(std::string_view text, const std::vector<Finding>& findings, bool unsafe);

// A unified diff with three lines of context as `git apply` takes it; empty where the texts are equal. Byte-exact for CRLF and for files
// without a final line end.
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace torchport
