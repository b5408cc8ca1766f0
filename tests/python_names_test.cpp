// What names stand for: imports of every form, aliases, scopes, shadowing, and the places where a name is bound and not
// used.
#include <gtest/gtest.h>

#include "tests/support/python_facts.h"

namespace torchport {
namespace {

using test::uses;

TEST(PythonNames, EveryFormOfImport) {
  EXPECT_EQ(uses("import torch\ntorch.cuda.synchronize()\n"), "2 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch as t\nt.cuda.synchronize()\n"), "2 torch.cuda.synchronize");
  EXPECT_EQ(uses("from torch import cuda\ncuda.synchronize()\n"), "2 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch.cuda as tc\ntc.synchronize()\n"), "2 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch.cuda\ntorch.cuda.synchronize()\n"), "2 torch.cuda.synchronize");
  EXPECT_EQ(uses("from torch.cuda.amp import autocast as ac\nwith ac(): pass\n"), "2 torch.cuda.amp.autocast");
  EXPECT_EQ(uses("from torch.cuda import (\n    synchronize,\n    empty_cache as ec,\n)\nsynchronize(); ec()\n"),
            "5 torch.cuda.synchronize, 5 torch.cuda.empty_cache");
  EXPECT_EQ(uses("from torch import *\ncuda.synchronize()\n"), "2 torch.cuda.synchronize");
  EXPECT_EQ(uses("from torch.cuda import *\nsynchronize()\n"), "2 torch.cuda.synchronize");
}

TEST(PythonNames, ImportsUnderConditions) {
  EXPECT_EQ(uses("try:\n    import torch\nexcept ImportError:\n    torch = None\ntorch.cuda.synchronize()\n"),
            "5 torch.cuda.synchronize");
  EXPECT_EQ(uses("if a:\n    import torch\nelse:\n    import fake as torch\ntorch.cuda.synchronize()\n"),
            "5 torch.cuda.synchronize");
  EXPECT_EQ(uses("def f():\n    import torch\n    torch.cuda.synchronize()\ntorch.cuda.empty_cache()\n"),
            "3 torch.cuda.synchronize");
}

TEST(PythonNames, OtherModulesOfThatNameAreNotTorch) {
  EXPECT_EQ(uses("import mylib as torch\ntorch.cuda.synchronize()\n"), "");
  EXPECT_EQ(uses("from . import torch\ntorch.cuda.synchronize()\n"), "");
  EXPECT_EQ(uses("from .torch import cuda\ncuda.synchronize()\n"), "");
  EXPECT_EQ(uses("from ..lib.torch import cuda as c\nc.synchronize()\n"), "");
  EXPECT_EQ(uses("import my.torch\nmy.torch.cuda.synchronize()\n"), "");
  EXPECT_EQ(uses("torch.cuda.synchronize()\n"), "");
}

TEST(PythonNames, Rebinding) {
  EXPECT_EQ(uses("import torch\ntorch = 3\ntorch.cuda.synchronize()\n"), "");
  EXPECT_EQ(uses("import torch\nfor torch in x: torch.cuda.synchronize()\n"), "");
  EXPECT_EQ(uses("import torch\nif a: torch = 3\ntorch.cuda.synchronize()\n"), "3 torch.cuda.synchronize");
}

// Each is the body of a function in a file that imports torch.
class Shadowed : public testing::TestWithParam<const char*> {};

TEST_P(Shadowed, IsNotTorch) { EXPECT_EQ(uses("import torch\n" + std::string(GetParam()) + "\n", "torch.cuda"), ""); }

INSTANTIATE_TEST_SUITE_P(
    All, Shadowed,
    testing::Values("def f(torch): torch.cuda.synchronize()", "def f(a, *, torch=None): torch.cuda.synchronize()",
                    "def f(torch: int = 3): torch.cuda.synchronize()", "def f(*torch): torch.cuda.synchronize()",
                    "def f(**torch): torch.cuda.synchronize()", "def f(torch, /): torch.cuda.synchronize()",
                    "f = lambda torch: torch.cuda.synchronize()", "[torch.cuda.synchronize() for torch in x]",
                    "[1 for torch in x if torch.cuda.synchronize()]",
                    "[torch.cuda.synchronize() for a in b for torch in a]",
                    "{torch.cuda.synchronize(): 1 for (torch, _) in b}",
                    "def f():\n    torch = 3\n    torch.cuda.synchronize()",
                    "def f():\n    torch.cuda.synchronize()\n    torch = 3",
                    "def f():\n    def torch(): pass\n    torch.cuda.synchronize()",
                    "def f():\n    class torch: pass\n    torch.cuda.synchronize()",
                    "def f():\n    with a as torch: torch.cuda.synchronize()",
                    "def f():\n    with a as (torch, b): torch.cuda.synchronize()",
                    "def f():\n    try: pass\n    except E as torch: torch.cuda.synchronize()",
                    "def f():\n    (torch, b) = 1, 2\n    torch.cuda.synchronize()",
                    "def f():\n    [a, *torch] = b\n    torch.cuda.synchronize()",
                    "def f():\n    if (torch := 3): torch.cuda.synchronize()",
                    "def f():\n    import other.torch as torch\n    torch.cuda.synchronize()",
                    "async def f(torch):\n    async with torch.cuda.synchronize(): pass",
                    "def f(torch):\n    def g(): torch.cuda.synchronize()"));

