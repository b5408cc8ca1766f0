#include "reports/report.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <unordered_map>

#include "analyzers/text.h"

namespace torchport {
namespace {

// Bytes of a line that are kept on each side of a finding: enough for any terminal.
constexpr std::uint32_t kKept = 240;
// Characters are counted no further along a line: thousands of findings on one line must not cost its square.
constexpr std::uint32_t kCounted = 4096;

// FNV-1a, whose steps are one to one, and a finaliser that spreads what the last bytes changed.
class Hash {
 public:
  explicit Hash(std::uint64_t seed = 14695981039346656037ULL) : state_(seed) {}
  void byte(unsigned char c) { state_ = (state_ ^ c) * 1099511628211ULL; }
  void text(std::string_view bytes) {
    for (const char c : bytes) byte(static_cast<unsigned char>(c));
    byte(0);
  }
  void number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) byte(static_cast<unsigned char>(value >> (8 * i)));
  }
  std::uint64_t value() const {
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

bool in_a_word(char c) { return is_word(c) || static_cast<unsigned char>(c) >= 0x80; }

// What a formatter changes within a line does not count: blanks that keep no two words apart, and which quotes there are.
std::uint64_t hash_of_line(std::string_view line) {
  Hash hash;
  bool blank = false;
  char before = 0;
  for (const char c : line) {
    if (c == ' ' || c == '\t' || c == '\f') {
      blank = true;
      continue;
    }
    if (blank && in_a_word(before) && in_a_word(c)) hash.byte(' ');
    blank = false;
    before = c;
    hash.byte(static_cast<unsigned char>(c == '\'' ? '"' : c));
  }
  return hash.value();
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_test_folder(std::string_view name) {
  return is_one_of(name, {"test", "tests", "testing", "unittest", "unittests", "unit_tests", "e2e", "testdata"}) ||
         name.ends_with("_test") || name.ends_with("_tests") || name.starts_with("test_") || name.starts_with("tests_");
}

bool is_test_file(std::string_view name) {
  const std::string_view stem = name.substr(0, name.find('.'));
  return name == "conftest.py" || stem == "test" || stem == "tests" || stem.starts_with("test_") ||
         stem.ends_with("_test") || stem.ends_with("_tests");
}

bool is_example_folder(std::string_view name) {
  return is_one_of(name, {"example", "examples", "benchmark", "benchmarks", "script", "scripts", "doc", "docs", "demo",
                          "demos", "tutorial", "tutorials", "samples", "notebooks"});
}

void add(Counts& counts, Impact impact, const Finding& finding) {
  if (impact == Impact::Cosmetic) ++counts.cosmetic;
  if (impact == Impact::Degrades) ++counts.degrades;
  if (impact == Impact::Blocks) ++counts.blocks;
  if (impact < Impact::Degrades || !has_edits(finding)) return;
  if (finding.fix->applicability == Applicability::Safe) ++counts.fixed_safe;
  if (finding.fix->applicability == Applicability::Review) ++counts.fixed_review;
}

Location::Range range_of(const SourceFile& source, Span span) {
  return {source.position(span.start), source.position(span.end)};
}

Position in_characters(const SourceFile& source, std::uint32_t offset) {
  Position at = source.position(offset);
  if (at.column > kCounted) return {at.line, 0};
  const std::string_view before = source.text({offset - (at.column - 1), offset});
  at.column -= static_cast<std::uint32_t>(std::count_if(
      before.begin(), before.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }));
  return at;
}

Location::Range characters_of(const SourceFile& source, Span span) {
  return {in_characters(source, span.start), in_characters(source, span.end)};
}

std::vector<Location::Range> edits_of(const SourceFile& source, const std::optional<Fix>& fix) {
  std::vector<Location::Range> ranges;
  if (!fix) return ranges;
  for (const Edit& edit : fix->edits) ranges.push_back(characters_of(source, edit.span));
  return ranges;
}

}  // namespace

std::string_view name_of(Part part) {
  switch (part) {
    case Part::Tests:
      return "tests";
    case Part::Examples:
      return "examples";
    case Part::Core:
      break;
  }
  return "core";
}

Part part_of(std::string_view path) {
  std::string lower(path);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string_view rest = lower;
  Part part = Part::Core;
  for (auto slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
    const std::string_view folder = rest.substr(0, slash);
    if (is_test_folder(folder)) return Part::Tests;
    if (is_example_folder(folder)) part = Part::Examples;
    rest.remove_prefix(slash + 1);
  }
  return is_test_file(rest) ? Part::Tests : part;
}

std::string_view name_of(Via via) {
  switch (via) {
    case Via::Alias:
      return "alias";
    case Via::Value:
      return "value";
    case Via::Type:
      return "type";
    case Via::Text:
      return "text";
    case Via::Import:
      break;
  }
  return "import";
}

Location locate(const SourceFile& source, const Finding& finding, const Location* before) {
  Location location;
  location.range = range_of(source, finding.span);
  for (const Related& related : finding.related) {
    location.related.push_back(related.file == finding.file ? range_of(source, related.span) : Location::Range{});
  }
  location.characters = characters_of(source, finding.span);
  location.edits = edits_of(source, finding.fix);
  if (finding.open) location.open_edits = edits_of(source, finding.open->fix);
  const Span line = source.line_span(location.range.start.line);
  const std::uint32_t at = std::min(finding.span.start, line.end);
  Span kept{at - line.start > kKept ? at - kKept : line.start, line.end - at > kKept ? at + kKept : line.end};
  // A cut must not fall into a character.
  const std::string_view text = source.text();
  while (kept.start > line.start && (static_cast<unsigned char>(text[kept.start]) & 0xC0) == 0x80) --kept.start;
  while (kept.end < line.end && (static_cast<unsigned char>(text[kept.end]) & 0xC0) == 0x80) ++kept.end;
  location.line = std::string(source.text(kept));
  location.line_column = kept.start - line.start + 1;
  const bool same = before != nullptr && before->range.start.line == location.range.start.line;
  location.line_hash = same ? before->line_hash : hash_of_line(source.text(line));
  return location;
}

Impact worst_impact(const Finding& finding, const std::vector<Target>& targets) {
  Impact worst = Impact::None;
  for (const Target target : targets) worst = std::max(worst, finding.impact[static_cast<std::size_t>(target)]);
  return worst;
}

bool shown(const Finding& finding, const std::vector<Target>& targets) {
  return finding.rule->family == "file" || worst_impact(finding, targets) > Impact::None;
}

std::string_view advice(const Finding& finding) {
  if (finding.fix && !finding.fix->message.empty()) return finding.fix->message;
  return finding.rule->advice;
}

bool has_edits(const Finding& finding) { return finding.fix && !finding.fix->edits.empty(); }

std::string_view why_on(const Finding& finding, Target target) {
  const auto index = static_cast<std::size_t>(target);
  if (!finding.why[index].empty()) return finding.why[index];
  return finding.impact[index] == Impact::None ? std::string_view{} : std::string_view{finding.rule->why};
}

void count(Report& report) {
  report.counts = {};
  report.by_part = {};
  report.worst_by_part = {};
  report.families.clear();
  report.worst = {};
  report.suppressed = report.notes = 0;
  std::vector<std::pair<const Rule*, FamilyCounts>> families;
  for (const Finding& finding : report.findings) {
    if (finding.suppressed) {
      ++report.suppressed;
      continue;
    }
    if (finding.rule->family == "file") {
      ++report.notes;
      continue;
    }
    const auto part = static_cast<std::size_t>(report.files[finding.file].part);
    for (const Target target : report.targets) {
      const auto index = static_cast<std::size_t>(target);
      add(report.counts[index], finding.impact[index], finding);
      add(report.by_part[part][index], finding.impact[index], finding);
    }
    const Impact impact = worst_impact(finding, report.targets);
    add(report.worst, impact, finding);
    add(report.worst_by_part[part], impact, finding);
    auto family = std::find_if(families.begin(), families.end(),
                               [&](const auto& entry) { return entry.second.family == finding.rule->family; });
    if (family == families.end()) {
      family = families.insert(family, {finding.rule, FamilyCounts{finding.rule->family, {}}});
    } else if (finding.rule->id < family->first->id) {
      family->first = finding.rule;
    }
    add(family->second.worst, impact, finding);
  }
  std::sort(families.begin(), families.end(), [](const auto& a, const auto& b) { return a.first->id < b.first->id; });
  for (auto& [rule, counts] : families) report.families.push_back(std::move(counts));
}

std::vector<std::string> fingerprints(const Report& report) {
  std::vector<std::string> names;
  names.reserve(report.findings.size());
  std::unordered_map<std::uint64_t, std::uint32_t> seen;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const Finding& finding = report.findings[i];
    Hash hash;
    hash.text(finding.rule->id);
    const FileEntry& file = report.files[finding.file];
    hash.text(file.in_tree.empty() ? file.path : file.in_tree);
    hash.text(finding.function);
    hash.number(report.locations[i].line_hash);
    hash.number(seen[hash.value()]++);
    std::string name(16, '0');
    std::uint64_t rest = hash.value();
    for (auto digit = name.rbegin(); digit != name.rend(); ++digit, rest >>= 4) *digit = "0123456789abcdef"[rest & 15];
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace torchport
