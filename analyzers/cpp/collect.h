// Turns the tokens and the structure of a C++ file into uses.
#pragma once

#include "analyzers/cpp/conditions.h"
#include "analyzers/cpp/structure.h"
#include "analyzers/cpp/words.h"
#include "analyzers/facts.h"

namespace torchport::cpp {

struct Parts {
  const SourceFile& source;
  const Tokens& tokens;
  const Structure& structure;
  const std::vector<WordMeaning>& meanings;
  const Conditions& conditions;
  const NativeInterest& interest;
};

void collect(const Parts& parts, FileFacts& facts);

}  // namespace torchport::cpp
