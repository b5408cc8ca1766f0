// Which uses of Python code are operators, what they work on, and what that comes to on the targets.
#include <gtest/gtest.h>

#include "analyzers/analyze.h"
#include "rules/catalogue.h"
#include "rules/run.h"

namespace torchport {
namespace {

const Catalogue& catalogue() {
  static const Catalogue instance = built_in_catalogue();
  return instance;
}

struct Ran {
  std::vector<std::pair<std::string, std::uint32_t>> found;  // (rule, line)
  std::vector<Finding> findings;
  OpCounts counts;
};

Ran run(const std::string& text) {
  const SourceFile source("a.py", text);
  const FileFacts facts = analyze(source, Language::Python, catalogue().interest);
  Ran ran;
  ran.findings = run_rules(catalogue(), source, facts, 0, {}, &ran.counts);
  for (const Finding& f : ran.findings) ran.found.emplace_back(f.rule->id, source.position(f.span.start).line);
  return ran;
}

bool has(const Ran& ran, const char* rule, std::uint32_t line) {
  return std::find(ran.found.begin(), ran.found.end(), std::pair<std::string, std::uint32_t>(rule, line)) != ran.found.end();
}

std::uint32_t of(const OpCounts& counts, Target target, Support support) {
  return counts.by_target[static_cast<std::size_t>(target)][static_cast<std::size_t>(support)];
}

TEST(Ops, CountsAddUp) {
  const Ran ran = run(
      "import torch\nimport torch.nn.functional as F\n"
      "def f(x: torch.Tensor, y, mode):\n"
      "    a = F.relu(x) + 1\n"
      "    b = F.interpolate(a, scale_factor=2, mode='trilinear')\n"
      "    c = F.interpolate(a, scale_factor=2, mode=mode)\n"
      "    d = F.not_known_to_us(a)\n"
      "    y.split(2)\n"
      "    return b[0] @ c, torch.ones(3), torch.no_grad()\n");
  EXPECT_EQ(ran.counts.uses, 7u);
  EXPECT_EQ(ran.counts.host, 1u);
  EXPECT_EQ(ran.counts.possible, 1u);
  for (std::size_t t = 0; t < kTargetCount; ++t) {
    std::uint32_t sum = 0;
    for (const std::uint32_t n : ran.counts.by_target[t]) sum += n;
    EXPECT_EQ(sum, ran.counts.uses) << t;
    EXPECT_EQ(ran.counts.by_target[t][static_cast<std::size_t>(Support::Composite)], 0u);
  }
  EXPECT_EQ(of(ran.counts, Target::Tpu, Support::Unsupported), 1u);
  EXPECT_EQ(of(ran.counts, Target::Neuron, Support::Fallback), 1u);
  EXPECT_EQ(of(ran.counts, Target::Tpu, Support::Unknown), 2u);
}

TEST(Ops, WhatAModuleOfTorchGivesIsATensor) {
  const Ran ran = run(
      "from torch import nn\n"
      "class Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        self.conv = nn.Conv2d(3, 8, 3)\n"
      "        self.rnn = nn.LSTM(3, 8)\n"
      "    def forward(self, x):\n"
      "        y = self.conv(x)\n"
      "        return y.kthvalue(2), self.rnn(x).kthvalue(2)\n");
  EXPECT_EQ(ran.counts.uses, 3u);
  EXPECT_EQ(ran.counts.possible, 1u);
  EXPECT_TRUE(has(ran, "TP201", 8));
}

TEST(Ops, TrainingCountsTheBackwardPass) {
  const std::string forward = "import torch.nn.functional as F\ndef f(x, w):\n    y = F.pad(x, (1, 1, 1, 1), mode='reflect')\n";
  std::string training = forward;
  training.append("    y.sum().backward()\n");
  EXPECT_FALSE(has(run(forward), "TP201", 3));
  EXPECT_TRUE(has(run(training), "TP201", 3));
}

TEST(Ops, AFileWithoutAMarkerButWithTorchIsRead) { EXPECT_EQ(run("from torch import relu\ny = relu(x)\n").counts.uses, 1u); }

TEST(Ops, OptionsMayNameADevice) {
  const Ran ran = run("import torch\ndef f(shape, options):\n    torch.rand(2, device='cuda')\n    return torch.rand(*shape), torch.rand(2, **options)\n");
  EXPECT_EQ(ran.counts.uses, 2u);
  EXPECT_EQ(ran.counts.host, 1u);
}

TEST(Ops, WhatStaysOnTheHostIsNoUseOfTheTarget) {
  const Ran ran = run("import torch\nd = torch.device('cpu')\ntorch.accelerator.is_available()\nx = torch.linspace(0, 1, 3)\ny = x.lgamma()\n");
  EXPECT_FALSE(has(ran, "TP201", 4));
  EXPECT_FALSE(has(ran, "TP201", 5));
  EXPECT_EQ(ran.counts.uses, 0u);
}

TEST(Shapes, AListMayBeIndexedByWhatALoopOverATensorGives) {
  const Ran ran = run("import torch\ndef f(names, keep: torch.Tensor, x: torch.Tensor):\n    return [names[i] for i in keep], [x[i] for i in keep], names[keep]\n");
  EXPECT_EQ(ran.counts.uses, 2u);
}

TEST(Dtypes, FollowTheVariableToWhereItIsMoved) {
  const Ran ran = run(
      "import torch\n"
      "def f(device):\n"
      "    a = torch.zeros(3, dtype=torch.float64)\n"
      "    b = a * 2\n"
      "    c = b.to(device)\n"
      "    d = a.float().to(device)\n"
      "    e = torch.zeros_like(c, dtype=torch.double)\n"
      "    return a.to('cpu')\n");
  EXPECT_FALSE(has(ran, "TP202", 3));
  EXPECT_TRUE(has(ran, "TP202", 5));
  EXPECT_FALSE(has(ran, "TP202", 6));
  EXPECT_TRUE(has(ran, "TP202", 7));
  EXPECT_FALSE(has(ran, "TP202", 8));
}

TEST(Dtypes, AreReadWhereTheyAreSpread) {
  const Ran ran = run(
      "import torch\n"
      "KINDS = {'fp8': torch.float8_e4m3fn, 'half': torch.float16}\n"
      "def f(x: torch.Tensor):\n"
      "    options = {'dtype': torch.float64, 'device': 'cuda'}\n"
      "    kept = dict(dtype=torch.float32)\n"
      "    a = x.to(**{'dtype': torch.float64})\n"
      "    b = torch.zeros(3, device='cuda', **{'dtype': torch.complex64})\n"
      "    c = x.to(**dict(dtype=torch.float64))\n"
      "    d = x.to(**options)\n"
      "    e = x.to(KINDS['fp8'])\n"
      "    g = x.to(**kept), x.to(KINDS['half'])\n"
      "    return a, b, c, d, e, g\n");
  EXPECT_TRUE(has(ran, "TP202", 6));
  EXPECT_TRUE(has(ran, "TP203", 7));
  EXPECT_TRUE(has(ran, "TP202", 8));
  EXPECT_TRUE(has(ran, "TP202", 9));
  EXPECT_TRUE(has(ran, "TP204", 10));
  for (const char* rule : {"TP202", "TP203", "TP204"}) EXPECT_FALSE(has(ran, rule, 11)) << rule;
}

TEST(Dtypes, AreReadFromTablesAndFromWhatIsPutIntoOptions) {
  const Ran ran = run(
      "import torch\n"
      "KINDS = {'a': torch.float32, 'b': torch.float64}\n"
      "WIDE = {'a': torch.float64, 'b': torch.float64}\n"
      "LIST = [torch.float32, torch.float64]\n"
      "def f(x: torch.Tensor, name, device, kind='a'):\n"
      "    options = {'device': device}\n"
      "    options['dtype'] = torch.float64\n"
      "    a = torch.zeros(3, **options)\n"
      "    options.update(dtype=torch.float32)\n"
      "    b = torch.zeros(3, **options)\n"
      "    c = x.to(KINDS[name])\n"
      "    d = x.to(WIDE[name])\n"
      "    e = x.to(LIST[1])\n"
      "    g = x.to(LIST[0])\n"
      "    h = x.to(KINDS['a'])\n"
      "    i = x.to(KINDS.get(name))\n"
      "    j = x.to(getattr(torch, name))\n"
      "    k = x.type('torch.DoubleTensor')\n"
      "    l = x.to(KINDS[kind])\n"
      "    return a, b, c, d, e, g, h, i, j, k, l\n");
  const std::vector<std::pair<std::string, std::uint32_t>> expected = {{"TP202", 8},  {"TP206", 11}, {"TP202", 12}, {"TP202", 13},
                                                                       {"TP206", 16}, {"TP206", 17}, {"TP202", 18}, {"TP206", 19}};
  auto found = ran.found;
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_EQ(found, expected);
}

TEST(Dtypes, OfAClassAndOfDefaults) {
  const Ran ran = run(
      "import torch\n"
      "class Net(torch.nn.Module):\n"
      "    kind = torch.float64\n"
      "    kinds = {'a': torch.float64}\n"
      "    def __init__(self, dtype=torch.float64):\n"
      "        self.other = dtype\n"
      "    def forward(self, x: torch.Tensor, name):\n"
      "        return x.to(self.kind), \\\n"
      "            x.to(self.other), \\\n"
      "            x.to(self.kinds[name])\n"
      "def g(x: torch.Tensor, dtype=None):\n"
      "    return x.to(dtype or torch.float64)\n");
  for (const std::uint32_t line : {8U, 9U, 10U, 12U}) EXPECT_TRUE(has(ran, "TP202", line)) << line;
}

TEST(Shapes, MasksAreFollowedThroughOperators) {
  const Ran ran = run(
      "import torch\n"
      "def f(x: torch.Tensor, i: torch.Tensor):\n"
      "    keep = ~((x > 0) & torch.isfinite(x))\n"
      "    a = x[keep]\n"
      "    b = x[i]\n"
      "    x[keep] = 0\n"
      "    x[keep] = a\n"
      "    return x[keep.long()], x[torch.ones(3, dtype=torch.bool)]\n");
  EXPECT_TRUE(has(ran, "TP220", 4));
  EXPECT_FALSE(has(ran, "TP220", 5));
  EXPECT_FALSE(has(ran, "TP220", 6));
  EXPECT_TRUE(has(ran, "TP220", 7));
  EXPECT_TRUE(has(ran, "TP220", 8));
}

TEST(Shapes, AnIndexThatReadsLikeAMaskIsTakenAtItsWord) {
  const char* code = "import torch\ndef f(x, i, key_mask):\n    return x[x > 0], \\\n        x[key_mask & (i == 2)], \\\n        x[i], x[key_mask + 1]\n";
  const Ran ran = run(code);
  EXPECT_TRUE(has(ran, "TP220", 3));
  EXPECT_TRUE(has(ran, "TP220", 4));
  EXPECT_FALSE(has(ran, "TP220", 5));
  EXPECT_EQ(ran.counts.possible, 2u);
  std::string numpy = "import numpy as np\n";
  EXPECT_TRUE(run(numpy.append(code)).found.empty()) << "may be an array of NumPy";
}

TEST(Dtypes, WhatNeverRunsOnATargetSaysNothingThere) {
  const Ran ran = run("import torch\ndef f(x: torch.Tensor):\n    if x.device.type != 'mps':\n        x = x.double()\n    return x\n");
  ASSERT_EQ(ran.findings.size(), 1u);
  EXPECT_EQ(ran.findings[0].impact[static_cast<std::size_t>(Target::Mps)], Impact::None);
  EXPECT_EQ(ran.findings[0].impact[static_cast<std::size_t>(Target::Neuron)], Impact::Degrades);
}

TEST(Sparse, AProductIsJudgedByItsOperand) {
  const Ran ran = run(
      "import torch\n"
      "def f(x: torch.Tensor):\n"
      "    c = x.to_sparse_csr()\n"
      "    o = x.to_sparse()\n"
      "    return torch.sparse.mm(c, x), torch.sparse.mm(o, x), \\\n"
      "        c @ x, \\\n"
      "        o.to_dense() @ x\n");
  EXPECT_TRUE(has(ran, "TP211", 3));
  EXPECT_TRUE(has(ran, "TP210", 4));
  EXPECT_TRUE(has(ran, "TP211", 5));
  EXPECT_TRUE(has(ran, "TP210", 5));
  EXPECT_TRUE(has(ran, "TP211", 6));
  EXPECT_FALSE(has(ran, "TP210", 7));
}

TEST(Ops, AFindingSaysWhatHappensOnEachTarget) {
  const Ran ran = run("import torch.nn.functional as F\ny = F.adaptive_max_pool3d(x, 1)\n");
  ASSERT_EQ(ran.findings.size(), 1u);
  const Finding& f = ran.findings[0];
  EXPECT_EQ(f.impact[static_cast<std::size_t>(Target::Tpu)], Impact::Blocks);
  EXPECT_EQ(f.impact[static_cast<std::size_t>(Target::Neuron)], Impact::Degrades);
  EXPECT_EQ(f.impact[static_cast<std::size_t>(Target::Cpu)], Impact::None);
  EXPECT_NE(f.why[static_cast<std::size_t>(Target::Tpu)].find("aten::adaptive_max_pool3d"), std::string::npos);
  EXPECT_NE(f.why[static_cast<std::size_t>(Target::Neuron)].find("on the CPU"), std::string::npos);
  EXPECT_NE(f.evidence[static_cast<std::size_t>(Target::Neuron)].find("98154b8, 2026-04-21"), std::string::npos);
  ASSERT_TRUE(f.fix);
  EXPECT_NE(f.fix->message.find("amax"), std::string::npos);
}

}  // namespace
}  // namespace torchport
