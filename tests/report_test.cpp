#include "reports/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/paint.h"
#include "reports/write_json.h"
#include "reports/write_text.h"

namespace torchport {
namespace {

Impacts on(Impact neuron, Impact tpu) {
  Impacts impacts{};
  impacts[static_cast<std::size_t>(Target::Neuron)] = neuron;
  impacts[static_cast<std::size_t>(Target::Tpu)] = tpu;
  return impacts;
}

Rule rule(std::string id, std::string name, std::string family, std::string message, std::string why) {
  Rule made;
  made.id = std::move(id);
  made.name = std::move(name);
  made.family = std::move(family);
  made.message = std::move(message);
  made.why = std::move(why);
  return made;
}

TextOptions verbose() {
  TextOptions options;
  options.verbose = true;
  return options;
}

// A report on sources made of strings, with a finding at each occurrence of a word.
class Reports : public testing::Test {
 protected:
  Reports() {
    method_ = rule("TP102", "cuda-method", "device", "moves to CUDA", "It raises elsewhere.");
    graph_ = rule("TP190", "cuda-graph", "cuda-api", "captures a graph", "CUDA only.");
    graph_.advice = "guard it";
    file_ = rule("TP001", "file-partial", "file", "not understood", "");
    report_.root = ".";
    report_.targets = {Target::Neuron, Target::Tpu};
    report_.torch_version = "2.13";
    report_.torch_source = "newest known";
  }

  void add(const std::string& path, const std::string& text, const std::string& word, const Rule& rule, Impacts impacts,
           std::optional<Applicability> fix = {}) {
    const SourceFile source(path, text);
    if (report_.files.empty() || report_.files.back().path != path) {
      report_.files.push_back({path, part_of(path), Status::Full, false, {}});
      ++report_.scanned;
    }
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      Finding finding;
      finding.rule = &rule;
      finding.file = static_cast<std::uint32_t>(report_.files.size() - 1);
      finding.span = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + word.size())};
      finding.message = rule.message;
      finding.impact = impacts;
      if (fix) finding.fix = Fix{*fix, "write `.to(device)`", {{finding.span, "to"}}};
      report_.locations.push_back(locate(source, finding));
      report_.findings.push_back(finding);
    }
  }

  nlohmann::json json() {
    count(report_);
    std::string text;
    write_json(report_, "9.9", [&](std::string_view part) { text += part; });
    return nlohmann::json::parse(text);
  }

  std::string text(TextOptions options = {}) {
    count(report_);
    std::string text;
    write_text(report_, options, [&](std::string_view part) { text += part; });
    return text;
  }

  Rule method_, graph_, file_;
  Report report_;
};

