#include "analyzers/cpp/words.h"

#include <algorithm>

#include "analyzers/text.h"

namespace torchport::cpp {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// "cuda*": a part of the name ends behind it, so that cuda_ops and cudart are none of CUDA's.
bool begins(std::string_view glob, std::string_view name) {
  const std::string_view prefix = glob.substr(0, glob.size() - 1);
  if (prefix.empty() || !name.starts_with(prefix) || name.size() == prefix.size()) return false;
  return !is_lower(prefix.back()) || is_upper(name[prefix.size()]);
}

void take(WordMeaning& meaning, const NativeWord& word) {
  if (word.feature >= 0) meaning.features |= std::uint64_t{1} << word.feature;
  meaning.mention = meaning.mention || word.mention;
  meaning.namespaces = meaning.namespaces || word.namespaces;
}

std::string_view without_suffix(std::string_view number) {
  const std::size_t last = number.find_last_not_of("uUlL");
  return last == std::string_view::npos ? number : number.substr(0, last + 1);
}

// At the start, after a blank, a bracket, ";", or after \n and \t as they are written; "red." in "shared.u64" and "mma." in "wgmma." begin nothing.
bool begins_instruction(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  const bool in_word = is_word(before) || before == '.' || before == ':';
  return !in_word || (at > 1 && text[at - 2] == '\\' && (before == 'n' || before == 't' || before == 'r'));
}

}  // namespace

std::vector<WordMeaning> meanings_of(const Tokens& tokens, const NativeInterest& interest) {
  std::vector<const NativeWord*> prefixes;
  std::vector<std::string_view> members;
  for (const NativeWord& word : interest.words) {
    if (word.word.ends_with('*')) prefixes.push_back(&word);
    if (word.word.starts_with('.')) members.push_back(word.word);
  }
  std::vector<WordMeaning> out(tokens.names.size());
  for (std::size_t n = 0; n < out.size(); ++n) {
    const std::string_view name = tokens.names[n];
    const auto exact = std::lower_bound(interest.words.begin(), interest.words.end(), name, [](const NativeWord& w, std::string_view v) { return w.word < v; });
    for (auto it = exact; it != interest.words.end() && it->word == name; ++it) take(out[n], *it);
    const std::string member = "." + std::string(name);
    out[n].member = std::find(members.begin(), members.end(), member) != members.end();
    for (const NativeWord* word : prefixes) {
      if (word->word[0] == name[0] && begins(word->word, name)) take(out[n], *word);
    }
  }
  return out;
}

std::uint64_t word_features(std::string_view name, const NativeInterest& interest) {
  WordMeaning meaning;
  for (const NativeWord& word : interest.words) {
    if (word.word.ends_with('*') ? begins(word.word, name) : word.word == name) take(meaning, word);
  }
  return meaning.features;
}

std::uint64_t instruction_features(std::string_view instruction, const NativeInterest& interest) {
  std::uint64_t features = 0;
  for (const auto& [beginning, feature] : interest.ptx) {
    if (instruction.starts_with(beginning)) features |= std::uint64_t{1} << feature;
  }
  return features;
}

std::uint64_t code_features(const Tokens& tokens, TokenId number, const NativeInterest& interest) {
  std::uint64_t features = 0;
  const std::string_view last = without_suffix(tokens.of(number));
  for (const auto& [code, feature] : interest.code) {
    std::string_view left = code;
    TokenId at = number;
    bool same = true, first = true;
    while (same) {
      const std::size_t blank = left.rfind(' ');
      const std::string_view word = left.substr(blank == std::string_view::npos ? 0 : blank + 1);
      same = word == (first ? last : tokens.of(at));
      first = false;
      if (!same || blank == std::string_view::npos) break;
      left = left.substr(0, blank);
      if (at-- == 0) same = false;
    }
    if (same) features |= std::uint64_t{1} << feature;
  }
  return features;
}

std::uint64_t ptx_features(const Tokens& tokens, TokenId asm_word, const NativeInterest& interest) {
  TokenId open = asm_word + 1;
  while (open < tokens.all.size() && tokens.is_name(open)) ++open;
  if (!tokens.is(open, "(") || tokens.all[open].partner == kNoToken) return 0;
  std::uint64_t features = 0;
  for (TokenId i = open + 1; i < tokens.all[open].partner; ++i) {
    if (tokens.all[i].kind != TokenKind::String) continue;
    const std::string_view text = tokens.of(i);
    for (const auto& [beginning, feature] : interest.ptx) {
      for (std::size_t at = text.find(beginning); at != std::string_view::npos; at = text.find(beginning, at + 1)) {
        if (begins_instruction(text, at)) features |= std::uint64_t{1} << feature;
      }
    }
  }
  return features;
}

}  // namespace torchport::cpp
