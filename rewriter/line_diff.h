// Which lines two texts share, in linear time for all but contrived input. The result is always right, and short where
// a few lines changed; it is not always the shortest. Knows nothing of how a diff is printed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace torchport {

// Lines with their '\n'; the last one may lack it. An empty text has none.
std::vector<std::string_view> split_lines(std::string_view text);

// Lines [before, before + before_count) became [after, after + after_count). Lines count from 0; at least one of the
// counts is not 0.
struct LineChange {
  std::uint32_t before = 0, before_count = 0;
  std::uint32_t after = 0, after_count = 0;
};

// In order, with at least one shared line between two changes.
std::vector<LineChange> diff_lines(const std::vector<std::string_view>& before,
                                   const std::vector<std::string_view>& after);

}  // namespace torchport