TEST(PythonNames, MatchCapturesShadow) {
  EXPECT_EQ(uses("import torch\ndef f():\n    match x:\n        case torch: torch.cuda.synchronize()\n", "torch.cuda"),
            "");
}

TEST(PythonNames, ScopesOfClassesAndFunctions) {
  EXPECT_EQ(uses("import torch\nclass A:\n    torch = 3\n    def f(self): torch.cuda.synchronize()\n"),
            "4 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\nclass A:\n    torch = 3\n    y = torch.cuda.device_count()\n"), "");
  EXPECT_EQ(uses("def g():\n    def h(): torch.cuda.synchronize()\n    import torch\n"), "2 torch.cuda.synchronize");
  EXPECT_EQ(uses("def f():\n    global torch\n    import torch\ndef g(): torch.cuda.synchronize()\n"),
            "4 torch.cuda.synchronize");
}

TEST(PythonNames, Aliases) {
  EXPECT_EQ(uses("import torch\nsync = torch.cuda.synchronize\nsync()\n"),
            "2 &torch.cuda.synchronize, 3 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\nc = torch.cuda\nc.synchronize()\n"), "2 &torch.cuda, 3 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\na = torch.cuda\nb = a\nb.synchronize()\n", "torch.cuda.s"), "4 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\ns = torch.cuda.synchronize if a else None\ns()\n"),
            "2 &torch.cuda.synchronize");
}

TEST(PythonNames, AliasesMadeInPairs) {
  EXPECT_EQ(uses("import torch\na, b = torch.cuda.synchronize, 3\na()\n"),
            "2 &torch.cuda.synchronize, 3 torch.cuda.synchronize");
}

TEST(PythonNames, TypesGivenAsStrings) {
  EXPECT_EQ(uses("import torch\ndef f(s: \"torch.cuda.Stream\"): pass\n"), "2 &torch.cuda.Stream");
  EXPECT_EQ(uses("import torch\ndef f() -> Optional[Union[int, 'torch.cuda.Stream']]: pass\n"), "2 &torch.cuda.Stream");
  EXPECT_EQ(uses("import torch as t\nx: \"dict[str, t.cuda.Stream] | t.cuda.Event\" = {}\n"), "2 &torch.cuda.Stream, 2 &torch.cuda.Event");
  EXPECT_EQ(uses("from torch.cuda import Stream as S\nx: 'S' = None\n"), "2 &torch.cuda.Stream");
  EXPECT_EQ(uses("import torch\nx: Literal['torch.cuda.Stream'] = None\ny: Annotated[int, 'torch.cuda.Event'] = 0\n"), "");
  EXPECT_EQ(uses("import torch\nx: int = f('torch.cuda.Stream')\ny: list[f('torch.cuda.Event')] = []\n"), "");
}

TEST(PythonNames, Getattr) {
  EXPECT_EQ(uses("import torch\ngetattr(torch, \"cuda\").synchronize()\n", "torch.cuda"), "2 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\ngetattr(torch.cuda, \"synchronize\")()\n", "torch.cuda.s"), "2 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\nn = \"cuda\"\ngetattr(torch, n).synchronize()\n", "torch.cuda"),
            "3 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\nc = getattr(torch, 'cuda', None)\nc.synchronize()\n", "torch.cuda"),
            "3 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\ndef getattr(a, b): pass\ngetattr(torch, 'cuda').synchronize()\n", "torch.cuda"), "");
}

