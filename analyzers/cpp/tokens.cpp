#include "analyzers/cpp/tokens.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "analyzers/text.h"

namespace torchport::cpp {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {
    out_.text = text;
    at_ = mark_size(text);
    out_.all.reserve(text.size() / 5 + 16);
  }

  Tokens run() {
    while (at_ < text_.size()) step();
    end_directive();
    return std::move(out_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void step() {
    const char c = peek();
    if (c == '\n' || c == '\r') {
      end_directive();
      fresh_line_ = true;
      ++at_;
    } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
      at_ += peek(1) == '\r' && peek(2) == '\n' ? 3 : 2;
    } else if (c == ' ' || c == '\t' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
      comment(peek(1) == '/');
    } else if (c == '#' && fresh_line_ && directive_ == kNoToken) {
      begin_directive();
    } else {
      fresh_line_ = false;
      token(c);
    }
  }

  void token(char c) {
    if (starts_name(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"' || c == '\'') return quoted(at_, c);
    std::size_t size = 1;
    const bool arrow = c == '-' && peek(1) == '>';
    if ((c == ':' && peek(1) == ':') || arrow) size = 2;
    // Seven of them mark a conflict left in the file.
    if (c == '<' && peek(1) == '<' && (at_ == 0 || text_[at_ - 1] != '<')) {
      // Formatters for C++ write `k << <grid, block >> > (x)`; `<<` and `<` with blanks between them mean nothing else.
      std::uint32_t blanks = 0;
      const bool overload = text_.substr(0, at_).ends_with("operator");  // operator<< <T>(…)
      while (!overload && blanks < 8 && (peek(2 + blanks) == ' ' || peek(2 + blanks) == '\t')) ++blanks;
      if (peek(2 + blanks) == '<' && peek(3 + blanks) != '<' && peek(3 + blanks) != '=') size = 3 + blanks;
    }
    add(at_, at_ + size, TokenKind::Punctuation);
    at_ += size;
  }

  void add(std::size_t start, std::size_t end, TokenKind kind) {
    Token token;
    token.span = {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end)};
    token.kind = kind;
    token.first = text_[start];
    token.directive = directive_;
    if (kind == TokenKind::Identifier) token.name = name(text_.substr(start, end - start));
    out_.all.push_back(token);
  }

  NameId name(std::string_view word) {
    const auto [it, is_new] = known_.emplace(word, static_cast<NameId>(out_.names.size()));
    if (is_new) out_.names.push_back(word);
    return it->second;
  }

  void word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    const bool prefix = word.size() <= 3 && (word == "R" || word == "L" || word == "u" || word == "U" || word == "u8" || word == "LR" ||
                                             word == "uR" || word == "UR" || word == "u8R");
    if (prefix && peek() == '"') {
      if (word.back() == 'R') return raw_string(start);
      return quoted(start, '"');
    }
    if (prefix && peek() == '\'' && word.back() != 'R') return quoted(start, '\'');
    add(start, at_, TokenKind::Identifier);
  }

  void number() {
    const std::size_t start = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool sign = (c == '+' || c == '-') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') && text_.substr(start, 2) != "0x";
      const bool separator = c == '\'' && continues_name(peek(1));
      if (!continues_name(c) && c != '.' && !sign && !separator) break;
      ++at_;
    }
    add(start, at_, TokenKind::Number);
  }

  // A quote that its line does not close ends there: text of an #error, an apostrophe in assembly.
  void quoted(std::size_t start, char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      const bool escaped = text_[at_] == '\\';
      at_ += escaped && peek(1) == '\r' && peek(2) == '\n' ? 3 : escaped ? 2 : 1;
    }
    at_ = std::min(at_ + (peek() == quote ? 1 : 0), text_.size());
    add(start, at_, quote == '"' ? TokenKind::String : TokenKind::Character);
  }

  void raw_string(std::size_t start) {
    const std::size_t open = text_.find('(', at_);
    std::size_t end = std::string_view::npos;
    if (open != std::string_view::npos && open - at_ <= 17) {
      const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
      end = text_.find(close, open);
      if (end != std::string_view::npos) end += close.size();
    }
    if (end == std::string_view::npos) return quoted(start, '"');
    at_ = end;
    add(start, at_, TokenKind::String);
  }

  void comment(bool line) {
    const std::size_t start = at_;
    if (line) {
      while (at_ < text_.size() && text_[at_] != '\n') at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n' ? 2 : 1;
    } else {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    }
    at_ = std::min(at_, text_.size());
    out_.comments.push_back({static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(at_)});
  }

  void begin_directive() {
    directive_ = static_cast<std::uint32_t>(out_.directives.size());
    Directive directive;
    directive.span.start = static_cast<std::uint32_t>(at_++);
    while (peek() == ' ' || peek() == '\t') ++at_;
    const std::size_t start = at_;
    while (continues_name(peek())) ++at_;
    directive.word = text_.substr(start, at_ - start);
    directive.first = static_cast<TokenId>(out_.all.size());
    out_.directives.push_back(directive);
    fresh_line_ = false;
  }

  void end_directive() {
    if (directive_ == kNoToken) return;
    Directive& directive = out_.directives[directive_];
    directive.span.end = static_cast<std::uint32_t>(at_);
    directive.last = static_cast<TokenId>(out_.all.size());
    directive_ = kNoToken;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool fresh_line_ = true;
  std::uint32_t directive_ = kNoToken;
  Tokens out_;
  std::unordered_map<std::string_view, NameId> known_;
};

