// When a header of CUDA may go from a file.
#pragma once

#include <functional>
#include <optional>

#include "rules/context.h"

namespace torchport {

// Whether nothing in the file needs such a header but, maybe, uses of which `gone` says that they will not be there.
bool headers_may_go(const Context& context, const std::function<bool(UseId)>& gone);

// The line of an #include that may be taken out whole: under a condition it may be the only one there.
std::optional<Span> header_line(const Context& context, const Use& use);

}  // namespace torchport
