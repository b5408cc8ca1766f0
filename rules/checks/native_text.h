// What checks of C++ code ask of the text around a use, and the edits that they share.
#pragma once

#include <string_view>

#include "rules/context.h"

namespace torchport {

// Whether the place is in the body of a macro.
bool in_define(const SourceFile& source, Span span);

bool includes(const FileFacts& facts, std::string_view header);

// Puts the line behind the includes at the top, or before everything where there are none.
Edit include_edit(const SourceFile& source, const FileFacts& facts, std::string_view line);

// A file with kernels or launches: there, asking for CUDA is right.
bool has_kernels(const FileFacts& facts);

}  // namespace torchport
