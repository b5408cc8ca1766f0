#include "analyzers/cpp/variables.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <unordered_map>

namespace torchport::cpp {
namespace {

// None of these begins a type, and a bracket behind one is no call.
constexpr std::array<std::string_view, 33> kStatements = {
    "return", "delete", "throw", "new", "goto", "case", "else", "do", "using", "typedef", "namespace", "template", "if", "for", "while", "switch", "operator",
    "sizeof", "break", "continue", "default", "public", "private", "protected", "friend", "try", "catch", "co_return", "co_await", "co_yield", "alignof", "decltype", "not"};
// May stand before the type, and between its words.
constexpr std::array<std::string_view, 9> kQualifiers = {"const", "constexpr", "static", "volatile", "thread_local", "mutable", "typename", "struct", "inline"};
// Types of several words.
constexpr std::array<std::string_view, 7> kBuiltin = {"unsigned", "signed", "long", "short", "int", "char", "double"};

bool word_among(const Tokens& t, TokenId id, const auto& words) { return t.is_name(id) && std::find(words.begin(), words.end(), t.of(id)) != words.end(); }

// One past the list of template arguments that opens here; kNoToken where it is none.
TokenId behind_angle(const Tokens& t, TokenId open) {
  int depth = 0;
  for (TokenId i = open; i < t.all.size() && i < open + 120; ++i) {
    const Token& token = t.all[i];
    if (token.kind != TokenKind::Punctuation) continue;
    if (token.first == '<') ++depth;
    if (token.first == '>' && --depth == 0) return i + 1;
    if (token.first == ';' || token.first == '{' || token.first == '}' || t.opens_launch(i)) return kNoToken;
    if (token.first == '(' && token.partner != kNoToken && token.partner > i) i = token.partner;
  }
  return kNoToken;
}

struct Typed {
  TokenId type = 0, type_end = 0;  // half-open
  TokenId name = kNoToken;
};

// `const at::Tensor& x`: the type and the name behind it.
std::optional<Typed> typed_at(const Tokens& t, TokenId at) {
  Typed out;
  out.type = at;
  while (word_among(t, at, kQualifiers)) ++at;
  if (!t.is_name(at) || word_among(t, at, kStatements)) return std::nullopt;
  if (word_among(t, at, kBuiltin)) {
    while (word_among(t, at, kBuiltin) || word_among(t, at, kQualifiers)) ++at;
  } else {
    for (++at;;) {
      if (t.is(at, "<")) at = behind_angle(t, at);
      if (at == kNoToken) return std::nullopt;
      if (!t.is(at, "::") || !t.is_name(at + 1)) break;
      at += 2;
    }
  }
  while (t.is(at, "*") || t.is(at, "&") || word_among(t, at, kQualifiers)) ++at;
  if (!t.is_name(at) || word_among(t, at, kStatements)) return std::nullopt;
  out.type_end = at;
  out.name = at;
  return out;
}

class VariableReader {
 public:
  VariableReader(const Tokens& tokens, const FunctionPart& part, std::int32_t function, FileFacts& facts) : t_(tokens), part_(part), function_(function), facts_(facts) {}

  void run() {
    parameters(part_.parameters);
    for (TokenId i = part_.body; i + 1 < part_.end; ++i) {
      if (t_.in_directive(i)) continue;
      if (t_.is(i, "(") && i > 0 && t_.is(i - 1, "]")) parameters(i);  // of a lambda
      const bool begins = t_.is(i, ";") || t_.is(i, "{") || t_.is(i, "}") || (t_.is(i, "(") && t_.is(i - 1, "for"));
      if (begins) statement(i + 1);
    }
    sites();
    std::sort(found_.begin(), found_.end(), [](const NativeVariable& a, const NativeVariable& b) { return a.declarator.start < b.declarator.start; });
    std::move(found_.begin(), found_.end(), std::back_inserter(facts_.variables));
  }

 private:
  void add(const Typed& typed, TokenId name, bool parameter, TokenId behind, TokenId first, TokenId last, char form) {
    NativeVariable variable;
    variable.name = t_.of(name);
    variable.function = function_;
    variable.parameter = parameter;
    variable.type = t_.span_of(typed.type, typed.type_end);
    variable.declarator = t_.span_of(name, behind);
    variable.initial = t_.span_of(first, last);
    variable.form = form;
    const auto [known, is_new] = known_.try_emplace(t_.all[name].name, found_.size());
    if (!is_new) variable.twice = found_[known->second].twice = true;
    found_.push_back(variable);
  }

  void parameters(TokenId open) {
    const TokenId close = t_.all[open].partner;
    if (close == kNoToken || close < open) return;
    for (const auto& [first, last] : t_.items(open + 1, close)) {
      const auto typed = typed_at(t_, first);
      if (!typed || typed->name >= last) continue;
      const TokenId behind = typed->name + 1;
      const bool given = behind < last && t_.is(behind, "=");
      if (behind < last && !given) continue;
      add(*typed, typed->name, true, last, given ? behind + 1 : last, last, given ? '=' : '\0');
    }
  }

