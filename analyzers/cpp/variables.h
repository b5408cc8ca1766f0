// The variables of C++ functions: how each is declared, and where the function writes it. By the way they are written; no type is known.
#pragma once

#include <optional>

#include "analyzers/cpp/structure.h"
#include "analyzers/facts.h"

namespace torchport::cpp {

struct ArgumentPlace {
  TokenId callee = 0;  // the last name of what is called; of a variable that is declared with brackets, of its type
  std::int32_t position = 0;
};

// Whose argument the tokens are, where they are all of one.
std::optional<ArgumentPlace> argument_place(const Tokens& tokens, TokenId first, TokenId last);

// Fills in FileFacts::variables and NativeFunction::calls of the host functions that hold a Mention.
void add_variables(const Tokens& tokens, const Structure& structure, FileFacts& facts);

}  // namespace torchport::cpp
