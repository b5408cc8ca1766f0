// Facts of one C++ or CUDA file, by its tokens: no header is read and no macro expanded, so neither CUDA nor torch need be there.
#pragma once

#include "analyzers/facts.h"
#include "analyzers/source.h"

namespace torchport::cpp {

FileFacts analyze_cpp(const SourceFile& source, const Interest& interest);

// Places that the grammar of CUDA C++ cannot read; for comparing a rewritten file with what it was.
std::vector<Span> syntax_errors(std::string_view text);

}  // namespace torchport::cpp
