// Operators of the simulated device. Those that make tensors, view them or copy them are its own; all others are computed by the CPU's kernels
// through PyTorch's boxed fallback, after a check that no tensor of the host is mixed in.
#include <ATen/EmptyTensor.h>
#include <ATen/TensorUtils.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include <string_view>

#include "simulator.h"

namespace torchport::simulator {
namespace {

using at::Tensor;
using c10::IntArrayRef;

const c10::DispatchKeySet device_keys(c10::DispatchKey::PrivateUse1);

bool on_device(const Tensor& tensor) {
  return tensor.device().type() == kDeviceType;
}

Tensor empty(IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
             std::optional<at::Device> device, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  if (device) check_index(device->index());
  TORCH_CHECK(c10::layout_or_default(layout) == at::kStrided, "the simulated device has strided tensors only");
  return at::detail::empty_generic(size, &device_allocator(), device_keys, c10::dtype_or_default(dtype), format);
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                     std::optional<at::Device> device, std::optional<bool>) {
  if (device) check_index(device->index());
  return at::detail::empty_strided_generic(size, stride, &device_allocator(), device_keys, c10::dtype_or_default(dtype));
}

Tensor copy_from(const Tensor& from, const Tensor& to, bool) {
  as_host(to).copy_(as_host(from));
  return to;
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  if (to.sizes() != from.sizes()) to.resize_(from.sizes());
  return copy_from(from, to, false);
}

at::Scalar local_scalar(const Tensor& tensor) {
  return at::native::_local_scalar_dense_cpu(as_host(tensor));
}

Tensor& set_storage(Tensor& tensor, at::Storage storage, int64_t offset, IntArrayRef size, IntArrayRef stride) {
  at::native::checkSetStorage(tensor, std::move(storage), offset, size, stride);
  const auto default_stride = at::detail::defaultStrides(size);
  at::native::setStrided(tensor, size, stride.data() == nullptr ? IntArrayRef(default_stride) : stride, offset);
  return tensor;
}

void record_stream(Tensor&, at::Stream) {}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", empty);
  library.impl("empty_strided", empty_strided);
  library.impl("_copy_from", copy_from);
  library.impl("_copy_from_and_resize", copy_from_and_resize);
  library.impl("_local_scalar_dense", local_scalar);
  library.impl("record_stream", record_stream);
  library.impl("resize_", static_cast<const Tensor& (*)(const Tensor&, IntArrayRef, std::optional<at::MemoryFormat>)>(at::native::resize_));
  library.impl("set_.source_Tensor", at::native::set_tensor_);
  library.impl("set_.source_Storage", static_cast<Tensor& (*)(Tensor&, at::Storage)>(at::native::set_));
  library.impl("set_.source_Storage_storage_offset", set_storage);
  library.impl("as_strided", at::native::as_strided_tensorimpl);
  library.impl("view", at::native::view);
  library.impl("_reshape_alias", at::native::_reshape_alias);
  library.impl("unfold", at::native::unfold);
  library.impl("view_as_real", at::native::view_as_real);
  library.impl("view_as_complex", at::native::view_as_complex);
}

// PyTorch would resolve a lazy conjugate or negative by a copy, which is this very operator; as_host() keeps the mark instead.
TORCH_LIBRARY_IMPL(aten, Conjugate, library) {
  library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, library) {
  library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

struct Seen {
  std::optional<at::Device> device, host;

  void add(const Tensor& tensor) {
    if (!tensor.defined()) return;
    if (on_device(tensor)) {
      device = tensor.device();
    } else if (tensor.dim() > 0 || !tensor.is_cpu()) {  // a CPU scalar goes with any device
      host = tensor.device();
    }
  }
  void add(const c10::IValue& value) {
    if (value.isTensor()) {
      add(value.toTensor());
    } else if (value.isList()) {
      for (const c10::IValue& element : value.toListRef()) add(element);
    }
  }
  void check(std::string_view op) const {
    TORCH_CHECK(!(device && host), "Expected all tensors to be on the same device, but found at least two devices, ", *device, " and ", *host,
                "! (in ", op, ")");
  }
};

// Operators that take a CPU tensor beside the device's on CUDA too.
bool may_mix(std::string_view op) {
  return op == "aten::index" || op == "aten::index_put" || op == "aten::index_put_" || op == "aten::_index_put_impl_" ||
         op == "aten::_unsafe_index" || op == "aten::_pack_padded_sequence";
}

// Random operators draw from the generator of the device, which a CPU kernel can read once it is named a CPU's.
void use_host_generator(c10::IValue& value, const c10::Argument& argument) {
  if (value.isGenerator()) {
    value = host_side(value.toGenerator());
  } else if (value.isNone() && argument.name() == "generator") {
    value = host_side(default_generator());
  }
}

void fall_back(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto& arguments = op.schema().arguments();
  const size_t first = stack->size() - arguments.size();
  Seen seen;
  for (size_t i = 0; i < arguments.size(); ++i) {
    c10::IValue& value = (*stack)[first + i];
    seen.add(value);
    use_host_generator(value, arguments[i]);
  }
  if (!may_mix(op.schema().name())) seen.check(op.schema().name());
  at::native::cpu_fallback(op, stack);
}

// Their out= forms, which PyTorch would call, warn of a resize that is none of the program's doing.
TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("mse_loss", torch::CppFunction::makeFromBoxedFunction<&fall_back>());
  library.impl("smooth_l1_loss", torch::CppFunction::makeFromBoxedFunction<&fall_back>());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&fall_back>());
}

}  // namespace

// The same memory as a CPU tensor.
Tensor as_host(const Tensor& tensor) {
  if (!on_device(tensor)) return tensor;
  Tensor host = at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
  host._set_conj(tensor.is_conj());
  host._set_neg(tensor.is_neg());
  return host;
}

void check_same_device(c10::ArrayRef<Tensor> tensors, std::string_view op) {
  Seen seen;
  for (const Tensor& tensor : tensors) seen.add(tensor);
  seen.check(op);
}

}  // namespace torchport::simulator
