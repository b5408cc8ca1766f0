#include "analyzers/python/torch_types.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "analyzers/python/values.h"

namespace torchport::python {
namespace {

// Sorted: searched by bisection.
constexpr std::array kNotTensors = std::to_array<std::string_view>({
    "Generator", "Size", "allclose", "are_deterministic_algorithms_enabled", "autocast", "broadcast_shapes", "can_cast", "compile",
    "device", "dtype", "enable_grad", "equal", "export", "finfo", "from_dlpack", "get_autocast_dtype", "get_default_device",
    "get_default_dtype", "get_device_module", "get_num_threads", "get_rng_state", "iinfo", "import_ir_module", "inference_mode",
    "initial_seed", "is_autocast_enabled", "is_complex", "is_floating_point", "is_grad_enabled", "is_nonzero", "is_storage", "is_tensor",
    "jit", "layout", "load", "manual_seed", "no_grad", "numel", "promote_types", "result_type", "save", "seed", "set_autocast_enabled",
    "set_default_device", "set_default_dtype", "set_default_tensor_type", "set_deterministic_debug_mode", "set_float32_matmul_precision",
    "set_grad_enabled", "set_num_interop_threads", "set_num_threads", "set_printoptions", "set_rng_state", "set_warn_always", "split",
    "tensor_split", "typename", "use_deterministic_algorithms", "vmap", "chunk", "unbind", "meshgrid", "hsplit", "vsplit", "dsplit", "topk",
    "sort", "unique", "where", "max", "min", "median", "mode", "kthvalue", "svd", "qr", "slogdet", "lu",
});

constexpr std::array kNotTensorMethods = std::to_array<std::string_view>({
    "allclose", "apply_", "chunk", "data_ptr", "dim", "dsplit", "element_size", "equal", "get_device", "hsplit", "is_complex",
    "is_contiguous", "is_floating_point", "is_pinned", "item", "kthvalue", "max", "median", "min", "mode", "ndimension", "nelement", "numel",
    "numpy", "qr", "register_hook", "size", "sort", "split", "storage", "storage_offset", "stride", "svd", "tensor_split", "tolist", "topk",
    "unbind", "unique", "untyped_storage", "vsplit", "backward", "requires_grad_hook",
});

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool upper(std::string_view name) { return !name.empty() && std::isupper(static_cast<unsigned char>(name[0])); }
bool ends(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

}  // namespace

std::string_view type_named(std::string_view path) {
  if (!path.starts_with("torch.")) return {};
  const std::string_view rest = path.substr(6);
  const std::string_view last = path.substr(path.rfind('.') + 1);
  if (rest == "Tensor" || rest == "nn.Parameter" || rest == "nn.parameter.Parameter" || rest == "autograd.Variable") return kTensor;
  if (upper(last) && ends(last, "Tensor")) return kTensor;
  if (rest == "device") return "torch.device";
  if (rest == "dtype") return "torch.dtype";
  if (rest == "Generator") return "torch.Generator";
  if (rest == "cuda.Stream" || rest == "cuda.Event" || rest == "cuda.CUDAGraph") return path;
  if (rest.starts_with("nn.parallel.") || rest == "nn.DataParallel") return upper(last) ? kModule : std::string_view();
  if (rest.starts_with("nn.") && upper(last) && !rest.starts_with("nn.functional.") && !rest.starts_with("nn.utils.")) return kModule;
  if (rest.starts_with("optim.") && upper(last) && !rest.starts_with("optim.lr_scheduler.")) return "torch.optim.Optimizer";
  if (rest == "distributed.fsdp.FullyShardedDataParallel") return kModule;
  if (rest == "utils.data.DataLoader" || rest == "utils.data.dataloader.DataLoader") return "torch.utils.data.DataLoader";
  return {};
}

bool is_known_type(std::string_view path) { return !type_named(path).empty(); }

bool module_gives_tensor(std::string_view path) {
  if (!path.starts_with("torch.nn.") || type_named(path) != kModule || path.starts_with("torch.nn.parallel.")) return false;
  const std::string_view name = path.substr(path.rfind('.') + 1);
  constexpr std::array kOthers = std::to_array<std::string_view>({"AdaptiveLogSoftmaxWithLoss", "DataParallel", "GRU", "Identity", "LSTM", "LSTMCell", "Module", "ModuleDict",
                                                                  "ModuleList", "MultiheadAttention", "ParameterDict", "ParameterList", "RNN", "Sequential"});
  return !contains(kOthers, name) && !ends(name, "Base");
}

bool is_tensor_attribute(std::string_view a) {
  return a == "data" || a == "grad" || a == "T" || a == "mT" || a == "H" || a == "mH" || a == "real" || a == "imag";
}

bool is_dtype(std::string_view path) {
  if (!path.starts_with("torch.") || path.find('.', 6) != std::string_view::npos) return false;
  const std::string_view last = path.substr(6);
  constexpr std::array kPlain = std::to_array<std::string_view>({"bool", "cdouble", "cfloat", "chalf", "double", "float", "half", "int", "long", "short"});
  if (contains(kPlain, last)) return true;
  for (const std::string_view stem : {"float", "bfloat", "int", "uint", "complex", "quint", "qint"}) {
    if (last.starts_with(stem) && last.size() > stem.size() && last[stem.size()] >= '0' && last[stem.size()] <= '9') return true;
  }
  return false;
}

std::string_view Values::result_of_call(std::string_view path) {
  if (const auto type = type_named(path); !type.empty()) return type;
  if (!path.starts_with("torch.")) return {};
  const std::string_view rest = path.substr(6);
  const std::size_t dot = rest.find('.');
  if (dot == std::string_view::npos) {
    if (rest == "compile") return {};
    const bool plain = !upper(rest) && !rest.starts_with("is_") && !rest.starts_with("set_") && !rest.starts_with("get_") && !rest.starts_with("_");
    return plain && !contains(kNotTensors, rest) ? kTensor : std::string_view();
  }
  const std::string_view module = rest.substr(0, dot);
  if (module == "linalg" || module == "fft" || module == "special") return contains(kNotTensors, rest.substr(dot + 1)) ? std::string_view() : kTensor;
  if (rest.starts_with("nn.functional.")) return kTensor;
  if (rest == "cuda.current_device" || rest == "cuda.device_count" || rest == "distributed.get_rank" || rest == "distributed.get_world_size") return "int";
  if (rest == "cuda.current_stream" || rest == "cuda.default_stream") return "torch.cuda.Stream";
  return {};
}

std::string_view Values::result_of_method(std::string_view type, std::string_view method) {
  if (type == kTensor) {
    if (method.starts_with("is_") || contains(kNotTensorMethods, method)) return {};
    return kTensor;
  }
  if (type == kModule) {
    constexpr std::array kSame = std::to_array<std::string_view>({"to", "cuda", "cpu", "eval", "train", "half", "float", "double", "bfloat16",
                                                                  "requires_grad_", "share_memory", "type", "to_empty", "xpu", "apply"});
    return contains(kSame, method) ? kModule : std::string_view();
  }
  return {};
}

}  // namespace torchport::python
