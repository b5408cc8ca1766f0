#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyzers/error.h"
#include "reports/gate.h"
#include "reports/level.h"
#include "reports/report_page.h"
#include "reports/write_annotations.h"
#include "reports/write_json.h"
#include "reports/write_pages.h"
#include "reports/write_sarif.h"

namespace torchport {
namespace {

// Findings at each "tie" of sources made of strings; "TIE" blocks, "tie" is cosmetic.
class Formats : public testing::Test {
 protected:
  Formats() {
    rule_.id = "TP102";
    rule_.name = "cuda-method";
    rule_.family = "device";
    rule_.message = "moves to CUDA";
    rule_.why = "It raises elsewhere.";
    rule_.advice = "take the device from one place";
    limits_.fail_on = {{"blocks", std::nullopt, "", Impact::Blocks}};
  }

  Report report(const std::vector<std::pair<std::string, std::string>>& sources) const {
    Report report;
    report.root = ".";
    report.targets = {Target::Neuron, Target::Tpu};
    for (const auto& [path, text] : sources) {
      const SourceFile source(path, text);
      report.files.push_back({path, Part::Core, Status::Full, false, {}, path});
      ++report.scanned;
      for (std::size_t at = 0; at + 3 <= text.size(); ++at) {
        const std::string word = text.substr(at, 3);
        if (word == "TIE" || word == "tie") add(report, source, at, word == "TIE" ? Impact::Blocks : Impact::Cosmetic);
      }
    }
    count(report);
    report.effort = estimate(report, built_in_effort_table());
    return report;
  }

  void add(Report& report, const SourceFile& source, std::size_t at, Impact impact) const {
    Finding finding;
    finding.rule = &rule_;
    finding.file = static_cast<std::uint32_t>(report.files.size() - 1);
    finding.span = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + 3)};
    finding.message = rule_.message;
    finding.impact[static_cast<std::size_t>(Target::Neuron)] = impact;
    finding.fix = Fix{Applicability::Safe, "moves", {{finding.span, "<new>"}}};
    report.locations.push_back(locate(source, finding));
    report.findings.push_back(finding);
  }

  Gate judged(const Report& now, std::vector<KnownTie> known) const {
    std::vector<Before> before;
    Comparison comparison = compare(now, known);
    before.push_back({std::move(known), std::move(comparison)});
    return judge(now, limits_, before);
  }

  template <typename Write>
  static std::string written(Write write) {
    std::string text;
    write([&text](std::string_view piece) { text += piece; });
    return text;
  }

  Rule rule_;
  GateLimits limits_;
};

TEST_F(Formats, KnownNewAndFixedAreCounted) {
  const Report then = report({{"a.py", "TIE one\nTIE two\nTIE two\n"}});
  const Report now = report({{"a.py", "\n  TIE   two\nTIE three\n"}});
  const Gate gate = judged(now, known_ties(then));
  EXPECT_EQ(gate.verdict_line(now),
            "gate: fail: 1 new finding matches blocks, at a.py:3 (1 new, 1 known, 2 fixed, 0 allowed)");
  EXPECT_EQ(gate.failing, (std::vector<bool>{false, true}));
}

TEST_F(Formats, AWorseImpactIsNewAndNotFixed) {
  std::vector<KnownTie> known = known_ties(report({{"a.py", "TIE\n"}}));
  known[0].impact = {};
  known[0].impact[static_cast<std::size_t>(Target::Neuron)] = Impact::Degrades;
  const Report now = report({{"a.py", "TIE\n"}});
  const Gate gate = judged(now, known);
  EXPECT_EQ(gate.fresh, 1U);
  EXPECT_TRUE(gate.fixed.empty());
}

TEST_F(Formats, AFileThatIsGoneHandsItsTiesOn) {
  std::vector<KnownTie> known = known_ties(report({{"old/a.py", "TIE one\nTIE two\n"}, {"b.py", "TIE one\n"}}));
  const Report now = report({{"b.py", "TIE one\n"}, {"new/a.py", "TIE two\nTIE one\nTIE more\n"}});
  EXPECT_EQ(judged(now, known).fresh, 3U);  // its file is still there
  for (KnownTie& tie : known) tie.gone = tie.path == "old/a.py";
  const Gate gate = judged(now, known);
  EXPECT_EQ(gate.fresh, 1U);
  EXPECT_EQ(gate.known, 3U);
  EXPECT_TRUE(gate.fixed.empty());
}

