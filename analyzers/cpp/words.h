// What each name of a file means to the rules, looked up once a name.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzers/cpp/tokens.h"
#include "analyzers/facts.h"

namespace torchport::cpp {

struct WordMeaning {
  std::uint64_t features = 0;
  bool mention = false;
  bool member = false;   // a mention where it is a member of something
  bool namespaces = false;
};

// By NameId.
std::vector<WordMeaning> meanings_of(const Tokens& tokens, const NativeInterest& interest);

// The bits of what stands at a token that is no name: a number at the end of a row of tokens, an asm statement; and of names and instructions given as texts.
std::uint64_t code_features(const Tokens& tokens, TokenId number, const NativeInterest& interest);
std::uint64_t word_features(std::string_view name, const NativeInterest& interest);
std::uint64_t instruction_features(std::string_view instruction, const NativeInterest& interest);
std::uint64_t ptx_features(const Tokens& tokens, TokenId asm_word, const NativeInterest& interest);

}  // namespace torchport::cpp
