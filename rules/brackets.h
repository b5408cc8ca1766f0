// Brackets that a replacement brings along and does not need where it comes to stand.
#pragma once

#include <optional>

#include "analyzers/source.h"
#include "rules/finding.h"

namespace torchport {

// x.to((a or b)) -> x.to(a or b), device=(a or b), -> device=a or b,: round a device that is a whole argument, as device_at() gives it.
void drop_needless_brackets(const SourceFile& source, std::optional<Fix>& fix);

}  // namespace torchport
