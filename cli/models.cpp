#include "cli/models.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "cli/programs.h"
#include "opdb/overloads.h"

namespace torchport {

bool is_model(const std::string& path) {
  constexpr std::array<std::string_view, 4> kEndings = {".pt2", ".pt", ".pth", ".ptl"};
  std::error_code error;
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view end) { return path.ends_with(end); }) &&
         std::filesystem::is_regular_file(path, error);
}

Graph read_model(const std::string& path) {
  Archive archive(path);
  if (graph_format(archive, path) == GraphFormat::Exported) return read_exported_program(archive, path);
  return parse_graph(run_program("torchport-graph", "TORCHPORT_GRAPH", {path}, path), path);
}

void add_model(OpsReport& report, std::string path, Graph graph) {
  for (const GraphOp& op : graph.ops) {
    if (op.host) {
      report.counts.host += op.uses;
      continue;
    }
    const auto same = [&](const OpRow& row) { return row.in_graph && row.api == op.op; };
    auto row = std::find_if(report.rows.begin(), report.rows.end(), same);
    if (row == report.rows.end()) {
      row = report.rows.insert(row, OpRow{});
      row->api = op.op;
      row->in_graph = true;
    }
    row->uses += op.uses;
    const std::pair<std::string, std::uint32_t> place(op.path.empty() ? path : op.path, op.line);
    if (std::find(row->places.begin(), row->places.end(), place) == row->places.end()) row->places.push_back(place);
    report.counts.uses += op.uses;
    for (std::size_t t = 0; t < kTargetCount; ++t)
      report.counts.by_target[t][static_cast<std::size_t>(served(op.op, static_cast<Target>(t)).support)] += op.uses;
  }
  report.models.emplace_back(std::move(path), std::move(graph));
}

}  // namespace torchport
