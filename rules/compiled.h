// The catalogue as bytes: written when torchport is built, after every check has passed, and read at each start without parsing anything.
// Read only what this same build wrote: there is no version and no check.
#pragma once

#include <string>
#include <string_view>

#include "rules/catalogue.h"

namespace torchport {

std::string compile_catalogue(const Catalogue& catalogue);
Catalogue read_compiled(std::string_view bytes);

}  // namespace torchport
