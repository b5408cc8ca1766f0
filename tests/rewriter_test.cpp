#include "rewriter/rewrite.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "rewriter/line_diff.h"
#include "tests/support/temp_dir.h"

namespace torchport {
namespace {

using test::TempDir;

Edit edit(std::uint32_t start, std::uint32_t end, std::string text) { return {{start, end}, std::move(text)}; }

Finding finding(std::vector<Edit> edits, Applicability applicability = Applicability::Safe, std::string message = {}) {
  Finding result;
  result.fix = Fix{applicability, std::move(message), std::move(edits)};
  return result;
}

TEST(ApplyFixes, NothingToDoGivesTheSameText) {
  const Rewrite rewrite = apply_fixes("a\r\nb", {}, true);
  EXPECT_EQ(rewrite.text, "a\r\nb");
  EXPECT_TRUE(rewrite.applied.empty());
  EXPECT_TRUE(rewrite.left.empty());
}

TEST(ApplyFixes, EditsOfOneFixGoTogether) {
  const std::vector<Finding> findings = {finding({edit(0, 0, "<"), edit(2, 4, "XYZ"), edit(6, 6, ">")})};
  EXPECT_EQ(apply_fixes("abcdef", findings, false).text, "<abXYZef>");
}

TEST(ApplyFixes, SharedEditIsMadeOnce) {
  const std::vector<Finding> findings = {finding({edit(0, 0, "import x\n"), edit(2, 3, "B")}),
                                         finding({edit(0, 0, "import x\n"), edit(4, 5, "C")})};
  const Rewrite rewrite = apply_fixes("a b c", findings, false);
  EXPECT_EQ(rewrite.text, "import x\na B C");
  EXPECT_EQ(rewrite.applied.size(), 2u);
}

TEST(ApplyFixes, SharedReplacementIsMadeOnce) {
  const std::vector<Finding> findings = {finding({edit(0, 1, "A"), edit(2, 3, "B")}),
                                         finding({edit(0, 1, "A"), edit(4, 5, "C")})};
  EXPECT_EQ(apply_fixes("a b c", findings, false).text, "A B C");
}

TEST(ApplyFixes, WholeLinesAtOnePlaceKeepTheOrderOfAppearance) {
  const std::vector<Finding> findings = {finding({edit(2, 2, "one\n")}), finding({edit(2, 2, "two\n")}),
                                         finding({edit(2, 2, "one\n"), edit(2, 2, "three\n")})};
  EXPECT_EQ(apply_fixes("a\nb\n", findings, false).text, "a\none\ntwo\nthree\nb\n");
}

TEST(ApplyFixes, WholeLinesAfterAByteOrderMark) {
  const std::vector<Finding> findings = {finding({edit(3, 3, "one\r\n")}), finding({edit(3, 3, "two\r\n")})};
  EXPECT_EQ(apply_fixes("\xef\xbb\xbf"
                        "b\r\n",
                        findings, false)
                .text,
            "\xef\xbb\xbf"
            "one\r\ntwo\r\nb\r\n");
}

// "if x:\n    " before a statement must not get another fix's line between the two.
TEST(ApplyFixes, OtherTextOfTwoFixesAtOnePlaceOverlaps) {
  const std::vector<Finding> findings = {finding({edit(0, 0, "if x:\n    ")}), finding({edit(0, 0, "y = 1\n")})};
  const Rewrite rewrite = apply_fixes("f()\n", findings, false);
  EXPECT_EQ(rewrite.text, "if x:\n    f()\n");
  ASSERT_EQ(rewrite.left.size(), 1u);
  EXPECT_EQ(rewrite.left[0].why, "overlaps another fix");
}

TEST(ApplyFixes, OverlapLeavesTheLaterFixWhole) {
  const std::vector<Finding> findings = {finding({edit(2, 5, "X")}), finding({edit(0, 1, "A"), edit(4, 6, "Y")}),
                                         finding({edit(0, 1, "Z")})};
  const Rewrite rewrite = apply_fixes("abcdefg", findings, false);
  EXPECT_EQ(rewrite.text, "ZbXfg");
  ASSERT_EQ(rewrite.left.size(), 1u);
  EXPECT_EQ(rewrite.left[0].finding, &findings[1]);
  EXPECT_EQ(rewrite.left[0].why, "overlaps another fix");
}

TEST(ApplyFixes, EditsNestedInAReplacementOverlap) {
  const std::vector<Finding> outer_first = {finding({edit(1, 6, "X")}), finding({edit(2, 3, "Y")}),
                                            finding({edit(4, 4, "Z")})};
  EXPECT_EQ(apply_fixes("abcdefg", outer_first, false).text, "aXg");
  const std::vector<Finding> inner_first = {finding({edit(4, 4, "Z")}), finding({edit(1, 6, "X")})};
  EXPECT_EQ(apply_fixes("abcdefg", inner_first, false).text, "abcdZefg");
}

TEST(ApplyFixes, TouchingEditsDoNotOverlap) {
  const std::vector<Finding> findings = {finding({edit(1, 3, "X")}), finding({edit(3, 4, "Y")}),
                                         finding({edit(1, 1, "<")}), finding({edit(4, 4, ">")})};
  EXPECT_EQ(apply_fixes("abcde", findings, false).text, "a<XY>e");
}

TEST(ApplyFixes, SaysWhyAFixIsLeft) {
  std::vector<Finding> findings(2);
  findings[1].suppressed = "known";
  findings.push_back(finding({}, Applicability::Manual, "choose a device by hand"));
  findings.push_back(finding({edit(0, 1, "x")}, Applicability::Manual));
  findings.push_back(finding({edit(0, 1, "x")}, Applicability::Review));
  findings.push_back(finding({edit(0, 9, "x")}));
  const Rewrite rewrite = apply_fixes("abc", findings, false);
  EXPECT_EQ(rewrite.text, "abc");
  std::vector<std::string> whys;
  for (const LeftFix& left : rewrite.left) whys.push_back(left.why);
  EXPECT_EQ(whys, (std::vector<std::string>{"no fix", "choose a device by hand", "no fix", "needs --unsafe",
                                            "does not fit the file"}));
  EXPECT_EQ(apply_fixes("abc", findings, true).text, "xbc");
}

TEST(ApplyFixes, SuppressedFindingsAreNeverFixed) {
  std::vector<Finding> findings = {finding({edit(0, 1, "x")})};
  findings[0].suppressed = "known";
  const Rewrite rewrite = apply_fixes("abc", findings, true);
  EXPECT_EQ(rewrite.text, "abc");
  EXPECT_TRUE(rewrite.applied.empty());
}

TEST(UnifiedDiff, EqualTextsGiveNothing) { EXPECT_EQ(unified_diff("a.py", "x\n", "x\n"), ""); }

TEST(UnifiedDiff, OneChangeWithItsContext) {
  EXPECT_EQ(unified_diff("d/a.py", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "diff --git a/d/a.py b/d/a.py\n--- a/d/a.py\n+++ b/d/a.py\n"
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, MissingFinalLineEnd) {
  EXPECT_EQ(unified_diff("a", "x", "x\n"),
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
  EXPECT_EQ(unified_diff("a", "x\ny", "z\ny"),
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\n+z\n y\n\\ No newline at end of file\n");
}

TEST(UnifiedDiff, KeepsCarriageReturns) {
  EXPECT_EQ(unified_diff("a", "x\r\ny\rz\r\n", "x\r\nY\rz\r\n"),
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\r\n-y\rz\r\n+Y\rz\r\n");
}

TEST(UnifiedDiff, NamesOddPathsAsGitDoes) {
  const auto name_lines = [](const std::string& path) {
    const std::string diff = unified_diff(path, "x\n", "y\n");
    return diff.substr(0, diff.find("@@"));
  };
  EXPECT_EQ(name_lines("a b.py"), "diff --git a/a b.py b/a b.py\n--- a/a b.py\t\n+++ b/a b.py\t\n");
  EXPECT_EQ(name_lines("t\t\"\\\xc3\xa4\n"),
            "diff --git \"a/t\\t\\\"\\\\\\303\\244\\n\" \"b/t\\t\\\"\\\\\\303\\244\\n\"\n"
            "--- \"a/t\\t\\\"\\\\\\303\\244\\n\"\n+++ \"b/t\\t\\\"\\\\\\303\\244\\n\"\n");
}

std::string random_text(std::mt19937& random) {
  static const char* const kEnds[] = {"\n", "\n", "\r\n", "\r", ""};
  const std::size_t count = random() % 60;
  const unsigned words = 1 + random() % 30;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "line " + std::to_string(random() % words) + kEnds[random() % 5];
  return text;
}

std::string random_change(std::string text, std::mt19937& random) {
  for (unsigned edits = 1 + random() % 6; edits > 0; --edits) {
    const std::size_t at = text.empty() ? 0 : random() % (text.size() + 1);
    const std::string piece = random() % 3 == 0 ? "" : random() % 2 == 0 ? "x\n" : "new\r\nlines\n";
    text.replace(at, random() % 4 == 0 ? random() % 40 : random() % 3, piece);
  }
  return text;
}

// What the lines that both texts keep say about the changes.
void expect_exact(const std::string& before, const std::string& after) {
  const auto a = split_lines(before);
  const auto b = split_lines(after);
  std::size_t i = 0, j = 0;
  for (const LineChange& change : diff_lines(a, b)) {
    ASSERT_EQ(change.before - i, change.after - j);
    for (; i < change.before; ++i, ++j) ASSERT_EQ(a[i], b[j]);
    i += change.before_count;
    j += change.after_count;
  }
  ASSERT_EQ(a.size() - i, b.size() - j);
  for (; i < a.size(); ++i, ++j) ASSERT_EQ(a[i], b[j]);
}

TEST(DiffLines, AccountsForEveryLine) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::string before = random_text(random);
    expect_exact(before, random_change(before, random));
    expect_exact(before, random_text(random));
  }
}

TEST(DiffLines, FindsTheFewChangesInTextWithoutUniqueLines) {
  std::string before, after;
  for (int i = 0; i < 3000; ++i) before += i % 3 == 0 ? "a\n" : "b\n";
  after = before;
  after.replace(3000, 2, "c\n");
  after.insert(4000, "c\n");
  EXPECT_EQ(diff_lines(split_lines(before), split_lines(after)).size(), 2u);
}

TEST(UnifiedDiff, GitTakesItForRandomEdits) {
  const TempDir dir;
  if (!dir.init_git()) GTEST_SKIP() << "git is missing";
  std::mt19937 random(2);
  std::string patch;
  std::vector<std::pair<std::string, std::string>> expected;
  const std::vector<std::string> odd = {"a b/c d.py",      "tab\there",  "quo\"te", "back\\slash",
                                        "umlaut \xc3\xa4", "new\nline",  " lead",   "trail ",
                                        "\x01\x7f",        "latin \xe4", "b/b/x",   "a.py b"};
  for (int i = 0; i < 400; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const std::string name = index < odd.size() ? odd[index] : "f" + std::to_string(i);
    const std::string before = i == 20 ? "" : random_text(random);
    const std::string after = i == 20 ? "x\n" : i == 21 ? "" : random_change(before, random);
    dir.write(name, before);
    patch += unified_diff(name, before, after);
    expected.emplace_back(name, after);
  }
  dir.write("p.patch", patch);
  ASSERT_TRUE(dir.run("git apply --check --whitespace=nowarn p.patch"));
  ASSERT_TRUE(dir.run("git apply --whitespace=nowarn p.patch"));
  for (const auto& [name, text] : expected) EXPECT_EQ(dir.read(name), text) << name;
}

TEST(UnifiedDiff, IsQuickOnLargeFiles) {
  std::string before;
  for (int i = 0; before.size() < (5u << 20); ++i) before += "    [" + std::to_string(i % 5000) + ", 0.5, 'cuda'],\n";
  std::string after = before;
  for (std::size_t at = 1000; at < after.size(); at += after.size() / 20) after.insert(after.find('\n', at) + 1, "x\n");
  const auto start = std::chrono::steady_clock::now();
  const std::string diff = unified_diff("a.py", before, after);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_LT(diff.size(), 20000u);
  EXPECT_FALSE(diff.empty());
}

}  // namespace
}  // namespace torchport
