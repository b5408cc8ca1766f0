// Functions, kernels, launches and macros of one C++ or CUDA file, found by tokens and brackets. Types are not known, and templates are not
// instantiated; a file that no compiler would take is read as far as its brackets go.
#pragma once

#include <string_view>
#include <vector>

#include "analyzers/cpp/tokens.h"
#include "analyzers/facts.h"

namespace torchport::cpp {

struct FunctionPart {
  TokenId begin = 0;           // first token of its head
  TokenId global = kNoToken;   // `__global__`
  TokenId name = 0;
  TokenId parameters = 0;      // the opening bracket
  TokenId body = kNoToken;     // the opening brace; kNoToken: declared only
  TokenId end = 0;             // one past its last token
  TokenId bounds = kNoToken;   // the opening bracket of __launch_bounds__
  Side side = Side::Host;
  bool is_template = false;
  bool macro_name = false;     // written by a macro that makes kernels: `name` is the macro's first argument
};

struct Structure {
  std::vector<FunctionPart> functions;  // by begin; none within another
  // Statements outside all functions that are one call: REGISTER(a, b); half-open ranges of tokens.
  std::vector<std::pair<TokenId, TokenId>> calls;
};

Structure structure_of(const Tokens& tokens);

struct LaunchPart {
  TokenId at = 0;              // `<<<`
  TokenId callee_first = 0, callee_last = 0;  // what is launched, half-open, with its template arguments
  TokenId name = kNoToken;     // the last name of it
  TokenId close = 0;           // one past `>>>`
};

std::vector<LaunchPart> launches_of(const Tokens& tokens);

}  // namespace torchport::cpp
