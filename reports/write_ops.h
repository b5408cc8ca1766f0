// The operators that a run found, a row a call and its arguments that decide, with how each target serves it. Writers
// add nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opdb/graph/graph.h"
#include "opdb/target.h"
#include "reports/report.h"
#include "rules/ops.h"

namespace torchport {

struct OpRow {
  std::string api;
  std::string condition;  // "3/mode=bicubic"; empty: whatever the arguments
  std::optional<std::uint32_t> forward, backward;
  bool trains = false;                                        // the backward pass counts
  bool in_graph = false;                                      // `api` is an overload of an exported program
  std::uint32_t uses = 0;
  std::vector<std::pair<std::string, std::uint32_t>> places;  // path and line, 0: none
};

struct OpsReport {
  std::string root;
  std::vector<Target> targets;
  std::vector<OpRow> rows;  // sorted
  OpCounts counts;
  std::string torch_version, torch_source;
  bool newer_torch = false;  // the project's torch is newer than the database's
  std::vector<std::pair<std::string, Graph>> models;  // exported programs among the paths
};

Support support_on(const OpRow& row, Target target);

// `format`: text, json, csv or markdown. `every_place`: text shortens none.
void write_ops(const OpsReport& report, const std::string& format, bool every_place, const Sink& sink);

}  // namespace torchport
