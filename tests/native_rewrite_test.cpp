// What fix writes in C++ files, and what it leaves.
#include "tests/support/native_facts.h"

namespace torchport {
namespace {

using test::native_fix;

TEST(NativeRewrite, GuardsOfADevice) {
  EXPECT_EQ(native_fix("#include <torch/extension.h>\n#include <c10/cuda/CUDAGuard.h>\n\nvoid f(at::Tensor x) {\n  const at::cuda::OptionalCUDAGuard guard(device_of(x));\n"
                       "  c10::cuda::CUDAGuard other{x.device()};\n}\n"),
            "#include <torch/extension.h>\n#include <c10/core/DeviceGuard.h>\n\nvoid f(at::Tensor x) {\n  const c10::OptionalDeviceGuard guard(device_of(x));\n"
            "  c10::DeviceGuard other{x.device()};\n}\n");
}

TEST(NativeRewrite, TheIncludeStandsUnderNoCondition) {
  EXPECT_EQ(native_fix("#ifndef A_H\n#define A_H\n#include <a.h>\n#ifdef B\n#include <b.h>\n#endif\nvoid f(at::Tensor x) { at::cuda::CUDAGuard g(x.device()); }\n#endif\n", false, "a.h"),
            "#ifndef A_H\n#define A_H\n#include <a.h>\n#include <c10/core/DeviceGuard.h>\n#ifdef B\n#include <b.h>\n#endif\nvoid f(at::Tensor x) { c10::DeviceGuard g(x.device()); }\n#endif\n");
}

TEST(NativeRewrite, IndicesAndMacrosStay) {
  for (const char* text : {"void f(at::Tensor x) { at::cuda::CUDAGuard g(x.get_device()); }\n", "void f(at::Tensor x) { at::cuda::CUDAGuard g(x.device().index()); }\n",
                           "#define GUARD(x) at::cuda::CUDAGuard g(x.device())\n", "at::cuda::OptionalCUDAGuard member;\n",
                           "void f(at::Tensor x) { at::cuda::CUDAGuard g(x.device()); g.set_device(x.device()); }\n",
                           "#ifdef A\n#include <a.h>\n#endif\nvoid f(at::Tensor x) { at::cuda::CUDAGuard g(x.device()); }\n", "void f(at::Tensor x) { at::cuda::CUDAGuard(x.device()); }\n"}) {
    EXPECT_EQ(native_fix(text, true), text);
  }
}

TEST(NativeRewrite, HeadersOfWhichNothingIsLeft) {
  EXPECT_EQ(native_fix("#include <ATen/cuda/CUDAContext.h>\n#include <torch/extension.h>\nat::Tensor f(at::Tensor x) { return x + 1; }\n"),
            "#include <torch/extension.h>\nat::Tensor f(at::Tensor x) { return x + 1; }\n");
  // Needed, or maybe needed by others, or for what it brings along.
  for (const auto& [text, path] : {std::pair{"#include <cuda_runtime.h>\n#include <torch/extension.h>\nvoid f() { cudaDeviceReset(); }\n", "a.cpp"},
                                   std::pair{"#include <ATen/cuda/CUDAContext.h>\n#include <torch/extension.h>\n", "a.h"},
                                   std::pair{"#include <ATen/cuda/CUDAContext.h>\nat::Tensor f(at::Tensor x);\n", "a.cpp"},
                                   std::pair{"#include <torch/extension.h>\n#ifdef WITH_CUDA\n#include <ATen/cuda/CUDAContext.h>\n#endif\n", "a.cpp"},
                                   std::pair{"#include <cuda_runtime.h>\n#include <torch/extension.h>\n__global__ void k() {}\n", "a.cpp"}}) {
    EXPECT_EQ(native_fix(text, true, path), text);
  }
}

TEST(NativeRewrite, CounterpartsForAnyAccelerator) {
  const std::string head = "#include <torch/extension.h>\n";
  const std::string accelerator = head + "#include <ATen/DeviceAccelerator.h>\n";
  EXPECT_EQ(native_fix(head + "void f() { cudaDeviceSynchronize(); }\n", true), accelerator + "void f() { at::accelerator::synchronizeDevice(at::accelerator::getDeviceIndex()); }\n");
  EXPECT_EQ(native_fix(head + "int f() { return c10::cuda::current_device(); }\n", true), accelerator + "int f() { return at::accelerator::getDeviceIndex(); }\n");
  EXPECT_EQ(native_fix(head + "void f(int i) { c10::cuda::set_device(i); }\n", true), accelerator + "void f(int i) { at::accelerator::setDeviceIndex(i); }\n");
  EXPECT_EQ(native_fix(head + "at::Tensor f(const at::Tensor& x) { return at::empty({1}, at::TensorOptions().device(at::kCUDA)); }\n", true),
            head + "at::Tensor f(const at::Tensor& x) { return at::empty({1}, at::TensorOptions().device(x.device())); }\n");
  for (const char* text : {"int f() { return cudaDeviceSynchronize(); }\n", "#ifdef WITH_CUDA\nvoid f() { cudaDeviceSynchronize(); }\n#endif\n", "#define S cudaDeviceSynchronize();\n",
                           "void f() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n", "at::Tensor f(std::vector<at::Tensor> x) { return x[0].to(at::kCUDA); }\n",
                           "bool f(at::Tensor x) { return x.device().type() == at::kCUDA; }\n"}) {
    EXPECT_EQ(native_fix(text, true), text);
  }
}

TEST(NativeRewrite, StatusCallsAndTheirChecks) {
  const std::string head = "#include <torch/extension.h>\n";
  const std::string accelerator = head + "#include <ATen/DeviceAccelerator.h>\n";
  EXPECT_EQ(native_fix(head + "void f(int i) { AT_CUDA_CHECK( cudaSetDevice(i) ); }\n", true), accelerator + "void f(int i) { at::accelerator::setDeviceIndex(i); }\n");
  EXPECT_EQ(native_fix(head + "void f(S& s) { cudaGetDevice(&s.index); }\n", true), accelerator + "void f(S& s) { s.index = at::accelerator::getDeviceIndex(); }\n");
  EXPECT_EQ(native_fix(head + "int f() { int n; C10_CUDA_CHECK(cudaGetDeviceCount(&n)); return n; }\n", true),
            accelerator + "int f() { int n; n = at::accelerator::deviceCount(); return n; }\n");
  EXPECT_EQ(native_fix(head + "void f() { size_t a, b; cudaMemGetInfo(&a, &b); }\n", true),
            accelerator + "void f() { size_t a, b; std::tie(a, b) = at::accelerator::getMemoryInfo(at::accelerator::getDeviceIndex()); }\n");
  for (const char* text : {"void f(int* p) { cudaGetDevice(p); }\n", "void f(int* p) { cudaGetDevice(&p[next()]); }\n", "bool f(int i) { return check(cudaSetDevice(i)); }\n",
                           "bool f(int i) { return MY_C10_CUDA_CHECK(cudaSetDevice(i)); }\n", "void f(int i) { MY_AT_CUDA_CHECK(cudaSetDevice(i)); }\n",
                           "#define SET(i) AT_CUDA_CHECK(cudaSetDevice(i))\n", "void f(size_t* a) { size_t b; cudaMemGetInfo(a, &b); }\n"}) {
    EXPECT_EQ(native_fix(text, true), text);
  }
}

TEST(NativeRewrite, AStreamThatIsWaitedForOnly) {
  const std::string head = "#include <torch/extension.h>\n";
  const std::string accelerator = head + "#include <ATen/DeviceAccelerator.h>\n";
  EXPECT_EQ(native_fix(head + "void f() { at::cuda::getCurrentCUDAStream().synchronize(); }\n", true),
            accelerator + "void f() { at::accelerator::getCurrentStream(at::accelerator::getDeviceIndex()).synchronize(); }\n");
  EXPECT_EQ(native_fix(head + "void f(int i) { c10::cuda::getCurrentCUDAStream(i).synchronize(); }\n", true),
            accelerator + "void f(int i) { at::accelerator::getCurrentStream(i).synchronize(); }\n");
  for (const char* text : {"void f() { auto s = at::cuda::getCurrentCUDAStream(); s.synchronize(); }\n", "void f() { run(at::cuda::getCurrentCUDAStream()); }\n"}) {
    EXPECT_EQ(native_fix(text, true), text);
  }
}

TEST(NativeRewrite, AnIndexSaysWhoseDeviceIsMeant) {
  const std::string head = "#include <torch/extension.h>\n";
  EXPECT_EQ(native_fix(head + "void f(L l) { auto x = l[0]; auto o = at::TensorOptions().device(torch::kCUDA, x.get_device()); }\n", true),
            head + "void f(L l) { auto x = l[0]; auto o = at::TensorOptions().device(x.device()); }\n");
  for (const char* text : {"void f(int i) { auto o = at::TensorOptions().device(at::kCUDA, i); }\n", "void f(L l) { auto o = at::TensorOptions().device(at::kCUDA, l[0].get_device()); }\n",
                           "void f(at::Tensor x) { g(at::kCUDA, x.get_device()); }\n", "void f(at::Tensor x) { auto o = at::device(at::kCUDA, x.get_device() + 1); }\n"}) {
    EXPECT_EQ(native_fix(text, true), text);
  }
}

TEST(NativeRewrite, LineEndsAreKept) {
  EXPECT_EQ(native_fix("#include <torch/extension.h>\r\nvoid f(at::Tensor x) { at::cuda::CUDAGuard g(x.device()); }\r\n"),
            "#include <torch/extension.h>\r\n#include <c10/core/DeviceGuard.h>\r\nvoid f(at::Tensor x) { c10::DeviceGuard g(x.device()); }\r\n");
}

}  // namespace
}  // namespace torchport
