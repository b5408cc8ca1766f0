// Programs that people saved, given to `torchport ops`: which paths are such, and what their graphs hold.
#pragma once

#include <string>
#include <vector>

#include "opdb/graph/graph.h"
#include "reports/write_ops.h"

namespace torchport {

// A file with an ending of torch.export or TorchScript.
bool is_model(const std::string& path);
// Throws Error.
Graph read_model(const std::string& path);
// Its operators as rows, added to those that are there; counts and what it holds besides.
void add_model(OpsReport& report, std::string path, Graph graph);

}  // namespace torchport
