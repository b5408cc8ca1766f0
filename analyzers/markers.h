// Whether a file is worth parsing: does it hold any of the words without which no rule fires? One pass, whatever the number of words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchport {

// Every marker has at least two bytes. A blank at its end stands for the end of a word: "import fla " is in "import fla.ops" and not in
// "import flags".
bool holds_marker(std::string_view text, const std::vector<std::string>& markers);

}  // namespace torchport
