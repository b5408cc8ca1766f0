// C++ files that nobody wrote, or that somebody broke: read as far as they go, in time that grows with their size.
#include <chrono>
#include <cstdlib>
#include <random>

#include "tests/support/native_facts.h"

namespace torchport {
namespace {

using test::Native;

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

// Ends, and without a crash; how long it takes is asked for by hand only, since a busy machine tells nothing.
TEST(NativeRobust, DeepAndLong) {
  const bool timed = std::getenv("TORCHPORT_TIMED") != nullptr;
  const std::size_t n = timed ? 200000 : 50000;
  for (const std::string& text : {repeated("(", n), repeated("{", n), repeated("f<", n) + "<<<", repeated("k<<<", n), repeated("#if A\n{", n / 4), repeated("a = {", 4 * n),
                                  repeated("#if defined(", 500) + "cuda", "#if " + repeated("(", n) + "WITH_CUDA\n", repeated("!", n), repeated(")", n) + repeated("}", n),
                                  repeated("x.is_cuda() ", n / 4), "#define M " + repeated("x.is_cuda() ", 2000), repeated("#define A x.is_cuda()\n", 5000), repeated("__global__ ", n),
                                  repeated("__global__ void k() ", n / 8), repeated("namespace cuda { cuda::", n / 8), repeated("asm(\"", n / 8), "R\"(" + repeated("cuda", n),
                                  "/*" + repeated("cuda", n), repeated("'", n), repeated("#endif\n#else\n", n / 8), repeated("template<class T> ", n / 8) + "__global__ void k(){}"}) {
    const auto begin = std::chrono::steady_clock::now();
    const Native file(text + " cuda __global__");
    file.findings();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (timed) {
      EXPECT_LT(took.count(), 5.0) << text.substr(0, 40);
    }
  }
}

void cut_everywhere(const std::string& text) {
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Native(text.substr(0, cut)).findings();
    Native(text.substr(cut)).findings();
  }
}

std::string garbled(std::string text, std::string_view letters, std::mt19937& random) {
  for (int change = 0; change < 4; ++change) text[random() % text.size()] = letters[random() % letters.size()];
  return text;
}

TEST(NativeRobust, CutAndGarbledAtEveryPlace) {
  const std::string text =
      "#include <cuda.h>\n#if defined(USE_ROCM) || (CUDA_VERSION >= 1100)\n#define C(x) x.is_cuda()\n#endif\ntemplate <int N>\n__global__ void __launch_bounds__(N) k(float* x) {\n"
      "  extern __shared__ float s[];\n  asm volatile(\"mma.sync;\" : : \"r\"(x));\n}\nTORCH_LIBRARY_IMPL(a, CUDA, m) { m.impl(\"op\", [](int a) { k<3><<<1, {2, 3}>>>(a); }); }\n"
      "void f(at::Tensor t) { at::cuda::CUDAGuard g(t.device()); cudaLaunchKernel(k<1>, 1, 2); R\"(x)\"; }\n";
  cut_everywhere(text);
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    Native(garbled(text, "(){}<>#\"'\\\n;,:x0", random)).findings();
  }
}

// Host code, of which much is rewritten.
TEST(NativeRobust, RewritesOfWhatIsCutGarbledAndLong) {
  const std::string text =
      "#include <torch/extension.h>\n#include <cuda_runtime.h>\nvoid f(const at::Tensor& x, std::vector<int> v, int i = 1) {\n  cudaEvent_t a, b = nullptr; at::cuda::CUDAEvent e{cudaEventDefault};\n"
      "  C10_CUDA_CHECK(cudaEventCreate(&a)); cudaEventCreateWithFlags(&b, cudaEventDefault);\n  auto s = at::cuda::getStreamFromPool(true, i); cudaEventRecord(a, s); e.record(s); e.block(s.unwrap());\n"
      "  for (auto y : v) cudaEventRecord(b);\n  while (cudaEventQuery(b) == cudaSuccess) {}\n  float ms; cudaEventElapsedTime(&ms, a, b); cudaEventDestroy(a);\n"
      "  at::cuda::CUDAGuard g(x.get_device()); auto o = at::ones({1, 2}, at::device(torch::kCUDA)); auto l = [&](at::Tensor z) { z.record_stream(s); };\n}\n"
      "at::Tensor h(at::Tensor x) { TORCH_CHECK(x.is_cuda() && x.defined(), \"x\"); return x.add(1); }\n";
  EXPECT_NE(test::native_fix(text, true), text);
  cut_everywhere(text);
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    test::native_fix(garbled(text, "(){}<>#\"'\\\n;,:x0&[].", random), true);
  }
  const bool timed = std::getenv("TORCHPORT_TIMED") != nullptr;
  const std::size_t n = timed ? 50000 : 2000;
  for (const std::string& body : {repeated("at::cuda::CUDAEvent e; e.record(); ", n), repeated("auto s = at::cuda::getStreamFromPool(); ", n), repeated("TORCH_CHECK(x.is_cuda()); ", n),
                                  "TORCH_CHECK(" + repeated("x.is_cuda() && ", n), repeated("at::ones({1}, at::kCUDA); ", n), repeated("[](){ at::ones({1}, at::kCUDA); ", n),
                                  repeated("x.f(", n), repeated("at::cuda::CUDAGuard g(i); ", n), repeated("a<b(", n), "f(" + repeated("at::kCUDA, ", n), repeated("T a, ", n), repeated("const ", n)}) {
    const auto begin = std::chrono::steady_clock::now();
    const Native file("#include <torch/extension.h>\n#include <cuda.h>\nvoid f(at::Tensor x, int i) { " + body + " }\n", "a.cpp");
    file.findings();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (timed) {
      EXPECT_LT(took.count(), 5.0) << body.substr(0, 40);
    }
  }
}

TEST(NativeRobust, LargerThanAnybodyWrites) {
  const Native file(repeated("int cuda = 1234567890;\n", (5U << 20) / 23));
  EXPECT_EQ(file.facts.status, Status::Partial);
}

// A mark before the first word is no part of it, and what is put at the top goes behind it.
TEST(NativeRobust, MarksAndLineEnds) {
  const std::string kernel = "__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }\n", mark = "\xef\xbb\xbf";
  std::string windows;
  for (const char c : kernel) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const std::string& text : {kernel, mark + kernel, windows, mark + windows}) {
    EXPECT_EQ(Native(text).of(UseKind::NativeKernel), "1 k") << text;
    EXPECT_EQ(Native(text).launches(), "2 k(1, 1)") << text;
  }
  EXPECT_EQ(test::native_fix(mark + "void f(at::Tensor x) { at::cuda::CUDAGuard g(x.device()); }\n"),
            mark + "#include <c10/core/DeviceGuard.h>\nvoid f(at::Tensor x) { c10::DeviceGuard g(x.device()); }\n");
}

TEST(NativeRobust, WideTextIsNamed) {
  for (const std::string& mark : {std::string("\xff\xfe"), std::string("\xfe\xff")}) {
    const Native file(mark + "c\0u\0d\0a\0");
    EXPECT_EQ(file.facts.status, Status::Failed);
    EXPECT_EQ(file.impacts(Target::Neuron).substr(0, 7), "1 TP001");
  }
}

TEST(NativeRobust, NothingOfCudaIsNotRead) { EXPECT_EQ(Native("int f() { return 1; }\n").facts.status, Status::Skipped); }

}  // namespace
}  // namespace torchport
