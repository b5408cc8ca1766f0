// The tokens of one C++ or CUDA file, comments set apart, brackets paired, directives known. Nothing is expanded and no branch is left out:
// what stands in a macro's body or in the branch of an #if that nobody takes is a token like any other. Linear in the size of the file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzers/source.h"

namespace torchport::cpp {

enum class TokenKind : std::uint8_t { Identifier, Number, String, Character, Punctuation };

using TokenId = std::uint32_t;
using NameId = std::uint32_t;
constexpr std::uint32_t kNoToken = 0xffffffff;

struct Token {
  Span span;                       // `<<<`, `::` and `->` are one token, other punctuation one byte each
  TokenId partner = kNoToken;      // brackets: the one that closes or opens it
  NameId name = kNoToken;          // identifiers: index into Tokens::names
  std::uint32_t directive = kNoToken;  // index into Tokens::directives of the line that it stands in
  TokenKind kind = TokenKind::Punctuation;
  char first = 0;                  // its first byte
};

struct Directive {
  Span span;                       // from # to the end of the last continued line
  std::string_view word;           // "include", "define", "if", …; empty: none
  TokenId first = 0, last = 0;     // the tokens behind the word, half-open
};

struct Tokens {
  std::string_view text;
  std::vector<Token> all;
  std::vector<Span> comments;
  std::vector<Directive> directives;
  std::vector<std::string_view> names;  // each identifier once

  std::string_view of(TokenId id) const { return text.substr(all[id].span.start, all[id].span.end - all[id].span.start); }
  std::string_view slice(Span span) const { return text.substr(span.start, span.end - span.start); }
  bool is(TokenId id, std::string_view word) const { return id < all.size() && all[id].first == word[0] && of(id) == word; }
  // `<<<`, also with blanks before its last sign.
  bool opens_launch(TokenId id) const { return id < all.size() && all[id].first == '<' && all[id].span.end - all[id].span.start >= 3; }
  bool is_name(TokenId id) const { return id < all.size() && all[id].kind == TokenKind::Identifier; }
  bool in_directive(TokenId id) const { return all[id].directive != kNoToken; }
  // What stands between `first` and `last` (half-open), without the blanks around it.
  Span span_of(TokenId first, TokenId last) const;
  // Where a list that ends before `last` has its commas: the items between brackets, as half-open ranges of tokens.
  std::vector<std::pair<TokenId, TokenId>> items(TokenId first, TokenId last) const;
};

// `text` must outlive the tokens.
Tokens tokenize(std::string_view text);

}  // namespace torchport::cpp
