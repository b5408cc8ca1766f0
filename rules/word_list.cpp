#include "rules/word_list.h"

#include <algorithm>

namespace torchport {

void sort_unique(std::vector<std::string>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void keep_least(std::vector<std::string>& markers) {
  sort_unique(markers);
  std::vector<std::string> least;
  for (const std::string& marker : markers) {
    const bool covered = std::any_of(markers.begin(), markers.end(), [&](const std::string& other) {
      return other != marker && marker.find(other) != std::string::npos;
    });
    if (!covered) least.push_back(marker);
  }
  markers = std::move(least);
}

}  // namespace torchport
