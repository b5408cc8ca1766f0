#include "analyzers/cpp/structure.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace torchport::cpp {
namespace {

template <std::size_t size>
bool among(std::string_view word, const std::array<std::string_view, size>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A bracket behind one of these is no parameter list.
constexpr std::array<std::string_view, 17> kNoFunction = {
    "__launch_bounds__", "__attribute__", "alignas", "decltype", "noexcept", "requires", "__align__", "__declspec", "__maxnreg__",
    "if", "for", "while", "switch", "return", "sizeof", "catch", "__cluster_dims__"};
// What may stand between a parameter list and the body.
constexpr std::array<std::string_view, 11> kBehindParameters = {"const", "noexcept", "override", "final", "volatile", "mutable",
                                                                "requires", "try", "throw", "__attribute__", "constexpr"};

// The `<` that the `>` at `close` closes, looking back over a few tokens; kNoToken where it is no list of template arguments.
TokenId angle_open(const Tokens& t, TokenId close) {
  int depth = 0;
  for (TokenId i = close, steps = 0; steps < 400; --i, ++steps) {
    const Token& token = t.all[i];
    if (token.kind == TokenKind::Punctuation) {
      if (token.partner != kNoToken && token.partner < i) {
        i = token.partner;
      } else if (token.first == '>') {
        ++depth;
      } else if (token.first == '<' && --depth == 0) {
        return t.opens_launch(i) ? kNoToken : i;
      } else if (token.first == ';' || token.first == '{' || token.first == '}') {
        return kNoToken;
      }
    }
    if (i == 0) break;
  }
  return kNoToken;
}

class Finder {
 public:
  explicit Finder(const Tokens& tokens) : t_(tokens) { find_kernel_macros(); }

  Structure run() {
    outside();
    in_macros();
    std::stable_sort(out_.functions.begin(), out_.functions.end(), [](const FunctionPart& a, const FunctionPart& b) { return a.begin < b.begin; });
    return std::move(out_);
  }

 private:
  bool punctuation(TokenId id, char c) const { return t_.all[id].kind == TokenKind::Punctuation && t_.all[id].first == c; }
  TokenId size() const { return static_cast<TokenId>(t_.all.size()); }

  // `#define GLOBAL __global__` names the word anew; a macro with `__global__` and a bracket in its body makes kernels.
  void find_kernel_macros() {
    for (const Directive& d : t_.directives) {
      if (d.word != "define" || d.first >= d.last || !t_.is_name(d.first)) continue;
      bool global = false, bracket = false;
      for (TokenId i = d.first + 1; i < d.last; ++i) {
        global = global || t_.is(i, "__global__");
        bracket = bracket || (global && punctuation(i, '(') && !t_.is(i - 1, "__launch_bounds__"));
      }
      if (global) (bracket ? kernel_macros_ : global_words_).insert(t_.of(d.first));
    }
  }

  bool is_global(TokenId id) const { return t_.is_name(id) && (t_.of(id) == "__global__" || global_words_.contains(t_.of(id))); }

  // One statement after another at the level of namespaces and classes; bodies of functions are passed over.
  void outside() {
    statement_.clear();
    for (TokenId i = 0; i < size(); ++i) {
      if (t_.in_directive(i)) continue;
      if (statement_.size() > kLongest) statement_.clear();
      if (punctuation(i, ';')) {
        end_of_statement();
      } else if (punctuation(i, '}')) {
        statement_.clear();
      } else if (punctuation(i, '{')) {
        i = open_brace(i);
      } else {
        statement_.push_back(i);
        const TokenId partner = t_.all[i].partner;
        if ((punctuation(i, '(') || punctuation(i, '[')) && partner != kNoToken) {
          // Brackets within a head are looked at again only as a whole.
          i = partner;
          statement_.push_back(i);
        }
      }
    }
  }

  TokenId open_brace(TokenId brace) {
    const TokenId partner = t_.all[brace].partner;
    const TokenId behind = partner == kNoToken ? brace : partner;
    // An initialiser belongs to its statement.
    if (!statement_.empty() && (punctuation(statement_.back(), '=') || punctuation(statement_.back(), ','))) return behind;
    FunctionPart function;
    if (head(function)) {
      function.body = brace;
      function.end = partner == kNoToken ? brace + 1 : partner + 1;
      finish(function);
      statement_.clear();
      return behind;
    }
    if (enters()) {
      statement_.clear();
      return brace;
    }
    return behind;
  }

  bool enters() const {
    static constexpr std::array<std::string_view, 5> kScopes = {"namespace", "class", "struct", "union", "extern"};
    if (statement_.empty()) return true;
    return std::any_of(statement_.begin(), statement_.end(), [&](TokenId i) { return t_.is_name(i) && among(t_.of(i), kScopes); });
  }

  // Whether the statement so far is the head of a function: a name, a list in brackets, and behind it only what may stand before a body.
  bool head(FunctionPart& function) const {
    for (std::size_t i = 1; i < statement_.size(); ++i) {
      const TokenId open = statement_[i];
      if (!punctuation(open, '(') || i + 1 >= statement_.size()) continue;
      TokenId before = statement_[i - 1];
      // A specialisation: f<float>(…)
      if (t_.is(before, ">")) {
        const TokenId angle = angle_open(t_, before);
        if (angle != kNoToken && angle > statement_.front()) before = angle - 1;
      }
      const bool named = t_.is_name(before) && !among(t_.of(before), kNoFunction);
      if ((!named && !behind_operator(i)) || !may_end(i + 2)) continue;
      function.name = before;
      function.parameters = open;
      function.begin = statement_.front();
      return true;
    }
    return false;
  }

  // operator+ (…), operator() (…)
  bool behind_operator(std::size_t bracket) const {
    for (std::size_t back = 1; back <= 3 && back <= bracket; ++back) {
      if (t_.is(statement_[bracket - back], "operator")) return back > 1;
    }
    return false;
  }

  bool may_end(std::size_t next) const {
    if (next >= statement_.size()) return true;
    const TokenId id = statement_[next];
    if (t_.is_name(id)) {
      const std::string_view word = t_.of(id);
      return among(word, kBehindParameters) || (next + 1 == statement_.size() && word.size() > 3 && std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; }));
    }
    return t_.is(id, "->") || punctuation(id, '&') || (punctuation(id, ':') && !t_.is(id, "::"));
  }

