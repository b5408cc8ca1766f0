// Operators and functions that a file makes known to torch (TORCH_LIBRARY and its kin) or to Python (pybind11).
#pragma once

#include "analyzers/cpp/structure.h"
#include "analyzers/facts.h"

namespace torchport::cpp {

void add_registrations(const Tokens& tokens, const Structure& structure, FileFacts& facts);

}  // namespace torchport::cpp