TEST(PythonNames, EveryPlaceOfAnExpression) {
  EXPECT_EQ(uses("import torch\nf = lambda: torch.cuda.synchronize()\n"), "2 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\n@torch.cuda.amp.autocast()\ndef f(): pass\n"), "2 torch.cuda.amp.autocast");
  EXPECT_EQ(uses("import torch\n[torch.cuda.synchronize() for _ in x]\n"), "2 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\nif (n := torch.cuda.device_count()) > 1: pass\n"), "2 torch.cuda.device_count");
  EXPECT_EQ(uses("import torch\nasync def f():\n    async for i in x: await torch.cuda.synchronize()\n"),
            "3 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\nmatch torch.cuda.device_count():\n    case n if torch.cuda.is_available(): pass\n"),
            "2 torch.cuda.device_count, 3 torch.cuda.is_available");
  EXPECT_EQ(uses("import torch\nf'{torch.cuda.device_count()!r:>{torch.cuda.current_device()}}'\n"),
            "2 torch.cuda.device_count, 2 torch.cuda.current_device");
  EXPECT_EQ(uses("import torch\ndef f(a=torch.cuda.device_count()): pass\n"), "2 torch.cuda.device_count");
  EXPECT_EQ(uses("import torch\ntorch.backends.cudnn.benchmark = True\n"), "2 =torch.backends.cudnn.benchmark");
  EXPECT_EQ(uses("import torch\nx: torch.cuda.FloatTensor = None\ndef f(a: torch.cuda.LongTensor) -> "
                 "torch.cuda.Stream: pass\n"),
            "2 &torch.cuda.FloatTensor, 3 &torch.cuda.LongTensor, 3 &torch.cuda.Stream");
}

// A fix must never write into these places.
class Binders : public testing::TestWithParam<const char*> {};

TEST_P(Binders, AreNoUses) {
  const std::string text = "import torch\nsync = torch.cuda.synchronize\n" + std::string(GetParam()) + "\n";
  EXPECT_EQ(uses(text, "torch.cuda"), "2 &torch.cuda.synchronize");
  EXPECT_EQ(count_syntax_errors(test::fixed(text), Language::Python), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Binders,
                         testing::Values("def f(sync): pass", "def f(a, *sync): pass", "def f(a, **sync): pass",
                                         "f = lambda sync: 1", "def f(sync: int): pass", "(sync, a) = 1, 2",
                                         "sync, a = 1, 2", "[sync, a] = b", "*sync, a = b", "for sync in x: pass",
                                         "for a, sync in x: pass", "[1 for a, sync in x]", "with a as sync: pass",
                                         "try: pass\nexcept E as sync: pass", "if (sync := 3): pass", "del sync",
                                         "def f():\n    global sync", "class sync: pass", "def sync(): pass",
                                         "f(sync=3)", "x.sync", "import sync", "from a import sync",
                                         "match x:\n    case sync: pass", "match x:\n    case A(sync=1): pass",
                                         "sync = 3", "sync: int = 3", "type sync = int"));

// x = f(x): the x on the right is the one from before.
TEST(PythonNames, AStatementReadsWhatWasBoundBeforeIt) {
  EXPECT_EQ(uses("import torch\nc = torch\nc = c.cuda\nc.synchronize()\n", "torch.cuda.s"), "4 torch.cuda.synchronize");
  EXPECT_EQ(uses("import torch\nx = torch.zeros(3)\nx = x.cuda()\n", "torch.Tensor"), "3 torch.Tensor.cuda");
  EXPECT_EQ(uses("import torch\nclass M:\n    def cuda(self): return self\nm = M()\nm = m.cuda()\n", "*."), "");
}

TEST(PythonNames, ClassesThatInheritFromEachOther) {
  EXPECT_EQ(uses("import torch\nclass A(B): pass\nclass B(A): pass\nA().cuda()\n", "torch.cuda"), "");
  EXPECT_EQ(uses("import torch\nclass A(A): pass\nA().cuda()\n", "torch.cuda"), "");
}

TEST(PythonNames, MethodsOfTheProjectsOwnClasses) {
  EXPECT_EQ(uses("import torch\nclass A:\n    def cuda(self): pass\nA().cuda()\na = A()\na.cuda()\n", "*."), "");
  EXPECT_EQ(uses("import torch\nclass A(torch.nn.Module): pass\nA().cuda()\n", "torch.nn.Module."),
            "3 torch.nn.Module.cuda");
  EXPECT_EQ(
      uses(
          "import torch\nclass A(torch.nn.Module):\n    def cuda(self): super().cuda()\n    def f(self): self.cuda()\n",
          "torch.nn.Module."),
      "3 torch.nn.Module.cuda");
}

}  // namespace
}  // namespace torchport
