// torchport-graph FILE: prints what the forward method of a TorchScript archive calls, as JSON for torchport.
// A program of its own because it needs libtorch. It compiles the archive's code and runs none of it: torch::jit::load
// would unpickle objects and run their __setstate__, so it is not used, and default values that call something, which
// libtorch runs as it compiles, are refused.
#include <caffe2/serialize/inline_container.h>
#include <sys/resource.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/tree_views.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/operator_upgraders/upgraders_entry.h>
#include <torch/csrc/jit/serialization/import_source.h>
#include <torch/version.h>

#include <cstdio>
#include <iostream>
#include <map>

#include "opdb/graph/storages.h"

namespace {

using namespace torch::jit;

constexpr std::size_t kMostCode = std::size_t{64} << 20;   // unpacked: the code of a large model has one
constexpr std::size_t kMostPickle = std::size_t{256} << 20;
constexpr std::size_t kMostConstants = std::size_t{1} << 20;
constexpr std::uint64_t kMostCalls = std::uint64_t{1} << 31;

struct Refused {
  std::string what, hint;
};

// One operator at one place.
struct Key {
  std::string op, path;
  std::size_t line = 0;
  bool host = false;
  auto operator<=>(const Key&) const = default;
};
using Counts = std::map<Key, std::uint64_t>;

struct Found {
  Counts ops;
  std::map<std::string, std::uint64_t> device_constants;
  std::set<std::string> dtypes;
};

std::string record(caffe2::serialize::PyTorchStreamReader& reader, const std::string& name, std::size_t most) {
  if (reader.getRecordSize(name) > most) throw Refused{"its part " + name + " is larger than any that torch writes", ""};
  const auto [data, size] = reader.getRecord(name);
  return {static_cast<const char*>(data.get()), size};
}

// Values that libtorch computes while it compiles: only what is written out may stand there.
void refuse_calls(const TreeRef& tree) {
  if (tree->kind() == TK_APPLY) {
    const Expr callee = Apply(tree).callee();
    const bool allowed = callee.kind() == TK_VAR && (Var(callee).name().name() == "annotate" || Var(callee).name().name() == "uninitialized");
    const bool device = callee.kind() == '.' && Select(callee).selector().name() == "device";
    if (!allowed && !device)
      throw Refused{"calls a function in a default value or a constant of a class, which torch does not write", "do not load it"};
  }
  for (const TreeRef& child : tree->trees()) refuse_calls(child);
}

void check_function(const Def& def) {
  for (const Param& parameter : def.decl().params()) refuse_calls(parameter.defaultValue().tree());
}

void check_class(const ClassDef& definition) {
  for (const Stmt& statement : definition.body()) {
    if (statement.kind() == TK_DEF) {
      check_function(Def(statement));
    } else {
      refuse_calls(statement.tree());
    }
  }
}

void check_source(const std::shared_ptr<Source>& source) {
  Parser parser(source);
  auto& lexer = parser.lexer();
  while (lexer.cur().kind != TK_EOF) {
    if (lexer.cur().kind == TK_CLASS_DEF) {
      check_class(ClassDef(parser.parseClass()));
    } else if (lexer.cur().kind == TK_DEF) {
      check_function(Def(parser.parseFunction(false)));
    } else {
      lexer.next();  // imports and the version line of old files
    }
  }
}

std::size_t constants_named(std::string_view code) {
  constexpr std::string_view kName = "CONSTANTS.c";
  std::size_t most = 0;
  for (std::size_t at = code.find(kName); at != std::string_view::npos; at = code.find(kName, at + 1)) {
    const std::size_t index = std::strtoul(code.data() + at + kName.size(), nullptr, 10);
    most = std::max(most, std::min(index, kMostConstants) + 1);
  }
  return most;
}

bool takes_tensors(const c10::FunctionSchema& schema) {
  const auto is_tensor = [](const c10::Argument& a) { return a.type()->str().find("Tensor") != std::string::npos; };
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), is_tensor) ||
         std::any_of(schema.returns().begin(), schema.returns().end(), is_tensor);
}

std::string dtype_named(c10::ScalarType type) { return std::string(c10::getDtypeNames(type).first); }

class Collector {
 public:
  // What one call of the function comes to. Each function is read once, however often it is called.
  const Found& of(Function& function) {
    const auto [it, is_new] = done_.try_emplace(&function);
    if (is_new) it->second = block(*toGraphFunction(function).graph()->block(), function.name());
    return it->second;
  }
  std::set<std::string> unresolved;

