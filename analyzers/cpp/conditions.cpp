#include "analyzers/cpp/conditions.h"

#include <algorithm>
#include <array>

namespace torchport::cpp {
namespace {

enum class Truth : std::uint8_t { False, Unknown, True };
enum World : std::uint8_t { kCuda, kRocm, kNeither, kWorlds };
using Truths = std::array<Truth, kWorlds>;

constexpr Truths kUnknown = {Truth::Unknown, Truth::Unknown, Truth::Unknown};
constexpr Truths kTrue = {Truth::True, Truth::True, Truth::True};
constexpr Truths kFalse = {Truth::False, Truth::False, Truth::False};

Truth invert(Truth t) { return static_cast<Truth>(2 - static_cast<int>(t)); }
Truths operator!(Truths t) {
  for (Truth& one : t) one = invert(one);
  return t;
}
Truths both(Truths a, const Truths& b) {
  for (int w = 0; w < kWorlds; ++w) a[w] = std::min(a[w], b[w]);
  return a;
}
Truths either(Truths a, const Truths& b) {
  for (int w = 0; w < kWorlds; ++w) a[w] = std::max(a[w], b[w]);
  return a;
}

bool ends_or_begins(std::string_view glob, std::string_view name) {
  if (glob.ends_with('*')) return name.starts_with(glob.substr(0, glob.size() - 1));
  return glob.starts_with('*') ? name.ends_with(glob.substr(1)) : glob == name;
}

bool any(const std::vector<std::string>& globs, std::string_view name) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return ends_or_begins(glob, name); });
}

// A recursive descent over the tokens of one condition; what it does not know makes the answer unknown.
class Condition {
 public:
  Condition(const Tokens& tokens, const NativeInterest& interest, TokenId first, TokenId last) : t_(tokens), interest_(interest), at_(first), last_(last) {}

  Truths value() {
    const Truths value = disjunction(0);
    return at_ == last_ ? value : kUnknown;
  }

  Truths macro(std::string_view name) const {
    if (any(interest_.rocm_macros, name)) return {Truth::False, Truth::True, Truth::False};
    // Translated sources are built with the same switches.
    if (any(interest_.cuda_macros, name)) return {Truth::True, Truth::True, Truth::False};
    return kUnknown;
  }

 private:
  bool punctuation(TokenId id, char c) const { return id < last_ && t_.all[id].kind == TokenKind::Punctuation && t_.all[id].first == c; }
  bool pair(char c) const { return punctuation(at_, c) && punctuation(at_ + 1, c); }

  Truths disjunction(int depth) {
    Truths value = conjunction(depth);
    while (pair('|')) {
      at_ += 2;
      value = either(value, conjunction(depth));
    }
    return value;
  }

  Truths conjunction(int depth) {
    Truths value = operand(depth);
    while (pair('&')) {
      at_ += 2;
      value = both(value, operand(depth));
    }
    return value;
  }

  Truths operand(int depth) {
    if (at_ >= last_ || depth > 100) return give_up();
    if (punctuation(at_, '!') && !punctuation(at_ + 1, '=')) {
      ++at_;
      return !operand(depth + 1);
    }
    Truths value = primary(depth);
    // What is compared, or counted with, is true or false for reasons not looked into; a macro that is not defined is 0 and under every bound.
    bool compared = false, upward = false;
    while (at_ < last_ && !pair('&') && !pair('|') && !punctuation(at_, ')')) {
      upward = upward || punctuation(at_, '>') || (punctuation(at_, '=') && !compared);
      compared = true;
      at_ = t_.all[at_].partner != kNoToken && t_.all[at_].partner > at_ ? t_.all[at_].partner + 1 : at_ + 1;
    }
    if (!compared) return value;
    for (Truth& one : value) one = upward && one == Truth::False ? Truth::False : Truth::Unknown;
    return value;
  }

  Truths primary(int depth) {
    const TokenId id = at_++;
    if (punctuation(id, '(')) {
      const Truths value = disjunction(depth + 1);
      if (!punctuation(at_, ')')) return give_up();
      ++at_;
      return value;
    }
    if (t_.is(id, "defined")) {
      const bool bracket = punctuation(at_, '(');
      if (bracket) ++at_;
      if (at_ >= last_ || !t_.is_name(at_)) return give_up();
      const Truths value = macro(t_.of(at_++));
      if (bracket && punctuation(at_, ')')) ++at_;
      return value;
    }
    if (t_.all[id].kind == TokenKind::Number) return t_.of(id) == "0" ? kFalse : t_.of(id) == "1" ? kTrue : kUnknown;
    if (t_.is_name(id)) return macro(t_.of(id));
    return kUnknown;
  }

  Truths give_up() {
    at_ = last_;
    return kUnknown;
  }

  const Tokens& t_;
  const NativeInterest& interest_;
  TokenId at_, last_;
};

struct Chain {
  Truths before = kTrue;     // none of the branches so far was taken
  std::vector<GuardId> guards;  // of its branches
  Truths now = kTrue;        // the branch that is open
  Span condition;
  std::uint32_t begin = 0;
  GuardId guard = kNone;     // of the branch that is open
  GuardId outer = kNone;
  bool elsewhere = false;    // some branch is for neither, and holds code that is no #error
  bool raises = false;       // ... or an #error
};

