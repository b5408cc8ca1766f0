#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "analyzers/error.h"
#include "opdb/graph/graph.h"

namespace torchport {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMostJson = std::uint64_t{1} << 30;
constexpr int kMostDepth = 200;     // torch nests a graph in an argument in a node; a dozen levels a subgraph
constexpr int kNewestSchema = 8;    // torch 2.13 writes 8.20
constexpr std::string_view kLegacy = "serialized_exported_program.json";  // torch up to 2.7

std::string text_of(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::int64_t number_of(const Json& object, const char* key, std::int64_t otherwise) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number_integer() ? it->get<std::int64_t>() : otherwise;
}

// torch/_export/serde/schema.py, ScalarType.
std::string dtype_named(std::int64_t number) {
  switch (number) {
    case 1: return "uint8";
    case 2: return "int8";
    case 3: return "int16";
    case 4: return "int32";
    case 5: return "int64";
    case 6: return "float16";
    case 7: return "float32";
    case 8: return "float64";
    case 9: return "complex32";
    case 10: return "complex64";
    case 11: return "complex128";
    case 12: return "bool";
    case 13: return "bfloat16";
    case 28: return "uint16";
    case 29: return "float8_e4m3fn";
    case 30: return "float8_e5m2";
    case 31: return "float8_e4m3fnuz";
    case 32: return "float8_e5m2fnuz";
    case 33: return "float8_e8m0fnu";
    case 34: return "uint32";
    case 35: return "uint64";
    default: return "dtype " + std::to_string(number);
  }
}

std::string device_named(const Json& device) {
  const std::string type = text_of(device, "type");
  const std::int64_t index = number_of(device, "index", -1);
  return index < 0 || type.empty() ? type : type + ":" + std::to_string(index);
}

// "torch.ops.aten.add.Tensor" -> "aten::add.Tensor"; others stay as they are.
std::string operator_named(std::string_view target) {
  constexpr std::string_view kOps = "torch.ops.";
  if (!target.starts_with(kOps)) return std::string(target);
  target.remove_prefix(kOps.size());
  const std::size_t dot = target.find('.');
  if (dot == std::string_view::npos) return std::string(target);
  std::string_view name = target.substr(dot + 1);
  if (name.ends_with(".default")) name.remove_suffix(8);
  return std::string(target.substr(0, dot)).append("::").append(name);
}

// Control flow whose branches are graphs of their own, arithmetic of sizes, and checks of what a tensor is.
bool is_host(std::string_view op) {
  constexpr std::string_view kHigher = "higher_order::";
  if (!op.starts_with(kHigher))
    return op.find("::") == std::string_view::npos || op.starts_with("aten::sym_") || op.starts_with("aten::_assert_");
  op.remove_prefix(kHigher.size());
  return op == "cond" || op == "while_loop" || op.starts_with("wrap") || op == "map_impl" || op == "scan" ||
         op == "auto_functionalized" || op == "auto_functionalized_v2" || op == "invoke_subgraph";
}

// Takes what the graph says while the JSON is read, so that no more than one node is held at a time.
class Reader {
 public:
  Reader(Graph& graph, const std::string& path) : graph_(graph), path_(path) {}

  bool operator()(int depth, Json::parse_event_t event, Json& value) {
    if (depth > kMostDepth) throw Error("is nested deeper than torch.export writes", path_);
    if (event != Json::parse_event_t::object_end) return true;
    // Nodes are dropped once taken; what is left in their list is none.
    if (const auto nodes = value.find("nodes"); nodes != value.end() && !nodes->empty())
      throw Error("holds nodes that torch.export does not write", path_, 0, "save it anew by torch.export.save");
    if (depth == 0) {
      take_program(value);
      return true;
    }
    if (value.contains("target") && value["target"].is_string() && value.contains("inputs")) {
      take_node(value);
      return false;
    }
    if (value.contains("dtype") && value.contains("sizes")) {
      if (value["dtype"].is_number_integer()) graph_.dtypes.insert(dtype_named(value["dtype"].get<std::int64_t>()));
      if (value.contains("device")) ++graph_.devices[device_named(value["device"])].tensors;
      return false;
    }
    return true;
  }

  bool whole() const { return whole_; }

 private:
  void take_node(const Json& node) {
    GraphOp op;
    op.op = operator_named(text_of(node, "target"));
    op.host = is_host(op.op);
    if (const auto it = node.find("metadata"); it != node.end() && it->is_object())
      set_place(text_of(*it, "stack_trace"), op);
    for (const Json& input : node["inputs"]) {
      const auto arg = input.is_object() ? input.find("arg") : input.end();
      if (!input.is_object() || arg == input.end() || !arg->is_object()) continue;
      if (const auto device = arg->find("as_device"); device != arg->end())
        ++graph_.devices[device_named(*device)].constants;
      const std::int64_t dtype = number_of(*arg, "as_scalar_type", 0);
      if (dtype != 0) graph_.dtypes.insert(dtype_named(dtype));
    }
    graph_.ops.push_back(std::move(op));
  }

  void take_program(const Json& program) {
    whole_ = program.contains("graph_module") || program.contains("graph");
    graph_.torch = text_of(program, "torch_version");
    if (const auto it = program.find("schema_version"); it != program.end()) {
      const std::int64_t major = number_of(*it, "major", 0);
      if (major > kNewestSchema)
        throw Error("was written by torch " + graph_.torch + " in schema " + std::to_string(major), path_, 0,
                    "schemas up to " + std::to_string(kNewestSchema) + " are read; export it with torch 2.13");
    }
    if (const auto it = program.find("range_constraints"); it != program.end() && it->is_object()) {
      for (const auto& [name, range] : it->items()) {
        const auto bound = [&](const char* key) {
          const std::int64_t n = number_of(range, key, -1);
          return n < 0 ? std::string() : std::to_string(n);
        };
        graph_.symbols[name] = range.is_object() ? bound("min_val") + ".." + bound("max_val") : "..";
      }
    }
  }

