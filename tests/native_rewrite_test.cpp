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

TEST(NativeRewrite, WhatAnInclusionWouldBreakStays) {
  const std::string guard = "at::Tensor f(at::Tensor x) {\n  at::cuda::CUDAGuard g(x.device());\n  return x;\n}\n";
  // All headers of torch stand under conditions, and this one is included amid other code.
  const std::string under = "#ifndef NO_TORCH\n#include <torch/extension.h>\n#endif\n#include <vector>\n#ifndef NO_TORCH\n" + guard + "#endif\n";
  EXPECT_EQ(native_fix(under.c_str()), under);
  EXPECT_EQ(native_fix(guard.c_str(), false, "part.inl"), guard);
  // A header may be needed by code that is included after it.
  const std::string part = "#include <torch/extension.h>\n#include <c10/cuda/CUDAGuard.h>\n#include <c10/core/DeviceGuard.h>\n#include \"part.ipp\"\n";
  EXPECT_EQ(native_fix(part.c_str()), part);
  EXPECT_NE(native_fix("#include <torch/extension.h>\nvoid f(at::Tensor x) { ::at::cuda::CUDAGuard g(x.device()); }\n").find(" ::c10::DeviceGuard g"), std::string::npos);
}

TEST(NativeRewrite, TensorsOfTheHostLendNoDevice) {
  for (const char* said : {"if (!x.is_cuda()) return y(x);", "auto a = x.accessor<float, 1>();", "TORCH_CHECK(x.device() == at::kCPU, \"host\");", "if (!x.defined()) return y(x);"}) {
    const std::string text = "#include <torch/extension.h>\nat::Tensor f(at::Tensor x) {\n  " + std::string(said) + "\n  return at::zeros({3}, at::kCUDA);\n}\n";
    EXPECT_EQ(native_fix(text.c_str(), true).find("x.device())"), std::string::npos) << native_fix(text.c_str(), true);
  }
}

TEST(NativeRewrite, GuardsThatStay) {
  for (const char* text : {"void f(at::Tensor x) { at::cuda::CUDAGuard g(next()); }\n", "void f(Box x) { at::cuda::CUDAGuard g(x.get_device()); }\n",
                           "void f(at::Tensor x, float i) { at::cuda::CUDAGuard g(i); }\n",
                           "void f(int i) { at::cuda::CUDAGuard g(i); k<<<1, 1>>>(); }\n",
                           "#define GUARD(x) at::cuda::CUDAGuard g(x.device())\n", "at::cuda::OptionalCUDAGuard member;\n",
                           "void f(at::Tensor x) { at::cuda::CUDAGuard g(x.device()); g.set_device(x.device()); }\n",
                           "#ifdef A\n#include <a.h>\n#endif\nvoid f(at::Tensor x) { at::cuda::CUDAGuard g(x.device()); }\n", "void f(at::Tensor x) { at::cuda::CUDAGuard(x.device()); }\n"}) {
    EXPECT_EQ(native_fix(text, true), text);
  }
}

