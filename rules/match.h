// Which rule, if any, a use meets.
#pragma once

#include <optional>
#include <string_view>

#include "rules/catalogue.h"

namespace torchport {

// The best row for the use: exact symbols before globs, more arguments before fewer, then the order of ids.
std::optional<Catalogue::Entry> match_use(const Catalogue& catalogue, const Use& use);

// Whether the use has such an argument (or has none, where that is wanted).
bool argument_matches(const ArgMatch& want, const Use& use);

// '*' stands for any run of characters.
bool wildcard_match(std::string_view glob, std::string_view text);

}  // namespace torchport