std::size_t times(std::string_view text, std::string_view word) {
  std::size_t n = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

TEST(PartOf, FoldersAndFiles) {
  for (const char* path :
       {"tests/a.py", "pkg/Test/a.py", "a/test_x.py", "conftest.py", "x_test.py", "tests.py", "examples/tests/a.py"}) {
    EXPECT_EQ(part_of(path), Part::Tests) << path;
  }
  for (const char* path : {"examples/a.py", "pkg/benchmarks/a.py", "scripts/run.py", "docs/conf.py"})
    EXPECT_EQ(part_of(path), Part::Examples) << path;
  for (const char* path : {"a.py", "latest/a.py", "contest.py", "src/attestation.py", "examples.py", "docs.py"})
    EXPECT_EQ(part_of(path), Part::Core) << path;
}

TEST_F(Reports, CountsAddUp) {
  const Impacts blocks = on(Impact::Blocks, Impact::Degrades);
  add("a.py", "x.cuda()\n", ".cuda()", method_, blocks, Applicability::Safe);
  add("b.py", "x.cuda(); y.cuda()\n", ".cuda()", method_, blocks, Applicability::Review);
  add("tests/c.py", "graph\n", "graph", graph_, on(Impact::Degrades, Impact::None));
  add("d.py", "z.cuda()\n", ".cuda()", method_, blocks, Applicability::Safe);
  report_.findings.back().suppressed = "meant";
  add("e.py", "switch\n", "switch", graph_, on(Impact::Cosmetic, Impact::Cosmetic));
  add("f.py", "oops\n", "oops", file_, {});
  count(report_);
  const Counts& neuron = report_.counts[static_cast<std::size_t>(Target::Neuron)];
  EXPECT_EQ(std::vector({neuron.blocks, neuron.degrades, neuron.cosmetic, neuron.fixed_safe, neuron.fixed_review}),
            (std::vector<std::uint32_t>{3, 1, 1, 1, 2}));
  const Counts& tpu = report_.counts[static_cast<std::size_t>(Target::Tpu)];
  EXPECT_EQ(std::vector({tpu.blocks, tpu.degrades, tpu.cosmetic}), (std::vector<std::uint32_t>{0, 3, 1}));
  EXPECT_EQ(report_.suppressed, 1U);
  EXPECT_EQ(report_.notes, 1U);
  EXPECT_EQ(report_.by_part[1][0].degrades, 1U);
  ASSERT_EQ(report_.families.size(), 2U);
  EXPECT_EQ(report_.families[0].family, "device");
  EXPECT_EQ(report_.families[0].worst.blocks, 3U);
  EXPECT_EQ(report_.worst.blocks + report_.worst.degrades + report_.worst.cosmetic + report_.notes + report_.suppressed,
            report_.findings.size());
}

TEST_F(Reports, WhatIsShownDependsOnTheTargets) {
  add("a.py", "x\n", "x", method_, on(Impact::Blocks, Impact::None));
  add("b.py", "x\n", "x", file_, {});
  EXPECT_TRUE(shown(report_.findings[0], {Target::Neuron}));
  EXPECT_FALSE(shown(report_.findings[0], {Target::Tpu}));
  EXPECT_TRUE(shown(report_.findings[1], {Target::Tpu}));
}

TEST_F(Reports, FingerprintsOutliveMovesAndTellEqualLinesApart) {
  const Impacts blocks = on(Impact::Blocks, Impact::Blocks);
  add("a.py", "x.cuda()\nx.cuda()\ny.cuda()\n", ".cuda()", method_, blocks);
  const auto before = fingerprints(report_);
  EXPECT_EQ(before[0].size(), 16U);
  EXPECT_NE(before[0], before[1]);
  EXPECT_NE(before[0], before[2]);
  report_.files.clear(), report_.findings.clear(), report_.locations.clear();
  add("a.py", "import torch\n\n\n    x.cuda()\n\tx.cuda()\nif 1:\n  y.cuda()  \n", ".cuda()", method_, blocks);
  EXPECT_EQ(fingerprints(report_), before);
  report_.findings[2].function = "f";
  EXPECT_NE(fingerprints(report_)[2], before[2]);
}

TEST_F(Reports, JsonHasEveryFieldOfTheSchema) {
  add("a.py", "é = x.cuda(\n)\n", ".cuda(\n)", method_, on(Impact::Blocks, Impact::Cosmetic), Applicability::Safe);
  report_.findings[0].why[static_cast<std::size_t>(Target::Tpu)] = "It is ignored.";
  report_.findings[0].related.push_back({0, {0, 2}, "made here"});
  report_.locations[0] = locate(SourceFile("a.py", "é = x.cuda(\n)\n"), report_.findings[0]);
  const auto report = json();
  EXPECT_EQ(report["schema"], "torchport.scan/1");
  EXPECT_EQ(report["tool"]["version"], "9.9");
  EXPECT_EQ(report["targets"], (nlohmann::json{"neuron", "tpu"}));
  EXPECT_EQ(report["files"]["scanned"], 1);
  EXPECT_EQ(report["torch"]["source"], "newest known");
  const auto& finding = report["findings"][0];
  EXPECT_EQ(finding["line"], 1);
  EXPECT_EQ(finding["column"], 7) << "bytes, not characters";
  EXPECT_EQ(finding["end_line"], 2);
  EXPECT_EQ(finding["end_column"], 2);
  EXPECT_EQ(finding["impact"], "blocks");
  EXPECT_EQ(finding["targets"]["neuron"],
            (nlohmann::json{{"impact", "blocks"}, {"why", "It raises elsewhere."}, {"evidence", ""}}));
  EXPECT_EQ(finding["targets"]["tpu"]["why"], "It is ignored.");
  EXPECT_FALSE(finding["targets"].contains("cuda"));
  EXPECT_EQ(finding["fix"]["applicability"], "safe");
  EXPECT_EQ(finding["fix"]["edits"][0], (nlohmann::json{{"start", 6}, {"end", 14}, {"text", "to"}}));
  EXPECT_EQ(finding["related"][0]["line"], 1);
  EXPECT_FALSE(finding.contains("suppressed"));
  EXPECT_EQ(report["summary"]["targets"]["neuron"]["fixed_safe"], 1);
  for (const char* key : {"rule", "name", "family", "path", "message", "symbol", "via", "guarded", "part", "cell",
                          "cell_line", "function", "fingerprint"}) {
    EXPECT_TRUE(finding.contains(key)) << key;
  }
}

TEST_F(Reports, JsonSurvivesBytesThatAreNoText) {
  add("caf\xe9.py", "x\xff.cuda()\n", ".cuda()", method_, on(Impact::Blocks, Impact::Blocks));
  report_.findings[0].message = "moves \xc3(";
  report_.findings[0].suppressed = "be\xfe";
  const auto report = json();
  EXPECT_EQ(report["findings"][0]["path"], "caf\uFFFD.py");
  EXPECT_EQ(report["findings"][0]["suppressed"]["why"], "be\uFFFD");
  EXPECT_EQ(report["findings"][0]["fix"], nullptr);
}

TEST_F(Reports, TextSaysWhyOnceForEachRule) {
  add("a.py", "x.cuda()\ny.cuda()\n", ".cuda()", method_, on(Impact::Blocks, Impact::Blocks), Applicability::Safe);
  const std::string plain = text();
  EXPECT_NE(plain.find("a.py:1:2: TP102 cuda-method: moves to CUDA [neuron, tpu: blocks]\n    x.cuda()\n     ^^^^^^^ "
                       "safe fix\n    why: It raises elsewhere.\n"
                       "    fix: write `.to(device)`\n\na.py:2:2:"),
            std::string::npos)
      << plain;
  EXPECT_EQ(times(plain, "why:"), 1U);
  EXPECT_EQ(times(text(verbose()), "why:"), 2U);
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  TextOptions coloured;
  coloured.colour = true;
  EXPECT_NE(text(coloured).find('\x1b'), std::string::npos);
}

TEST_F(Reports, TextKeepsCosmeticAndSuppressedShort) {
  add("a.py", "switch\n", "switch", graph_, on(Impact::Cosmetic, Impact::Cosmetic));
  add("b.py", "x.cuda()\n", ".cuda()", method_, on(Impact::Blocks, Impact::Blocks));
  report_.findings.back().suppressed = "meant so";
  EXPECT_EQ(text().find("^^^"), std::string::npos);
  EXPECT_EQ(text().find("b.py:1"), std::string::npos);
  EXPECT_NE(text(verbose()).find("(allowed: meant so)"), std::string::npos);
}

TEST_F(Reports, TextCutsLongLinesAroundTheFinding) {
  const std::string line = std::string(3000, 'a') + " x.cuda() " + std::string(3000, 'b') + "\n";
  add("a.py", line, "x.cuda()", method_, on(Impact::Blocks, Impact::Blocks));
  TextOptions narrow;
  narrow.width = 80;
  std::string plain = text(narrow);
  plain = plain.substr(plain.find('\n') + 1);
  const std::string code = plain.substr(0, plain.find('\n'));
  plain = plain.substr(code.size() + 1);
  EXPECT_LE(width_of(code), 80U);
  EXPECT_EQ(width_of(code.substr(0, code.find("x.cuda()"))), plain.find('^'));
}

TEST_F(Reports, TextStandsUnderTheRightCharacters) {
  add("a.py", "\tif a:\tb = \"日本\", x.cuda()\n", "x.cuda()", method_, on(Impact::Blocks, Impact::Blocks));
  EXPECT_NE(text().find("    if a:\tb = \"日本\", x.cuda()\n         \t            ^^^^^^^^\n"), std::string::npos)
      << text();
}

TEST_F(Reports, SummaryForWhoeverPlans) {
  add("a.py", "x.cuda()\ny.cuda()\n", ".cuda()", method_, on(Impact::Blocks, Impact::Blocks), Applicability::Safe);
  add("b.py", "graph\n", "graph", graph_, on(Impact::Degrades, Impact::Blocks));
  count(report_);
  TextOptions options;
  options.paths = "src";
  const std::string summary = text_summary(report_, options);
  EXPECT_NE(summary.find("neuron: 2 findings block, 1 degrades; `fix` takes away 2; 1 is left for people\n"), std::string::npos)
      << summary;
  EXPECT_NE(summary.find("tpu: 3 findings block; `fix` takes away 2; 1 is left for people\n"), std::string::npos) << summary;
  EXPECT_NE(summary.find("most in: a.py (2), b.py (1)\n"), std::string::npos) << summary;
  EXPECT_NE(summary.find("next: torchport fix --diff src\n"), std::string::npos) << summary;
  EXPECT_NE(summary.find("2.13 and later (newest known)"), std::string::npos) << summary;
}

TEST_F(Reports, SummaryWithoutFindingsClaimsNoMoreThanWasSeen) {
  report_.scanned = 2;
  count(report_);
  EXPECT_NE(text_summary(report_, {}).find("neuron and tpu: nothing found that blocks or degrades"), std::string::npos);
  report_.files.push_back({"a.py", Part::Core, Status::Partial, false, "line 3"});
  EXPECT_NE(text_summary(report_, {}).find("not judged: parts of a.py (line 3)"), std::string::npos);
}

TEST(Printable, MakesControlBytesHarmless) {
  EXPECT_EQ(printable("a\x1b[31m\tb\r\n"), "a\uFFFD[31m\tb\uFFFD\uFFFD");
  EXPECT_EQ(printable("caf\xc3\xa9 \xc3"), "caf\u00e9 \uFFFD");
  EXPECT_EQ(printable("\xed\xa0\x80\xc0\xaf"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(printable("\u202eevil"), "\uFFFDevil");
  EXPECT_EQ(width_of("日本é"), 5U);
}

}  // namespace
}  // namespace torchport
