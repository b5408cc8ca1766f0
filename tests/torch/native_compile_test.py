#!/usr/bin/env python3
"""What fix writes in C++ compiles against the headers of the installed torch. $TORCHPORT; needs torch and g++."""
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile

REPO = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = os.environ.get("TORCHPORT") or str(REPO / "build/release/torchport")

# Whole small files. All begin with the same header, which is compiled once for all of them.
FILES = {"queries": """#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

at::Tensor guards(const at::Tensor& x) {
  const at::cuda::OptionalCUDAGuard optional(device_of(x));
  c10::cuda::CUDAGuard guard{x.device()};
  auto out = torch::empty(x.sizes(), torch::TensorOptions().device(torch::kCUDA));
  return out + at::empty({1}, at::device(at::kCUDA)).to(at::kCUDA);
}

at::Tensor indexed(const std::vector<at::Tensor>& list) {
  const at::Tensor first = list[0];
  at::Device device = at::Device(at::kCUDA, first.get_device());
  return at::empty({1}, at::TensorOptions().device(torch::kCUDA, first.device().index())).to(device);
}

int queries(int index) {
  cudaDeviceSynchronize();
  torch::cuda::synchronize();
  c10::cuda::device_synchronize();
  c10::cuda::set_device(index);
  at::cuda::set_device(index);
  cudaSetDevice(index);
  AT_CUDA_CHECK(cudaGetDevice(&index));
  int count = 0;
  C10_CUDA_CHECK(cudaGetDeviceCount(&count));
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  at::cuda::getCurrentCUDAStream().synchronize();
  c10::cuda::getCurrentCUDAStream(index).synchronize();
  c10::cuda::CUDACachingAllocator::emptyCache();
  return c10::cuda::current_device() + at::cuda::current_device() + c10::cuda::device_count() + at::cuda::device_count() + torch::cuda::device_count();
}
""", "events": """#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>

double timed(const at::Tensor& x) {
  at::cuda::CUDAEvent start(cudaEventDefault), stop{cudaEventDefault};
  start.record();
  const at::Tensor y = x.matmul(x);
  stop.record(at::cuda::getCurrentCUDAStream());
  stop.synchronize();
  return start.elapsed_time(stop) + y.numel();
}

bool ready(int index) {
  at::cuda::CUDAEvent event;
  auto stream = at::cuda::getCurrentCUDAStream(index);
  at::cuda::CUDAStream other = at::cuda::getDefaultCUDAStream();
  event.recordOnce(stream);
  event.block(other);
  return event.query() && stream.query() && other.device_index() == stream.device().index();
}
""", "raw_events": """#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

float timed(const at::Tensor& x) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&stop, cudaEventDefault));
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream().stream();
  C10_CUDA_CHECK(cudaEventRecord(start, stream));
  x.add_(1);
  C10_CUDA_CHECK(cudaEventRecord(stop));
  cudaStreamWaitEvent(stream, start, 0);
  while (cudaEventQuery(stop) != cudaSuccess) x.add_(1);
  AT_CUDA_CHECK(cudaEventSynchronize(stop));
  cudaStreamSynchronize(stream);
  float spent = 0;
  cudaEventElapsedTime(&spent, start, stop);
  cudaEventDestroy(start);
  C10_CUDA_CHECK(cudaEventDestroy(stop));
  return spent;
}
""", "streams": """#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

void side(const at::Tensor& x, int index) {
  auto side = at::cuda::getStreamFromPool();
  const c10::cuda::CUDAStream fast = c10::cuda::getStreamFromPool(true, index);
  const auto slow = at::cuda::getStreamFromPool(false);
  {
    c10::cuda::CUDAStreamGuard guard(side);
    x.add_(1);
    guard.reset_stream(fast);
  }
  c10::cuda::OptionalCUDAStreamGuard optional;
  optional.reset_stream(slow);
  x.record_stream(side);
  x.record_stream(at::cuda::getCurrentCUDAStream());
  at::cuda::setCurrentCUDAStream(slow);
  side.synchronize();
}
""", "devices": """#include <torch/extension.h>
#include <c10/cuda/CUDAGuard.h>

at::Tensor here(const at::Tensor& x, int index) {
  const at::cuda::CUDAGuard guard(index);
  torch::Device device(torch::kCUDA, index);
  return at::zeros({2}, torch::dtype(torch::kFloat).device(torch::kCUDA)).to(device) + at::ones({2}, c10::DeviceType::CUDA);
}

at::Tensor there(const std::vector<float>& values, int64_t index) {
  c10::cuda::CUDAGuard guard(index);
  auto options = torch::TensorOptions().dtype(torch::kFloat).device(torch::kCUDA, index);
  at::Tensor moved = torch::tensor(values).to(torch::kCUDA);
  return moved + torch::empty({1}, options) + torch::full({1}, 2.0, torch::TensorOptions(torch::kCUDA)) + torch::empty({1}, at::Device(at::kCUDA));
}

at::Tensor same(at::Tensor x, at::Tensor y, at::Device device) {
  TORCH_CHECK(x.is_cuda() && y.is_cuda(), "x and y must lie on the device");
  c10::cuda::CUDAGuard guard(device);
  at::cuda::OptionalCUDAGuard other(y.get_device());
  return at::where(x > 0, x, y).contiguous();
}
"""}


def main():
    try:
        import torch
        from torch.utils import cpp_extension
    except ImportError:
        return 77
    if not shutil.which("g++"):
        return 77
    includes = [f"-I{p}" for p in [*cpp_extension.include_paths(), sysconfig.get_paths()["include"]]]
    compiled = 0
    with tempfile.TemporaryDirectory() as tmp:
        header, source = pathlib.Path(tmp) / "header", pathlib.Path(tmp) / "source"
        header.mkdir()
        source.mkdir()
        (header / "all.h").write_text("#include <torch/extension.h>\n")
        subprocess.run(["g++", "-std=c++20", *includes, "-x", "c++-header", header / "all.h"], check=True, capture_output=True)
        for name, text in FILES.items():
            (source / f"{name}.cpp").write_text(text)
        subprocess.run([TOOL, "fix", "--unsafe", source], check=True, capture_output=True)
        for name in FILES:
            text = (source / f"{name}.cpp").read_text()
            left = [line for line in text.splitlines() if "cuda" in line or "CUDA" in line]
            run = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-include", header / "all.h", *includes, source / f"{name}.cpp"], capture_output=True, text=True)
            compiled += not left and run.returncode == 0
            if left or run.returncode:
                print(f"{name}: still names {left}", run.stderr[:4000], text, sep="\n")
    return 0 if compiled == len(FILES) else 1


if __name__ == "__main__":
    sys.exit(main())
