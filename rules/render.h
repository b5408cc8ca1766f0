// One fix template at one place.
#pragma once

#include "rules/fix.h"

namespace torchport {

// The template with its placeholders filled in, guarded where it asks for that. Nothing where an argument that it needs is not there, or where no
// device can be written.
std::optional<Fix> render(const FixTemplate& fix, const FixSite& site);

}  // namespace torchport
