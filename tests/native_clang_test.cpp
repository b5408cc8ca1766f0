// How what Clang says is joined with the tokens: by places in files, and by names where it says nothing. The answers are written by hand here.
#include <deque>

#include "analyzers/native_project.h"
#include "tests/support/native_facts.h"

namespace torchport {
namespace {

class ClangTree {
 public:
  explicit ClangTree(std::initializer_list<std::pair<const char*, const char*>> files) : project(files.size()) {
    for (const auto& [path, text] : files) {
      kept_.emplace_back(text, path);
      project.add(kept_.size() - 1, kept_.back().source, kept_.back().facts);
    }
  }

  // Where that stands first.
  ClangPlace at(std::uint32_t file, std::string_view text) const { return {file, static_cast<std::uint32_t>(kept_[file].source.text().find(text))}; }

  std::string kernels() const { return test::kernels_of(project); }

  NativeProject project;

 private:
  std::deque<test::Native> kept_;
};

ClangFunction function(ClangPlace at, std::vector<ClangPlace> calls, std::uint64_t features = 0) {
  ClangFunction f;
  f.at = at;
  f.calls = std::move(calls);
  f.features = features;
  return f;
}

ClangLaunch launch(ClangPlace at, ClangPlace use, std::vector<ClangPlace> kernels) {
  ClangLaunch l;
  l.at = at;
  l.use = use;
  l.kernels = std::move(kernels);
  return l;
}

std::uint64_t bit(const char* feature) { return std::uint64_t{1} << test::native_catalogue().kernels.feature(feature); }

TEST(NativeClang, OfHelpersWithOneNameTheOneThatIsCalled) {
  ClangTree tree({{"k.cu", "__device__ int f(int a) { return __any(a); }\n__device__ int f(float a) { return __popc(__ballot(1)) + __ldg(p); }\n__global__ void k(int a) { f(a); }\n"}});
  ClangAnswer answer;
  answer.functions = {function(tree.at(0, "k(int"), {tree.at(0, "f(int a)")})};
  tree.project.add(answer);
  tree.project.close();
  EXPECT_EQ(tree.kernels(), "k[warp-vote ]");
}

TEST(NativeClang, WhatItDoesNotSayTheNamesDo) {
  ClangTree tree({{"k.cu", "__device__ int f(int a) { return __any(a); }\n__device__ int g(float a) { return __ldg(p); }\n__global__ void k(int a) { f(a); g(a); }\n"}});
  ClangAnswer answer;
  answer.functions = {function(tree.at(0, "k(int"), {tree.at(0, "f(int a)")}, bit("half"))};
  tree.project.add(answer);
  tree.project.close();
  EXPECT_EQ(tree.kernels(), "k[warp-vote read-only-cache half ]");
  EXPECT_EQ(tree.project.kernels()[0].beyond_tokens, bit("half"));
}

TEST(NativeClang, AMacroLaunchesWhereItIsUsed) {
  ClangTree tree({{"k.cu", "#define RUN(name) name<<<1, 1>>>()\n__global__ void a() {}\n__global__ void b() {}\nvoid f() {\n  RUN(a);\n}\nvoid g() { RUN(b); }\n"
                      "PYBIND11_MODULE(m, m) { m.def(\"f\", &f); }\n"}});
  ClangAnswer answer;
  answer.launches = {launch(tree.at(0, "<<<"), tree.at(0, "RUN(a)"), {tree.at(0, "a() {}")}), launch(tree.at(0, "<<<"), tree.at(0, "RUN(b)"), {tree.at(0, "b() {}")})};
  tree.project.add(answer);
  tree.project.close();
  EXPECT_EQ(tree.kernels(), "a[<k.cu:5 from m.f]b[<k.cu:7]");
  EXPECT_EQ(tree.project.clang_launches(0, {tree.at(0, "name<<<").byte, tree.at(0, ">>>").byte}).size(), 2U);
}

TEST(NativeClang, ADeclarationAloneLeavesItToTheName) {
  ClangTree tree({{"f.cu", "#include \"k.cuh\"\nvoid f() { k<<<1, 1>>>(); }\n"}, {"k.cu", "#include \"k.cuh\"\n__global__ void k() {}\n"}, {"k.cuh", "__global__ void k();\n"}});
  ClangAnswer answer;
  answer.launches = {launch(tree.at(0, "<<<"), tree.at(0, "<<<"), {tree.at(2, "k()")})};
  tree.project.add(answer);
  tree.project.close();
  EXPECT_EQ(tree.kernels(), "k[<f.cu:2]");
  EXPECT_EQ(tree.project.launched_at(0, 2).size(), 1U);
}

TEST(NativeClang, AKernelHandedToACallThatLaunchesNothing) {
  ClangTree tree({{"k.cu", "__global__ void k() {}\nvoid f() { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1); }\n"}});
  ClangAnswer answer;
  answer.launches = {launch(tree.at(0, "cudaFuncSetAttribute"), tree.at(0, "cudaFuncSetAttribute"), {tree.at(0, "k() {}")})};
  tree.project.add(answer);
  tree.project.close();
  EXPECT_EQ(tree.kernels(), "k[]");
}

TEST(NativeClang, AHeaderReadTwiceHoldsBoth) {
  ClangTree tree({{"k.cuh", "__global__ void k() { WORK; }\n"}});
  for (const char* feature : {"half", "fp8"}) {
    ClangAnswer answer;
    answer.functions = {function(tree.at(0, "k() {"), {}, bit(feature))};
    tree.project.add(answer);
  }
  tree.project.close();
  EXPECT_EQ(tree.kernels(), "k[half fp8 ]");
}

TEST(NativeClang, TypesOfMembers) {
  ClangTree tree({{"k.cpp", "bool f(at::Tensor x) { return x.is_cuda(); }\n"}});
  ClangAnswer answer;
  answer.members = {{tree.at(0, "is_cuda"), "at::Tensor"}};
  tree.project.add(answer);
  tree.project.close();
  EXPECT_EQ(tree.project.member_type(0, tree.at(0, "is_cuda").byte), "at::Tensor");
  EXPECT_EQ(tree.project.member_type(0, 0), "");
}

}  // namespace
}  // namespace torchport
