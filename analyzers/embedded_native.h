// CUDA source that stands in strings of a Python file (load_inline, RawKernel, SourceModule), found by what it looks like and not by who takes
// it: the same text may be kept in a constant, a default or a dict.
#pragma once

#include <optional>
#include <string>

#include "analyzers/source.h"

namespace torchport {

// The file with all but its CUDA sources made blank, so that every place in them is a place in the file. Nothing where it holds none.
std::optional<std::string> embedded_native(const SourceFile& python);

}  // namespace torchport
