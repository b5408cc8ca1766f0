// Python source in, facts out.
#pragma once

#include "analyzers/facts.h"
#include "analyzers/source.h"

namespace torchport::python {

FileFacts analyze_python(const SourceFile& source, const Interest& interest);

}  // namespace torchport::python
