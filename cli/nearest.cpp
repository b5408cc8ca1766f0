#include "cli/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace torchport {
namespace {

// Insertions, deletions, replacements and swaps of neighbours, upper and lower case being one.
std::size_t edits(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t n = edits(word, candidate);
    if (n < fewest && n < candidate.size()) {
      fewest = n;
      best = candidate;
    }
  }
  if (!best.empty() || word.size() < 3) return best;
  const auto longer =
      std::find_if(known.begin(), known.end(), [&](std::string_view candidate) { return candidate.starts_with(word); });
  return longer == known.end() ? std::string_view() : *longer;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view best = nearest(word, known);
  return best.empty() ? std::string() : "did you mean \"" + std::string(best) + "\"";
}

}  // namespace torchport
