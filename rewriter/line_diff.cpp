#include "rewriter/line_diff.h"

#include <algorithm>
#include <unordered_map>

namespace torchport {
namespace {

using LineId = std::uint32_t;

struct Range {
  std::uint32_t start, end;
  std::uint32_t size() const { return end - start; }
};

// Deeper than this no line is unique in both texts any more; what is left is small or contrived.
constexpr int kMaxDepth = 40;
constexpr std::int32_t kMaxEdits = 500;

// Patience diff: lines that occur once in both texts are anchors; between them Myers' greedy search, up to kMaxEdits.
class Differ {
 public:
  Differ(std::vector<LineId> before, std::vector<LineId> after, LineId ids)
      : before_(std::move(before)),
        after_(std::move(after)),
        gone_(before_.size(), 1),
        new_(after_.size(), 1),
        in_before_(ids),
        in_after_(ids) {}

  std::vector<LineChange> run() {
    compare({0, static_cast<std::uint32_t>(before_.size())}, {0, static_cast<std::uint32_t>(after_.size())}, 0);
    return changes();
  }

 private:
  struct Seen {
    std::uint32_t count = 0;
    std::uint32_t at = 0;
  };
  struct Anchor {
    std::uint32_t before, after;
  };

  void keep(std::uint32_t before, std::uint32_t after) { gone_[before] = new_[after] = 0; }
  void compare(Range a, Range b, int depth);
  std::vector<Anchor> unique_lines(Range a, Range b);
  static std::vector<Anchor> longest_increasing(const std::vector<Anchor>& anchors);
  void greedy(Range a, Range b);
  void trace_back(Range a, Range b, const std::vector<std::vector<std::int32_t>>& trace);
  std::vector<LineChange> changes() const;

