// What an allow comment says, whatever the language's comments look like; to which lines it speaks is for the analyzers to know.
#pragma once

#include <optional>
#include <string_view>

#include "analyzers/facts.h"

namespace torchport {

struct AllowText {
  bool file = false;  // allow-file
  Allow allow;        // all but its lines
};

// `text`: of the comment, without its marks. Nothing where it is not addressed to torchport.
std::optional<AllowText> allow_text(std::string_view text, Span comment);

}  // namespace torchport
