#include "cli/ignore.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "tests/support/temp_dir.h"

namespace torchport {
namespace {

using test::TempDir;

struct GlobCase {
  const char* pattern;
  const char* path;
  bool matches;
};

TEST(GlobMatch, Table) {
  const std::vector<GlobCase> cases = {
      {"a", "a", true},
      {"a", "b", false},
      {"*.py", "x.py", true},
      {"*.py", "d/x.py", false},
      {"a*c*e", "abcde", true},
      {"a*c*e", "abcd", false},
      {"a/*/c", "a/b/c", true},
      {"a/*/c", "a/b/b/c", false},
      {"a/*", "a/", true},
      {"**/c", "c", true},
      {"**/c", "a/b/c", true},
      {"**/c", "a/bc", false},
      {"a/**", "a/b/c", true},
      {"a/**", "a", false},
      {"a/**/d", "a/d", true},
      {"a/**/d", "a/b/c/d", true},
      {"a/**/d", "a/b/c/de", false},
      {"a/**/x/*/z", "a/x/q/x/y/z", true},
      {"**/x/**/z", "x/z", true},
      {"a**c", "abbc", true},
      {"a**c", "ab/c", false},
      {"?", "a", true},
      {"?", "/", false},
      {"a?c", "a/c", false},
      {"[a-c]", "b", true},
      {"[a-c]", "d", false},
      {"[!a-c]", "d", true},
      {"[^a-c]", "a", false},
      {"[]a]", "]", true},
      {"[a-]", "-", true},
      {"[\\]]", "]", true},
      {"[[:digit:][:upper:]]x", "Qx", true},
      {"[[:digit:]]", "a", false},
      {"[!a]", "/", false},
      {"[a", "a", false},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"a\\", "a", false},
      {"", "", true},
      {"*", "", true},
      {"*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
      {"**/a/**/a/**/a/**/b", "a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a", false},
      {"\xc3\xa4*", "\xc3\xa4x", true},
  };
  for (const GlobCase& c : cases) EXPECT_EQ(glob_match(c.pattern, c.path), c.matches) << c.pattern << " on " << c.path;
}

struct IgnoreCase {
  const char* text;
  const char* path;
  bool is_folder;
  Verdict verdict;
};

TEST(IgnoreRules, Table) {
  constexpr Verdict None = Verdict::None, Ignored = Verdict::Ignored, Kept = Verdict::Kept;
  const std::vector<IgnoreCase> cases = {
      {"*.pyc\n", "d/x.pyc", false, Ignored},
      {"name\n", "d/e/name", false, Ignored},
      {"/name\n", "name", false, Ignored},
      {"/name\n", "d/name", false, None},
      {"d/name\n", "d/name", false, Ignored},
      {"d/name\n", "e/d/name", false, None},
      {"build/\n", "build", true, Ignored},
      {"build/\n", "build", false, None},
      {"build/\n", "d/build", true, Ignored},
      {"/d/build/\n", "d/build", true, Ignored},
      {"*\n!keep.py\n", "keep.py", false, Kept},
      {"!keep.py\n*\n", "keep.py", false, Ignored},
      {"# x\n\n   \n", "# x", false, None},
      {"\\#x\n", "#x", false, Ignored},
      {"\\!x\n", "!x", false, Ignored},
      {"x  \n", "x", false, Ignored},
      {"x\\ \n", "x ", false, Ignored},
      {"x\\ \n", "x", false, None},
      {"x\\  \n", "x ", false, Ignored},
      {"x\t\n", "x", false, None},
      {"x\r\n", "x", false, Ignored},
      {"\xef\xbb\xbfx\n", "x", false, Ignored},
      {"x", "x", false, Ignored},
      {"/\n", "x", true, None},
      {"**/foo/bar\n", "a/foo/bar", false, Ignored},
      {"a/**\n", "a/b", true, Ignored},
      {"a/**\n", "a", true, None},
      {"**\n", "a/b", false, Ignored},
      {"[ab]*.py\n", "d/b1.py", false, Ignored},
      {"foo\\*\n", "foo*", false, Ignored},
      {"foo\\*\n", "foox", false, None},
  };
  for (const IgnoreCase& c : cases) {
    IgnoreRules rules;
    rules.add_text(c.text);
    EXPECT_EQ(rules.verdict(c.path, c.is_folder), c.verdict) << c.text << " on " << c.path;
  }
}

TEST(IgnoreRules, HoldBelowTheirFolderOnly) {
  IgnoreRules rules("a/b");
  rules.add_text("/x\ny\n");
  EXPECT_EQ(rules.verdict("a/b/x", false), Verdict::Ignored);
  EXPECT_EQ(rules.verdict("x", false), Verdict::None);
  EXPECT_EQ(rules.verdict("a/b/c/x", false), Verdict::None);
  EXPECT_EQ(rules.verdict("a/b/c/y", false), Verdict::Ignored);
  EXPECT_EQ(rules.verdict("a/bc/y", false), Verdict::None);
}

TEST(IgnoreRules, AnIgnoredFolderTakesItsFilesWithIt) {
  IgnoreRules rules;
  rules.add_text("d\n!d/keep.py\n");
  EXPECT_TRUE(rules.matches("d/keep.py"));
  EXPECT_TRUE(rules.matches("a/d/x/y.py"));
  EXPECT_FALSE(rules.matches("a/b.py"));
}

std::string random_name(std::mt19937& random) {
  static const char* const kNames[] = {"a", "b", "ab", "a.py", "b.py", "#a", "!b", "a b", "a ", "x-1", "x]", "B"};
  return kNames[random() % std::size(kNames)];
}

std::string random_pattern(std::mt19937& random) {
  static const char* const kPieces[] = {"a",    "b",    "*",      "?",  "*.py", "[ab]", "[!a]*",       "a b", "x-*",
                                        "a\\ ", "\\#a", "[]x-]*", "a*", "*b",   "\\!b", "[[:upper:]]", "ab",  "b.py"};
  std::string pattern = random() % 4 == 0 ? "!" : "";
  if (random() % 4 == 0) pattern += "/";
  if (random() % 5 == 0) pattern += "**/";
  for (unsigned parts = random() % 3; parts > 0; --parts) {
    pattern += random() % 6 == 0 ? "**" : kPieces[random() % std::size(kPieces)];
    pattern += "/";
  }
  pattern += kPieces[random() % std::size(kPieces)];
  if (random() % 6 == 0) pattern += "/**";
  if (random() % 4 == 0) pattern += "/";
  if (random() % 6 == 0) pattern += "  ";
  return pattern + (random() % 5 == 0 ? "\r\n" : "\n");
}

// git's own verdict, without the tracked files' exemption, over the same files and one .gitignore.
TEST(IgnoreRules, AgreesWithGit) {
  const TempDir dir;
  if (!dir.init_git()) GTEST_SKIP() << "git is missing";
  std::mt19937 random(3);
  std::set<std::string> files;
  for (int i = 0; i < 400; ++i) {
    std::string path;
    for (unsigned depth = random() % 4; depth > 0; --depth) path += random_name(random) + "/";
    path += random_name(random);
    std::error_code taken;  // a name may be a file's or a folder's already
    std::filesystem::create_directories(std::filesystem::path(dir / path).parent_path(), taken);
    if (!taken) std::ofstream{dir / path};
    if (std::filesystem::is_regular_file(dir / path, taken)) files.insert(path);
  }
  ASSERT_GT(files.size(), 100u);
  for (int round = 0; round < 60; ++round) {
    std::string text;
    for (unsigned lines = 1 + random() % 5; lines > 0; --lines) text += random_pattern(random);
    dir.write(".gitignore", text);
    ASSERT_TRUE(dir.run("git ls-files -o -z --exclude-standard > .git/listed"));
    std::set<std::string> kept;
    std::istringstream listed(dir.read(".git/listed"));
    for (std::string path; std::getline(listed, path, '\0');) kept.insert(path);
    IgnoreRules rules;
    rules.add_text(text);
    for (const std::string& file : files) {
      EXPECT_EQ(rules.matches(file), !kept.contains(file)) << text << "on " << file;
    }
  }
}

}  // namespace
}  // namespace torchport
