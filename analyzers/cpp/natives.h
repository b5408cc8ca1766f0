// Functions as facts: what each one's body holds, whatever it calls.
#pragma once

#include "analyzers/cpp/structure.h"
#include "analyzers/cpp/words.h"
#include "analyzers/facts.h"

namespace torchport::cpp {

// Fills in FileFacts::natives and ::functions, in the order of Structure::functions, and ::linked_names.
void add_natives(const Tokens& tokens, const Structure& structure, const std::vector<WordMeaning>& meanings, const NativeInterest& interest,
                 const SourceFile& source, FileFacts& facts);

}  // namespace torchport::cpp
