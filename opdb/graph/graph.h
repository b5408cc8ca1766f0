// A program that somebody saved: the operators that its graph calls, and the devices, dtypes and symbolic dimensions
// that it names. What targets do with the operators is Coverage's and Apis' to say.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "opdb/graph/archive.h"

namespace torchport {

struct GraphOp {
  std::string op;          // "aten::add.Tensor"
  std::string path;        // where the code that it comes from stands; empty: not told
  std::uint32_t line = 0;
  bool host = false;       // arithmetic of numbers and lists: no tensor takes part
  std::uint32_t uses = 1;
};

struct DeviceCount {
  std::uint32_t constants = 0;  // arguments of operators that name it
  std::uint32_t tensors = 0;    // weights and values that lie there
};

struct Graph {
  std::string format;  // "torch.export" or "TorchScript"
  std::string torch;   // what wrote it, as far as it says
  std::vector<GraphOp> ops;
  std::map<std::string, DeviceCount> devices;
  std::set<std::string> dtypes;
  std::map<std::string, std::string> symbols;  // symbolic dimension -> its range, "2..64"
};

enum class GraphFormat : std::uint8_t { Exported, TorchScript };

// By what the archive holds. Throws Error where it holds no graph, and says what it is.
GraphFormat graph_format(const Archive& archive, const std::string& path);

// The archive of torch.export.save: JSON, read as it comes. Throws Error.
Graph read_exported_program(Archive& archive, const std::string& path);

// What the program torchport-graph prints. Throws Error.
Graph parse_graph(std::string_view json, const std::string& path);

// Of a Python traceback the innermost place that is not a library's.
void set_place(std::string_view trace, GraphOp& op);

}  // namespace torchport
