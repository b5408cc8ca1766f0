// The word that was meant: for "did you mean" only, never for guessing on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchport {

// The known word with the fewest edits, if they are few for its length, or else one that begins so; empty otherwise.
// The first of equals.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);
// `did you mean "scan"`, or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace torchport
