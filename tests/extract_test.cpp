// What a backend's sources register, from small texts of each form.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "analyzers/error.h"
#include "opdb/extract/extract.h"
#include "tests/support/temp_dir.h"

namespace torchport {
namespace {

std::string names(const Registrations& found) {
  std::string out;
  for (const auto& [op, places] : found.places) out += (out.empty() ? "" : " ") + op + "@" + places.front();
  return out;
}

TEST(Extract, CppBlocksOfTheKeyAlone) {
  Registrations found;
  read_cpp(
      "TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) { m.impl(\"abs\", &f); }\n"
      "TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {\n"
      "  m.impl(\"add.Tensor\", &f);  // m.impl(\"sub.Tensor\", &f);\n"
      "  /* m.impl(\"mul.Tensor\", &f); */\n"
      "  if (newer) { m.impl(TORCH_SELECTIVE_NAME(\"aten::view\"), &g); }\n"
      "}\n"
      "TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>()); }\n",
      "k.cpp", "PrivateUse1", found);
  EXPECT_EQ(names(found), "aten::add.Tensor@k.cpp:3 aten::view@k.cpp:5");
  EXPECT_EQ(found.fallback, "k.cpp:7");
  EXPECT_TRUE(found.fallback_to_cpu);
}

TEST(Extract, ABrokenBlockEndsWithTheFile) {
  Registrations found;
  read_cpp("TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl(\"abs", "k.cpp", "PrivateUse1", found);
  read_cpp("TORCH_LIBRARY_IMPL(aten", "k.cpp", "PrivateUse1", found);
  read_cpp("TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) /* \"", "k.cpp", "PrivateUse1", found);
  SUCCEED();
}

TEST(Extract, PythonDecoratorsAndWhatTheLoaderSkips) {
  Registrations found;
  read_python({{"ops/a.py", "@neuron_op('aten::abs')\nclass A: pass\n\n@register(['aten::mul.Tensor', 'aten::mul.out'], x=1)\ndef f(): pass\nregister('aten::neg')(f)\n"},
               {"ops/b.py", "lib.impl('relu', f, 'PrivateUse1')\nlib.impl('gelu', f, 'Meta')\n'''\n@register('aten::in_a_text')\n'''\nlog('aten::sub')\n"},
               {"ops/legacy/c.py", "@register('aten::old')\ndef f(): pass\n"},
               {"ops/load.py", "for _, name, _ in pkgutil.walk_packages(p):\n    if '.legacy' in name:\n        continue\n"},
               {"ops/table.py", "ATEN_OP_MAPPING = {'erf': ['aten::erf', 'aten::erf.out']}\n"}},
              "PrivateUse1", found);
  EXPECT_EQ(names(found),
            "aten::abs@ops/a.py:1 aten::erf@ops/table.py:1 aten::erf.out@ops/table.py:1 aten::mul.Tensor@ops/a.py:4 aten::mul.out@ops/a.py:4 "
            "aten::neg@ops/a.py:6 aten::relu@ops/b.py:1");
}

TEST(Extract, YamlListsAndDispatchRows) {
  Registrations lists;
  read_functions_yaml("backend: XLA\ncpp_namespace: x\nfull_codegen:\n  - acos\n  # - asin\nsupported:\n  - add.Tensor\n", "x.yaml", "XLA", lists);
  EXPECT_EQ(names(lists), "aten::acos@x.yaml:4 aten::add.Tensor@x.yaml:7");
  Registrations own;
  read_functions_yaml("backend: NPU\nsupported:\n  - abs\ncustom:\n  - func: fast_abs(Tensor self) -> Tensor\n    exposed: True\nsymint:\n  - add\n", "n.yaml", "PrivateUse1", own);
  EXPECT_EQ(names(own), "aten::abs@n.yaml:3 aten::add@n.yaml:8 npu::fast_abs@n.yaml:5");
  Registrations rows;
  read_functions_yaml(
      "- func: abs(Tensor self) -> Tensor\n  structured_delegate: abs.out\n- func: abs.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n"
      "  structured: True\n  dispatch:\n    CPU, XPU: abs_out\n- func: cos(Tensor self) -> Tensor\n  dispatch:\n    CPU: cos\n",
      "n.yaml", "XPU", rows);
  EXPECT_EQ(names(rows), "aten::abs@n.yaml:1 aten::abs.out@n.yaml:3");
}

TEST(Extract, TheYamlOfAscendsPlugin) {
  Registrations found;
  read_functions_yaml(
      "all_version: [v2.1, v2.13]\nofficial:\n  - func: abs(Tensor self) -> Tensor\n    acl_op: all_version\n    op_api: all_version\n"
      "  - func: old(Tensor self) -> Tensor\n    op_api: [v2.1, v2.12]\n  - func: new.out(Tensor self) -> Tensor\n    op_api: [ v2.6, newest ]\n"
      "  - func: listed(Tensor self) -> Tensor\n    acl_op: v2.1, v2.2\n  - func: here(Tensor self) -> Tensor\n    acl_op: v2.2, v2.13\n"
      "autograd:\n  - func: other_key(Tensor self) -> Tensor\n    op_api: all_version\ncustom:\n  - func: npu_own(Tensor self) -> Tensor\n    op_api: all_version\n"
      "symint:\n  - func: npu_own(Tensor self) -> Tensor\n    op_api: all_version\n  - func: abs(Tensor self) -> Tensor\n    op_api: all_version\n",
      "p.yaml", "PrivateUse1", found);
  EXPECT_EQ(names(found), "aten::abs@p.yaml:3 aten::here@p.yaml:12 aten::new.out@p.yaml:8 npu::npu_own@p.yaml:18");
}

TEST(Extract, EnumeratorsByTableAndBySpelling) {
  Registrations found;
  read_cpp("const Names kNames = {{OpName::kFusedSgd, \"aten::_fused_sgd_\"}, {OpName::kAbsOut, \"abs.out\"}};\n"
           "int f() { return use(OpName::kSin); }\n"
           "TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {\n  ImplStable<OpName::kFusedSgd>(m);\n  ImplStable<OpName::kAbsOut>(m);\n"
           "  ImplStable<OpName::kAdd_Tensor>(m);\n  ImplStable<OpName::kAddTensor>(m);\n  ImplStable<OpName::kNoSuch>(m);\n}\n",
           "k.cc", "PrivateUse1", found);
  EXPECT_EQ(resolve_enumerators(Coverage(), found), std::vector<std::string>{"NoSuch"});
  EXPECT_EQ(names(found), "aten::_fused_sgd_@k.cc:4 aten::abs.out@k.cc:5 aten::add.Tensor@k.cc:7 (kAddTensor, by its spelling) "
            "aten::add_.Tensor@k.cc:6 (kAdd_Tensor, by its spelling)");
}

TEST(Extract, WhatItWritesIsTaken) {
  const test::TempDir dir;
  std::ofstream(dir.path() + "/k.cpp") << "TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl(\"add.out\", &f); m.impl(\"no_such\", &f); }\n";
  Coverage coverage;
  const std::string table = extract_table(dir.path(), Target::Npu, coverage, "ours, commit 1, 2026-11-29");
  EXPECT_NE(table.find("aten::no_such\tphantom"), std::string::npos) << table;
  coverage.replace(table, "ours.tsv");
  EXPECT_EQ(coverage.answer("aten::add.Tensor", Target::Npu).support, Support::Native) << "through add.out";
  EXPECT_EQ(coverage.answer("aten::relu", Target::Npu).support, Support::Unknown);
  EXPECT_EQ(coverage.answer("aten::einsum", Target::Npu).support, Support::Composite);
}

TEST(Extract, AFolderThatRegistersNothingIsAnError) {
  const test::TempDir dir;
  EXPECT_THROW(extract_table(dir.path(), Target::Npu, Coverage(), ""), Error);
  EXPECT_THROW(extract_table(dir.path() + "/none", Target::Npu, Coverage(), ""), Error);
}

}  // namespace
}  // namespace torchport