  Graph& graph_;
  const std::string& path_;
  bool whole_ = false;
};

// The programs of the archive: there may be several, each models/NAME.json.
std::vector<const ArchiveEntry*> programs(const Archive& archive) {
  std::vector<const ArchiveEntry*> found;
  for (const ArchiveEntry& entry : archive.entries()) {
    const std::string_view name = below_top(entry.name);
    if (entry.name == kLegacy || (name.starts_with("models/") && name.ends_with(".json"))) found.push_back(&entry);
  }
  return found;
}

}  // namespace

void set_place(std::string_view trace, GraphOp& op) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ";
  for (std::size_t at = trace.find(kFile); at != std::string_view::npos; at = trace.find(kFile, at + 1)) {
    const std::size_t path = at + kFile.size(), line = trace.find(kLine, path);
    if (line == std::string_view::npos) return;
    const std::string_view file = trace.substr(path, line - path);
    if (file.find('\n') != std::string_view::npos || file.find("/site-packages/") != std::string_view::npos ||
        file.find("/torch/") != std::string_view::npos)
      continue;
    op.path = file;
    std::from_chars(trace.data() + line + kLine.size(), trace.data() + trace.size(), op.line);
  }
}

GraphFormat graph_format(const Archive& archive, const std::string& path) {
  bool code = false, pickle = false, compiled = false;
  for (const ArchiveEntry& entry : archive.entries()) {
    const std::string_view name = below_top(entry.name);
    code = code || (name.starts_with("code/") && name.ends_with(".py"));
    pickle = pickle || name == "data.pkl";
    compiled = compiled || name.starts_with("data/aotinductor/");
  }
  if (!programs(archive).empty()) return GraphFormat::Exported;
  if (code && pickle) return GraphFormat::TorchScript;
  if (compiled) throw Error("holds a program compiled by AOTInductor and no graph", path, 0, "give what torch.export.save wrote");
  if (pickle)
    throw Error("holds pickled objects (torch.save) and no graph; they are not loaded, for that may run code", path, 0,
                "export the module by torch.export.save or torch.jit.save");
  throw Error("holds no graph of torch.export or TorchScript", path, 0, "save it by torch.export.save or torch.jit.save");
}

Graph read_exported_program(Archive& archive, const std::string& path) {
  Graph graph;
  graph.format = "torch.export";
  for (const ArchiveEntry* entry : programs(archive)) {
    Reader reader(graph, path);
    const std::string text = archive.read(*entry, kMostJson);
    try {
      const Json kept = Json::parse(text, [&](int depth, Json::parse_event_t event, Json& value) {
        return reader(depth, event, value);
      });
    } catch (const Json::exception&) {
      throw Error("its part " + entry->name + " is no JSON", path, 0, "save it anew by torch.export.save");
    }
    if (!reader.whole())
      throw Error("its part " + entry->name + " is no program of torch.export", path, 0, "save it anew by torch.export.save");
  }
  return graph;
}

namespace {

// TorchScript has overloads of its own for what are calls of others.
std::string as_dispatched(std::string op) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kSame = {{{"aten::Bool.Tensor", "aten::item"},
                                                                                   {"aten::Float.Tensor", "aten::item"},
                                                                                   {"aten::FloatImplicit", "aten::item"},
                                                                                   {"aten::Int.Tensor", "aten::item"},
                                                                                   {"aten::IntImplicit", "aten::item"},
                                                                                   {"aten::ScalarImplicit", "aten::item"},
                                                                                   {"aten::to.prim_Device", "aten::to.device"},
                                                                                   {"aten::to.prim_dtype", "aten::to.dtype"},
                                                                                   {"aten::to.prim_other", "aten::to.other"}}};
  const auto it = std::find_if(kSame.begin(), kSame.end(), [&](const auto& pair) { return pair.first == op; });
  return it == kSame.end() ? op : std::string(it->second);
}

// Questions about a tensor that its shape, dtype or device answers.
bool asks_of_tensor(std::string_view op) {
  constexpr std::array<std::string_view, 12> kNames = {"aten::size",   "aten::dim",       "aten::numel",      "aten::len",
                                                       "aten::stride", "prim::device",    "aten::is_complex", "aten::storage_offset",
                                                       "aten::device", "aten::is_floating_point", "aten::is_contiguous", "aten::is_pinned"};
  return std::find(kNames.begin(), kNames.end(), op.substr(0, op.find('.'))) != kNames.end();
}

}  // namespace

Graph parse_graph(std::string_view json, const std::string& path) {
  Graph graph;
  try {
    const Json found = Json::parse(json);
    graph.format = "TorchScript";
    graph.torch = found.at("torch");
    for (const Json& op : found.at("ops"))
      graph.ops.push_back({as_dispatched(op.at("op")), op.at("path"), op.at("line"), op.at("host") || asks_of_tensor(op.at("op").get<std::string>()), op.at("uses")});
    for (const auto& [name, count] : found.at("devices").items())
      graph.devices[name] = {count.at("constants"), count.at("tensors")};
    for (const Json& dtype : found.at("dtypes")) graph.dtypes.insert(dtype.get<std::string>());
  } catch (const Json::exception& error) {
    throw Error(std::string("torchport-graph printed what is not understood: ") + error.what(), path, 0,
                "build it anew: ./dev torch");
  }
  return graph;
}

}  // namespace torchport