TEST(NativeRewrite, GuardsOfAnIndexOrAVariable) {
  const std::string head = "#include <torch/extension.h>\n", guard = head + "#include <c10/core/DeviceGuard.h>\n";
  EXPECT_EQ(native_fix(head + "void f(const at::Tensor& x) { at::cuda::CUDAGuard g(x.device().index()); k<<<1, 1>>>(); }\n", true),
            guard + "void f(const at::Tensor& x) { c10::DeviceGuard g(x.device()); k<<<1, 1>>>(); }\n");
  EXPECT_EQ(native_fix(head + "void f(c10::Device d) { at::cuda::OptionalCUDAGuard g(d); }\n", true), guard + "void f(c10::Device d) { c10::OptionalDeviceGuard g(d); }\n");
  EXPECT_EQ(native_fix(head + "void f(const at::Tensor& x, int i) { at::cuda::CUDAGuard g{i}; }\n", true),
            guard + "void f(const at::Tensor& x, int i) { c10::DeviceGuard g{c10::Device(x.device().type(), i)}; }\n");
  // None of these is Safe.
  EXPECT_EQ(native_fix(head + "void f(const at::Tensor& x, int i) { at::cuda::CUDAGuard g{i}; }\n"), head + "void f(const at::Tensor& x, int i) { at::cuda::CUDAGuard g{i}; }\n");
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

// In one fix with what made it so, which a scan can tell of.
TEST(NativeRewrite, HeadersOfWhichNothingWillBeLeft) {
  const std::string head = "#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n", body = "void f(at::Tensor x, int i) { at::cuda::CUDAGuard g(i); cudaDeviceSynchronize(); ";
  const test::Native native(head + body + "}\n", "a.cpp");
  for (const Finding& f : native.findings()) {
    EXPECT_TRUE(f.fix && f.fix->applicability == Applicability::Review && !f.fix->edits.empty()) << f.rule->id;
    if (f.rule->id != "TP340") continue;
    const std::vector<Finding> alone = {f};
    EXPECT_EQ(apply_fixes(native.source.text(), alone, true).text, native_fix(head + body + "}\n", true));
  }
  const test::Native other(head + body + "cudaDeviceReset(); }\n", "a.cpp");
  for (const Finding& f : other.findings()) EXPECT_TRUE(f.rule->id != "TP340" || f.fix->edits.empty());
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
                           "void f() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n", "at::Device f(at::Device d = at::Device(at::kCUDA)) { return d; }\n", "static at::Device device = at::Device(at::kCUDA);\n",
                           "bool f(at::Tensor x) { return x.device() == at::Device(at::kCUDA); }\n", "void f(at::Tensor x) { CHECK_EQ(x.device(), at::Device(at::kCUDA, 0)); }\n",
                           "at::Tensor f(void* p) { return at::from_blob(p, {1}, at::kCUDA); }\n", "void f() { C10_CUDA_CHECK(cudaDeviceSynchronize()); C10_CUDA_CHECK(cudaGetLastError()); }\n",
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
  EXPECT_EQ(native_fix(head + "void f() { auto s = at::cuda::getCurrentCUDAStream(); s.synchronize(); }\n", true),
            accelerator + "void f() { auto s = at::accelerator::getCurrentStream(at::accelerator::getDeviceIndex()); s.synchronize(); }\n");
  for (const char* text : {"void f() { auto s = at::cuda::getCurrentCUDAStream(); s.synchronize(); run(s); }\n", "void f() { run(at::cuda::getCurrentCUDAStream()); }\n"}) {
    EXPECT_EQ(native_fix(text, true), text);
  }
}

TEST(NativeRewrite, AnIndexSaysWhoseDeviceIsMeant) {
  const std::string head = "#include <torch/extension.h>\n";
  EXPECT_EQ(native_fix(head + "void f(L l) { auto x = l[0]; auto o = at::TensorOptions().device(torch::kCUDA, x.get_device()); }\n", true),
            head + "void f(L l) { auto x = l[0]; auto o = at::TensorOptions().device(x.device()); }\n");
  // An index of which nothing is known is kept, of the device type that is meant.
  const std::string any = "at::accelerator::getAccelerator(true).value()";
  for (const auto& [before, after] : {std::pair{"f(int i) { auto o = at::TensorOptions().device(at::kCUDA, i); }\n", "f(int i) { auto o = at::TensorOptions().device(" + any + ", i); }\n"},
                                      std::pair{"f(L l) { auto o = at::TensorOptions().device(at::kCUDA, l[0].get_device()); }\n",
                                                "f(L l) { auto o = at::TensorOptions().device(" + any + ", l[0].get_device()); }\n"}}) {
    EXPECT_EQ(native_fix(head + "void " + before, true), head + "#include <ATen/DeviceAccelerator.h>\nvoid " + after);
  }
  EXPECT_EQ(native_fix("void f(at::Tensor x) { auto o = at::device(at::kCUDA, x.get_device() + 1); }\n", true),
            "void f(at::Tensor x) { auto o = at::device(x.device().type(), x.get_device() + 1); }\n");
  const char* unknown = "void f(at::Tensor x) { g(at::kCUDA, x.get_device()); }\n";
  EXPECT_EQ(native_fix(unknown, true), unknown);
}

TEST(NativeRewrite, WithoutTorchNothingOfTorchIsWritten) {
  for (const char* text : {"#include <cuda_runtime.h>\nvoid f() { cudaDeviceSynchronize(); }\n", "void f() { format::g(); cudaDeviceSynchronize(); }\n"}) EXPECT_EQ(native_fix(text, true), text);
}

// What a tensor is moved from, or said to be, is not where the others lie.
TEST(NativeRewrite, WhatIsMovedSaysNothingOfTheDevice) {
  const std::string head = "#include <torch/extension.h>\n", accelerator = head + "#include <ATen/DeviceAccelerator.h>\n", any = "at::accelerator::getAccelerator(true).value()";
  for (const std::string first : {"y = x.to(", "y = x.cuda() + at::ones({1}, ", "CHECK_CPU(x); y = at::ones({1}, ",
                                  "y = at::ones({1}, at::dtype(x.scalar_type()).device("}) {
    const std::string end = first.ends_with("device(") ? "));" : ");";
    EXPECT_EQ(native_fix(head + "void f(at::Tensor x, at::Tensor y) { y = y.cpu(); " + first + "at::kCUDA" + end + " }\n", true), accelerator + "void f(at::Tensor x, at::Tensor y) { y = y.cpu(); " + first + any + end + " }\n");
  }
  EXPECT_EQ(native_fix(head + "void f(at::Tensor x) { auto g = []() { return at::ones({1}, at::kCUDA); }; }\n", true),
            accelerator + "void f(at::Tensor x) { auto g = []() { return at::ones({1}, " + any + "); }; }\n");
  EXPECT_EQ(native_fix(head + "void f(at::Tensor& x) { x = at::ones({1}, at::kCUDA); }\n", true), accelerator + "void f(at::Tensor& x) { x = at::ones({1}, " + any + "); }\n");
  EXPECT_EQ(native_fix(head + "void f(at::Tensor x) { static auto o = at::device(at::kCUDA); }\n", true), accelerator + "void f(at::Tensor x) { static auto o = at::device(" + any + "); }\n");
  EXPECT_EQ(native_fix(head + "void f(at::Tensor x, Net n) { n->to(at::kCUDA); }\n", true), accelerator + "void f(at::Tensor x, Net n) { n->to(" + any + "); }\n");
  EXPECT_EQ(native_fix(head + "void f(at::Tensor x) { at::Device d(at::kCUDA); }\n", true), head + "void f(at::Tensor x) { at::Device d(x.device()); }\n");
  EXPECT_EQ(native_fix(head + "void f(at::Tensor x) { auto g = [](int) { return 1; }; at::ones({1}, at::kCUDA); }\n", true),
            head + "void f(at::Tensor x) { auto g = [](int) { return 1; }; at::ones({1}, x.device()); }\n");
}

TEST(NativeRewrite, ObjectsGoTogetherOrStay) {
  const std::string head = "#include <torch/extension.h>\n";
  const std::string event = head + "#include <ATen/DeviceAccelerator.h>\n#include <c10/core/Event.h>\n", any = "at::accelerator::getAccelerator(true).value()";
  const std::string current = "at::accelerator::getCurrentStream(at::accelerator::getDeviceIndex())";
  EXPECT_EQ(native_fix(head + "void f() { at::cuda::CUDAEvent e(cudaEventDisableTiming); e.record(); }\n", true),
            event + "void f() { c10::Event e(" + any + ", c10::EventFlag::PYTORCH_DEFAULT); e.record(" + current + "); }\n");
  EXPECT_EQ(native_fix(head + "void f() {\n  cudaEvent_t e = nullptr;\n  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);\n  cudaEventRecord(e, 0);\n}\n", true),
            event + "void f() {\n  c10::Event e(" + any + ", c10::EventFlag::PYTORCH_DEFAULT);\n  e.record(" + current + ");\n}\n");
  for (const char* body : {
           "at::cuda::CUDAEvent e; e.record(); run(e);", "at::cuda::CUDAEvent e; std::vector<at::cuda::CUDAEvent> all; all.push_back(std::move(e));",
           "at::cuda::CUDAEvent a, b; a.record(); b.record(); run(b);",                            // one statement declares both
           "at::cuda::CUDAEvent e(flags()); e.record();", "static at::cuda::CUDAEvent e; e.record();", "at::cuda::CUDAEvent* e = make(); e->record();",
           "at::cuda::CUDAEvent e; auto s = at::cuda::getCurrentCUDAStream(); e.record(s); run(s);",  // the stream goes on to a launch
           "at::cuda::CUDAEvent e; e.record(run_stream);", "at::cuda::CUDAEvent e; auto g = [=] { e.query(); };", "at::cuda::CUDAEvent e; e.record(); cudaMemcpyAsync(p, q, 1);",
           "cudaEvent_t e; cudaEventRecord(e);", "cudaEvent_t e; cudaEventCreate(&e); if (cudaEventQuery(e)) return;", "cudaEvent_t e; cudaEventCreate(&e); if (x) cudaEventDestroy(e);",
           "cudaEvent_t e[2]; cudaEventCreate(&e[0]);", "cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventInterprocess);", "cudaStream_t s; cudaStreamCreate(&s); cudaStreamSynchronize(s);",
           "{ at::cuda::CUDAEvent e; e.record(); } { at::cuda::CUDAEvent e; run(e); }", "\n#ifdef A\n at::cuda::CUDAEvent e;\n#endif\n e.record();\n",
           "auto s = at::cuda::getStreamFromPool(-1); s.synchronize();", "auto s = at::cuda::getStreamFromPool(); auto t = s; s = t;",
           "at::cuda::CUDAStreamGuard g(stream_of(x)); g.current_stream();", "at::cuda::CUDAStreamGuard g(at::cuda::getDefaultCUDAStream()); run(g.current_stream());"}) {
    const std::string text = head + "void f(at::Tensor x) { " + body + " }\n";
    EXPECT_EQ(native_fix(text, true), text);
  }
  for (const char* text : {"void f(at::cuda::CUDAEvent& e) { e.record(); }\n", "struct T { at::cuda::CUDAEvent e; void f() { e.record(); } };\n", "at::cuda::CUDAEvent e;\nvoid f() { e.record(); }\n",
                           "#define MARK at::cuda::CUDAEvent e; e.record()\n", "void f() { at::cuda::CUDAEvent e; e.record(); k<<<1, 1>>>(); }\n"}) {
    EXPECT_EQ(native_fix(head + text, true), head + text);
  }
}

TEST(NativeRewrite, ChecksWithNothingBehindThem) {
  const std::string check = "TORCH_CHECK(x.is_cuda(), \"x\"); ", free = "TORCH_CHECK(!x.is_cpu(), \"x\"); ";
  const std::string help = "at::Tensor help(at::Tensor x) { return x.relu(); }\n", launch = "at::Tensor help(at::Tensor x) { return launch(x); }\n";
  for (const char* rest : {"return x.add(1).contiguous();", "at::Tensor y(x); return at::cat({x, y}, 0);", "return help(x);"}) {
    EXPECT_EQ(native_fix(help + "at::Tensor f(at::Tensor x) { " + check + rest + " }\n", true), help + "at::Tensor f(at::Tensor x) { " + free + rest + " }\n");
  }
  for (const char* rest : {"return launch(x);", "return help(x);", "return ns::launch(x);", "Launcher l(x); return x;", "return launcher.run(x);", "return wrap(x.data_ptr<float>());", "float* p = x.data_ptr<float>(); return x;",
                           "LAUNCH(x); return x;", "return x.cuda();", "at::cuda::getNumGPUs(); return x;", "return launch<float>(x);"}) {
    const std::string text = launch + "at::Tensor f(at::Tensor x) { " + check + rest + " }\n";
    EXPECT_EQ(native_fix(text, true), text);
  }
  for (const char* text : {"bool f(at::Tensor x) { return x.is_cuda(); }\n", "void f(at::Tensor x) { if (x.is_cuda()) g(); TORCH_CHECK(true); }\n", "void f(Box x) { TORCH_CHECK(x.is_cuda()); }\n",
                           "void f(at::Tensor x) { TORCH_CHECK(x.is_cuda() == y); }\n", "void f(at::Tensor x) { TORCH_CHECK(!x.is_cuda()); }\n"}) {
    EXPECT_EQ(native_fix(text, true), text);
  }
}

TEST(NativeRewrite, OnlyWhatTheOldestTorchHas) {
  const std::string head = "#include <torch/extension.h>\n";
  const auto changed = [&](const std::string& text, std::uint32_t torch) { return native_fix(head + text, true, "a.cpp", torch) != head + text; };
  for (const auto& [text, since] : {std::pair{"void f() { cudaDeviceSynchronize(); }\n", 207U}, std::pair{"void f() { c10::cuda::CUDACachingAllocator::emptyCache(); }\n", 209U},
                                    std::pair{"void f(size_t a, size_t b) { cudaMemGetInfo(&a, &b); }\n", 210U}, std::pair{"void f() { at::ones({1}, at::kCUDA); }\n", 207U},
                                    std::pair{"void f() { at::cuda::CUDAEvent e; e.record(); }\n", 207U}, std::pair{"void f(int i) { at::cuda::CUDAGuard g(i); }\n", 207U}}) {
    EXPECT_TRUE(changed(text, since)) << text;
    EXPECT_FALSE(changed(text, since - 1)) << text;
  }
  EXPECT_TRUE(changed("void f(at::Tensor x) { at::ones({1}, at::kCUDA); at::cuda::CUDAGuard g(x.get_device()); }\n", 200));
}

// AT_CUDA_CHECK and the flag go with the call that they stand by, and are not said to be left.
TEST(NativeRewrite, WhatGoesWithAnotherIsNotLeft) {
  const test::Native native("#include <torch/extension.h>\nvoid f(int i) { AT_CUDA_CHECK(cudaSetDevice(i)); }\n", "a.cpp");
  for (const Finding& f : native.findings()) EXPECT_TRUE(f.fix && !f.fix->edits.empty()) << f.rule->id;
  EXPECT_EQ(native.findings().size(), 2U);
}

TEST(NativeRewrite, LineEndsAreKept) {
  EXPECT_EQ(native_fix("#include <torch/extension.h>\r\nvoid f(at::Tensor x) { at::cuda::CUDAGuard g(x.device()); }\r\n"),
            "#include <torch/extension.h>\r\n#include <c10/core/DeviceGuard.h>\r\nvoid f(at::Tensor x) { c10::DeviceGuard g(x.device()); }\r\n");
}

}  // namespace
}  // namespace torchport