 private:
  static void add(Found& to, const Found& part) {
    for (const auto& [key, count] : part.ops) {
      to.ops[key] += count;
      if (to.ops[key] > kMostCalls) throw Refused{"calls an operator more than two thousand million times", "do not load it"};
    }
    for (const auto& [device, count] : part.device_constants) to.device_constants[device] += count;
    to.dtypes.insert(part.dtypes.begin(), part.dtypes.end());
  }

  Found block(Block& b, const std::string& name) {
    Found found;
    for (Node* node : b.nodes()) {
      if (node->kind() == prim::CallMethod) {
        const auto type = node->input(0)->type()->cast<c10::ClassType>();
        Function* method = type ? type->findMethod(node->s(attr::name)) : nullptr;
        if (method != nullptr) add(found, of(*method));
        else unresolved.insert(node->s(attr::name));
      } else if (node->kind() == prim::CallFunction) {
        const auto type = node->input(0)->type()->cast<c10::FunctionType>();
        if (type) add(found, of(*type->function()));
      } else if (!node->kind().is_prim() && !node->kind().is_attr()) {
        operation(*node, found);
      }
      if (node->hasAttribute(attr::Subgraph)) add(found, block(*node->g(attr::Subgraph)->block(), name));
      for (Block* inner : node->blocks()) add(found, block(*inner, name));
    }
    return found;
  }

  static void operation(Node& node, Found& found) {
    const c10::FunctionSchema* schema = node.maybeSchema();
    Key key{node.kind().toQualString(), {}, 0, false};
    if (schema != nullptr) {
      if (!schema->overload_name().empty()) key.op += "." + schema->overload_name();
      key.host = !takes_tensors(*schema);
    }
    if (const auto place = node.sourceRange().file_line_col()) std::tie(key.path, key.line) = std::tuple(std::get<0>(*place), std::get<1>(*place));
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
      const auto value = toIValue(node.input(i));
      if (!value) continue;
      if (value->isDevice()) ++found.device_constants[value->toDevice().str()];
      if (value->isInt() && schema != nullptr && i < schema->arguments().size() && schema->arguments()[i].name() == "dtype")
        found.dtypes.insert(dtype_named(static_cast<c10::ScalarType>(value->toInt())));
    }
    ++found.ops[key];
  }

  std::map<Function*, Found> done_;
};

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    std::array<char, 8> code{};
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 32) std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
    out += code[0] != 0 ? std::string(code.data()) : std::string(1, c);
  }
  return out + '"';
}

void print(const Found& found, const torchport::Storages& storages, std::uint64_t version) {
  std::set<std::string> dtypes = found.dtypes, devices;
  for (const std::string& type : storages.types) {
    for (int i = 0; i < static_cast<int>(c10::ScalarType::NumOptions); ++i) {
      const auto scalar = static_cast<c10::ScalarType>(i);
      if (std::string(c10::toString(scalar)) + "Storage" == type) dtypes.insert(dtype_named(scalar));
    }
  }
  for (const auto& [device, count] : found.device_constants) devices.insert(device);
  for (const auto& [device, count] : storages.devices) devices.insert(device);
  std::cout << "{\"torch\": " << json_text("format " + std::to_string(version)) << ",\n\"ops\": [";
  const char* comma = "\n";
  for (const auto& [key, count] : found.ops) {
    std::cout << comma << "{\"op\": " << json_text(key.op) << ", \"path\": " << json_text(key.path) << ", \"line\": " << key.line
              << ", \"host\": " << (key.host ? "true" : "false") << ", \"uses\": " << count << "}";
    comma = ",\n";
  }
  std::cout << "],\n\"devices\": {";
  comma = "";
  for (const std::string& device : devices) {
    const auto constants = found.device_constants.find(device);
    const auto tensors = storages.devices.find(device);
    std::cout << comma << json_text(device) << ": {\"constants\": " << (constants == found.device_constants.end() ? 0 : constants->second)
              << ", \"tensors\": " << (tensors == storages.devices.end() ? 0 : tensors->second) << "}";
    comma = ", ";
  }
  std::cout << "},\n\"dtypes\": [";
  comma = "";
  for (const std::string& dtype : dtypes) std::cout << comma << json_text(dtype), comma = ", ";
  std::cout << "]}\n";
}