  // Everything that one statement declares: T a, b = 1, c(2);
  void statement(TokenId at) {
    const auto typed = typed_at(t_, at);
    if (!typed) return;
    TokenId name = typed->name;
    while (t_.is_name(name) && name < part_.end) {
      TokenId behind = name + 1, first = behind, last = behind;
      const char form = behind < t_.all.size() ? t_.all[behind].first : '\0';
      if (t_.is(behind, "(") || t_.is(behind, "{") || t_.is(behind, "[")) {
        last = t_.all[behind].partner;
        if (last == kNoToken || last < behind) return;
        first = behind + 1;
        behind = last + 1;
      } else if (t_.is(behind, "=") || (t_.is(behind, ":") && !t_.is(behind, "::"))) {
        first = behind + 1;
        while (behind < part_.end && !t_.is(behind, ";") && !t_.is(behind, ",") && !t_.is(behind, ")")) {
          const TokenId partner = t_.all[behind].partner;
          behind = partner != kNoToken && partner > behind ? partner + 1 : behind + 1;
        }
        last = behind;
      }
      if (!t_.is(behind, ";") && !t_.is(behind, ",") && !t_.is(behind, ")")) return;
      add(*typed, name, false, behind, first, last, first == last && form != '(' && form != '{' ? '\0' : form);
      if (!t_.is(behind, ",")) return;
      name = behind + 1;
    }
  }

  void sites() {
    for (TokenId i = part_.parameters; i < part_.end; ++i) {
      if (!t_.is_name(i)) continue;
      const auto it = known_.find(t_.all[i].name);
      if (it == known_.end() || t_.is(i - 1, ".") || t_.is(i - 1, "->") || t_.is(i - 1, "::")) continue;
      NativeVariable& variable = found_[it->second];
      if (!variable.twice && variable.declarator.start != t_.all[i].span.start) variable.sites.push_back(site(i));
    }
  }

  NativeSite site(TokenId id) const {
    NativeSite site;
    site.span = t_.all[id].span;
    TokenId last = id + 1;
    if ((t_.is(last, ".") || t_.is(last, "->")) && t_.is_name(last + 1)) {
      site.member = t_.of(last + 1);
      last += 2;
      if (t_.is(last, "(") && t_.all[last].partner != kNoToken) {
        site.called = true;
        for (const auto& [from, to] : t_.items(last + 1, t_.all[last].partner)) site.args.push_back(t_.span_of(from, to));
        last = t_.all[last].partner + 1;
      }
    }
    site.whole = t_.span_of(id, last);
    if (const auto place = argument_place(t_, id, last)) site.callee = t_.of(place->callee);
    return site;
  }

  const Tokens& t_;
  const FunctionPart& part_;
  std::int32_t function_;
  FileFacts& facts_;
  std::unordered_map<NameId, std::size_t> known_;  // the first of each name
  std::vector<NativeVariable> found_;
};

void add_calls(const Tokens& t, const FunctionPart& part, NativeFunction& native) {
  static constexpr std::array<std::string_view, 4> kTorch = {"std", "at", "torch", "c10"};
  for (TokenId i = part.body; i < part.end; ++i) {
    if (!t.is_name(i) || word_among(t, i, kStatements) || word_among(t, i, kQualifiers)) continue;
    TokenId behind = i + 1;
    if (t.is(behind, "<")) behind = behind_angle(t, behind);
    if (behind == kNoToken || !(t.is(behind, "(") || t.is(behind, "{"))) continue;
    const bool member = t.is(i - 1, ".") || t.is(i - 1, "->");
    // T name(…) calls what makes a T.
    TokenId first = t.is_name(i - 1) && !word_among(t, i - 1, kStatements) ? i - 1 : i;
    const std::string_view called = t.of(first);
    while (first >= 2 && t.is(first - 1, "::") && t.is_name(first - 2)) first -= 2;
    if (t.is(first + 1, "::") && word_among(t, first, kTorch)) continue;
    native.calls.push_back(hash_of(member ? "." + std::string(called) : std::string(called)));
  }
  std::sort(native.calls.begin(), native.calls.end());
  native.calls.erase(std::unique(native.calls.begin(), native.calls.end()), native.calls.end());
}

}  // namespace

std::optional<ArgumentPlace> argument_place(const Tokens& t, TokenId first, TokenId last) {
  if (first == 0 || !(t.is(last, ",") || t.is(last, ")") || t.is(last, "}"))) return std::nullopt;
  ArgumentPlace place;
  TokenId open = first - 1;
  for (int steps = 0; t.is(open, ",") && steps < 32; ++steps) {
    ++place.position;
    // To the comma or the bracket before this argument.
    for (int words = 0; open > 0 && words < 64; ++words) {
      --open;
      const TokenId partner = t.all[open].partner;
      if (partner != kNoToken && partner < open) {
        open = partner;
      } else if (t.is(open, ",") || t.is(open, "(") || t.is(open, "{") || t.is(open, ";")) {
        break;
      }
    }
  }
  if (open == 0 || !(t.is(open, "(") || t.is(open, "{")) || !t.is_name(open - 1) || word_among(t, open - 1, kStatements)) return std::nullopt;
  place.callee = open - 1;
  // T name(…): the variable's type is what takes it.
  if (open >= 2 && t.is_name(open - 2) && !word_among(t, open - 2, kStatements)) place.callee = open - 2;
  return place;
}

void add_variables(const Tokens& tokens, const Structure& structure, FileFacts& facts) {
  std::vector<char> wanted(facts.functions.size(), 0);
  for (const Use& use : facts.uses) {
    if (use.kind == UseKind::Mention) wanted[static_cast<std::size_t>(use.scope)] = 1;
  }
  for (std::size_t n = 0; n < facts.natives.size(); ++n) {
    NativeFunction& native = facts.natives[n];
    const FunctionPart& part = structure.functions[n];
    if (native.side != Side::Host || part.body == kNoToken || native.in_macro) continue;
    add_calls(tokens, part, native);
    if (wanted[static_cast<std::size_t>(native.function)] != 0) VariableReader(tokens, part, native.function, facts).run();
  }
}

}  // namespace torchport::cpp
