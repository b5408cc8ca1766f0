// What the C++ analyzer says of kernels, launches, names and conditions.
#include "tests/support/native_facts.h"

namespace torchport {
namespace {

using test::Native;

TEST(NativeFunctions, KernelsAndOthers) {
  const Native file(
      "template <typename T>\n__device__ T twice(T x) { return x * 2; }\n"
      "template <typename T>\n__global__ void __launch_bounds__(256, 2) k(T* x) { x[0] = twice(x[0]); }\n"
      "namespace a { class B { void f() const { g(); } B() : n(1) {} int n; }; }\n"
      "int h(int a) noexcept { return a; }\n");
  EXPECT_EQ(file.functions(), "1 device twice, 4 kernel k, 5 f, 5 B, 6 h");
  EXPECT_EQ(file.source.text(file.facts.natives[1].bounds), "256, 2");
  EXPECT_EQ(file.source.text(file.facts.natives[1].parameters), "T* x");
  EXPECT_TRUE(file.facts.natives[1].is_template);
}

TEST(NativeFunctions, DeclarationsInstancesAndSpecialisations) {
  const Native file("__global__ void k(int* x);\ntemplate __global__ void k<float>(float*);\ntemplate <>\n__global__ void k<int>(int* x) {}\n");
  EXPECT_EQ(file.functions(), "1 declared k, 4 kernel k");
}

TEST(NativeFunctions, MacrosThatMakeKernels) {
  const Native file(
      "#define KERNEL(name, ...) template <class T> __global__ void name(__VA_ARGS__)\n"
      "KERNEL(forward, T* x) {\n  x[0] = 1;\n}\n"
      "#define GLOBAL __global__\nGLOBAL void k() {}\n"
      "#define MAKE(n) \\\n  __global__ void n() { \\\n  }\n");
  EXPECT_EQ(file.functions(), "1 declared name, 2 kernel forward, 6 kernel k, 8 kernel n");
}

TEST(NativeFunctions, AHeadWrittenTwiceForOneBody) {
  const Native file("#ifdef A\n__global__ void k(int a) {\n#else\n__global__ void k(float a) {\n#endif\n  f(a);\n}\nint after() { return 1; }\n");
  EXPECT_EQ(file.functions().substr(file.functions().size() - 7), "8 after");
}

TEST(NativeLaunches, Forms) {
  const Native file(
      "void f() {\n"
      "  k<<<n, 256>>>(x);\n"
      "  ns::k<float, 32><<<dim3(1, 2), {16, 16, 1}, 0, at::cuda::getCurrentCUDAStream()>>>(x);\n"
      "  (k<T>)<<<(n + 1) >> 2, b>>>(x);\n"
      "  table[i]<<<1, 1>>>();\n"
      "  cudaLaunchKernel((void*)k<T>, grid, block, args, bytes, s);\n"
      "  a << b; c = d >> 2;  // k<<<1, 1>>>\n"
      "}\n"
      "#define RUN(T) k<T><<<1, 2>>>(x)\n");
  EXPECT_EQ(file.launches(),
            "2 k(n, 256), 3 k(dim3(1, 2), {16, 16, 1}, 0, at::cuda::getCurrentCUDAStream()), 4 k((n + 1) >> 2, b), 5 table(1, 1), "
            "6 k(grid, block, bytes, s), 9 k(1, 2)");
}

TEST(NativeLaunches, ByAKernel) {
  const Native file("__global__ void a() { b<<<1, 1>>>(); }\n__global__ void b() {}\nvoid c() { a<<<1, 1>>>(); }\n");
  EXPECT_EQ(file.features("a"), "dynamic-parallelism");
  EXPECT_EQ(file.features("b") + file.features("c"), "");
}

TEST(NativeFeatures, SharedMemoryOfASizeGivenAtLaunchIsNotStatic) {
  const Native file("__global__ void a() { extern __shared__ float s[]; }\n__global__ void b() { extern __shared__ __align__(16) float s[]; __shared__ float t[3]; }\n");
  EXPECT_EQ(file.features("a"), "dynamic-shared-memory");
  EXPECT_EQ(file.features("b"), "shared-memory, dynamic-shared-memory");
}

TEST(NativeLaunches, MayBeWrittenWithBlanks) {
  EXPECT_EQ(Native("void f() {\n  kernel<float> << <1, g<int>(2) >> > (x);\n}\n").launches(), "2 kernel(1, g<int>(2))");
}
TEST(NativeLaunches, StandAtTheirBrackets) { EXPECT_EQ(Native("void f() {\n  kernel<float>\n      <<<1, 2>>>(x);\n}\n").launches(), "3 kernel(1, 2)"); }

TEST(NativeMentions, InMacrosAndBranchesNotTaken) {
  const Native file(
      "#if 0\nint a = cudaMalloc(&p, 1);\n#endif\n"
      "#define CHECK(x) \\\n  cudaStreamSynchronize(x)\n"
      "// cudaFree\nconst char* s = \"cudaFree\";\n"
      "using cuda_ops::x; int cudart, my_cudaFree;\n");
  EXPECT_EQ(file.of(UseKind::Mention), "2 cudaMalloc, 5 cudaStreamSynchronize");
}

TEST(NativeMentions, NamespacesAndOwnNames) {
  EXPECT_EQ(Native("void f() { ::thrust::sort(a); at::cuda::warp_size(); c10::cuda::CUDACachingAllocator::emptyCache(); }").of(UseKind::Mention),
            "1 thrust::sort, 1 at::cuda::warp_size, 1 CUDACachingAllocator");
  EXPECT_EQ(Native("int cudaTwice(int a) { return a; }\nint b = cudaTwice(1);\n").of(UseKind::Mention), "");
  EXPECT_EQ(Native("void f(at::Tensor x) { x.is_cuda(); bool is_cuda = true; }\n").of(UseKind::Mention), "1 .is_cuda");
}

TEST(NativeGuards, Builds) {
  const auto impacts = [](const std::string& text, Target target) { return Native(text).impacts(target); };
  const std::string call = "void f() { cudaDeviceSynchronize(); }\n";
  EXPECT_EQ(impacts(call, Target::Neuron), "1 TP343 blocks");
  EXPECT_EQ(impacts("#ifdef WITH_CUDA\n" + call + "#endif\n", Target::Neuron), "2 TP343 degrades");
  EXPECT_EQ(impacts("#ifdef WITH_CUDA\n" + call + "#else\nvoid f() {}\n#endif\n", Target::Neuron), "2 TP343 cosmetic");
  EXPECT_EQ(impacts("#ifdef WITH_CUDA\n" + call + "#else\n#error no\n#endif\n", Target::Neuron), "2 TP343 blocks");
  EXPECT_EQ(impacts("#if defined(MMCV_WITH_CUDA) && !defined(NO)\n" + call + "#endif\n", Target::Tpu), "2 TP343 degrades");
  EXPECT_EQ(impacts("#ifndef USE_ROCM\n" + call + "#endif\n", Target::Neuron), "2 TP343 blocks");
  EXPECT_EQ(impacts("#ifdef USE_ROCM\n" + call + "#endif\n", Target::Neuron), "2 TP343 cosmetic");
  EXPECT_EQ(impacts("#if defined(SOMETHING)\n" + call + "#endif\n", Target::Neuron), "2 TP343 blocks");
  EXPECT_EQ(impacts("#if !defined(WITH_CUDA)\nvoid g() {}\n#else\n" + call + "#endif\n", Target::Neuron), "4 TP343 cosmetic");
  EXPECT_EQ(impacts("#if __CUDA_ARCH__ >= 700\n" + call + "#endif\n", Target::Neuron), "2 TP343 degrades");
}

TEST(NativeAllows, EndOfLineOwnLineAndFile) {
  EXPECT_EQ(Native("void f() {\n  cudaFree(p);  // torchport: allow TP341 -- ours\n  cudaFree(q);\n}\n").impacts(Target::Neuron), "3 TP341 blocks");
  EXPECT_EQ(Native("/* torchport: allow cuda-memory -- ours */\nvoid f(int a,\n       int b) { cudaFree(p); }\n").impacts(Target::Neuron), "");
  EXPECT_EQ(Native("// torchport: allow TP341 -- all of it\ntemplate <class T>\nvoid f(T* p) {\n  if (p) {\n    cudaFree(p);\n  }\n}\nvoid g() {\n  cudaFree(q);\n}\n").impacts(Target::Neuron), "9 TP341 blocks");
  EXPECT_EQ(Native("// torchport: allow-file all -- CUDA only\nvoid f() {\n  cudaFree(p);\n}\n").impacts(Target::Neuron), "");
  EXPECT_EQ(Native("// torchport: allow TP341 -- nothing here\nint cuda;\n").impacts(Target::Neuron), "1 TP003 cosmetic");
}

TEST(NativeFeatures, OfOneBody) {
  EXPECT_EQ(Native("__global__ void k() { extern __shared__ int s[]; __syncthreads(); }").features("k"), "dynamic-shared-memory, block-barrier");
  EXPECT_EQ(Native("__global__ void k(int v) { v += __shfl_down_sync(0xffffffff, v, 1); }").features("k"), "warp-shuffle, assumes-32-lanes");
  EXPECT_EQ(Native("__global__ void k(int v) { int tile = v / 32; unsigned h = v ^ 0xffffffff; }").features("k"), "");
  EXPECT_EQ(Native("__global__ void k() { asm volatile(\"{\\n\\t mma.sync.aligned.m16n8k16.row.col.f32 %0;\\n}\" ::); }").features("k"), "tensor-cores, inline-ptx");
  EXPECT_EQ(Native("__global__ void k() { asm volatile(\"{ .reg .u64 a; cvta.to.shared.u64 a, %1;\\n\\tred.global.add.f32 [%0], %1;}\" ::); }").features("k"), "atomics, inline-ptx");
  EXPECT_EQ(Native("__global__ void k() { asm volatile(\"{ .reg .u64 a; cvta.to.shared.u64 a, %1; wgmma.fence.sync; }\" ::); }").features("k"), "hopper-instructions, inline-ptx");
  EXPECT_EQ(Native("__global__ void k(float* x) { atomicAdd(x, 1.f); }").features("k"), "atomics");
}

TEST(NativeChecks, IsCudaBeforeALaunchIsRight) {
  EXPECT_EQ(Native("void f(at::Tensor x) { TORCH_CHECK(x.is_cuda()); }\n").impacts(Target::Neuron), "1 TP376 blocks");
  EXPECT_EQ(Native("void f(at::Tensor x) {\n  TORCH_CHECK(x.is_cuda());\n  k<<<1, 1>>>();\n}\n").impacts(Target::Neuron), "2 TP376 cosmetic, 3 TP331 blocks");
}

TEST(NativeChecks, AMacroIsOneFindingWithItsUses) {
  const Native file("#define CHECK(x) TORCH_CHECK((x).is_cuda(), \"\")\nvoid f(at::Tensor x) {\n  CHECK(x);\n}\n");
  const std::vector<Finding> found = file.findings();
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].related.size(), 1u);
  EXPECT_EQ(file.line(found[0].related[0].span), "3");
}

TEST(NativeRegistrations, Forms) {
  const Native file(
      "TORCH_LIBRARY(shapes, m) {\n  m.def(\"area(Tensor x) -> Tensor\");\n  m.def(\"edge\", &ns::edge<float>);\n}\n"
      "TORCH_LIBRARY_IMPL(shapes, CUDA, m) { m.impl(\"area\", TORCH_FN(area_cuda)); }\n"
      "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", [](int a) { return go(a); }, \"doc\"); }\n"
      "static auto r = torch::RegisterOperators().op(\"old::op(int a) -> int\", &old_op).op(\"old::two\", &two);\n");
  std::string all;
  for (const Registration& r : file.facts.registrations) {
    all += std::string(r.space) + "/" + std::string(r.name) + "/" + std::string(r.key) + "/" + std::string(r.function) + " ";
  }
  EXPECT_EQ(all, "shapes/area// shapes/edge//edge shapes/shapes/CUDA/ shapes/area/CUDA/area_cuda /// /run// old/op//old_op old/two//two ");
}

}  // namespace
}  // namespace torchport
