// Rectangles for a treemap of folders and files: areas are proportional to weights, sides as alike as can be. Geometry
// only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace torchport {

struct TreemapFile {
  std::string path;
  std::uint64_t weight = 0;
};

struct TreemapBox {
  double x = 0, y = 0, width = 0, height = 0;
  std::string name;        // as seen from the folder that is drawn around it
  std::string path;        // of the file or folder
  std::int64_t file = -1;  // index into the files; -1: a folder
  std::size_t depth = 0;
};

// Folders before what is in them. A folder that holds one thing only is not drawn.
std::vector<TreemapBox> treemap(const std::vector<TreemapFile>& files, double width, double height);

}  // namespace torchport
