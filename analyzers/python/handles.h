// The names by which the project itself writes a device, and where new lines may go.
#pragma once

#include "analyzers/python/collect.h"

namespace torchport::python {

// Fills FileFacts::handles, in order of writing.
void find_handles(Values& values, FileFacts& facts);
// Fills FileFacts::prelude.
void find_prelude(Values& values, FileFacts& facts);
// Fills FileFacts::allows from the comments of the form `# torchport: allow TP123, name -- why`.
void find_allows(const Tree& tree, const SourceFile& source, FileFacts& facts);

}  // namespace torchport::python
