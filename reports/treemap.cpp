#include "reports/treemap.h"

#include <algorithm>
#include <map>
#include <memory>

namespace torchport {
namespace {

constexpr double kHead = 16;  // room for a folder's name
constexpr double kMargin = 2;

struct Node {
  std::string path;
  std::uint64_t weight = 0;
  std::int64_t file = -1;
  std::vector<Node> children;
};

// The tree of paths below a folder; `from` is where the rest of each path starts.
Node folder(const std::vector<TreemapFile>& files, const std::vector<std::size_t>& members, std::size_t from) {
  Node node;
  std::map<std::string, std::vector<std::size_t>> folders;
  for (const std::size_t i : members) {
    const std::string& path = files[i].path;
    const std::size_t slash = path.find('/', from);
    if (slash == std::string::npos) {
      node.children.push_back({path, files[i].weight, static_cast<std::int64_t>(i), {}});
    } else {
      folders[path.substr(0, slash + 1)].push_back(i);
    }
  }
  for (const auto& [path, inside] : folders) {
    Node child = folder(files, inside, path.size());
    child.path = path;
    if (child.children.size() == 1) child = Node(child.children.front());
    node.children.push_back(std::move(child));
  }
  for (const Node& child : node.children) node.weight += child.weight;
  std::stable_sort(node.children.begin(), node.children.end(),
                   [](const Node& a, const Node& b) { return a.weight > b.weight; });
  return node;
}

struct Area {
  double x, y, width, height;
};

class TileLayout {
 public:
  std::vector<TreemapBox> boxes;

  void place(const Node& node, Area area, std::size_t depth) {
    std::size_t begin = 0;
    double weight = static_cast<double>(node.weight);
    while (begin < node.children.size() && weight > 0 && area.width > 0 && area.height > 0) {
      const double unit = area.width * area.height / weight;
      const double side = std::min(area.width, area.height);
      const std::size_t end = row_end(node, begin, unit, side);
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += static_cast<double>(node.children[i].weight);
      row(node, begin, end, area, sum * unit / side, sum, depth);
      weight -= sum;
      begin = end;
    }
  }

 private:
  static double worst(double sum, double largest, double smallest, double side) {
    const double square = sum * sum, line = side * side;
    return std::max(line * largest / square, square / (line * smallest));
  }

  // As many as make the row's boxes squarer.
  static std::size_t row_end(const Node& node, std::size_t begin, double unit, double side) {
    double sum = 0, best = 0;
    const double largest = static_cast<double>(node.children[begin].weight) * unit;
    std::size_t end = begin;
    for (; end < node.children.size(); ++end) {
      const double own = static_cast<double>(node.children[end].weight) * unit;
      const double ratio = worst(sum + own, largest, own, side);
      if (end > begin && ratio > best) break;
      best = ratio;
      sum += own;
    }
    return end;
  }

  void row(const Node& node, std::size_t begin, std::size_t end, Area& area, double thickness, double sum,
           std::size_t depth) {
    const bool tall = area.width >= area.height;  // the row stands along the shorter side
    double at = tall ? area.y : area.x;
    const double length = tall ? area.height : area.width;
    for (std::size_t i = begin; i < end; ++i) {
      const double share = length * static_cast<double>(node.children[i].weight) / sum;
      box(node, node.children[i], tall ? Area{area.x, at, thickness, share} : Area{at, area.y, share, thickness},
          depth);
      at += share;
    }
    (tall ? area.x : area.y) += thickness;
    (tall ? area.width : area.height) -= thickness;
  }

  void box(const Node& around, const Node& node, const Area& area, std::size_t depth) {
    boxes.push_back(
        {area.x, area.y, area.width, area.height, node.path.substr(around.path.size()), node.path, node.file, depth});
    if (node.file >= 0) return;
    const double head = area.height > 3 * kHead ? kHead : kMargin;
    const Area inner{area.x + kMargin, area.y + head, area.width - 2 * kMargin, area.height - head - kMargin};
    place(node, inner, depth + 1);
  }
};

}  // namespace

std::vector<TreemapBox> treemap(const std::vector<TreemapFile>& files, double width, double height) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].weight > 0) members.push_back(i);
  }
  TileLayout layout;
  Node top = folder(files, members, 0);
  // The folder in which everything lies says nothing.
  while (top.children.size() == 1 && top.children.front().file < 0) top = Node(top.children.front());
  layout.place(top, {0, 0, width, height}, 0);
  return std::move(layout.boxes);
}

}  // namespace torchport
