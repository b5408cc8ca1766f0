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

# One translation unit, as a parse of torch's headers takes seconds.
SOURCE = """#include <torch/extension.h>
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
  return c10::cuda::current_device() + at::cuda::current_device() + c10::cuda::device_count() + at::cuda::device_count() + torch::cuda::device_count();
}
"""


def main():
    try:
        import torch
        from torch.utils import cpp_extension
    except ImportError:
        return 77
    if not shutil.which("g++"):
        return 77
    with tempfile.TemporaryDirectory() as tmp:
        path = pathlib.Path(tmp) / "glue.cpp"
        path.write_text(SOURCE)
        subprocess.run([TOOL, "fix", "--unsafe", tmp], check=True, capture_output=True)
        text = path.read_text()
        left = [word for word in ("cuda", "CUDA") if word in text]
        if left:
            print(f"still names {left}:\n{text}")
            return 1
        includes = [f"-I{p}" for p in [*cpp_extension.include_paths(), sysconfig.get_paths()["include"]]]
        run = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", *includes, str(path)], capture_output=True, text=True)
        if run.returncode:
            print(run.stderr[:4000], text, sep="\n")
        return run.returncode


if __name__ == "__main__":
    sys.exit(main())
