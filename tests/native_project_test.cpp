// What C++ files know of each other: helpers of kernels, launches elsewhere, operators that lead to them.
#include <deque>

#include "tests/support/native_facts.h"

namespace torchport {
namespace {

struct Tree {
  explicit Tree(std::initializer_list<std::pair<const char*, const char*>> files) : project(files.size()) {
    std::size_t index = 0;
    for (const auto& [path, text] : files) {
      kept.emplace_back(text, path);
      project.add(index++, kept.back().source, kept.back().facts);
    }
    project.close();
  }
  std::string kernels() const { return test::kernels_of(project); }
  std::deque<test::Native> kept;
  NativeProject project;
};

TEST(NativeProject, FeaturesComeThroughHelpers) {
  EXPECT_EQ(Tree({{"a/k.cu", "#include \"../lib/help.cuh\"\n__global__ void k(float* x) { block_sum(x); }"},
                  {"lib/help.cuh", "#include \"warp.cuh\"\n__device__ void block_sum(float* x) { __shared__ float s[32]; warp_sum(x); }"},
                  {"lib/warp.cuh", "__device__ void warp_sum(float* x) { __shfl_down_sync(m, x[0], 1); }"},
                  {"other/warp.cuh", "__device__ void warp_sum(float* x) { atomicAdd(x, 1); }"}})
                .kernels(),
            "k[shared-memory warp-shuffle ]");
}

TEST(NativeProject, FromPythonsNameToTheKernel) {
  EXPECT_EQ(Tree({{"bind.cpp", "at::Tensor area(at::Tensor x);\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"area\", &area); }"},
                  {"area.cpp", "at::Tensor area(at::Tensor x) { return area_impl(x); }\nREGISTER_IMPL(area_impl, CUDA, area_cuda);"},
                  {"area.cu", "__global__ void area_kernel(float* x) {}\nat::Tensor area_cuda(at::Tensor x) {\n  area_kernel<<<1, 1>>>(x);\n}"}})
                .kernels(),
            "area_kernel[<area.cu:3 from area]");
}

TEST(NativeProject, KernelsInVariablesAndMembers) {
  EXPECT_EQ(Tree({{"a.cu", "struct S { __device__ void add(float* x) { atomicAdd(x, 1); } };\n__global__ void k(float* x) { S s; s.add(x); }\n"
                           "void go() {\n  auto kernel = &k;\n  kernel<<<1, 1>>>(x);\n}"}}).kernels(),
            "k[atomics <a.cu:5]");
}

TEST(NativeProject, KernelsChosenElsewhere) {
  const char* const chooser = "__global__ void k() {}\n__global__ void lone() {}\ntemplate <class T> void* choose() { return (void*)k; }\n";
  EXPECT_EQ(Tree({{"a.cu", chooser},
                  {"a.cpp", "#include \"a.h\"\nvoid go() {\n  void* f = choose<float>();\n  cudaLaunchKernel(f, 1, 1, args, 0, s);\n}\nTORCH_LIBRARY(ns, m) { m.def(\"op\", &go); }"}}).kernels(),
            "k[<a.cpp:4 from ns::op]lone[]");
  // A function that launches by itself chooses nothing for its callers.
  EXPECT_EQ(Tree({{"a.cu", "__global__ void k() {}\nvoid run() {\n  k<<<1, 1>>>();\n}\n"},
                  {"a.cpp", "void go(void* f) {\n  run();\n  cudaLaunchKernel(f, 1, 1, args, 0, s);\n}"}}).kernels(),
            "k[<a.cu:3]");
}

TEST(NativeProject, LambdasAndOperators) {
  EXPECT_EQ(Tree({{"a.cu", "__global__ void k() {}\nvoid go() { k<<<1, 1>>>(); }\nTORCH_LIBRARY(ns, m) { m.def(\"op\", [](at::Tensor x) { go(); return x; }); }"}}).kernels(),
            "k[<a.cu:2 from ns::op]");
}

TEST(NativeProject, QuestionsBeforeALaunch) {
  const Tree tree({{"a.cpp", "void f(at::Tensor x) { TORCH_CHECK(x.is_cuda()); run(x); }\nvoid g(at::Tensor x) { TORCH_CHECK(x.is_cuda()); }"},
                   {"a.cu", "__global__ void k() {}\nvoid run(at::Tensor x) { k<<<1, 1>>>(); }"}});
  EXPECT_TRUE(tree.project.leads_to_kernel(0, "f"));
  EXPECT_FALSE(tree.project.leads_to_kernel(0, "g"));
}

TEST(NativeClasses, NamesAndEvidence) {
  const auto name = [](const char* kernel, const std::string& text) {
    const Tree tree({{"a.cu", text.c_str()}});
    const KernelTable& table = test::native_catalogue().kernels;
    const KernelClassRow* row = class_row_of(table, kernel, features_of(table, tree.project.kernels().front().features, true));
    return row == nullptr ? std::string("unknown") : row->name;
  };
  const std::string scale = "__global__ void k(float* x, const float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = y[i]; }";
  EXPECT_EQ(name("k", scale), "elementwise");
  EXPECT_EQ(name("k", "__global__ void k(float* x, float* y, int n) { CUDA_KERNEL_LOOP(i, n) { x[i] = y[i]; } }"), "elementwise");
  EXPECT_EQ(name("k", "__global__ void k(float* x, float* y) { int i = blockIdx.x * 4 + threadIdx.x; x[i] = y[2 * i]; }"), "unknown");
  EXPECT_EQ(name("k", "__global__ void k(float* x, float* y) { x += blockIdx.y; int i = blockIdx.x * 4 + threadIdx.x; x[i] = y[i]; }"), "unknown");
  EXPECT_EQ(name("nms_kernel", scale), "nms-like");
  EXPECT_EQ(name("res_matmul", scale), "elementwise");
  EXPECT_EQ(name("convex_iou", "__global__ void k(float* x) { f(x); }"), "unknown");
}

}  // namespace
}  // namespace torchport
