// Every example of every rule is a test: what it fires, what its fix makes of it, what keeps it silent.
#include <gtest/gtest.h>

#include <algorithm>

#include "analyzers/analyze.h"
#include "rewriter/rewrite.h"
#include "rules/catalogue.h"
#include "rules/run.h"

namespace torchport {
namespace {

struct Case {
  const Rule* rule;
  const Example* example;
};

const Catalogue& catalogue() {
  static const Catalogue instance = built_in_catalogue();
  return instance;
}

Language language_of(const Rule& rule) { return rule.file.find("/cpp/") != std::string::npos ? Language::Cpp : Language::Python; }
std::string name_for(const Rule& rule) { return language_of(rule) == Language::Cpp ? "example.cpp" : "example.py"; }

std::vector<Finding> findings_of(const SourceFile& source, std::uint32_t min_torch, const Rule& about) {
  const FileFacts facts = analyze(source, torchport::language_of(source.path(), {}), catalogue().interest);
  RunOptions options;
  options.min_torch = min_torch;
  std::vector<Finding> findings = run_rules(catalogue(), source, facts, 0, options);
  // Code on a device calls operators, whatever else the example shows: which of them targets lack is looked at in examples about that.
  if (about.check != "op_support") std::erase_if(findings, [](const Finding& f) { return f.rule->check == "op_support"; });
  return findings;
}

std::string fixed(const std::string& name, const std::string& before, std::uint32_t min_torch, const Rule& about) {
  std::string text = before;
  for (int round = 0; round < 10; ++round) {
    const SourceFile source(name, text);
    const Rewrite rewrite = apply_fixes(text, findings_of(source, min_torch, about), true);
    if (rewrite.text == text) return text;
    text = rewrite.text;
  }
  ADD_FAILURE() << "no fixed point";
  return text;
}

std::string described(const std::vector<Finding>& findings, const SourceFile& source) {
  std::string out;
  for (const Finding& f : findings) out += f.rule->id + " on line " + std::to_string(source.position(f.span.start).line) + "; ";
  return out;
}

class Examples : public testing::TestWithParam<Case> {};

TEST_P(Examples, Hold) {
  const Rule& rule = *GetParam().rule;
  const Example& e = *GetParam().example;
  SCOPED_TRACE(rule.file + ":" + std::to_string(e.line));
  if (!e.keep.empty()) {
    const SourceFile source(name_for(rule), e.keep);
    EXPECT_EQ(described(findings_of(source, e.min_torch, rule), source), "") << "keep is not silent";
    EXPECT_EQ(fixed(name_for(rule), e.keep, e.min_torch, rule), e.keep);
    return;
  }
  const SourceFile source(name_for(rule), e.before);
  const std::vector<Finding> found = findings_of(source, e.min_torch, rule);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const Finding& f) { return f.rule->id == rule.id; }))
      << "does not fire: " << described(found, source);
  for (const Finding& f : found) {
    const bool told = f.rule->id == rule.id || std::find(e.also.begin(), e.also.end(), f.rule->id) != e.also.end();
    EXPECT_TRUE(told) << "fires others: " << described(found, source);
  }
  const std::string after = fixed(name_for(rule), e.before, e.min_torch, rule);
  EXPECT_EQ(after, e.no_fix ? e.before : e.after);
  if (e.no_fix) return;
  EXPECT_EQ(count_syntax_errors(after, language_of(rule)), 0u);
  const SourceFile again(name_for(rule), after);
  for (const Finding& f : findings_of(again, e.min_torch, rule)) EXPECT_NE(f.rule->id, rule.id) << "after is not silent";
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Rule& rule : catalogue().rules) {
    for (const Example& example : rule.examples) out.push_back({&rule, &example});
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(cases()), [](const testing::TestParamInfo<Case>& info) {
  return info.param.rule->id + "_" + std::to_string(info.param.example->line);
});

}  // namespace
}  // namespace torchport
