#include "analyzers/markers.h"

#include <algorithm>
#include <bitset>

namespace torchport {
namespace {

std::size_t pair_at(std::string_view text, std::size_t at) {
  return (static_cast<std::size_t>(static_cast<unsigned char>(text[at])) << 8) | static_cast<unsigned char>(text[at + 1]);
}

}  // namespace

bool holds_marker(std::string_view text, const std::vector<std::string>& markers) {
  std::bitset<65536> begins;
  for (const std::string& marker : markers) begins.set(pair_at(marker, 0));
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (!begins[pair_at(text, i)]) continue;
    const bool here = std::any_of(markers.begin(), markers.end(), [&](const std::string& m) { return text.compare(i, m.size(), m) == 0; });
    if (here) return true;
  }
  return false;
}

}  // namespace torchport