// Pairs brackets. Each branch of an #if begins with what was open before it, so that a head written twice for one body counts once.
class Pairing {
 public:
  explicit Pairing(Tokens& tokens) : tokens_(tokens) {}

  void run() {
    std::size_t next = 0;
    for (TokenId i = 0; i < tokens_.all.size(); ++i) {
      while (next < tokens_.directives.size() && tokens_.directives[next].first <= i) directive(tokens_.directives[next++]);
      if (tokens_.in_directive(i)) {
        inside(i);
      } else {
        bracket(open_, i);
      }
    }
  }

 private:
  void directive(const Directive& directive) {
    if (directive.word.starts_with("if")) {
      // Copies of something so deep would cost more than the file; nobody wrote it.
      saved_.push_back(open_.size() <= kDeepest ? open_ : std::vector<TokenId>{});
    } else if (directive.word.starts_with("el") && !saved_.empty()) {
      if (open_.size() <= kDeepest) open_ = saved_.back();
    } else if (directive.word == "endif" && !saved_.empty()) {
      saved_.pop_back();
    }
  }

  // The brackets of a macro's body pair with each other only.
  void inside(TokenId id) {
    if (tokens_.all[id].directive != macro_) {
      macro_ = tokens_.all[id].directive;
      in_macro_.clear();
    }
    bracket(in_macro_, id);
  }

  void bracket(std::vector<TokenId>& open, TokenId id) {
    Token& token = tokens_.all[id];
    if (token.kind != TokenKind::Punctuation) return;
    const char c = token.first;
    if (c == '(' || c == '[' || c == '{') {
      open.push_back(id);
      return;
    }
    const char opener = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '\0';
    if (opener == '\0') return;
    // A brace closes whatever was left open within it; other brackets close their like only.
    std::size_t depth = open.size();
    if (c == '}') {
      const std::size_t least = depth > 64 ? depth - 64 : 0;
      while (depth > least && tokens_.all[open[depth - 1]].first != '{') --depth;
    }
    if (depth == 0 || tokens_.all[open[depth - 1]].first != opener) return;
    token.partner = open[depth - 1];
    tokens_.all[open[depth - 1]].partner = id;
    open.resize(depth - 1);
  }

  static constexpr std::size_t kDeepest = 256;
  Tokens& tokens_;
  std::vector<TokenId> open_, in_macro_;
  std::vector<std::vector<TokenId>> saved_;
  std::uint32_t macro_ = kNoToken;
};

}  // namespace

Span Tokens::span_of(TokenId first, TokenId last) const {
  if (first >= last || first >= all.size()) return {};
  return {all[first].span.start, all[std::min<std::size_t>(last, all.size()) - 1].span.end};
}

std::vector<std::pair<TokenId, TokenId>> Tokens::items(TokenId first, TokenId last) const {
  std::vector<std::pair<TokenId, TokenId>> out;
  TokenId start = first;
  for (TokenId i = first; i < last; ++i) {
    if (all[i].partner != kNoToken && all[i].partner > i && all[i].partner < last) {
      i = all[i].partner;
    } else if (all[i].first == ',' && all[i].kind == TokenKind::Punctuation) {
      out.emplace_back(start, i);
      start = i + 1;
    }
  }
  if (start < last) out.emplace_back(start, last);
  return out;
}

Tokens tokenize(std::string_view text) {
  Tokens tokens = Lexer(text).run();
  Pairing(tokens).run();
  return tokens;
}

}  // namespace torchport::cpp
