#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <torch/extension.h>

__global__ void scale_shift_relu_kernel(const float* x, const float* scale, const float* shift, float* out, int channels, int length,
                                        int total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int channel = i / length % channels;
  out[i] = fmaxf(x[i] * scale[channel] + shift[channel], 0.0f);
}

torch::Tensor scale_shift_relu_cuda(const torch::Tensor& x, const torch::Tensor& scale, const torch::Tensor& shift) {
  auto out = torch::empty_like(x);
  const int total = static_cast<int>(x.numel());
  const int threads = 256;
  scale_shift_relu_kernel<<<(total + threads - 1) / threads, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), scale.data_ptr<float>(), shift.data_ptr<float>(), out.data_ptr<float>(), static_cast<int>(x.size(1)),
      static_cast<int>(x.size(2)), total);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