std::tuple<Found, torchport::Storages, std::uint64_t> read(const std::string& path) {
  caffe2::serialize::PyTorchStreamReader reader(path);
  torchport::Storages storages;
  if (!storages.add(record(reader, "data.pkl", kMostPickle)) || !storages.root.starts_with("__torch__."))
    throw Refused{"its data.pkl is not what TorchScript writes", "save the module anew by torch.jit.save"};
  const c10::QualifiedName root(storages.root);
  if (reader.hasRecord("constants.pkl")) storages.add(record(reader, "constants.pkl", kMostPickle));

  std::map<std::string, std::shared_ptr<Source>> sources;
  std::size_t code_size = 0, constants = 0;
  for (const std::string& name : reader.getAllRecords()) {
    if (!name.starts_with("code/") || !name.ends_with(".py")) continue;
    std::string code = record(reader, name, kMostCode - std::min(code_size, kMostCode));
    code_size += code.size();
    constants = std::max(constants, constants_named(code));
    sources[name] = std::make_shared<Source>(std::move(code), name, 1);
    check_source(sources[name]);
  }
  populate_upgraders_graph_map();
  // Stand-ins: the code only needs to compile, so the constants are not unpickled either.
  const std::vector<at::IValue> table(constants, at::IValue(at::Tensor(at::detail::empty_cpu({0}, c10::TensorOptions()))));
  SourceImporter importer(std::make_shared<CompilationUnit>(), &table, [&](const std::string& qualifier) {
    std::string name = "code/" + qualifier + ".py";
    std::replace(name.begin() + 5, name.end() - 3, '.', '/');
    const auto it = sources.find(name);
    return it == sources.end() ? nullptr : it->second;
  }, reader.version());
  const auto type = importer.loadType(root)->cast<c10::ClassType>();
  if (!type || type->methods().empty()) throw Refused{"has no method to look at", "save a module with a forward method"};
  Collector collector;
  Found found;
  Function* forward = type->findMethod("forward");
  for (Function* method : forward != nullptr ? std::vector<Function*>{forward} : type->methods()) {
    const Found& one = collector.of(*method);
    for (const auto& [key, count] : one.ops) found.ops[key] += count;
    for (const auto& [device, count] : one.device_constants) found.device_constants[device] += count;
    found.dtypes.insert(one.dtypes.begin(), one.dtypes.end());
  }
  if (!collector.unresolved.empty())
    throw Refused{"calls " + *collector.unresolved.begin() + " through an interface, so that it is not known what it runs", "freeze it by torch.jit.freeze"};
  return {std::move(found), std::move(storages), reader.version()};
}

void limit(int which, rlim_t most) {
  rlimit value{};
  getrlimit(static_cast<__rlimit_resource>(which), &value);
  value.rlim_cur = std::min(most, value.rlim_max);
  setrlimit(static_cast<__rlimit_resource>(which), &value);
}

// A hostile file may ask for anything while it is compiled; a file that it could write stays empty.
void limit_resources() {
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, 120);
  limit(RLIMIT_AS, rlim_t{16} << 30);
}

std::string first_line(std::string text) {
  text.erase(0, text.find_first_not_of('\n'));
  return text.substr(0, text.find('\n'));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: torchport-graph FILE\n";
    return 2;
  }
  limit_resources();
  Refused refused;
  try {
    const auto [found, storages, version] = read(argv[1]);
    limit(RLIMIT_FSIZE, RLIM_INFINITY);  // standard output may be a file
    print(found, storages, version);
    return 0;
  } catch (const Refused& r) {
    refused = r;
  } catch (const ErrorReport& e) {
    refused = {"has code that torch " TORCH_VERSION " does not compile: " + first_line(e.what()), "it may be of another version of torch, or damaged"};
  } catch (const c10::Error& e) {
    refused = {"is not read by torch " TORCH_VERSION ": " + first_line(e.what_without_backtrace()), "it may be of another version of torch, or damaged"};
  } catch (const std::bad_alloc&) {
    refused = {"wants more memory than is granted", "do not load it"};
  } catch (const std::exception& e) {
    refused = {"is not read by torch " TORCH_VERSION ": " + first_line(e.what()), "it may be of another version of torch, or damaged"};
  }
  limit(RLIMIT_FSIZE, RLIM_INFINITY);
  std::cerr << refused.what << (refused.hint.empty() ? "" : "; ") << refused.hint << "\n";
  return 2;
}
