#include "rules/tensors.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "analyzers/python/torch_types.h"
#include "analyzers/text.h"
#include "opdb/sorted_table.h"

namespace torchport {
namespace {

constexpr std::string_view kTensor = "torch.Tensor";

bool is_method(const Use& use) { return use.symbol.starts_with("torch.Tensor.") || use.symbol.starts_with("*."); }

struct Pair {
  std::string_view name, means;
};

// Other names of dtypes, and methods that are casts.
constexpr std::array kDtypes = std::to_array<Pair>({
    {"double", "torch.float64"},      {"float", "torch.float32"},
    {"half", "torch.float16"},        {"bfloat16", "torch.bfloat16"},
    {"cdouble", "torch.complex128"},  {"cfloat", "torch.complex64"},
    {"chalf", "torch.complex32"},     {"long", "torch.int64"},
    {"int", "torch.int32"},           {"short", "torch.int16"},
    {"char", "torch.int8"},           {"byte", "torch.uint8"},
    {"bool", "torch.bool"},           {"DoubleTensor", "torch.float64"},
    {"FloatTensor", "torch.float32"}, {"HalfTensor", "torch.float16"},
    {"LongTensor", "torch.int64"},    {"IntTensor", "torch.int32"},
    {"BoolTensor", "torch.bool"},
});

std::string_view means(std::string_view name) {
  for (const Pair& p : kDtypes) {
    if (p.name == name) return p.means;
  }
  return {};
}

// Functions and methods whose result is a tensor of booleans.
constexpr std::array kMasks = std::to_array<std::string_view>({
    "__eq__",     "__ge__",        "__gt__", "__le__",  "__lt__",    "__ne__",     "eq",          "ge",
    "greater",    "greater_equal", "gt",     "isclose", "isfinite",  "isin",       "isinf",       "isnan",
    "isneginf",   "isposinf",      "isreal", "le",      "less",      "less_equal", "logical_and", "logical_not",
    "logical_or", "logical_xor",   "lt",     "ne",      "not_equal", "signbit",
});
// ... if those given are.
constexpr std::array kMaskKeepers = std::to_array<std::string_view>({
    "__and__",     "__getitem__", "__invert__", "__or__",     "__xor__", "all",     "any",    "bitwise_and",
    "bitwise_not", "bitwise_or",  "clone",      "contiguous", "cuda",    "detach",  "expand", "flatten",
    "flip",        "permute",     "repeat",     "reshape",    "roll",    "squeeze", "t",      "to",
    "transpose",   "tril",        "triu",       "unsqueeze",  "view",
});
// ... make places or counts of whatever they are given.
constexpr std::array kIndices = std::to_array<std::string_view>({
    "argmax", "argmin", "argsort", "argwhere", "bucketize", "count_nonzero", "multinomial", "nonzero", "searchsorted",
});
constexpr std::array kCoo =
    std::to_array<std::string_view>({"sparse_coo_tensor", "to_sparse", "to_sparse_coo", "coalesce", "spdiags"});
constexpr std::array kCompressed = std::to_array<std::string_view>({
    "sparse_bsc_tensor",
    "sparse_bsr_tensor",
    "sparse_compressed_tensor",
    "sparse_csc_tensor",
    "sparse_csr_tensor",
    "to_sparse_bsc",
    "to_sparse_bsr",
    "to_sparse_csc",
    "to_sparse_csr",
});

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// "torch.DoubleTensor" and "torch.cuda.DoubleTensor": the string by which .type() takes a dtype.
std::string_view dtype_of_type(std::string_view text) {
  return text.starts_with("torch.") && text.ends_with("Tensor") ? means(last_part(text)) : std::string_view();
}

// The dtype that the argument is; one of several in a table is none.
std::string_view dtype_of(const Arg& arg, bool by_type = false) {
  for (const Value& value : arg.values) {
    if (by_type && value.kind == ValueKind::String && !value.partial) {
      if (const auto dtype = dtype_of_type(value.text); !dtype.empty()) return dtype;
    }
    if (value.kind != ValueKind::Name || value.partial) continue;
    if (const auto dtype = dtype_named(value.text); !dtype.empty()) return dtype;
  }
  return {};
}

// Whether the call takes a dtype by this argument.
bool takes_dtype(const Use& use, const Arg& arg) {
  const std::string_view last = last_part(use.symbol);
  const bool method = is_method(use) || use.symbol.starts_with("torch.nn.Module.");
  const bool cast = method && (last == "to" || last == "type" || last == "view");
  return (cast && arg.keyword.empty()) || arg.keyword.find("dtype") != std::string_view::npos;
}

// "make", "like", "host"; empty: makes nothing from nothing.
std::string_view maker(std::string_view symbol) {
  // Asked of every call.
  static const auto table = [] {
    std::unordered_map<std::string_view, std::string_view> makers;
    for (const TableRow& row : SortedTable(embedded_table("tensor_makers.tsv")).rows())
      makers[row.cells[0]] = row.cells[1];
    return makers;
  }();
  const auto it = table.find(symbol);
  return it == table.end() ? std::string_view() : it->second;
}

}  // namespace

std::string_view dtype_named(std::string_view name) {
  if (!name.starts_with("torch.")) return {};
  if (const auto other = means(name.substr(6)); !other.empty()) return other;
  return python::is_dtype(name) ? name : std::string_view();
}

std::string_view dtype_asked(const Use& use) {
  const std::string_view last = last_part(use.symbol);
  const bool method = is_method(use) || use.symbol.starts_with("torch.nn.Module.");
  if (method && use.args.empty()) {
    if (const auto cast = means(last); !cast.empty()) return cast;
  }
  for (const Arg& arg : use.args) {
    if (!takes_dtype(use, arg)) continue;
    if (const auto dtype = dtype_of(arg, method && last == "type"); !dtype.empty()) return dtype;
  }
  return use.symbol.starts_with("torch.") && last.ends_with("Tensor") ? means(last) : std::string_view();
}

std::vector<std::string_view> dtypes_chosen(const Use& use) {
  std::vector<std::string_view> found;
  for (const Arg& arg : use.args) {
    if (!takes_dtype(use, arg)) continue;
    for (const Value& value : arg.values) {
      if (value.kind != ValueKind::Name || !value.partial) continue;
      const auto dtype = dtype_named(value.text);
      found.push_back(dtype.empty() ? value.text : dtype);
    }
  }
  return found;
}

const Arg* device_asked(const Use& use) {
  const bool to = is_method(use) && last_part(use.symbol) == "to";
  for (const Arg& arg : use.args) {
    if (arg.keyword == "device") return &arg;
    if (!to || !arg.keyword.empty() || arg.position > 0 || arg.splat) continue;
    const bool is_dtype = std::any_of(arg.values.begin(), arg.values.end(), [](const Value& v) {
      return v.kind == ValueKind::Name && (v.partial || !dtype_named(v.text).empty());
    });
    const bool is_tensor = std::any_of(arg.values.begin(), arg.values.end(), [](const Value& v) {
      return v.kind == ValueKind::Instance && v.text == kTensor;
    });
    if (!is_dtype && !is_tensor) return &arg;
  }
  return nullptr;
}

bool takes_unseen(const Use& use) {
  return std::any_of(use.args.begin(), use.args.end(), [](const Arg& arg) { return arg.options; });
}

bool is_cpu(const Arg& device) {
  return !device.values.empty() && std::all_of(device.values.begin(), device.values.end(), [](const Value& value) {
    return value.kind == ValueKind::None ||
           (value.kind == ValueKind::String && (value.text == "cpu" || value.text == "meta"));
  });
}

Tensors::Tensors(const FileFacts& facts) : facts_(facts), names_device_(names_device()), known_(facts.uses.size()) {
  default_device_ = std::any_of(facts.uses.begin(), facts.uses.end(), [](const Use& use) {
    return use.symbol == "torch.set_default_device" || use.symbol == "torch.set_default_tensor_type";
  });
}

bool Tensors::names_device() const {
  return std::any_of(facts_.uses.begin(), facts_.uses.end(), [](const Use& use) {
    if (use.kind == UseKind::Literal && use.place == Place::DeviceArgument) return true;
    if (use.kind != UseKind::Call) return false;
    if (use.symbol.starts_with("torch.accelerator.") || use.symbol == "torch.device" || last_part(use.symbol) == "cuda")
      return true;
    const Arg* device = device_asked(use);
    return device != nullptr && (device->keyword == "device" || use.symbol.starts_with("torch.Tensor."));
  });
}

bool Tensors::is_maker(const Use& use) { return use.kind == UseKind::Call && !maker(use.symbol).empty(); }

UseId Tensors::made_by(Span origin) const {
  const auto& uses = facts_.uses;
  auto it = std::lower_bound(uses.begin(), uses.end(), origin.start,
                             [](const Use& use, std::uint32_t start) { return use.span.start < start; });
  for (; it != uses.end() && it->span.start == origin.start; ++it) {
    const bool makes = it->kind == UseKind::Call || it->kind == UseKind::Operator || it->kind == UseKind::Index;
    if (makes && it->span.end == origin.end) return static_cast<UseId>(it - uses.begin());
  }
  return kNone;
}

TensorInfo Tensors::of(const std::vector<Value>& values) const {
  TensorInfo all;
  bool first = true;
  for (const Value& value : values) {
    if (value.kind != ValueKind::Instance || value.text != kTensor) continue;
    const UseId use = made_by(value.origin);
    if (use == kNone) return {};
    const TensorInfo info = of_use(use);
    if (first) {
      all = info;
    } else {
      if (all.dtype != info.dtype) all.dtype = {};
      if (all.layout != info.layout) all.layout = Layout::Unknown;
      all.host = all.host && info.host;
      all.device = all.device && info.device;
      all.mask = all.mask && info.mask;
    }
    first = false;
  }
  return all;
}

TensorInfo Tensors::of_use(UseId use) const {
  auto& known = known_[static_cast<std::size_t>(use)];
  if (!known) {
    known = TensorInfo{};  // whoever asks while this is worked out gets "unknown"
    known = work_out(facts_.uses[static_cast<std::size_t>(use)]);
  }
  return *known;
}

TensorInfo Tensors::worked_on(const Use& use) const {
  if (!use.on.empty()) return of(use.on);
  for (const Arg& arg : use.args) {
    const bool tensor = std::any_of(arg.values.begin(), arg.values.end(),
                                    [](const Value& v) { return v.kind == ValueKind::Instance && v.text == kTensor; });
    if (tensor) return of(arg.values);
  }
  return {};
}

bool Tensors::on_host(const Use& use) const {
  if (is_maker(use)) return of_use(static_cast<UseId>(&use - facts_.uses.data())).host;
  bool any = false;
  const auto all_host = [&](const std::vector<Value>& values) {
    const bool tensor = std::any_of(values.begin(), values.end(),
                                    [](const Value& v) { return v.kind == ValueKind::Instance && v.text == kTensor; });
    if (!tensor) return true;
    any = true;
    return of(values).host;
  };
  if (!all_host(use.on)) return false;
  for (const Arg& arg : use.args) {
    if (!all_host(arg.values)) return false;
  }
  return any;
}

TensorInfo Tensors::made(const Use& use, std::string_view where) const {
  TensorInfo info;
  if (where == "like") info = worked_on(use);
  const Arg* device = device_asked(use);
  if (device != nullptr) {
    info.host = names_device_ && is_cpu(*device);
    info.device = !is_cpu(*device);
  } else if (where == "host" || (where == "make" && !default_device_ && !takes_unseen(use))) {
    info.host = names_device_;
  }
  if (where != "like") info.layout = Layout::Dense;
  return info;
}

// .to(…), .cpu(), .cuda() and what else moves.
TensorInfo Tensors::moved(const Use& use) const {
  TensorInfo info = worked_on(use);
  const std::string_view last = last_part(use.symbol);
  const Arg* device = device_asked(use);
  if (last == "cpu" || last == "numpy") {
    info.host = names_device_;
    info.device = false;
  } else if (last == "cuda" || last == "xpu") {
    info.host = false;
    info.device = true;
  } else if (device != nullptr) {
    info.device = !is_cpu(*device);
    info.host = !info.device && names_device_;
  }
  return info;
}

TensorInfo Tensors::work_out(const Use& use) const {
  const std::string_view where = use.kind == UseKind::Call ? maker(use.symbol) : std::string_view();
  const std::string_view last = last_part(use.symbol);
  TensorInfo info = !where.empty()                                ? made(use, where)
                    : is_method(use) && use.kind == UseKind::Call ? moved(use)
                                                                  : worked_on(use);
  const bool masks = info.mask || info.dtype == "torch.bool";
  if (where.empty()) {
    info.host =
        is_method(use) && (device_asked(use) != nullptr || last == "cpu" || last == "cuda") ? info.host : on_host(use);
    info.mask = contains(kMasks, last) || (masks && contains(kMaskKeepers, last));
    // torch.nonzero(mask), mask.sum(): numbers made of a mask.
    if (info.mask != (info.dtype == "torch.bool") || contains(kIndices, last)) info.dtype = {};
    if (contains(kMasks, last)) info.dtype = "torch.bool";
  }
  if (const auto dtype = dtype_asked(use); !dtype.empty()) info.dtype = dtype;
  if (info.dtype == "torch.bool") info.mask = true;
  if (!info.dtype.empty() && info.dtype != "torch.bool") info.mask = false;
  if (contains(kCoo, last)) info.layout = Layout::Coo;
  if (contains(kCompressed, last)) info.layout = Layout::Compressed;
  if (last == "to_dense") info.layout = Layout::Dense;
  for (const Arg& arg : use.args) {
    for (const Value& value : arg.values) {
      if (arg.keyword != "layout" || value.kind != ValueKind::Name) continue;
      info.layout = value.text == "torch.sparse_coo"          ? Layout::Coo
                    : value.text.starts_with("torch.sparse_") ? Layout::Compressed
                                                              : info.layout;
    }
  }
  return info;
}

}  // namespace torchport
