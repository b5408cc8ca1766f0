#include "reports/gate.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "reports/paint.h"

namespace torchport {
namespace {

bool matches(const FailOn& limit, const Finding& finding, const std::vector<Target>& targets) {
  if (!limit.family.empty() && finding.rule->family != limit.family) return false;
  const Impact impact =
      limit.target ? finding.impact[static_cast<std::size_t>(*limit.target)] : worst_impact(finding, targets);
  return impact >= limit.impact;
}

std::string place(const Report& report, std::size_t finding) {
  return tie_path(report.files[report.findings[finding].file]) + ":" +
         std::to_string(report.locations[finding].range.start.line);
}

using TieKey = std::tuple<std::string, std::string, std::string, std::uint64_t>;
TieKey key_of(const KnownTie& tie) { return {tie.path, tie.rule, tie.function, tie.line_hash}; }

// What two comparisons both miss is fixed once.
void add_fixed(Gate& gate, const std::vector<Before>& before) {
  std::multiset<TieKey> said;
  for (const Before& one : before) {
    std::multiset<TieKey> own = said;
    for (const std::size_t entry : one.comparison.fixed) {
      const TieKey key = key_of(one.known[entry]);
      if (const auto known = own.find(key); known != own.end()) {
        own.erase(known);
        continue;
      }
      gate.fixed.push_back(one.known[entry]);
      said.insert(key);
    }
  }
}

void set_states(Gate& gate, const Report& report, const std::vector<Before>& before) {
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const bool tie = is_tie(report.findings[i], report.targets);
    const bool known = tie && std::any_of(before.begin(), before.end(), [&](const Before& one) {
                         return one.comparison.states[i] == TieState::Known;
                       });
    gate.states.push_back(!tie ? TieState::Uncounted : known ? TieState::Known : TieState::New);
    gate.fresh += tie && !known ? 1 : 0;
    gate.known += known ? 1 : 0;
  }
}

std::string fail_on_text(const GateLimits& limits) {
  std::vector<std::string> words;
  for (const FailOn& limit : limits.fail_on) words.push_back(limit.text);
  return listed(words);
}

// "2 new findings match blocks, the first at a.py:3"; sets who fails.
std::string too_grave(Gate& gate, const Report& report, const GateLimits& limits) {
  std::size_t n = 0, first = 0;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const bool fails = gate.states[i] == TieState::New &&
                       std::any_of(limits.fail_on.begin(), limits.fail_on.end(),
                                   [&](const auto& l) { return matches(l, report.findings[i], report.targets); });
    gate.failing.push_back(fails);
    if (fails && ++n == 1) first = i;
  }
  if (n == 0) return {};
  return counted(n, gate.compared ? "new finding" : "finding") + (n == 1 ? " matches " : " match ") +
         fail_on_text(limits) + (n == 1 ? ", at " : ", the first at ") + place(report, first);
}

std::string too_many(const Gate& gate, const GateLimits& limits) {
  const std::uint32_t ties = gate.fresh + gate.known;
  if (!limits.max_ties || ties <= *limits.max_ties) return {};
  return counted(ties, "tie") + " where max_ties allows " + std::to_string(*limits.max_ties);
}

// The first file that has more than it had, by every comparison.
std::string risen(const Report& report, const GateLimits& limits, const std::vector<Before>& before) {
  if (!limits.ratchet) return {};
  std::map<std::string, std::uint32_t> now;
  for (const Finding& finding : report.findings) {
    if (is_tie(finding, report.targets)) ++now[tie_path(report.files[finding.file])];
  }
  std::size_t files = 0;
  std::string first;
  for (const auto& [path, n] : now) {
    std::uint32_t had = 0;
    for (const Before& one : before) {
      const auto found = one.comparison.before.find(path);
      if (found != one.comparison.before.end()) had = std::max(had, found->second);
    }
    if (n <= had) continue;
    if (++files == 1) first = path + " has " + counted(n, "tie") + ", had " + std::to_string(had);
  }
  if (files > 1) first += ", and " + counted(files - 1, "more file") + (files == 2 ? " has" : " have") + " risen";
  return first;
}

}  // namespace

std::string unread(const Report& report, const GateLimits& limits) {
  if (limits.allow_unread) return {};
  std::size_t n = 0;
  const FileEntry* first = nullptr;
  for (const FileEntry& file : report.files) {
    if (file.unreadable && ++n == 1) first = &file;
  }
  if (n == 0) return {};
  return counted(n, "file") + " could not be read" + (n == 1 ? ": " : ", the first ") + tie_path(*first);
}

void Gate::fail(const std::string& reason) {
  if (reason.empty()) return;
  why += (why.empty() ? "" : "; ") + reason;
  pass = false;
}

std::string Gate::counts(const Report& report) const {
  return std::to_string(fresh) + " new, " + std::to_string(known) + " known, " + std::to_string(fixed.size()) +
         " fixed, " + std::to_string(report.suppressed) + " allowed";
}

std::string Gate::verdict_line(const Report& report) const {
  return std::string("gate: ") + (pass ? "pass" : "fail") + ": " + why + " (" + counts(report) + ")";
}

Gate judge(const Report& report, const GateLimits& limits, const std::vector<Before>& before) {
  Gate gate;
  gate.compared = !before.empty();
  set_states(gate, report, before);
  add_fixed(gate, before);
  for (const std::string& reason : {too_grave(gate, report, limits), too_many(gate, limits),
                                    risen(report, limits, before), unread(report, limits)}) {
    gate.fail(reason);
  }
  if (!gate.pass) return gate;
  const bool nothing = report.scanned + report.skipped == 0 && report.files.empty();
  gate.why = nothing ? "nothing was analysed; see that the paths, include and exclude mean what they should"
                     : std::string(gate.compared ? "no new finding" : "no finding") + " matches " + fail_on_text(limits);
  return gate;
}

}  // namespace torchport
