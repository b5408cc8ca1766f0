#include <algorithm>

#include "rules/finding.h"

namespace torchport {

std::string_view name_of(Impact impact) {
  constexpr std::string_view kNames[] = {"none", "cosmetic", "degrades", "blocks"};
  return kNames[static_cast<std::size_t>(impact)];
}

std::optional<Impact> impact_named(std::string_view name) {
  for (const Impact impact : {Impact::None, Impact::Cosmetic, Impact::Degrades, Impact::Blocks}) {
    if (name == name_of(impact)) return impact;
  }
  return std::nullopt;
}

std::string_view name_of(Applicability applicability) {
  constexpr std::string_view kNames[] = {"safe", "review", "manual"};
  return kNames[static_cast<std::size_t>(applicability)];
}

std::string_view name_of(Effort effort) {
  constexpr std::string_view kNames[] = {"trivial", "small", "medium", "large", "redesign"};
  return kNames[static_cast<std::size_t>(effort)];
}

void tidy(std::vector<Edit>& edits) {
  const auto whole_lines = [](const Edit& e) { return e.span.empty() && (e.text.ends_with('\n') || e.text.ends_with('\r')); };
  std::sort(edits.begin(), edits.end(), [&](const Edit& a, const Edit& b) {
    if (a.span != b.span) return a.span < b.span;
    if (whole_lines(a) != whole_lines(b)) return whole_lines(a);
    return a.text < b.text;
  });
  edits.erase(std::unique(edits.begin(), edits.end()), edits.end());
}

}  // namespace torchport