  void end_of_statement() {
    FunctionPart function;
    const bool global = std::any_of(statement_.begin(), statement_.end(), [&](TokenId i) { return is_global(i); });
    // `template __global__ void k<float>(…);` makes nothing new.
    const bool instantiates = global && t_.is(statement_.front(), "template") && statement_.size() > 1 && !punctuation(statement_[1], '<');
    if (global && !instantiates && head(function)) {
      function.end = statement_.back() + 1;
      finish(function);
    } else if (!global && statement_.size() > 2 && t_.is_name(statement_[0]) && punctuation(statement_[1], '(') && punctuation(statement_.back(), ')')) {
      out_.calls.emplace_back(statement_.front(), statement_.back() + 1);
    }
    statement_.clear();
  }

  void finish(FunctionPart& function) {
    for (TokenId i = function.begin; i < function.parameters; ++i) {
      if (!t_.is_name(i) || t_.all[i].directive != t_.all[function.begin].directive) continue;
      const std::string_view word = t_.of(i);
      if (is_global(i) && function.global == kNoToken) {
        function.global = i;
        function.side = Side::Kernel;
      } else if (function.side != Side::Kernel && (word == "__device__" || word.find("DEVICE") != std::string_view::npos)) {
        function.side = Side::Device;
      } else if (word == "__launch_bounds__" || word.starts_with("C10_LAUNCH_BOUNDS")) {
        function.bounds = i + 1;
      } else if (word == "template") {
        function.is_template = true;
      }
    }
    if (function.global == kNoToken && kernel_macros_.contains(t_.of(function.name))) {
      function.global = function.name;
      function.side = Side::Kernel;
      if (t_.is_name(function.parameters + 1)) {
        function.name = function.parameters + 1;
        function.macro_name = true;
      }
    }
    out_.functions.push_back(function);
  }

