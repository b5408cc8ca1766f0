#include "reports/write_ops.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "opdb/apis.h"
#include "opdb/overloads.h"
#include "reports/paint.h"

namespace torchport {

Support support_on(const OpRow& row, Target target) {
  if (row.in_graph) return served(row.api, target).support;
  const OpUse use{kNone, row.api, row.forward, row.backward, false};
  return support_of(use, target, row.trains);
}

namespace {

using Json = nlohmann::ordered_json;

// "aten::upsample_trilinear3d.out, …": what the target lacks of the call.
std::string lacking_on(const OpRow& row, Target target) {
  std::string text;
  if (row.in_graph) {
    for (const std::string& op : served(row.api, target).lacking) text += (text.empty() ? "" : ", ") + op;
    return text;
  }
  for (const auto& table_row : {row.forward, row.trains ? row.backward : std::nullopt}) {
    if (!table_row || target == Target::Cpu) continue;
    for (const Lacking& l : apis().lacking(*table_row, target)) {
      const std::string name = full_name(l.op);
      if (text.find(name) == std::string::npos) text += (text.empty() ? "" : ", ") + name;
    }
  }
  return text;
}

std::string evidence_on(const OpRow& row, Target target) {
  if (!row.forward && !row.in_graph) return "an argument that decides is not known, or the database has no such call";
  const std::string lacks = lacking_on(row, target);
  return lacks.empty() || support_on(row, target) == Support::Native
             ? ""
             : std::string(coverage().answer(lacks.substr(0, lacks.find(',')), target).evidence);
}

std::string place_text(const std::pair<std::string, std::uint32_t>& place) {
  return place.second == 0 ? place.first : place.first + ":" + std::to_string(place.second);
}

// "cuda:0 (2 constants, 5 tensors)", …
std::string devices_text(const Graph& graph) {
  std::string text;
  for (const auto& [device, count] : graph.devices) {
    std::string held;
    if (count.constants != 0) held = counted(count.constants, "constant");
    if (count.tensors != 0) held += (held.empty() ? "" : ", ") + counted(count.tensors, "tensor");
    text += (text.empty() ? "" : ", ") + device + " (" + held + ")";
  }
  return text;
}

// One line for each exported program: what wrote it and what it is bound to.
std::string models_text(const OpsReport& report, std::string_view before) {
  std::string text;
  for (const auto& [path, graph] : report.models) {
    text += std::string(before) + printable(path) + ": " + graph.format + ", " + (graph.torch.empty() ? "torch not told" : graph.torch);
    if (!graph.devices.empty()) text += "; devices: " + printable(devices_text(graph));
    std::string words;
    for (const std::string& dtype : graph.dtypes) words += (words.empty() ? "; dtypes: " : ", ") + dtype;
    text += words;
    words.clear();
    for (const auto& [symbol, range] : graph.symbols) words += (words.empty() ? "; symbolic dimensions: " : ", ") + symbol + " " + range;
    text += printable(words) + "\n";
  }
  return text;
}

std::string head_line(const OpsReport& report) {
  std::string text =
      "operators of torch " + std::string(Coverage::torch_version()) + "; " + counted(report.counts.uses, "use");
  if (report.counts.possible != 0) text += ", " + std::to_string(report.counts.possible) + " that may be";
  if (report.counts.host != 0) text += ", " + std::to_string(report.counts.host) + " on the host";
  if (report.newer_torch)
    text += "; the project's torch " + report.torch_version + " (" + report.torch_source + ") is newer than that";
  return text;
}

// Repository, commit and date of what each target's answers were read from.
std::string sources_line(const OpsReport& report) {
  std::string text;
  for (const Target target : report.targets) {
    const std::string_view cite = coverage().cite(target);
    if (!cite.empty()) text += (text.empty() ? "read from: " : "; ") + std::string(name_of(target)) + " " + printable(std::string(cite));
  }
  return text.empty() ? text : text + "\n";
}

std::string name_of_row(const OpRow& row) {
  return row.api + (row.condition.empty() ? "" : " [" + row.condition + "]") + (row.trains ? " in training" : "");
}

void write_text_table(const OpsReport& report, bool every_place, const Sink& sink) {
  sink(head_line(report) + "\n");
  std::size_t width = 8;
  for (const OpRow& row : report.rows) width = std::max(width, name_of_row(row).size());
  std::string head = padded("operator", width + 2) + "  uses";
  for (const Target target : report.targets) head += "  " + padded(name_of(target), 11);
  sink(head + "  where\n");
  for (const OpRow& row : report.rows) {
    std::string line = padded(name_of_row(row), width + 2) + aligned_right(std::to_string(row.uses), 6);
    for (const Target target : report.targets) line += "  " + padded(name_of(support_on(row, target)), 11);
    const std::size_t most = every_place ? row.places.size() : std::min<std::size_t>(row.places.size(), 3);
    for (std::size_t i = 0; i < most; ++i)
      line += (i == 0 ? "  " : ", ") + printable(place_text(row.places[i]));
    if (most < row.places.size()) line += ", …";
    sink(line + "\n");
  }
  sink(models_text(report, ""));
  sink(sources_line(report));
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void write_csv(const OpsReport& report, const Sink& sink) {
  std::string head = "operator,condition,uses";
  for (const Target target : report.targets)
    head += "," + std::string(name_of(target)) + "," + std::string(name_of(target)) + " lacks";
  sink(head + ",where\n");
  for (const OpRow& row : report.rows) {
    std::string line = csv_cell(row.api) + "," + csv_cell(row.condition) + "," + std::to_string(row.uses);
    for (const Target target : report.targets)
      line += "," + std::string(name_of(support_on(row, target))) + "," + csv_cell(lacking_on(row, target));
    std::string where;
    for (const auto& [path, at] : row.places) where += (where.empty() ? "" : " ") + place_text({path, at});
    sink(line + "," + csv_cell(where) + "\n");
  }
}

void write_markdown(const OpsReport& report, const Sink& sink) {
  sink(head_line(report) + "\n\n| operator | uses |");
  std::string rule = "|---|---|";
  for (const Target target : report.targets) {
    sink(" " + std::string(name_of(target)) + " |");
    rule += "---|";
  }
  sink(" lacking |\n" + rule + "---|\n");
  for (const OpRow& row : report.rows) {
    std::string line = "| `" + row.api + "`" + (row.condition.empty() ? "" : " " + row.condition) + (row.trains ? " in training" : "") + " | " +
                       std::to_string(row.uses) + " |";
    std::string lacks;
    for (const Target target : report.targets) {
      line += " " + std::string(name_of(support_on(row, target))) + " |";
      const std::string here = lacking_on(row, target);
      if (!here.empty() && support_on(row, target) != Support::Native && lacks.find(here) == std::string::npos)
        lacks += (lacks.empty() ? "" : ", ") + here;
    }
    sink(line + " " + lacks + " |\n");
  }
  if (!report.models.empty()) sink("\n" + models_text(report, "- "));
  sink("\n" + sources_line(report));
}

Json models_json(const OpsReport& report) {
  Json models = Json::array();
  for (const auto& [path, graph] : report.models) {
    Json devices = Json::object();
    for (const auto& [device, count] : graph.devices)
      devices[device] = {{"constants", count.constants}, {"tensors", count.tensors}};
    models.push_back({{"path", path},
                      {"format", graph.format},
                      {"torch", graph.torch},
                      {"devices", std::move(devices)},
                      {"dtypes", graph.dtypes},
                      {"symbols", graph.symbols}});
  }
  return models;
}

void write_json(const OpsReport& report, const Sink& sink) {
  Json targets = Json::array(), operators = Json::array(), counts = Json::object();
  for (const Target target : report.targets) {
    targets.push_back(name_of(target));
    for (const Support s : {Support::Native, Support::Fallback, Support::Unsupported, Support::Unknown}) {
      counts[std::string(name_of(target))][std::string(name_of(s))] =
          report.counts.by_target[static_cast<std::size_t>(target)][static_cast<std::size_t>(s)];
    }
  }
  for (const OpRow& row : report.rows) {
    Json support = Json::object(), places = Json::array();
    for (const Target target : report.targets) {
      support[std::string(name_of(target))] = {{"support", name_of(support_on(row, target))},
                                               {"lacks", lacking_on(row, target)},
                                               {"evidence", evidence_on(row, target)}};
    }
    for (const auto& [path, line] : row.places) places.push_back({{"path", path}, {"line", line}});
    operators.push_back({{"operator", row.api},
                         {"condition", row.condition},
                         {"backward", row.trains},
                         {"uses", row.uses},
                         {"targets", std::move(support)},
                         {"places", std::move(places)}});
  }
  Json sources = Json::object();
  for (const Target target : report.targets) sources[std::string(name_of(target))] = coverage().cite(target);
  const Json json = {{"schema", "torchport.ops/1"},
                     {"root", report.root},
                     {"targets", std::move(targets)},
                     {"database", {{"torch", Coverage::torch_version()}, {"newer_torch", report.newer_torch}, {"sources", std::move(sources)}}},
                     {"torch", {{"version", report.torch_version}, {"source", report.torch_source}}},
                     {"counts", std::move(counts)},
                     {"uses", report.counts.uses},
                     {"possible", report.counts.possible},
                     {"host", report.counts.host},
                     {"operators", std::move(operators)},
                     {"models", models_json(report)}};
  sink(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace

void write_ops(const OpsReport& report, const std::string& format, bool every_place, const Sink& sink) {
  if (format == "json") return write_json(report, sink);
  if (format == "csv") return write_csv(report, sink);
  if (format == "markdown") return write_markdown(report, sink);
  write_text_table(report, every_place, sink);
}

}  // namespace torchport
