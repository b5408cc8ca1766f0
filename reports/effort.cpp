#include "reports/effort.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "reports/report.h"

namespace torchport {
namespace {

bool is_one_of(const std::vector<std::string>& words, std::string_view word) {
  return words.empty() || std::any_of(words.begin(), words.end(), [&](const std::string& known) {
           return known.ends_with('*') ? word.starts_with(std::string_view(known).substr(0, known.size() - 1))
                                       : word == known;
         });
}

bool shows_one_of(const std::vector<std::string>& features, const Finding& finding) {
  if (features.empty()) return true;
  if (!finding.kernel) return false;
  const std::vector<std::string>& shown = finding.kernel->features;
  return std::any_of(features.begin(), features.end(), [&](const std::string& feature) {
    return feature == "template" ? finding.kernel->is_template
                                 : std::find(shown.begin(), shown.end(), feature) != shown.end();
  });
}

double times_for_size(const EffortTable& table, const Finding& finding) {
  if (!finding.kernel || table.sizes.empty()) return 1;
  const auto size = std::find_if(table.sizes.begin(), table.sizes.end() - 1,
                                 [&](const EffortSize& one) { return finding.kernel->lines <= one.up_to; });
  return size->times;
}

// Sums up one part of the code on one target.
class Sum {
 public:
  Sum(const EffortTable& table, PartEffort& part) : table_(table), part_(part), entries_(table.classes.size()) {}

  void add(std::size_t index, std::size_t by_hand, bool repeated, double times) {
    ClassEffort& entry = entries_[index];
    if (repeated) {
      ++entry.repeated;
      return;
    }
    ++entry.count;
    entry.hours += times * table_.classes[index].hours;
    part_.by_hand += times * table_.classes[by_hand].hours;
  }

  void add_files(Each each, std::size_t files, std::size_t by_hand) {
    for (std::size_t i = 0; i < table_.classes.size(); ++i) {
      if (table_.classes[i].each != each) continue;
      entries_[i].count += static_cast<std::uint32_t>(files);
      entries_[i].hours += static_cast<double>(files) * table_.classes[i].hours;
      part_.by_hand += static_cast<double>(by_hand) * table_.classes[i].hours;
    }
  }

  void close() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].count == 0) continue;
      entries_[i].index = i;
      part_.hours += entries_[i].hours;
      part_.classes.push_back(entries_[i]);
    }
  }

 private:
  const EffortTable& table_;
  PartEffort& part_;
  std::vector<ClassEffort> entries_;
};

// Two findings with the same are one piece of work.
using Piece = std::tuple<std::string, std::string, std::uint64_t>;

Piece piece_of_work(const EffortClass& one, const Finding& finding, std::uint64_t line_hash, std::size_t index) {
  switch (one.once) {
    case Once::File:
      return {one.id, {}, finding.file};
    case Once::Package:
      return {one.id, finding.symbol.substr(0, finding.symbol.find('.')), 0};
    case Once::Symbol:
      return {one.id, finding.rule->id + " " + finding.symbol, 0};
    case Once::Place:
      return {one.id, {}, index};
    case Once::Line:
      break;
  }
  return {one.id, finding.rule->id, line_hash};
}

void estimate_part(EffortEstimate& effort, const Report& report, Target target, Part part) {
  PartEffort& result = effort.targets[static_cast<std::size_t>(target)][static_cast<std::size_t>(part)];
  Sum sum(effort.table, result);
  std::set<Piece> seen;
  std::set<std::uint32_t> tied, left;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const Finding& finding = report.findings[i];
    if (effort.classes[i] < 0 || report.files[finding.file].part != part) continue;
    if (finding.impact[static_cast<std::size_t>(target)] < Impact::Degrades) continue;
    const bool safely_fixed = has_edits(finding) && finding.fix->applicability == Applicability::Safe;
    tied.insert(finding.file);
    if (!safely_fixed) left.insert(finding.file);
    const auto index = static_cast<std::size_t>(effort.classes[i]);
    const bool repeated =
        !seen.emplace(piece_of_work(effort.table.classes[index], finding, report.locations[i].line_hash, i)).second;
    sum.add(index, class_of(effort.table, finding, false), repeated, times_for_size(effort.table, finding));
  }
  const auto unknown = std::count_if(report.files.begin(), report.files.end(), [&](const FileEntry& file) {
    return file.part == part && (file.unreadable || is_partial(file));
  });
  sum.add_files(Each::TiedFile, left.size(), tied.size());
  sum.add_files(Each::UnknownFile, static_cast<std::size_t>(unknown), static_cast<std::size_t>(unknown));
  sum.close();
}

}  // namespace

Hours& Hours::operator+=(const Hours& other) {
  low += other.low;
  likely += other.likely;
  high += other.high;
  return *this;
}

std::size_t class_of(const EffortTable& table, const Finding& finding, bool with_fix) {
  const bool fixed = with_fix && has_edits(finding) && finding.fix->applicability != Applicability::Manual;
  const std::string_view fix = fixed ? name_of(finding.fix->applicability) : "none";
  for (std::size_t i = 0; i < table.classes.size(); ++i) {
    const EffortClass& one = table.classes[i];
    if (one.each == Each::Finding && is_one_of(one.fix, fix) && is_one_of(one.family, finding.rule->family) &&
        is_one_of(one.effort, name_of(finding.rule->effort)) && is_one_of(one.name, finding.rule->name) &&
        shows_one_of(one.features, finding)) {
      return i;
    }
  }
  return 0;
}

EffortEstimate estimate(const Report& report, EffortTable table) {
  EffortEstimate effort;
  effort.table = std::move(table);
  for (const Finding& finding : report.findings) {
    const bool costs = !finding.suppressed && finding.rule->family != "file" &&
                       worst_impact(finding, report.targets) >= Impact::Degrades;
    effort.classes.push_back(costs ? static_cast<std::int32_t>(class_of(effort.table, finding, true)) : -1);
  }
  for (const Target target : report.targets) {
    for (std::size_t part = 0; part < kPartCount; ++part)
      estimate_part(effort, report, target, static_cast<Part>(part));
  }
  return effort;
}

double taken_away(const Hours& hours, const Hours& by_hand) {
  return by_hand.likely <= 0 ? 0 : std::max(0.0, 1 - hours.likely / by_hand.likely);
}

}  // namespace torchport