  std::vector<LineId> before_, after_;
  std::vector<char> gone_, new_;
  std::vector<Seen> in_before_, in_after_;  // by LineId; empty between two calls
};

void Differ::compare(Range a, Range b, int depth) {
  for (; a.size() != 0 && b.size() != 0 && before_[a.start] == after_[b.start]; ++a.start, ++b.start) {
    keep(a.start, b.start);
  }
  for (; a.size() != 0 && b.size() != 0 && before_[a.end - 1] == after_[b.end - 1]; --a.end, --b.end) {
    keep(a.end - 1, b.end - 1);
  }
  if (a.size() == 0 || b.size() == 0) return;
  const std::vector<Anchor> anchors =
      depth < kMaxDepth ? longest_increasing(unique_lines(a, b)) : std::vector<Anchor>();
  if (anchors.empty()) return greedy(a, b);
  Range rest_a = a, rest_b = b;
  for (const Anchor& anchor : anchors) {
    compare({rest_a.start, anchor.before}, {rest_b.start, anchor.after}, depth + 1);
    keep(anchor.before, anchor.after);
    rest_a.start = anchor.before + 1;
    rest_b.start = anchor.after + 1;
  }
  compare(rest_a, rest_b, depth + 1);
}

std::vector<Differ::Anchor> Differ::unique_lines(Range a, Range b) {
  for (std::uint32_t i = a.start; i < a.end; ++i) in_before_[before_[i]] = {in_before_[before_[i]].count + 1, i};
  for (std::uint32_t i = b.start; i < b.end; ++i) in_after_[after_[i]] = {in_after_[after_[i]].count + 1, i};
  std::vector<Anchor> anchors;
  for (std::uint32_t i = a.start; i < a.end; ++i) {
    const LineId line = before_[i];
    if (in_before_[line].count == 1 && in_after_[line].count == 1) anchors.push_back({i, in_after_[line].at});
  }
  for (std::uint32_t i = a.start; i < a.end; ++i) in_before_[before_[i]] = {};
  for (std::uint32_t i = b.start; i < b.end; ++i) in_after_[after_[i]] = {};
  return anchors;
}

std::vector<Differ::Anchor> Differ::longest_increasing(const std::vector<Anchor>& anchors) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> tails;  // index of the smallest end of a run of each length
  std::vector<std::uint32_t> previous(anchors.size(), kNone);
  for (std::uint32_t i = 0; i < anchors.size(); ++i) {
    const auto tail = std::lower_bound(tails.begin(), tails.end(), anchors[i].after,
                                       [&](std::uint32_t t, std::uint32_t after) { return anchors[t].after < after; });
    if (tail != tails.begin()) previous[i] = *(tail - 1);
    if (tail == tails.end()) {
      tails.push_back(i);
    } else {
      *tail = i;
    }
  }
  std::vector<Anchor> run;
  for (std::uint32_t i = tails.empty() ? kNone : tails.back(); i != kNone; i = previous[i]) run.push_back(anchors[i]);
  std::reverse(run.begin(), run.end());
  return run;
}

void Differ::greedy(Range a, Range b) {
  const std::int32_t n = static_cast<std::int32_t>(a.size());
  const std::int32_t m = static_cast<std::int32_t>(b.size());
  const std::int32_t limit = std::min(n + m, kMaxEdits);
  std::vector<std::int32_t> furthest(2 * static_cast<std::size_t>(limit) + 3, 0);
  // How far down `before_` each diagonal has come; middle[k] for diagonal k.
  std::int32_t* const middle = furthest.data() + limit + 1;
  const auto at = [&](std::int32_t k) -> std::int32_t& { return middle[k]; };
  std::vector<std::vector<std::int32_t>> trace;
  for (std::int32_t d = 0; d <= limit; ++d) {
    trace.emplace_back(middle - d, middle + d + 1);
    for (std::int32_t k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
      std::int32_t x = down ? at(k + 1) : at(k - 1) + 1;
      std::int32_t y = x - k;
      while (x < n && y >= 0 && y < m &&
             before_[a.start + static_cast<std::uint32_t>(x)] == after_[b.start + static_cast<std::uint32_t>(y)]) {
        ++x, ++y;
      }
      at(k) = x;
      if (x >= n && y >= m) return trace_back(a, b, trace);
    }
  }
}

// trace[d] holds, for the diagonals -d..d, how far d - 1 edits had come.
void Differ::trace_back(Range a, Range b, const std::vector<std::vector<std::int32_t>>& trace) {
  std::int32_t x = static_cast<std::int32_t>(a.size());
  std::int32_t y = static_cast<std::int32_t>(b.size());
  for (std::int32_t d = static_cast<std::int32_t>(trace.size()) - 1; d >= 0; --d) {
    const std::int32_t* const middle = trace[static_cast<std::size_t>(d)].data() + d;
    const auto at = [&](std::int32_t k) { return middle[k]; };
    const std::int32_t k = x - y;
    std::int32_t from_x = 0, from_y = 0;
    if (d != 0) {
      const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
      from_x = down ? at(k + 1) : at(k - 1);
      from_y = from_x - (down ? k + 1 : k - 1);
    }
    while (x > from_x && y > from_y) {
      --x, --y;
      keep(a.start + static_cast<std::uint32_t>(x), b.start + static_cast<std::uint32_t>(y));
    }
    x = from_x;
    y = from_y;
  }
}

std::vector<LineChange> Differ::changes() const {
  std::vector<LineChange> result;
  std::uint32_t i = 0, j = 0;
  while (i < gone_.size() || j < new_.size()) {
    LineChange change{i, 0, j, 0};
    while (i < gone_.size() && gone_[i]) ++i;
    while (j < new_.size() && new_[j]) ++j;
    change.before_count = i - change.before;
    change.after_count = j - change.after;
    if (change.before_count + change.after_count != 0) result.push_back(change);
    for (; i < gone_.size() && j < new_.size() && !gone_[i] && !new_[j];) ++i, ++j;
  }
  return result;
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::vector<LineChange> diff_lines(const std::vector<std::string_view>& before,
                                   const std::vector<std::string_view>& after) {
  std::unordered_map<std::string_view, LineId> ids;
  ids.reserve(before.size());
  const auto number = [&](const std::vector<std::string_view>& lines) {
    std::vector<LineId> numbers;
    numbers.reserve(lines.size());
    for (const std::string_view line : lines) {
      numbers.push_back(ids.try_emplace(line, static_cast<LineId>(ids.size())).first->second);
    }
    return numbers;
  };
  std::vector<LineId> a = number(before);
  std::vector<LineId> b = number(after);
  return Differ(std::move(a), std::move(b), static_cast<LineId>(ids.size())).run();
}

}  // namespace torchport