// The device for which alone the branch is compiled; "-cuda" and "-rocm": for all but it; empty: nothing is said.
std::string_view device_of(const Truths& t) {
  if (t[kNeither] == Truth::False && t[kCuda] != Truth::False) return "cuda";
  if (t[kNeither] == Truth::False && t[kRocm] != Truth::False) return "rocm";
  if (t[kCuda] == Truth::False && t[kNeither] != Truth::False) return "-cuda";
  if (t[kRocm] == Truth::False && t[kNeither] != Truth::False) return "-rocm";
  return {};
}

class ConditionReader {
 public:
  ConditionReader(const Tokens& tokens, const NativeInterest& interest, std::vector<Guard>& guards, std::vector<std::pair<std::uint32_t, GuardId>>& changes)
      : t_(tokens), interest_(interest), guards_(guards), changes_(changes) {}

  void run() {
    for (std::size_t i = 0; i < t_.directives.size(); ++i) {
      const Directive& d = t_.directives[i];
      if (d.word == "if" || d.word == "ifdef" || d.word == "ifndef") {
        chains_.emplace_back();
        chains_.back().outer = changes_.empty() ? kNone : changes_.back().second;
        open_branch(d, d.word == "if" ? value(d) : one(d));
      } else if (chains_.empty()) {
        continue;
      } else if (d.word.starts_with("el")) {
        close_branch(d);
        open_branch(d, d.word == "else" ? kTrue : d.word == "elif" ? value(d) : one(d));
      } else if (d.word == "endif") {
        close_branch(d);
        close_chain(d.span.end);
      } else if (d.word == "error") {
        error_at_ = d.span.start;
      }
    }
    while (!chains_.empty()) close_chain(static_cast<std::uint32_t>(t_.text.size()));
  }

 private:
  Truths value(const Directive& d) const { return Condition(t_, interest_, d.first, d.last).value(); }
  Truths one(const Directive& d) const {
    if (d.first >= d.last || !t_.is_name(d.first)) return kUnknown;
    const Truths defined = Condition(t_, interest_, d.first, d.last).macro(t_.of(d.first));
    return d.word.ends_with("ndef") ? !defined : defined;
  }

  void open_branch(const Directive& d, const Truths& condition) {
    Chain& chain = chains_.back();
    chain.now = both(chain.before, condition);
    chain.before = both(chain.before, !condition);
    chain.condition = d.span;
    chain.begin = d.span.end;
    chain.guard = kNone;
    const std::string_view device = device_of(chain.now);
    if (!device.empty()) {
      Guard guard;
      guard.outer = chain.outer;
      guard.kind = GuardKind::Build;
      guard.holds = device.front() != '-';
      guard.device = guard.holds ? device : device.substr(1);
      guard.condition = d.span;
      chain.guard = static_cast<GuardId>(guards_.size());
      chain.guards.push_back(chain.guard);
      guards_.push_back(std::move(guard));
    }
    changes_.emplace_back(d.span.end, chain.guard == kNone ? chain.outer : chain.guard);
  }

  void close_branch(const Directive& d) {
    Chain& chain = chains_.back();
    if (chain.guard != kNone) guards_[static_cast<std::size_t>(chain.guard)].body = {chain.begin, d.span.start};
    if (chain.now[kNeither] == Truth::False) return;
    const bool error = error_at_ >= chain.begin && error_at_ < d.span.start && error_at_ != 0;
    const auto first = std::lower_bound(t_.all.begin(), t_.all.end(), chain.begin, [](const Token& t, std::uint32_t at) { return t.span.start < at; });
    const bool code = first != t_.all.end() && first->span.start < d.span.start;
    chain.raises = chain.raises || error;
    chain.elsewhere = chain.elsewhere || (code && !error);
  }

  void close_chain(std::uint32_t end) {
    const Chain& chain = chains_.back();
    for (const GuardId id : chain.guards) {
      Guard& guard = guards_[static_cast<std::size_t>(id)];
      guard.otherwise = chain.elsewhere ? Otherwise::OtherPath : chain.raises ? Otherwise::Raises : Otherwise::Nothing;
      if (guard.body.end == 0) guard.body = {chain.begin, static_cast<std::uint32_t>(t_.text.size())};
    }
    changes_.emplace_back(end, chain.outer);
    chains_.pop_back();
  }

  const Tokens& t_;
  const NativeInterest& interest_;
  std::vector<Guard>& guards_;
  std::vector<std::pair<std::uint32_t, GuardId>>& changes_;
  std::vector<Chain> chains_;
  std::uint32_t error_at_ = 0;
};

}  // namespace

GuardId Conditions::at(std::uint32_t offset) const {
  const auto next = std::upper_bound(changes_.begin(), changes_.end(), offset, [](std::uint32_t at, const auto& change) { return at < change.first; });
  return next == changes_.begin() ? kNone : std::prev(next)->second;
}

Conditions conditions_of(const Tokens& tokens, const NativeInterest& interest) {
  Conditions out;
  ConditionReader(tokens, interest, out.guards, out.changes_).run();
  return out;
}

}  // namespace torchport::cpp
