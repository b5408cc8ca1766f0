#include "analyzers/markers.h"

#include <algorithm>
#include <bitset>
#include <cctype>

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
      groups.push_back({pair_at(marker, 0), m, m + 1, marker.substr(0, marker.find_last_not_of(' ') + 1)});
      continue;
    }
    Group& group = groups.back();
    group.last = m + 1;
    const auto end = std::mismatch(group.common.begin(), group.common.end(), marker.begin(), marker.end()).first;
    group.common = group.common.substr(0, static_cast<std::size_t>(end - group.common.begin()));
  }
  return groups;
}

bool is_name_byte(unsigned char byte) { return std::isalnum(byte) != 0 || byte == '_' || byte >= 0x80; }

bool stands_at(std::string_view text, std::size_t at, std::string_view marker) {
  if (marker.back() != ' ') return text.compare(at, marker.size(), marker) == 0;
  marker.remove_suffix(1);
  if (text.compare(at, marker.size(), marker) != 0) return false;
  const std::size_t end = at + marker.size();
  return end == text.size() || !is_name_byte(static_cast<unsigned char>(text[end]));
}

}  // namespace

bool holds_marker(std::string_view text, const std::vector<std::string>& markers) {
  const std::vector<Group> groups = groups_of(markers);
  std::bitset<65536> begins;
  for (const Group& group : groups) begins.set(group.pair);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const std::size_t pair = pair_at(text, i);
    if (!begins[pair]) continue;
    // Sorted as the markers are, by their first bytes.
    const auto first = std::lower_bound(groups.begin(), groups.end(), pair, [](const Group& group, std::size_t p) { return group.pair < p; });
    for (auto group = first; group != groups.end() && group->pair == pair; ++group) {
      if (text.compare(i, group->common.size(), group->common) != 0) continue;
      for (std::size_t m = group->first; m < group->last; ++m) {
        if (stands_at(text, i, markers[m])) return true;
      }
    }
  }
  return false;
}

}  // namespace torchport
