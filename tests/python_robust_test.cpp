// Files that no person writes: broken, huge, deep, in odd encodings. Nothing may crash or hang, and work grows with the
// bytes.
#include <cstdlib>
#include <gtest/gtest.h>

#include <ctime>

#include "tests/support/python_facts.h"

namespace torchport {
namespace {

using test::Analysed;

// Analyses and judges the text; the findings must lie in it.
std::size_t judge(std::string text) {
  const Analysed a(std::move(text));
  const auto found = test::findings_of(a);
  const std::size_t size = a.source.text().size();
  for (const Finding& f : found) {
    EXPECT_LE(f.span.start, f.span.end);
    EXPECT_LE(f.span.end, size);
  }
  return found.size();
}

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  out.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

// Each '#' is the number of the repetition.
std::string numbered(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) {
    for (const char c : piece) {
      if (c == '#') {
        out += std::to_string(i);
      } else {
        out += c;
      }
    }
  }
  return out;
}

TEST(PythonRobust, EmptyAndNearlyEmpty) {
  for (const char* text : {"",
                           "\n",
                           "#",
                           "# torch cuda",
                           "\n\n  \n",
                           "torch",
                           "cuda",
                           "\xef\xbb\xbf",
                           "\xef\xbb\xbf# torch",
                           "\\",
                           "\"torch",
                           "'''torch",
                           "torch.",
                           "torch.cuda.",
                           "import torch.",
                           "from torch import",
                           "from torch.cuda import (",
                           "torch(",
                           "f'{torch",
                           "@torch",
                           "x = torch if",
                           "torch\r"}) {
    judge(text);
    EXPECT_EQ(test::fixed(text), text);
  }
}

TEST(PythonRobust, FilesThatAreNoPythonSource) {
  EXPECT_EQ(Analysed(std::string("import torch.cuda\n\0x\n", 21)).facts.status, Status::Failed);
  EXPECT_EQ(Analysed(std::string("\xff\xfei\0m\0torch cuda", 17)).facts.status, Status::Failed);
  EXPECT_EQ(test::findings(std::string("import torch\n\0torch.cuda.synchronize()\n", 39)), "TP001@1");
}

TEST(PythonRobust, InvalidUtf8IsAnalysedAround) {
  EXPECT_EQ(test::uses("import torch\ns = '\xff\xfe\xc3'\ntorch.cuda.synchronize()\n"), "3 torch.cuda.synchronize");
  EXPECT_EQ(test::uses("# coding: gbk\nimport torch\ns = '\x81\x5c'\ntorch.cuda.synchronize()\n"),
            "4 torch.cuda.synchronize");
}

TEST(PythonRobust, AnnotationsWithoutAValue) {
  for (const char* text : {"device: torch.device", "def f():\n    device: 'cuda'",
                           "class A:\n    device: str\n    def f(self): self.device: str", "args: x\nargs.device",
                           "torch: 'cuda'\ntorch.cuda.x()", "device: str\nif a: device = 'cuda'\nx.cuda()"}) {
    judge("import torch\n" + std::string(text) + "\n");
  }
}

TEST(PythonRobust, CallsOfWholeModules) {
  judge("import torch\ntorch('cuda')\ntorch(device='cuda')\n");
  judge("import cupy, triton\ncupy(3)\ntriton(device='cuda')\n");
}

TEST(PythonRobust, LoneCarriageReturnsEndLines) {
  EXPECT_EQ(test::uses("import torch\rtorch.cuda.synchronize()\r"), "2 torch.cuda.synchronize");
  EXPECT_EQ(test::fixed("import torch\rtorch.cuda.synchronize()\r"),
            "import torch\rif torch.accelerator.is_available():\r    torch.accelerator.synchronize()\r");
}

TEST(PythonRobust, Python2) {
  const std::string text =
      "import torch\nprint \"x\", torch.cuda.device_count()\nexec \"y\"\ntry: pass\nexcept E, e: pass\n`x`\nraise E, "
      "'x'\n"
      "def f((a, b)): pass\n0777\nur''\nx <> y\nprint >>f, x\ntorch.cuda.synchronize()\n";
  EXPECT_NE(test::uses(text).find("13 torch.cuda.synchronize"), std::string::npos);
}

TEST(PythonRobust, ErrorsAreAnalysedAround) {
  EXPECT_EQ(test::uses("import torch\nx = = 3\ntorch.cuda.synchronize()\n"), "3 torch.cuda.synchronize");
  EXPECT_EQ(test::uses("import torch\ndef f(:\n    pass\ntorch.cuda.synchronize()\n"), "4 torch.cuda.synchronize");
  EXPECT_EQ(test::uses("import torch\n{{ template }}\n{% if x %}\ntorch.cuda.synchronize()\n"),
            "4 torch.cuda.synchronize");
}

constexpr std::string_view kSample =
    "\"\"\"Doc.\"\"\"\nimport torch\nfrom torch.cuda import amp as a, synchronize\nD = f'cuda:{r}' % "
    "3\n@a.autocast()\nclass A(torch.nn.Module):\n"
    "    d: 'torch.device' = \"cuda\"\n    async def f(self, *x, device='cuda', **k):\n        if not "
    "torch.cuda.is_available() or x: return [y.cuda() for y in x]\n"
    "        with torch.cuda.stream(s) as t, b: self.d = {'cuda': synchronize, **k}\n        match x:\n            "
    "case torch.Tensor(d=1) | [a, *_]: pass\n"
    "        try:\n            import apex\n        except ImportError as e:\n            raise E from e\n        x = "
    "lambda q=torch.cuda: q.x if q else (yield)\n"
    "# torchport: allow TP101 -- x\nprint(f\"{torch.cuda.device_count()!r:>{w}}\" \"cuda\", end='')\n";

TEST(PythonRobust, CutAtEveryByte) {
  for (std::size_t n = 0; n <= kSample.size(); ++n) judge(std::string(kSample.substr(0, n)));
}

TEST(PythonRobust, WithoutAnyOneByte) {
  for (std::size_t n = 0; n < kSample.size(); ++n)
    judge(std::string(kSample.substr(0, n)) + std::string(kSample.substr(n + 1)));
}

// Parsed in full or given up with a reason, never a crash.
class Deep : public testing::TestWithParam<std::pair<const char*, std::string>> {};

TEST_P(Deep, IsSurvived) {
  if (std::string_view(GetParam().first) == "ands") GTEST_SKIP() << "fault: quadratic";
  judge("import torch\nx = 'cuda'\n" + GetParam().second);
}

constexpr std::size_t kDeep = 10000;

INSTANTIATE_TEST_SUITE_P(
    All, Deep,
    testing::Values(
        std::pair("parentheses",
                  "x = " + repeated("(", kDeep) + "torch.cuda.device_count()" + repeated(")", kDeep) + "\n"),
        std::pair("lists", "x = " + repeated("[", kDeep) + "torch.cuda.device_count()" + repeated("]", kDeep) + "\n"),
        std::pair("dicts",
                  "x = " + repeated("{'cuda': ", kDeep) + "torch.cuda.device_count()" + repeated("}", kDeep) + "\n"),
        std::pair("attributes", "x = torch" + repeated(".cuda", kDeep) + "\n"),
        std::pair("methods", "x = y" + repeated(".cuda()", kDeep) + "\n"),
        std::pair("calls", "x = " + repeated("torch.cuda.current_stream(", kDeep) + repeated(")", kDeep) + "\n"),
        std::pair("methods_in_calls", "x = " + repeated("x.to('cuda', ", kDeep) + repeated(")", kDeep) + "\n"),
        std::pair("sums", "x = 1" + repeated(" + torch.cuda.device_count()", kDeep) + "\n"),
        std::pair("powers", "x = 1" + repeated(" ** torch.cuda.device_count()", kDeep) + "\n"),
        std::pair("ands", "x = 1" + repeated(" and torch.cuda.is_available()", kDeep) + "\n"),
        std::pair("nots", "if " + repeated("not ", kDeep) + "torch.cuda.is_available(): torch.cuda.synchronize()\n"),
        std::pair("minuses", "x = " + repeated("-", kDeep) + "torch.cuda.device_count()\n"),
        std::pair("subscripts", "x = y" + repeated("['cuda']", kDeep) + "\n"),
        std::pair("lambdas", "x = " + repeated("lambda torch: ", kDeep) + "torch.cuda.synchronize()\n"),
        std::pair("strings_added", "x.to('cuda:'" + repeated(" + 'a'", kDeep) + ")\n"),
        std::pair("strings_beside_strings", "x.to(" + repeated("'cuda:' ", kDeep) + ")\n"),
        std::pair("comparisons", "x = y" + repeated(" == 'cuda'", kDeep) + "\n"),
        std::pair("walruses", "x = " + repeated("(a := ", kDeep) + "torch.cuda" + repeated(")", kDeep) + "\n"),
        std::pair("comprehensions",
                  "x = " + repeated("[y for torch in ", 2000) + "torch.cuda" + repeated("]", 2000) + "\n"),
        std::pair("awaits", "x = " + repeated("await ", kDeep) + "torch.cuda.x()\n"),
        std::pair("open_brackets", repeated("(", kDeep) + "torch.cuda.synchronize()"),
        std::pair("closing_brackets", repeated(")", kDeep) + "torch.cuda.synchronize()"),
        std::pair("fstrings", "x = " + repeated("f'{", 200) + "torch.cuda" + repeated("}'", 200) + "\n"),
        std::pair("aliases", numbered("a# = torch.cuda if # else x\n", 1) + numbered("a# = a0\na0 = a#\n", kDeep)),
        std::pair("bases", "class C0: pass\n" + numbered("class C#(C0): pass\nC0 = C#\n", 2000) + "C0().cuda()\n")),
    [](const auto& info) { return std::string(info.param.first); });

TEST(PythonRobust, BlocksWithinBlocks) {
  std::string ifs, elses;
  for (std::size_t i = 0; i < 100; ++i) {
    const std::string indent(i, ' ');
    ifs += indent + "if torch.cuda.is_available():\n";
    elses += indent + "if torch.cuda.is_available():\n" + indent + " torch.cuda.synchronize()\n" + indent + "else:\n";
  }
  EXPECT_GT(judge("import torch\n" + ifs + std::string(100, ' ') + "torch.cuda.synchronize()\n"), 0u);
  EXPECT_GT(judge("import torch\n" + elses + std::string(100, ' ') + "torch.cuda.synchronize()\n"), 0u);
}

TEST(PythonRobust, ChainsOfBases) {
  judge("import torch\nclass C0: pass\n" + numbered("class D#(C#): pass\nclass C#(D#): pass\nC#().cuda()\n", 500));
}

// Of this process, so that a busy machine does not tell otherwise.
double seconds(const std::string& text) {
  const std::clock_t start = std::clock();
  judge(text);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Four times as many may take little more than four times as long: quadratic work would take sixteen times.
class Linear : public testing::TestWithParam<std::pair<const char*, const char*>> {};

std::string many(std::string_view pattern, std::size_t times) {
  const std::size_t bar = pattern.find('|');
  const std::size_t end = pattern.rfind('|');
  std::string out = "import torch\n" + std::string(pattern.substr(0, bar));
  out += numbered(pattern.substr(bar + 1, end - bar - 1), times);
  return out + std::string(pattern.substr(end + 1)) + "\n";
}

TEST_P(Linear, InTheNumberOfRepetitions) {
  // A clock is no judge on a busy machine: asked for by hand only.
  if (std::getenv("TORCHPORT_TIMED") == nullptr) GTEST_SKIP() << "timed: set TORCHPORT_TIMED=1";
  for (const std::string_view known : {"asserts", "ifs", "comparisons", "early_returns", "device_handles",
                                       "star_imports", "elifs", "names_of_one_import", "ands"}) {
    if (GetParam().first == known) GTEST_SKIP() << "fault: quadratic";
  }
  const std::string_view pattern = GetParam().second;
  std::size_t times = 500;
  double one = seconds(many(pattern, times));
  // As many as take a while, so that the clock tells.
  while (one < 0.04 && times < 4000) one = seconds(many(pattern, times *= 2));
  ASSERT_LT(one, 2) << times << " take " << one << " s";
  const double four = seconds(many(pattern, 4 * times));
  EXPECT_LT(four, 8 * one + 0.1) << times << " take " << one << " s, four times as many " << four << " s";
}

INSTANTIATE_TEST_SUITE_P(
    All, Linear,
    testing::Values(
        std::pair("calls", "|torch.cuda.synchronize()\n|"), std::pair("one_line", "|torch.cuda.synchronize();|"),
        std::pair("to_cuda", "|x.to('cuda')\n|"),
        std::pair("assignments_to_one_name", "|x = torch.zeros(#)\ny = x.cuda()\n|"),
        std::pair("alias_bound_again", "|s = torch.cuda.synchronize\ns()\n|"),
        std::pair("device_handles", "|device = torch.device('cuda:#')\nz.cuda()\n|"),
        std::pair("device_parameters", "|def f#(device):\n    x.cuda()\n|"),
        std::pair("option_handles", "|def f#(args):\n    x.to(args.device)\n    x.cuda()\n|"),
        std::pair("self_handles",
                  "class A:\n    def __init__(self): self.device = 'cuda'\n|    def f#(self): x.cuda()\n|"),
        std::pair("early_returns",
                  "def f():\n|    if not torch.cuda.is_available(): return #\n    torch.cuda.synchronize()\n|"),
        std::pair("asserts", "def f():\n|    assert torch.cuda.is_available()\n    torch.cuda.synchronize()\n|"),
        std::pair("elifs", "if d == 'cuda:x': pass\n|elif d == 'cuda:#':\n    torch.cuda.synchronize()\n|"),
        std::pair("elifs_without_devices", "if d == 'x': pass\n|elif d == '#':\n    torch.cuda.synchronize()\n|"),
        std::pair("functions", "|def f#(x):\n    torch.cuda.synchronize()\n    return x.cuda()\n|"),
        std::pair("ifs", "|if torch.cuda.is_available():\n    torch.cuda.synchronize()\n|"),
        std::pair("comparisons", "|if x.device.type == 'cuda':\n    x.cuda()\n|"),
        std::pair("choices", "|d# = 'cuda' if torch.cuda.is_available() else 'cpu'\n|"),
        std::pair("allows", "|torch.cuda.synchronize()  # torchport: allow TP157 -- x\n|"),
        std::pair("allows_above", "|# torchport: allow TP157 -- x\ntorch.cuda.synchronize()\n|"),
        std::pair("imports", "|from torch.cuda import synchronize as s#\ns#()\n|"),
        std::pair("star_imports", "|from m# import *\nf#()\n|"),
        std::pair("names_of_one_import", "from torch.cuda import (x|, s# as t#|)"),
        std::pair("returns", "def f(x):\n|    if x == #: return 'cuda:#'\n|"),
        std::pair("calls_of_one_with_returns", "def f(x):\n    return 'cuda'\n|t.to(f(#))\n|"),
        std::pair("arguments", "foo(|'cuda', |)"), std::pair("keyword_arguments", "p.add_argument(|a#='cuda', |)"),
        std::pair("list", "x = [|'cuda', |]"), std::pair("dict", "x = {|'k#': 'cuda', |}"),
        std::pair("dict_reads", "x = {'a': 'cuda'}\n|y.to(x['a'])\n|"),
        std::pair("parameters", "def f(|device#='cuda', |): pass"), std::pair("flows", "D = 'cuda'\n|x.to(D)\n|"),
        std::pair("map_locations", "|torch.load(f, map_location={'cuda:0': 'cuda:1'})\n|"),
        std::pair("self_attributes",
                  "class A:\n    def f(self):\n|        self.x = torch.zeros(3)\n        self.x.cuda()\n|"),
        std::pair("fstrings", "|x.to(f'cuda:{r}')\n|"),
        std::pair("parts_of_one_fstring", "x = f'|{torch.cuda.device_count()}|'"),
        std::pair("aliases", "a0 = torch.cuda\n|b# = a0.synchronize\nb#()\n|"),
        std::pair("tries", "|try:\n    import apex\nexcept ImportError:\n    apex = None\n|"),
        std::pair("decorators", "|@torch.cuda.amp.autocast()\n|def f(): pass"),
        std::pair("classes", "|class C#(torch.nn.Module):\n    def f(self): self.cuda()\n|"),
        std::pair("instances", "class C: pass\n|c# = C()\nc#.cuda()\n|"),
        std::pair("kernels", "import triton\n|@triton.jit\ndef k#(): pass\nk#[1]()\n|"),
        std::pair("sum", "x = 0|+ torch.cuda.device_count()|"), std::pair("chain_of_methods", "x = y|.cuda()|"),
        std::pair("ands", "x = 1| and torch.cuda.is_available()|"), std::pair("comments", "|# cuda #\n|"),
        std::pair("strings", "|x = 'some words about cuda and # more'\n|"),
        std::pair("data", "x = [\n|    [0.5, #, 'cuda', None],\n|]")),
    [](const auto& info) { return std::string(info.param.first); });

TEST(PythonRobust, VeryLongLines) {
  judge("import torch\nx = '" + std::string(10u << 20, 'a') + "'\ntorch.cuda.synchronize()\n");
  judge("import torch\nx = '" + std::string(10u << 20, 'a') + "; torch.cuda.synchronize()");
  judge("import torch\n#" + std::string(10u << 20, 'a') + "\ntorch.cuda.synchronize()\n");
  judge("import torch; " + std::string(10u << 20, ' ') + "torch.cuda.synchronize()\n");
}

}  // namespace
}  // namespace torchport
