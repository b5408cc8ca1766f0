// The verdict for CI, computed once and printed by every format. What was known before is the caller's to say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/known_ties.h"
#include "reports/report.h"

namespace torchport {

// New ties of at least this impact fail: on that target, of that family, or anywhere.
struct FailOn {
  std::string text;  // as it was written: "tpu:degrades"
  std::optional<Target> target;
  std::string family;
  Impact impact = Impact::Blocks;
};

struct GateLimits {
  std::vector<FailOn> fail_on;
  std::optional<std::uint32_t> max_ties;
  bool ratchet = false;  // no file may have more ties than before
  bool allow_unread = false;  // a file that could not be read is no reason to fail
};

struct Gate {
  bool pass = true;
  std::string why;               // one line, without the counts
  bool compared = false;         // with a baseline or a revision; else every tie is new
  std::vector<TieState> states;  // of the report's findings, by index
  std::vector<bool> failing;     // of the report's findings: new, and matched by fail_on
  std::vector<KnownTie> fixed;   // known before and gone
  std::uint32_t fresh = 0, known = 0;

  void fail(const std::string& reason);
  std::string counts(const Report& report) const;        // "2 new, 40 known, 1 fixed, 3 allowed"
  std::string verdict_line(const Report& report) const;  // "gate: fail: … (2 new, …)"
};

// A tie is known if one of the comparisons knows it. `known` holds what each was made with.
struct Before {
  std::vector<KnownTie> known;
  Comparison comparison;
};
Gate judge(const Report& report, const GateLimits& limits, const std::vector<Before>& before);
// "2 files could not be read, the first a.py"; empty: all were, or it is allowed.
std::string unread(const Report& report, const GateLimits& limits);

}  // namespace torchport
