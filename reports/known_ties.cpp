#include "reports/known_ties.h"

#include <algorithm>
#include <tuple>

#include "reports/paint.h"

namespace torchport {
namespace {

constexpr std::size_t kCodeShown = 80;

using Place = std::tuple<std::string, std::string, std::uint64_t>;  // rule, function, line
using Key = std::pair<std::string, Place>;

Place place_of(const KnownTie& tie) { return {tie.rule, tie.function, tie.line_hash}; }

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

enum class Fit : std::uint8_t { Equal, NoWorse, Any };

class Matcher {
 public:
  Matcher(const Report& report, const std::vector<KnownTie>& known) : report_(report), known_(known) {
    result_.states.assign(report.findings.size(), TieState::Uncounted);
    result_.entries.assign(report.findings.size(), -1);
    used_.assign(known.size(), false);
    for (const KnownTie& tie : known) result_.paths.push_back(tie.path);
    for (std::size_t i = 0; i < report.findings.size(); ++i) {
      if (report.findings[i].suppressed) allowed_.push_back(known_tie(report, i));
      if (!is_tie(report.findings[i], report.targets)) continue;
      result_.states[i] = TieState::New;
      ties_.emplace_back(i, known_tie(report, i));
    }
  }

  Comparison run() {
    index();
    match(Fit::Equal);
    match(Fit::NoWorse);
    if (carry()) {
      index();
      match(Fit::Equal);
      match(Fit::NoWorse);
    }
    match(Fit::Any);
    take_allowed();
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (!used_[i] && known_[i].in_scope) result_.fixed.push_back(i);
      ++result_.before[result_.paths[i]];
    }
    return std::move(result_);
  }

 private:
  void index() {
    by_key_.clear();
    // The last of a list is taken first: taking it costs nothing, however many lines are alike.
    for (std::size_t i = known_.size(); i-- > 0;) {
      if (!used_[i]) by_key_[{result_.paths[i], place_of(known_[i])}].push_back(i);
    }
  }

  bool fits(const Impacts& now, const Impacts& then, Fit fit) const {
    return std::all_of(report_.targets.begin(), report_.targets.end(), [&](Target target) {
      const auto index = static_cast<std::size_t>(target);
      return fit == Fit::Any || (fit == Fit::Equal ? now[index] == then[index] : now[index] <= then[index]);
    });
  }

  void match(Fit fit) {
    for (const auto& [finding, tie] : ties_) {
      if (result_.entries[finding] >= 0) continue;
      const auto found = by_key_.find({tie.path, place_of(tie)});
      if (found == by_key_.end()) continue;
      std::vector<std::size_t>& entries = found->second;
      const auto fitting = std::find_if(entries.rbegin(), entries.rend(),
                                        [&](std::size_t entry) { return fits(tie.impact, known_[entry].impact, fit); });
      if (fitting == entries.rend()) continue;
      used_[*fitting] = true;
      result_.entries[finding] = static_cast<std::int64_t>(*fitting);
      if (fit != Fit::Any) result_.states[finding] = TieState::Known;
      entries.erase(std::next(fitting).base());
    }
  }

  // The comment that allows a finding often stands on its line.
  void take_allowed() {
    std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::size_t>> left;
    for (std::size_t i = 0; i < known_.size() && !allowed_.empty(); ++i) {
      if (!used_[i]) left[{result_.paths[i], known_[i].rule, known_[i].function}].push_back(i);
    }
    for (const KnownTie& tie : allowed_) {
      const auto found = left.find({tie.path, tie.rule, tie.function});
      if (found == left.end()) continue;
      const auto same = std::find_if(found->second.begin(), found->second.end(),
                                     [&](std::size_t i) { return known_[i].line_hash == tie.line_hash || tie.code.starts_with(known_[i].code); });
      if (same == found->second.end()) continue;
      used_[*same] = true;
      found->second.erase(same);
    }
  }

  // How many ties each pair of a file that is gone and a file that had none before has in common.
  std::map<std::pair<std::string, std::string>, std::size_t> common() const {
    std::map<Place, std::map<std::string, std::size_t>> then, now;
    std::map<std::string, bool> had;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      had[known_[i].path] = true;
      if (!used_[i] && known_[i].gone) ++then[place_of(known_[i])][known_[i].path];
    }
    for (const auto& [finding, tie] : ties_) {
      if (result_.entries[finding] < 0 && !had.contains(tie.path)) ++now[place_of(tie)][tie.path];
    }
    std::map<std::pair<std::string, std::string>, std::size_t> pairs;
    for (const auto& [place, old_files] : then) {
      const auto found = now.find(place);
      if (found == now.end()) continue;
      for (const auto& [from, n] : old_files) {
        for (const auto& [to, m] : found->second) pairs[{from, to}] += std::min(n, m);
      }
    }
    return pairs;
  }

  bool carry() {
    struct Move {
      std::size_t common;
      bool same_name;
      std::string from, to;
    };
    std::map<std::string, std::size_t> sizes;
    for (const KnownTie& tie : known_) ++sizes[tie.path];
    std::vector<Move> moves;
    for (const auto& [pair, n] : common()) {
      if (2 * n >= sizes[pair.first]) {
        moves.push_back({n, file_name(pair.first) == file_name(pair.second), pair.first, pair.second});
      }
    }
    std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
      return std::tie(a.common, a.same_name) > std::tie(b.common, b.same_name);
    });
    std::map<std::string, std::string> taken, given;
    for (const Move& move : moves) {
      if (taken.contains(move.from) || given.contains(move.to)) continue;
      taken[move.from] = move.to;
      given[move.to] = move.from;
    }
    for (std::string& path : result_.paths) {
      if (const auto move = taken.find(path); move != taken.end()) path = move->second;
    }
    return !taken.empty();
  }

  const Report& report_;
  const std::vector<KnownTie>& known_;
  std::vector<std::pair<std::size_t, KnownTie>> ties_;
  std::vector<KnownTie> allowed_;
  std::vector<bool> used_;
  std::map<Key, std::vector<std::size_t>> by_key_;
  Comparison result_;
};

}  // namespace

bool is_tie(const Finding& finding, const std::vector<Target>& targets) {
  return !finding.suppressed && finding.rule->family != "file" && worst_impact(finding, targets) > Impact::None;
}

std::string tie_path(const FileEntry& file) { return printable(file.in_tree.empty() ? file.path : file.in_tree); }

KnownTie known_tie(const Report& report, std::size_t index) {
  const Finding& finding = report.findings[index];
  const Location& location = report.locations[index];
  KnownTie tie;
  tie.path = tie_path(report.files[finding.file]);
  tie.rule = finding.rule->id;
  tie.function = printable(finding.function);
  tie.line_hash = location.line_hash;
  std::string_view line = location.line;
  line.remove_prefix(std::min(line.find_first_not_of(" \t\f"), line.size()));
  std::size_t end = std::min(line.size(), kCodeShown);
  while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) ++end;
  tie.code = printable(line.substr(0, end));
  tie.impact = finding.impact;
  return tie;
}

std::vector<KnownTie> known_ties(const Report& report) {
  std::vector<KnownTie> ties;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    if (is_tie(report.findings[i], report.targets)) ties.push_back(known_tie(report, i));
  }
  return ties;
}

Comparison compare(const Report& report, const std::vector<KnownTie>& known) { return Matcher(report, known).run(); }

}  // namespace torchport
