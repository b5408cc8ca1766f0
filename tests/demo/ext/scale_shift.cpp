#include <torch/extension.h>

torch::Tensor scale_shift_relu_cuda(const torch::Tensor& x, const torch::Tensor& scale, const torch::Tensor& shift);

torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& scale, const torch::Tensor& shift) {
  TORCH_CHECK(x.is_cuda() && scale.is_cuda() && shift.is_cuda(), "scale_shift_relu: all tensors must be on CUDA");
  TORCH_CHECK(x.dim() == 3 && x.is_contiguous(), "scale_shift_relu: x must be contiguous, batch x channels x length");
  TORCH_CHECK(x.scalar_type() == torch::kFloat, "scale_shift_relu: x must be float32");
  return scale_shift_relu_cuda(x, scale, shift);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward);
}