  // Kernels that a macro's body writes; its functions of other kinds are not told apart.
  void in_macros() {
    for (const Directive& d : t_.directives) {
      if (d.word != "define") continue;
      for (TokenId i = d.first; i < d.last; ++i) {
        if (t_.is(i, "__global__")) i = in_macro(d, i);
      }
    }
  }

  TokenId in_macro(const Directive& d, TokenId global) {
    statement_.clear();
    for (TokenId i = global; i < d.last; ++i) {
      if (punctuation(i, ';') || punctuation(i, '{')) break;
      statement_.push_back(i);
      const TokenId partner = t_.all[i].partner;
      if (punctuation(i, '(') && partner != kNoToken) {
        i = partner;
        statement_.push_back(i);
      }
    }
    FunctionPart function;
    TokenId last = statement_.back() + 1;
    if (head(function)) {
      const bool body = last < d.last && punctuation(last, '{');
      if (body) function.body = last;
      const bool whole = body && t_.all[last].partner != kNoToken;
      function.end = whole ? t_.all[last].partner + 1 : last;
      last = function.end;
      finish(function);
    }
    statement_.clear();
    return std::max(last, global + 1) - 1;
  }

  // A head is looked over at each brace; what is longer is none.
  static constexpr std::size_t kLongest = 400;
  const Tokens& t_;
  std::unordered_set<std::string_view> global_words_, kernel_macros_;
  std::vector<TokenId> statement_;
  Structure out_;
};

TokenId chain_begin(const Tokens& t, TokenId last) {
  while (last >= 2 && t.is(last - 1, "::") && (t.is_name(last - 2) || t.is(last - 2, ">"))) {
    if (t.is_name(last - 2)) {
      last -= 2;
      continue;
    }
    const TokenId open = angle_open(t, last - 2);
    if (open == kNoToken || open == 0 || !t.is_name(open - 1)) break;
    last = open - 1;
  }
  return last;
}

void find_callee(const Tokens& t, LaunchPart& launch) {
  launch.callee_first = launch.callee_last = launch.at;
  if (launch.at == 0) return;
  TokenId last = launch.at - 1;
  if (t.is(last, ">")) {
    const TokenId open = angle_open(t, last);
    if (open == kNoToken || open == 0) return;
    last = open - 1;
  }
  if (t.is_name(last)) {
    launch.name = last;
    launch.callee_first = chain_begin(t, last);
  } else if (t.all[last].partner != kNoToken && t.all[last].partner < last) {
    // (kernel<T>)<<<…>>>, kernels[i]<<<…>>>: the first name that no `::` follows.
    const TokenId open = t.all[last].partner;
    launch.callee_first = open > 0 && t.is_name(open - 1) && t.is(open, "[") ? open - 1 : open;
    for (TokenId i = launch.callee_first; i < last && launch.name == kNoToken; ++i) {
      if (t.is_name(i) && !t.is(i + 1, "::")) launch.name = i;
    }
  }
}

}  // namespace

Structure structure_of(const Tokens& tokens) { return Finder(tokens).run(); }

std::vector<LaunchPart> launches_of(const Tokens& tokens) {
  std::vector<LaunchPart> out;
  for (TokenId i = 0; i < tokens.all.size(); ++i) {
    if (!tokens.opens_launch(i)) continue;
    const bool spaced = tokens.all[i].span.end - tokens.all[i].span.start > 3;
    LaunchPart launch;
    launch.at = i;
    find_callee(tokens, launch);
    launch.close = i + 1;
    for (TokenId k = i + 1; k + 2 < tokens.all.size(); ++k) {
      const Token& token = tokens.all[k];
      if (token.directive != tokens.all[i].directive) break;
      if (token.kind == TokenKind::Punctuation && token.partner != kNoToken && token.partner > k) {
        k = token.partner;
      } else if (token.first == ';' || tokens.opens_launch(k)) {
        break;
      } else if (tokens.is(k, ">") && tokens.is(k + 1, ">") && tokens.is(k + 2, ">") && (spaced ? tokens.is(k + 3, "(") : tokens.all[k + 2].span.start == token.span.start + 2)) {
        launch.close = k + 3;
        break;
      }
    }
    if (launch.close > i + 1) out.push_back(launch);
  }
  return out;
}

}  // namespace torchport::cpp
