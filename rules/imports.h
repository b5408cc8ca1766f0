// Imports of names that fixes replace: `from torch.cuda.amp import autocast` and its calls change together or not at all.
#pragma once

#include "rules/context.h"

namespace torchport {

// For every import of a torch.cuda name or of what has a finding itself: where all its uses have fixes, one fix over import and uses, held by all of their findings; where one
// has none, the fixes of the others stand for themselves and the import stays.
void link_imports(Context& context);

}  // namespace torchport
