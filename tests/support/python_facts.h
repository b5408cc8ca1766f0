// What the tests of the Python analyzer and its rules ask: a text's uses, guards and handles in one line of words, and
// what fix makes of it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "analyzers/analyze.h"
#include "rewriter/rewrite.h"
#include "rules/catalogue.h"
#include "rules/run.h"

namespace torchport::test {

inline const Catalogue& catalogue() {
  static const Catalogue instance = built_in_catalogue();
  return instance;
}

// The facts of a text; they point into the file beside them.
struct Analysed {
  explicit Analysed(std::string text)
      : source("a.py", std::move(text)), facts(analyze(source, Language::Python, catalogue().interest)) {}
  Analysed(const Analysed&) = delete;
  Analysed& operator=(const Analysed&) = delete;

  std::uint32_t line(Span span) const { return source.position(span.start).line; }
  std::string_view text(Span span) const { return source.text(span); }

  SourceFile source;
  FileFacts facts;
};

inline std::string joined(std::string list, const std::string& item) {
  return list.empty() ? item : list + ", " + item;
}

// Calls of, mentions of and assignments to names under `prefix`: "2 torch.cuda.synchronize, 3 =torch.cuda.x". Mentions
// carry a '&', an uncalled guard a '?'.
inline std::string uses(std::string text, std::string_view prefix = "torch.") {
  const Analysed a(std::move(text));
  std::string out;
  for (const Use& use : a.facts.uses) {
    if (use.symbol.substr(0, prefix.size()) != prefix) continue;
    const char* mark = use.kind == UseKind::Call            ? ""
                       : use.kind == UseKind::Reference     ? "&"
                       : use.kind == UseKind::Assign        ? "="
                       : use.kind == UseKind::UncalledGuard ? "?"
                                                            : nullptr;
    if (mark != nullptr) out = joined(out, std::to_string(a.line(use.span)) + " " + mark + std::string(use.symbol));
  }
  return out;
}

inline std::string described(const Guard& guard) {
  static constexpr const char* kKinds[] = {"available", "type", "flag", "import", "exists", "version", "build", "caught"};
  static constexpr const char* kOtherwise[] = {"", " else path", " else raises", " else skips"};
  std::string out = (guard.holds ? "" : "not ") + std::string(kKinds[static_cast<int>(guard.kind)]);
  if (!guard.device.empty()) out += " " + std::string(guard.device);
  for (const std::string_view other : guard.others) out += " or " + std::string(other);
  return out + kOtherwise[static_cast<int>(guard.otherwise)];
}

// The guards of the use `symbol` on each line that has one, innermost first: "3: available cuda < flag cuda".
inline std::string guards(std::string text, std::string_view symbol = "torch.cuda.synchronize") {
  const Analysed a(std::move(text));
  std::string out;
  for (const Use& use : a.facts.uses) {
    if (use.symbol != symbol || use.kind == UseKind::Import) continue;
    std::string chain;
    for (GuardId g = use.guard; g != kNone; g = a.facts.guards[static_cast<std::size_t>(g)].outer) {
      chain += (chain.empty() ? "" : " < ") + described(a.facts.guards[static_cast<std::size_t>(g)]);
    }
    out = joined(out, std::to_string(a.line(use.span)) + (chain.empty() ? "" : ": " + chain));
  }
  return out;
}

inline std::vector<Finding> findings_of(const Analysed& a) { return run_rules(catalogue(), a.source, a.facts, 0, {}); }

// "TP101@2, TP102@3!" : rule and line, '!' where it is guarded, '~' where it is suppressed.
inline std::string findings(std::string text) {
  const Analysed a(std::move(text));
  std::string out;
  for (const Finding& f : findings_of(a)) {
    out = joined(
        out, f.rule->id + "@" + std::to_string(a.line(f.span)) + (f.guarded ? "!" : "") + (f.suppressed ? "~" : ""));
  }
  return out;
}

// What fix makes of the text in the end. `unsafe`: Review fixes too.
inline std::string fixed(std::string text, bool unsafe = true) {
  for (int round = 0; round < 10; ++round) {
    const Analysed a(text);
    const Rewrite rewrite = apply_fixes(text, findings_of(a), unsafe);
    if (rewrite.text == text) return text;
    text = rewrite.text;
  }
  ADD_FAILURE() << "no fixed point";
  return text;
}

inline std::string safely_fixed(std::string text) { return fixed(std::move(text), false); }

}  // namespace torchport::test
