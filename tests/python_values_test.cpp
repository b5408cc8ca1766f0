// What expressions may be, where device strings stand and where they flow to.
#include <gtest/gtest.h>

#include "tests/support/python_facts.h"

namespace torchport {
namespace {

using test::Analysed;

std::string described(const Value& v) {
  switch (v.kind) {
    case ValueKind::String:
      return "\"" + std::string(v.text) + (v.partial ? "…\"" : "\"");
    case ValueKind::Instance:
      return "a " + std::string(v.text);
    case ValueKind::None:
      return "None";
    case ValueKind::Unknown:
      return "?";
    default:
      return std::string(v.text);
  }
}

// What the first argument of the last call of .to() in the text may be: "\"cuda\" | None"; empty: unknown.
std::string given(std::string text) {
  const Analysed a(std::move(text) + "# cuda\n");
  std::string out;
  for (const Use& use : a.facts.uses) {
    if (use.kind != UseKind::Call || use.args.empty() || use.symbol.substr(use.symbol.rfind('.') + 1) != "to") continue;
    out.clear();
    for (const Value& v : use.args[0].values) out += (out.empty() ? "" : " | ") + described(v);
  }
  return out;
}

// The places of the literals: "device_argument to", "assigned device -> 3" with the lines to which they flow.
std::string places(std::string text) {
  static constexpr const char* kNames[] = {"none",           "device",        "argument", "comparison",  "default",
                                           "option default", "option choice", "device choice", "key", "value", "assigned",
                                           "returned",       "subscript",     "listed",   "environment", "annotation"};
  const Analysed a(std::move(text));
  std::string out;
  for (const Use& use : a.facts.uses) {
    if (use.kind != UseKind::Literal) continue;
    std::string one = kNames[static_cast<int>(use.place)];
    if (!use.place_name.empty()) one += " " + std::string(use.place_name);
    for (const Span flow : use.flows) one += " -> " + std::to_string(a.line(flow));
    out = test::joined(out, one);
  }
  return out;
}

TEST(PythonValues, Strings) {
  EXPECT_EQ(given("import torch\nx.to(\"cuda\")\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\nx.to(r'''cuda''')\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\nx.to((\"cuda\"))\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\nx.to(\"cu\" \"da\")\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\nx.to(f\"cuda\")\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\nx.to(\"cuda\" if a else \"cpu\")\n"), "\"cuda\" | \"cpu\"");
  EXPECT_EQ(given("import torch\nx.to(a or \"cuda\")\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\nx.to(a := \"cuda\")\n"), "\"cuda\"");
}

TEST(PythonValues, StringsOfWhichTheBeginningIsKnown) {
  for (const char* text :
       {"f\"cuda:{rank}\"", "\"cuda:%d\" % rank", "\"cuda:{}\".format(rank)", "\"cuda:\" + str(rank)"}) {
    EXPECT_EQ(given("import torch\nx.to(" + std::string(text) + ")\n"), "\"cuda:…\"") << text;
  }
  EXPECT_EQ(given("import torch\nx.to(f\"{kind}:{rank}\")\n"), "\"…\"");
}

TEST(PythonValues, BytesAreNoDevice) {
  EXPECT_EQ(places("import torch\nx.to(b\"cuda\")\n"), "");
}

TEST(PythonValues, Names) {
  EXPECT_EQ(given("import torch\nd = \"cuda\"\nx.to(d)\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\na = b = \"cuda\"\nx.to(a)\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\na, b = \"cuda\", \"cpu\"\nx.to(a)\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\nd = \"cpu\"\nif a: d = \"cuda\"\nx.to(d)\n"), "\"cuda\" | \"cpu\"");
  EXPECT_EQ(given("import torch\nif a:\n    d = \"cuda\"\nelse:\n    d = \"cpu\"\nx.to(d)\n"), "\"cpu\" | \"cuda\"");
  EXPECT_EQ(given("import torch\nfor d in [\"cuda\", \"cpu\"]: x.to(d)\n"), "\"cuda\" | \"cpu\"");
  EXPECT_EQ(given("import torch\n[x.to(d) for d in (\"cuda\",)]\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\ndef f(d=\"cuda\"): x.to(d)\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\nD = \"cuda\"\ndef f(d=D): x.to(d)\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\nd = torch.device(\"cuda\")\nx.to(d)\n"), "a torch.device");
}

TEST(PythonValues, AttributesDictionariesAndHelpers) {
  EXPECT_EQ(given("import torch\nclass A:\n    device = \"cuda\"\n    def f(self): x.to(self.device)\n"), "\"cuda\"");
  EXPECT_EQ(
      given("import torch\nclass A:\n    def __init__(self, d=\"cuda\"): self.d = d\n    def f(self): x.to(self.d)\n"),
      "\"cuda\"");
  EXPECT_EQ(given("import torch\nc = {\"device\": \"cuda\", \"n\": 3}\nx.to(c[\"device\"])\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\ndef pick(): return \"cuda\"\nx.to(pick())\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\ndef pick():\n    if a: return \"cuda\"\n    return \"cpu\"\nx.to(pick())\n"),
            "\"cuda\" | \"cpu\"");
  EXPECT_EQ(given("import torch\nargs.device = \"cuda\"\nx.to(args.device)\n"), "\"cuda\"");
}

TEST(PythonValues, UnknownStaysUnknown) {
  EXPECT_EQ(given("import torch\nx.to(d)\n"), "");
  EXPECT_EQ(given("import torch\ndef f(d): x.to(d)\n"), "");
  EXPECT_EQ(given("import torch\nd = \"cuda\"\nd += \":0\"\nx.to(d)\n"), "");
  EXPECT_EQ(given("import torch\nd = d\nx.to(d)\n"), "");
  EXPECT_EQ(given("import torch\na = b\nb = a\nx.to(a)\n"), "");
}

TEST(PythonValues, AStatementReadsWhatWasBoundBeforeIt) {
  EXPECT_EQ(places("import torch\ndevice = \"cuda\"\ndevice = torch.device(device)\n"), "assigned device -> 3");
}

TEST(PythonValues, WhatALoopOrAnInnerFunctionAssignsIsKnownToo) {
  EXPECT_EQ(given("import torch\ndef f():\n    d = \"cpu\"\n    while 1:\n        x.to(d)\n        d = \"cuda\"\n"),
            "\"cuda\" | \"cpu\"");
  EXPECT_EQ(given("import torch\ndef f():\n    d = \"cpu\"\n    def g():\n        nonlocal d\n        d = \"cuda\"\n   "
                  " g()\n    x.to(d)\n"),
            "\"cuda\" | \"cpu\"");
}

TEST(PythonValues, InstancesOfTheProjectsOwnClasses) {
  EXPECT_EQ(given("import torch\nclass C:\n    device = \"cuda\"\nc = C()\nx.to(c.device)\n"), "\"cuda\"");
  EXPECT_EQ(given("import torch\n@dataclass\nclass C:\n    device: str = \"cuda\"\ncfg = C()\nx.to(cfg.device)\n"),
            "\"cuda\"");
}

TEST(PythonPlaces, WhereALiteralStands) {
  EXPECT_EQ(places("import torch\nx.to(\"cuda\")\n"), "device to");
  EXPECT_EQ(places("import torch\ntorch.zeros(3, device=\"cuda\")\n"), "device device");
  EXPECT_EQ(places("import torch\nrun(device=\"cuda\")\n"), "device device");
  EXPECT_EQ(places("import torch\nrun(\"cuda\")\n"), "argument run");
  EXPECT_EQ(places("import torch\nif x.device.type == \"cuda\": pass\n"), "comparison x.device.type");
  EXPECT_EQ(places("import torch\nif \"cuda\" in str(d): pass\n"), "comparison str(d)");
  EXPECT_EQ(places("import torch\nif d in (\"cuda\", \"xpu\"): pass\n"), "comparison d");
  EXPECT_EQ(places("import torch\ndef f(d=\"cuda\"): pass\n"), "default d");
  EXPECT_EQ(places("import torch\ndef f(d: str = \"cuda\"): pass\n"), "default d");
  EXPECT_EQ(places("import torch\np.add_argument(\"--dev\", default=\"cuda\", choices=[\"cuda\"])\n"),
            "option default dev, option choice dev");
  EXPECT_EQ(places("import torch\nx = {\"cuda\": 1, \"device\": \"cuda\"}\n"), "key, value device");
  EXPECT_EQ(places("import torch\nself.device = \"cuda\"\n"), "assigned self.device");
  EXPECT_EQ(places("import torch\ndef pick(): return \"cuda\"\n"), "returned pick");
  EXPECT_EQ(places("import torch\nx = table[\"cuda\"]\n"), "subscript");
  EXPECT_EQ(places("import torch\nx = [\"cuda\"]\n"), "listed x");
  EXPECT_EQ(places("import torch\nx: \"torch.cuda.FloatTensor\"\n"), "annotation");
  EXPECT_EQ(places("import torch\nx = os.environ[\"CUDA_VISIBLE_DEVICES\"]\n"), "environment");
}

TEST(PythonPlaces, WordsInProseAreNoLiterals) {
  EXPECT_EQ(places("\"\"\"cuda\"\"\"\nimport torch\nprint(\"runs on cuda only\")\n"), "");
}

TEST(PythonPlaces, Flows) {
  EXPECT_EQ(places("import torch\nD = \"cuda\"\nx.to(D)\ny.to(D)\n"), "assigned D -> 3 -> 4");
  EXPECT_EQ(places("import torch\ndef f(d=\"cuda\"):\n    x.to(d)\n"), "default d -> 3");
  EXPECT_EQ(
      places("import torch\nclass A:\n    def __init__(self): self.d = \"cuda\"\n    def f(self): x.to(self.d)\n"),
      "assigned self.d -> 4");
  EXPECT_EQ(places("import torch\ndef h(a): x.to(a)\nh(\"cuda\")\n"), "device a");
}

// The environment's answer is a device with "cuda" as its default.
TEST(PythonPlaces, DefaultsOfTheEnvironmentFlow) {
  EXPECT_EQ(test::findings("import os, torch\nd = os.environ.get(\"DEVICE\", \"cuda\")\nx.to(d)\n"), "TP101@2");
}

TEST(PythonPlaces, HandedDownThreeCalls) {
  EXPECT_EQ(places("import torch\ndef a(p): x.to(p)\ndef b(q): a(q)\ndef c(r): b(r)\nc(\"cuda\")\n"), "device r");
}

}  // namespace
}  // namespace torchport
