// Which code stands under a condition that asks for the device, and what happens where it does not run.
#include <gtest/gtest.h>

#include "tests/support/python_facts.h"

namespace torchport {
namespace {

using test::guards;

// The guards of torch.cuda.synchronize() under the condition, in a function of its own.
std::string under(const std::string& condition) {
  std::string all = guards("import torch\nif " + condition + ": torch.cuda.synchronize()\n");
  return all.size() > 3 ? all.substr(3) : "";
}

TEST(PythonGuards, KindsOfConditions) {
  EXPECT_EQ(under("torch.cuda.is_available()"), "available cuda");
  EXPECT_EQ(under("not torch.cuda.is_available()"), "not available cuda");
  EXPECT_EQ(under("(torch.cuda.is_available())"), "available cuda");
  EXPECT_EQ(under("bool(torch.cuda.is_available())"), "available cuda");
  EXPECT_EQ(under("(a := torch.cuda.is_available())"), "available cuda");
  EXPECT_EQ(under("torch.backends.mps.is_available()"), "available mps or mps");
  EXPECT_EQ(under("torch.accelerator.is_available()"), "available accelerator or accelerator");
  EXPECT_EQ(under("torch.cuda.device_count() > 0"), "available cuda");
  EXPECT_EQ(under("torch.cuda.device_count() == 0"), "not available cuda");
  EXPECT_EQ(under("torch.cuda.device_count()"), "available cuda");
  EXPECT_EQ(under("device.type == \"cuda\""), "type cuda");
  EXPECT_EQ(under("\"cuda\" == device.type"), "type cuda");
  EXPECT_EQ(under("device.type != \"cuda\""), "not type cuda");
  EXPECT_EQ(under("device.type != \"cpu\""), "not type cpu");
  EXPECT_EQ(under("device == torch.device(\"cuda\")"), "type cuda");
  EXPECT_EQ(under("device.type in (\"xpu\", \"cuda\")"), "type cuda or xpu");
  EXPECT_EQ(under("device.type not in [\"cuda\"]"), "not type cuda");
  EXPECT_EQ(under("\"cuda\" in str(device)"), "type cuda");
  EXPECT_EQ(under("str(device).startswith(\"cuda\")"), "type cuda");
  EXPECT_EQ(under("x.is_cuda"), "type cuda");
  EXPECT_EQ(under("use_cuda"), "flag cuda");
  EXPECT_EQ(under("args.cuda"), "flag cuda");
  EXPECT_EQ(under("not args.no_cuda"), "flag cuda");
  EXPECT_EQ(under("is_npu_available()"), "flag npu or npu");
  EXPECT_EQ(under("hasattr(torch, \"npu\")"), "exists npu or npu");
}

TEST(PythonGuards, NoConditions) {
  EXPECT_EQ(under("torch.cuda.is_available"), "");
  EXPECT_EQ(under("torch.cuda.is_available() or a"), "");
  EXPECT_EQ(under("a == \"cuda words\""), "");
  EXPECT_EQ(under("\"cuda\" == \"cuda\""), "");
  EXPECT_EQ(under("x"), "");
}

TEST(PythonGuards, AndOr) {
  EXPECT_EQ(under("torch.cuda.is_available() and a"), "available cuda");
  EXPECT_EQ(under("torch.cuda.is_available() or torch.xpu.is_available()"), "available cuda or xpu");
  EXPECT_EQ(under("not (torch.cuda.is_available() or a)"), "not available cuda");
  EXPECT_EQ(under("not (torch.cuda.is_available() and a)"), "");
  EXPECT_EQ(guards("import torch\na = torch.cuda.is_available() and torch.cuda.synchronize()\n"), "2: available cuda");
  EXPECT_EQ(guards("import torch\na = not torch.cuda.is_available() or torch.cuda.synchronize()\n"),
            "2: available cuda");
  EXPECT_EQ(guards("import torch\na = torch.cuda.synchronize() if torch.cuda.is_available() else 0\n"),
            "2: available cuda else path");
}

TEST(PythonGuards, ComparedWithTrueAndFalse) {
  EXPECT_EQ(under("torch.cuda.is_available() == True"), "available cuda");
}

TEST(PythonGuards, ComparedWithFalseTurnsRound) {
  EXPECT_EQ(under("torch.cuda.is_available() == False"), "not available cuda");
  EXPECT_EQ(under("torch.cuda.is_available() is True"), "available cuda");
  EXPECT_EQ(under("torch.cuda.is_available() is False"), "not available cuda");
  EXPECT_EQ(under("torch.cuda.is_available() != True"), "not available cuda");
}

// One card is no sign of none.
TEST(PythonGuards, FewerCardsThanAskedForIsNotWithoutCards) {
  EXPECT_EQ(guards("import torch\nif torch.cuda.device_count() > 1: pass\nelse: torch.cuda.synchronize()\n"), "3");
}

TEST(PythonGuards, NamesThatHoldTheAnswer) {
  EXPECT_EQ(guards("import torch\na = torch.cuda.is_available()\nif a: torch.cuda.synchronize()\n"),
            "3: available cuda");
  EXPECT_EQ(
      guards("import torch\nclass A:\n    def __init__(self): self.a = torch.cuda.is_available()\n    def f(self):\n"
             "        if self.a: torch.cuda.synchronize()\n"),
      "5: available cuda");
  EXPECT_EQ(guards("import torch\ndef has(): return torch.cuda.is_available()\nif has(): torch.cuda.synchronize()\n"),
            "3: available cuda");
}

TEST(PythonGuards, ElseAndElif) {
  EXPECT_EQ(guards("import torch\nif torch.cuda.is_available():\n    torch.cuda.synchronize()\nelse:\n    "
                   "torch.cuda.synchronize()\n"),
            "3: available cuda else path, 5: not available cuda else path");
  EXPECT_EQ(guards("import torch\nif torch.cuda.is_available():\n    torch.cuda.synchronize()\nelif "
                   "torch.backends.mps.is_available():\n    pass\n"),
            "3: available cuda or mps else path");
  EXPECT_EQ(guards("import torch\nif a: pass\nelif torch.cuda.is_available():\n    torch.cuda.synchronize()\n"),
            "4: available cuda else path");
  EXPECT_EQ(
      guards(
          "import torch\nif torch.cuda.is_available():\n    torch.cuda.synchronize()\nelse:\n    raise ValueError\n"),
      "3: available cuda else raises");
}

TEST(PythonGuards, OtherDevicesOfTheChain) {
  EXPECT_EQ(guards("import torch\nif d == \"cuda\": torch.cuda.synchronize()\nelif d == \"xpu\": pass\nelif d == "
                   "\"npu\": pass\n"),
            "2: type cuda or xpu or npu else path");
  EXPECT_EQ(guards("import torch\nif torch.cuda.is_available(): torch.cuda.synchronize()\nelse: "
                   "torch.accelerator.synchronize()\n"),
            "2: available cuda or accelerator else path");
}

std::string after(const std::string& statement, const std::string& rest = "    torch.cuda.synchronize()\n") {
  return guards("import torch\ndef f(self):\n    if not torch.cuda.is_available():\n        " + statement + "\n" +
                rest);
}

TEST(PythonGuards, EarlyExits) {
  EXPECT_EQ(after("return"), "5: available cuda");
  EXPECT_EQ(after("return 3"), "5: available cuda");
  EXPECT_EQ(after("raise ValueError"), "5: available cuda else raises");
  EXPECT_EQ(after("sys.exit(1)"), "5: available cuda else raises");
  EXPECT_EQ(after("self.skipTest('x')"), "5: available cuda else skips");
  EXPECT_EQ(after("pytest.skip('x')"), "5: available cuda else skips");
  EXPECT_EQ(after("log('skipping')"), "5");
  EXPECT_EQ(after("pass"), "5");
  EXPECT_EQ(guards("import torch\nassert torch.cuda.is_available()\ntorch.cuda.synchronize()\n"),
            "3: available cuda else raises");
  EXPECT_EQ(
      guards("import torch\nfor i in x:\n    if not torch.cuda.is_available(): continue\n    torch.cuda.synchronize()\n"
             "torch.cuda.synchronize()\n"),
      "4: available cuda, 5");
  EXPECT_EQ(guards("import torch\ndef f():\n    if a: pass\n    elif not torch.cuda.is_available(): return\n    "
                   "torch.cuda.synchronize()\n"),
            "5");
}

TEST(PythonGuards, RaisingSkipTestSkips) {
  EXPECT_EQ(after("raise unittest.SkipTest('x')"), "5: available cuda else skips");
}

TEST(PythonGuards, Skips) {
  for (const char* decorator :
       {"unittest.skipUnless(torch.cuda.is_available(), 'x')", "unittest.skipIf(not torch.cuda.is_available(), 'x')",
        "pytest.mark.skipif(not torch.cuda.is_available(), reason='x')", "require_cuda", "require_torch_gpu",
        "pytest.mark.gpu"}) {
    EXPECT_EQ(guards("import torch\n@" + std::string(decorator) + "\ndef f(): torch.cuda.synchronize()\n"),
              "3: available cuda else skips")
        << decorator;
  }
  EXPECT_EQ(guards("import torch\n@pytest.mark.gpu\nclass T:\n    def f(self): torch.cuda.synchronize()\n"),
            "4: available cuda else skips");
  EXPECT_EQ(guards("import torch\n@other\ndef f(): torch.cuda.synchronize()\n"), "3");
}

TEST(PythonGuards, SkipsByKeywordAndByName) {
  EXPECT_EQ(guards("import torch\n@unittest.skipIf(condition=not torch.cuda.is_available(), reason='x')\ndef f(): "
                   "torch.cuda.synchronize()\n"),
            "3: available cuda else skips");
  EXPECT_EQ(guards("import torch\ngpu = pytest.mark.skipif(not torch.cuda.is_available(), reason='x')\n@gpu\ndef f(): "
                   "torch.cuda.synchronize()\n"),
            "4: available cuda else skips");
}

TEST(PythonGuards, Imports) {
  EXPECT_EQ(guards("try:\n    import apex\nexcept ImportError:\n    apex = None\n", "apex"), "");
  const test::Analysed a("try:\n    import apex\nexcept ImportError:\n    apex = None\n");
  ASSERT_EQ(a.facts.guards.size(), 1u);
  EXPECT_EQ(test::described(a.facts.guards[0]), "import else path");
}

TEST(PythonGuards, AnswersThatAreCompared) {
  const std::string has = "import torch\nhas = torch.cuda.is_available()\n";
  for (const char* yes : {"has is True", "has == 1", "has is not False", "bool(has) is True", "all([has, x])", "torch.cuda.device_count() >= 1"}) {
    EXPECT_EQ(guards(has + "if " + yes + ": torch.cuda.synchronize()\n"), "3: available cuda") << yes;
  }
  for (const char* no : {"has is False", "has == 0", "has != True", "torch.cuda.device_count() < 1"}) {
    EXPECT_EQ(guards(has + "if " + no + ": pass\nelse: torch.cuda.synchronize()\n"), "4: available cuda else path") << no;
  }
  EXPECT_EQ(guards("import torch\nn = torch.cuda.device_count()\nif n > 1: torch.cuda.synchronize()\n"), "3: available cuda");
  EXPECT_EQ(guards(has + "if any([has, x]): torch.cuda.synchronize()\n"), "3");
}

TEST(PythonGuards, Probes) {
  EXPECT_EQ(guards("import torch\ntry: torch.cuda.synchronize()\nexcept Exception: ok = False\n"), "2: caught else path");
  EXPECT_EQ(guards("import torch\ntry: torch.cuda.synchronize()\nexcept Exception: pass\n"), "2");
  EXPECT_EQ(guards("import torch\ntry: torch.cuda.synchronize()\nexcept Exception: pass\nelse: ok = True\n"), "2: caught else path");
  EXPECT_EQ(guards("import torch\ntry: torch.cuda.synchronize()\nexcept ValueError: ok = False\n"), "2");
  EXPECT_EQ(guards("import torch\ntry: torch.cuda.synchronize()\nexcept Exception:\n    if e: raise\n"), "2");
  EXPECT_EQ(guards("import torch\ntry:\n    for i in x: torch.cuda.synchronize()\nexcept Exception: ok = False\n"), "3");
}

TEST(PythonGuards, AnImportThatRaisesAgainHasNoOtherPath) {
  const test::Analysed a("try:\n    import apex\nexcept ImportError:\n    raise RuntimeError('install apex')\n");
  for (const Guard& guard : a.facts.guards) EXPECT_EQ(test::described(guard), "import else raises");
}

TEST(PythonGuards, DispatchByDictionary) {
  EXPECT_EQ(guards("import torch\nd = {\"cuda\": torch.cuda.synchronize, \"xpu\": torch.xpu.synchronize}\n"),
            "2: type cuda or cuda or xpu else path");
  EXPECT_EQ(guards("import torch\nd = {\"cuda\": torch.cuda.synchronize, \"n\": 3}\n"), "2");
}

TEST(PythonGuards, LoopsAndComprehensions) {
  EXPECT_EQ(guards("import torch\nwhile torch.cuda.is_available(): torch.cuda.synchronize()\n"), "2: available cuda");
  EXPECT_EQ(guards("import torch\n[torch.cuda.synchronize() for i in x if torch.cuda.is_available()]\n"),
            "2: available cuda");
}

TEST(PythonGuards, Match) {
  EXPECT_EQ(
      guards("import torch\nmatch device.type:\n    case \"cuda\": torch.cuda.synchronize()\n    case \"xpu\": pass\n"),
      "3: type cuda or xpu else path");
}

TEST(PythonGuards, Nested) {
  EXPECT_EQ(guards("import torch\nif use_cuda:\n    if x.is_cuda:\n        torch.cuda.synchronize()\n    "
                   "torch.cuda.synchronize()\n"),
            "4: type cuda < flag cuda, 5: flag cuda");
}

}  // namespace
}  // namespace torchport
