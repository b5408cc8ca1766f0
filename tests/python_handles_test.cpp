// By which of the project's own names a fix writes a device, where new lines go, and which comments allow what.
#include <gtest/gtest.h>

#include "tests/support/python_facts.h"

namespace torchport {
namespace {

using test::Analysed;
using test::fixed;

const std::string kChosen = "torch.device(\"cuda\" if torch.cuda.is_available() else \"cpu\")";
const std::string kDefinition =
    "DEVICE = torch.accelerator.current_accelerator(check_available=True) or torch.device(\"cpu\")\n";

// What stands for the device in the line "x.cuda()" of the text after fix; "DEVICE" where the fix had to make one.
std::string device_for(const std::string& text) {
  const std::string after = fixed(text);
  const std::size_t at = after.find("x.to(");
  return at == std::string::npos ? "nothing" : after.substr(at + 5, after.find(")\n", at) - at - 5);
}

TEST(PythonHandles, OwnNamesInReach) {
  EXPECT_EQ(device_for("import torch\ndevice = " + kChosen + "\nx.cuda()\n"), "device");
  EXPECT_EQ(device_for("import torch\nDEVICE = " + kChosen + "\ndef f():\n    x.cuda()\n"), "DEVICE");
  EXPECT_EQ(device_for("import torch\ndef f(device):\n    x.cuda()\n"), "device");
  EXPECT_EQ(device_for("import torch\ndef f(device):\n    def g():\n        x.cuda()\n"), "device");
  EXPECT_EQ(device_for("import torch\ndef f(args):\n    a.to(args.device)\n    x.cuda()\n"), "args.device");
  EXPECT_EQ(device_for("import torch\nclass A:\n    def __init__(self, d):\n        self.device = d\n    def "
                       "f(self):\n        x.cuda()\n"),
            "self.device");
  EXPECT_EQ(device_for("import torch\nfrom config import device\nx.cuda()\n"), "device");
  EXPECT_EQ(device_for("import torch\ndef get_device():\n    return " + kChosen + "\nx.cuda()\n"), "get_device()");
}

TEST(PythonHandles, NearerOnesFirst) {
  EXPECT_EQ(device_for("import torch\nDEV = " + kChosen + "\ndef f(device):\n    x.cuda()\n"), "device");
  EXPECT_EQ(device_for("import torch\nDEV = " + kChosen + "\ndef f(device):\n    my_device = " + kChosen +
                       "\n    x.cuda()\n"),
            "my_device");
}

TEST(PythonHandles, OutOfReach) {
  EXPECT_EQ(device_for("import torch\nx.cuda()\ndevice = " + kChosen + "\n"), "DEVICE");
  EXPECT_EQ(device_for("import torch\ndef f(device): pass\nx.cuda()\n"), "DEVICE");
  EXPECT_EQ(device_for("import torch\ndef f():\n    if a:\n        device = " + kChosen + "\n    x.cuda()\n"),
            "DEVICE");
  EXPECT_EQ(device_for("import torch\ndef f():\n    try:\n        device = " + kChosen +
                       "\n    except E: pass\n    x.cuda()\n"),
            "DEVICE");
  EXPECT_EQ(
      device_for(
          "import torch\nclass A:\n    def f(self):\n        self.device = 3\n    def g(self):\n        x.cuda()\n"),
      "DEVICE");
  EXPECT_EQ(device_for("import torch\nclass A:\n    def __init__(self):\n        self.device = d\n    @staticmethod\n  "
                       "  def g(y):\n        x.cuda()\n"),
            "DEVICE");
}

TEST(PythonHandles, BothArmsOfAnIf) {
  EXPECT_EQ(device_for("import torch\ndef f():\n    if a:\n        device = " + kChosen +
                       "\n    else:\n        device = " + kChosen + "\n    x.cuda()\n"),
            "device");
}

TEST(PythonHandles, ADeviceChosenByAnIf) {
  EXPECT_EQ(device_for("import torch\nif torch.cuda.is_available():\n    device = torch.device(\"cuda\")\nelse:\n    "
                       "device = torch.device(\"cpu\")\n"
                       "x.cuda()\n"),
            "device");
}

// The name is in reach by its letters, but something else hides it: what was moved to CUDA must not go there.
class Hidden : public testing::TestWithParam<const char*> {};

TEST_P(Hidden, IsNoHandle) {
  EXPECT_EQ(device_for("import torch\ndevice = " + kChosen + "\n" + std::string(GetParam()) + "\n"), "DEVICE");
}

INSTANTIATE_TEST_SUITE_P(
    All, Hidden,
    testing::Values("def f():\n    device = torch.device(\"cpu\")\n    x.cuda()",
                    "def f():\n    device = None\n    x.cuda()", "def f():\n    device = 3\n    x.cuda()",
                    "def f():\n    x.cuda()\n    device = 3", "def f():\n    for device in a:\n        x.cuda()",
                    "def f():\n    with a as device:\n        x.cuda()", "def f():\n    import device\n    x.cuda()",
                    "def f():\n    def device(): pass\n    x.cuda()", "def f():\n    device, y = a\n    x.cuda()",
                    "def f(*device):\n    x.cuda()", "def f():\n    [x.cuda()\n for device in a]",
                    "device = \"cpu\"\nx.cuda()", "device = None\nx.cuda()", "del device\nx.cuda()",
                    "for device in a: pass\nx.cuda()"));

// Names of functions and of texts are no devices.
class Imported : public testing::TestWithParam<const char*> {};

TEST_P(Imported, IsNoHandle) {
  EXPECT_EQ(device_for("import torch\nfrom utils import " + std::string(GetParam()) + "\nx.cuda()\n"), "DEVICE");
}

INSTANTIATE_TEST_SUITE_P(All, Imported,
                         testing::Values("get_device", "to_device", "move_to_device", "set_device", "device_map",
                                         "device_type", "device_name", "select_device", "init_device", "infer_device",
                                         "auto_device", "device_of"));

TEST(PythonHandles, HelpersThatGiveNoDevice) {
  EXPECT_EQ(device_for("import torch\nasync def get_device():\n    return " + kChosen + "\nx.cuda()\n"), "DEVICE");
  EXPECT_EQ(device_for("import torch\ndef get_device(a):\n    return a\nx.cuda()\n"), "DEVICE");
  EXPECT_EQ(device_for("import torch\ndef get_device():\n    yield 3\nx.cuda()\n"), "DEVICE");
  EXPECT_EQ(device_for("import torch\ndef get_device():\n    print(3)\nx.cuda()\n"), "DEVICE");
  EXPECT_EQ(device_for("import torch\ndef get_device():\n    return 0\nx.cuda()\n"), "DEVICE");
}

// The place of the first line that fix adds, shown by the text after fix without the definition itself.
std::string with_definition(std::string text) {
  std::string after = fixed(text);
  const std::size_t at = after.find("DEVICE = ");
  if (at == std::string::npos) return after;
  return after.replace(at, after.find_first_of("\r\n", at) - at, "DEVICE");
}

TEST(PythonPrelude, GoesAfterTheImports) {
  EXPECT_EQ(with_definition("import torch\nx.cuda()\n"), "import torch\n\nDEVICE\n\nx.to(DEVICE)\n");
  EXPECT_EQ(with_definition("\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\n\nimport torch\n\nx.cuda()\n"),
            "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\n\nimport torch\n\nDEVICE\n\nx.to(DEVICE)\n");
  EXPECT_EQ(with_definition("#!/usr/bin/python\n# -*- coding: utf-8 -*-\n# Licence\n\nimport torch\nx.cuda()\n"),
            "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n# Licence\n\nimport torch\n\nDEVICE\n\nx.to(DEVICE)\n");
  EXPECT_EQ(with_definition("import torch  # main\n# about x\nx.cuda()\n"),
            "import torch  # main\n\nDEVICE\n\n# about x\nx.to(DEVICE)\n");
  EXPECT_EQ(with_definition("import os, \\\n    torch\nx.cuda()\n"),
            "import os, \\\n    torch\n\nDEVICE\n\nx.to(DEVICE)\n");
  EXPECT_EQ(with_definition("import torch\r\n\r\nx.cuda()\r\n"), "import torch\r\n\r\nDEVICE\r\n\r\nx.to(DEVICE)\r\n");
  EXPECT_EQ(with_definition("import torch\ndef f():\n\tx.cuda()\n"),
            "import torch\n\nDEVICE\n\ndef f():\n\tx.to(DEVICE)\n");
}

TEST(PythonPrelude, WithoutImports) {
  EXPECT_EQ(with_definition("\"\"\"Doc.\"\"\"\nx.cuda()\n"),
            "\"\"\"Doc.\"\"\"\nimport torch\n\nDEVICE\n\nx.to(DEVICE)\n");
  EXPECT_EQ(with_definition("\"\"\"D\"\"\"\nfrom __future__ import annotations\nx.cuda()\n"),
            "\"\"\"D\"\"\"\nfrom __future__ import annotations\nimport torch\n\nDEVICE\n\nx.to(DEVICE)\n");
  EXPECT_EQ(with_definition("#!/usr/bin/python\n# coding: utf-8\nx.cuda()"),
            "#!/usr/bin/python\n# coding: utf-8\nimport torch\n\nDEVICE\n\nx.to(DEVICE)");
}

// The mark stands at the very beginning or it is a syntax error.
TEST(PythonPrelude, StaysBehindAByteOrderMark) {
  const std::string bom = "\xef\xbb\xbf";
  for (const char* text : {"x.cuda()\n", "# c\nx.cuda()\n", "import torch\nx.cuda()\n"}) {
    EXPECT_EQ(fixed(bom + text).find(bom), 0u) << text;
    EXPECT_EQ(fixed(bom + text).rfind(bom), 0u) << text;
  }
}

// A name cannot be used above its import.
// What a function says is looked up when it runs.
TEST(PythonPrelude, AFunctionAboveTheImportUsesIt) {
  const std::string after = fixed("def f():\n    x.cuda()\n\nimport torch\n\ny = f()\n");
  EXPECT_EQ(after.find("import torch"), after.rfind("import torch")) << after;
}

TEST(PythonPrelude, AFunctionsOwnImportServesThatFunctionOnly) {
  const std::string after = fixed("def f():\n    import torch\n    x = torch.zeros(3).cuda()\n\ndef g(m):\n    return m(device='cuda')\n");
  EXPECT_EQ(after.find("import torch"), 0u) << after;
}

TEST(PythonPrelude, UsesTorchOnlyBelowItsImport) {
  for (const char* text : {"x.cuda()\nimport torch\n", "import os\nx.cuda()\nimport torch\ny.cuda()\n"}) {
    const std::string after = fixed(text);
    const std::size_t use = after.find("torch.accelerator");
    if (use != std::string::npos) {
      EXPECT_LT(after.find("import torch"), use) << after;
    }
  }
}

// Where torch may be missing, what worked without it must go on working.
TEST(PythonPrelude, ATorchThatMayBeMissingIsNotDemanded) {
  const std::string text =
      "try:\n    import torch\nexcept ImportError:\n    torch = None\n\ndef f(x):\n    return x.cuda()\n";
  EXPECT_NE(test::safely_fixed(text).rfind("import torch\n", 0), 0u) << test::safely_fixed(text);
}

TEST(PythonPrelude, ImportsTorchOnce) {
  for (const char* text : {"def f():\n    import torch\n    x.cuda()\n    torch.cuda.synchronize()\n",
                           "from torch import (\n    nn,\n    cuda,\n)\nx.cuda()\ncuda.synchronize()\n",
                           "from torch.cuda import synchronize as s, empty_cache as e\nx.cuda()\ns()\ne()\n"}) {
    const std::string after = fixed(text);
    std::size_t count = 0;
    for (std::size_t at = after.find("\nimport torch\n"); at != std::string::npos;
         at = after.find("\nimport torch\n", at + 1))
      ++count;
    if (after.rfind("import torch\n", 0) == 0) ++count;
    EXPECT_LE(count, 1u) << after;
  }
}

std::string allows(const std::string& text) { return test::findings(text); }

TEST(PythonAllows, Forms) {
  EXPECT_EQ(allows("import torch\ntorch.cuda.synchronize()  # torchport: allow TP157 -- why\n"), "TP157@2~");
  EXPECT_EQ(allows("import torch\ntorch.cuda.synchronize()  # torchport: allow cuda-synchronize\n"), "TP157@2~");
  EXPECT_EQ(
      allows("import torch\n# torchport: allow TP157 -- why\ntorch.cuda.synchronize()\ntorch.cuda.synchronize()\n"),
      "TP157@3~, TP157@4");
  EXPECT_EQ(
      allows(
          "import torch\n# torchport: allow TP157, TP101 -- why\n\n# more\ndef f():\n    torch.cuda.synchronize()\n"),
      "TP157@6~");
  EXPECT_EQ(allows("# torchport: allow-file TP157 -- why\nimport torch\ntorch.cuda.synchronize()\n"), "TP157@3~");
  EXPECT_EQ(allows("import torch\ntorch.cuda.synchronize()  #torchport:allow all\n"), "TP157@2~");
}

TEST(PythonAllows, AStatementOverSeveralLines) {
  EXPECT_EQ(allows("import torch\n# torchport: allow TP101\nf(\n    torch.zeros(3, device='cuda'),\n)\n"), "TP101@4~");
}

// The comment at the end of a statement of many lines holds for all of it.
TEST(PythonAllows, AtTheEndOfAStatementOverSeveralLines) {
  EXPECT_EQ(allows("import torch\nf(\n    torch.zeros(3, device='cuda'),\n)  # torchport: allow TP101\n"), "TP101@3~");
  EXPECT_EQ(allows("import torch\nf(  # torchport: allow TP101\n    torch.zeros(3, device='cuda'),\n)\n"), "TP101@3~");
}

TEST(PythonAllows, UnusedAndUnknownOnesAreFindings) {
  EXPECT_EQ(allows("import torch\n# torchport: allow TP157\nx = 1\ntorch.cuda.x\n").find("TP003@2"), 0u);
  EXPECT_EQ(allows("import torch\n# torchport: allow\ntorch.cuda.synchronize()\n"), "TP003@2, TP157@3");
  EXPECT_EQ(allows("import torch\n# torchport: ignore TP157\ntorch.cuda.synchronize()\n"), "TP003@2, TP157@3");
  EXPECT_EQ(allows("import torch\n\"# torchport: allow TP157\"\ntorch.cuda.synchronize()\n"), "TP157@3");
  EXPECT_EQ(allows("import torch\ntorch.cuda.synchronize()\n# torchport: allow TP157"), "TP157@2, TP003@3");
}

TEST(PythonAllows, AnAllowedFindingIsNotFixed) {
  const std::string text = "import torch\ntorch.cuda.synchronize()  # torchport: allow TP157\n";
  EXPECT_EQ(fixed(text), text);
}

}  // namespace
}  // namespace torchport
