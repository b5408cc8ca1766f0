#include "analyzers/markers.h"

#include <algorithm>
#include <bitset>

namespace torchport {
namespace {

std::size_t pair_at(std::string_view text, std::size_t at) {
  return (static_cast<std::size_t>(static_cast<unsigned char>(text[at])) << 8) | static_cast<unsigned char>(text[at + 1]);
}

// Markers that follow each other and begin with the same two bytes, and all that they have in common: of a hundred `import …` one
// comparison tells that none is here.
struct Group {
  std::size_t pair;
  std::size_t first, last;
  std::string_view common;
};

std::vector<Group> groups_of(const std::vector<std::string>& markers) {
  std::vector<Group> groups;
  for (std::size_t m = 0; m < markers.size(); ++m) {
    const std::string_view marker = markers[m];
    if (groups.empty() || groups.back().pair != pair_at(marker, 0)) {
      groups.push_back({pair_at(marker, 0), m, m + 1, marker});
      continue;
    }
    Group& group = groups.back();
    group.last = m + 1;
    const auto end = std::mismatch(group.common.begin(), group.common.end(), marker.begin(), marker.end()).first;
    group.common = group.common.substr(0, static_cast<std::size_t>(end - group.common.begin()));
  }
  return groups;
}

}  // namespace

bool holds_marker(std::string_view text, const std::vector<std::string>& markers) {
  const std::vector<Group> groups = groups_of(markers);
  std::bitset<65536> begins;
  for (const Group& group : groups) begins.set(group.pair);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const std::size_t pair = pair_at(text, i);
    if (!begins[pair]) continue;
    for (const Group& group : groups) {
      if (group.pair != pair || text.compare(i, group.common.size(), group.common) != 0) continue;
      for (std::size_t m = group.first; m < group.last; ++m) {
        if (text.compare(i, markers[m].size(), markers[m]) == 0) return true;
      }
    }
  }
  return false;
}

}  // namespace torchport