TEST_F(Formats, ABaselineIsReadAsItWasWritten) {
  const Report then = report({{"a \"b\".py", "TIE \xff\n"}, {"b.py", "tie\n"}});
  const std::string text = baseline_text({then.targets, known_ties(then)});
  const Baseline read = parse_baseline(text, "b.json");
  EXPECT_EQ(read.targets, then.targets);
  EXPECT_EQ(judged(then, read.ties).known, 2U);
  EXPECT_EQ(baseline_text(read), text);
  EXPECT_THROW(parse_baseline("{}", "b.json"), Error);
}

TEST_F(Formats, LimitsAreNamed) {
  const Report now = report({{"a.py", "TIE\ntie\n"}, {"b.py", "tie\n"}});
  limits_ = {{{"tpu:cosmetic", Target::Tpu, "", Impact::Cosmetic}}, 2, true};
  const Gate gate = judged(now, {});
  EXPECT_EQ(gate.why, "3 ties where max_ties allows 2; a.py has 2 ties, had 0, and 1 more file has risen");
}

TEST_F(Formats, NothingThatIsHostileGetsThrough) {
  const std::string code = "TIE </script>|`x`\xe2\x80\xae & \"'\x1b[31m @me ]]> %0A::error::";
  const Report now = report({{"a<b>|`c`,:%.py", code + "\n"}, {"long.py", std::string(100000, '<') + "TIE\n"}});
  const Gate gate = judged(now, {});
  for (const Gate* with : {static_cast<const Gate*>(nullptr), &gate}) {
    const std::string sarif = written([&](const Sink& sink) { write_sarif(now, "9.9", with, sink); });
    EXPECT_EQ(nlohmann::json::parse(sarif)["runs"][0]["results"].size(), 2U);
    const std::string gitlab = written([&](const Sink& sink) { write_gitlab(now, with, sink); });
    EXPECT_EQ(nlohmann::json::parse(gitlab).size(), 2U);
    const std::string github = written([&](const Sink& sink) { write_github(now, with, sink); });
    EXPECT_NE(github.find("file=a<b>|`c`%2C%3A%25.py,line=1,"), std::string::npos) << github;
    const std::string markdown = written([&](const Sink& sink) { write_markdown(now, with, sink); });
    EXPECT_EQ(markdown.find("</script>"), std::string::npos);
    EXPECT_EQ(markdown.find("@me"), std::string::npos);
    EXPECT_NE(markdown.find("\\|\\`x\\`"), std::string::npos) << markdown;
  }
  const std::string junit = written([&](const Sink& sink) { write_junit(now, gate, sink); });
  EXPECT_EQ(junit.find("</script>"), std::string::npos);
  const std::string json = written([&](const Sink& sink) { write_json(now, "9.9", sink, &gate); });
  const Json report = report_of(read_document(json, "x/demo.json"));
  EXPECT_EQ(report["project"], "demo");
  for (const std::string& page :
       {written([&](const Sink& sink) { write_report_html(report, "9.9", sink); }),
        written([&](const Sink& sink) { write_report_markdown(report, "9.9", sink); }), junit}) {
    EXPECT_EQ(page.find("<b>"), std::string::npos);
    EXPECT_EQ(page.find('\x1b'), std::string::npos);
    EXPECT_EQ(page.find("\xe2\x80\xae"), std::string::npos);
    EXPECT_LT(page.size(), 60000U);
  }
}

TEST_F(Formats, SeveralReportsAndAComparison) {
  const auto document = [&](const Report& of, const char* name) {
    return read_document(written([&](const Sink& sink) { write_json(of, "9.9", sink); }), name);
  };
  const Document a = document(report({{"a.py", "TIE\ntie\n"}}), "a.json"),
                 b = document(report({{"a.py", "TIE\n"}}), "b.json");
  for (const Json& made : {portfolio_of({a, b}), comparison_of(a, b)}) {
    EXPECT_FALSE(written([&](const Sink& sink) { write_report_html(made, "9.9", sink); }).empty());
    EXPECT_FALSE(written([&](const Sink& sink) { write_report_markdown(made, "9.9", sink); }).empty());
  }
  EXPECT_EQ(comparison_of(a, b)["fixed"].size(), 1U);
  EXPECT_EQ(comparison_of(b, a)["new"].size(), 1U);
}

TEST(Uri, EverythingOddIsEncoded) {
  EXPECT_EQ(uri_of("src/a-b_c.py"), "src/a-b_c.py");
  EXPECT_EQ(uri_of("a b#\xff.py"), "a%20b%23%FF.py");
  EXPECT_EQ(uri_of("/x.py"), "file:///x.py");
}

}  // namespace
}  // namespace torchport
