#include "cli/walk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "analyzers/error.h"
#include "cli/git.h"
#include "tests/support/temp_dir.h"

namespace torchport {
namespace {

using test::TempDir;
using Paths = std::vector<std::string>;

WalkOptions python_only(bool use_git = true) {
  WalkOptions options;
  options.use_git = use_git;
  options.wanted = [](std::string_view path) { return path.ends_with(".py") || path.ends_with(".pyi"); };
  return options;
}

Paths paths(const Walk& walk) {
  Paths result;
  for (const WalkedFile& file : walk.files) result.push_back(file.path);
  return result;
}

std::string error_of(const std::string& path) {
  try {
    walk(path, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool git_commit_all(const TempDir& dir) { return dir.run("git add -A -f && git commit -q -m x"); }

// Each of these holds for git's listing and for our own.
class WalkBoth : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && !dir_.init_git()) GTEST_SKIP() << "git is missing";
  }
  Walk walk_root(WalkOptions options) const { return walk(dir_.path(), options); }
  WalkOptions options() const { return python_only(GetParam()); }

  TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(Listing, WalkBoth, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "Git" : "Own"; });

TEST_P(WalkBoth, SortsByBytesAndTakesWantedKindsOnly) {
  for (const char* name : {"b.py", "a/z.py", "a.py", "a-b.py", "B.py", "\xff.py", "x.txt", "d/e/f.pyi", "n\nl.py"}) {
    dir_.write(name, "");
  }
  const Walk result = walk_root(options());
  EXPECT_EQ(paths(result), (Paths{"B.py", "a-b.py", "a.py", "a/z.py", "b.py", "d/e/f.pyi", "n\nl.py", "\xff.py"}));
  EXPECT_EQ(result.root, dir_.path());
  EXPECT_EQ(result.files[3].absolute, dir_ / "a/z.py");
}

TEST_P(WalkBoth, TakesEveryFileWithoutAPredicate) {
  dir_.write("a.txt", "");
  dir_.write("LICENSE", "");
  WalkOptions all;
  all.use_git = GetParam();
  EXPECT_EQ(walk_root(all).files.size(), 2u);
}

TEST_P(WalkBoth, ScriptsWithoutAnExtension) {
  dir_.write("run", "#!/usr/bin/env python3\n");
  dir_.write("tool", "#!/bin/sh\npython\n");
  dir_.write("data", "python\n");
  dir_.write("empty", "");
  dir_.write(".hidden", "#!/usr/bin/python\n");
  dir_.write("run.txt", "#!/usr/bin/python\n");
  EXPECT_EQ(paths(walk_root(options())), (Paths{".hidden", "run"}));
}

TEST_P(WalkBoth, IgnoreFilesHold) {
  dir_.write(".gitignore", "*.gen.py\n/out/\n");
  dir_.write("a/.gitignore", "x.py\n!keep.gen.py\n");
  for (const char* name : {"a.py", "b.gen.py", "out/c.py", "a/x.py", "a/keep.gen.py", "a/out/d.py", "b/x.py"}) {
    dir_.write(name, "");
  }
  EXPECT_EQ(paths(walk_root(options())), (Paths{"a.py", "a/keep.gen.py", "a/out/d.py", "b/x.py"}));
}

TEST_P(WalkBoth, LinksAndSpecialFilesAreNoFiles) {
  dir_.write("d/a.py", "");
  std::filesystem::create_symlink("d/a.py", dir_ / "link.py");
  std::filesystem::create_directory_symlink("d", dir_ / "e");
  std::filesystem::create_symlink("nowhere", dir_ / "dangling.py");
  ASSERT_EQ(mkfifo((dir_ / "fifo.py").c_str(), 0600), 0);
  std::filesystem::create_directory(dir_ / "folder.py");
  EXPECT_EQ(paths(walk_root(options())), (Paths{"d/a.py"}));
}

TEST_P(WalkBoth, VendoredAndGeneratedAreCounted) {
  for (const char* name :
       {"a.py", "third_party/x/b.py", "third_party/README", "src/vendored/c.py", "node_modules/m/d.py", "x_pb2.py",
        "x_pb2_grpc.py", "myenv/lib/e.py", "myenv/pyvenv.cfg", "envs/f.py", ".venv/g.py", "external/h.py"}) {
    dir_.write(name, "");
  }
  WalkOptions with = options();
  const Walk without = walk_root(with);
  EXPECT_EQ(paths(without), (Paths{"a.py", "envs/f.py", "external/h.py"}));
  EXPECT_EQ(without.left_out, 7u);
  with.vendored = true;
  EXPECT_EQ(walk_root(with).files.size(), 10u);
  EXPECT_EQ(walk_root(with).left_out, 0u);
}

TEST_P(WalkBoth, AVendoredPathIsWalkedWhenGiven) {
  dir_.write("third_party/x/b.py", "");
  EXPECT_EQ(paths(walk(dir_ / "third_party", options())), (Paths{"x/b.py"}));
}

TEST_P(WalkBoth, BuildOutputIsLeftOutBesideItsRecipe) {
  for (const char* name : {"setup.py", "build/lib/a.py", "dist/b.py", "pkg/build/c.py", "tool/pyproject.toml",
                           "tool/build/__init__.py", "tool/dist/d.py"}) {
    dir_.write(name, "");
  }
  const Walk result = walk_root(options());
  EXPECT_EQ(paths(result), (Paths{"pkg/build/c.py", "setup.py", "tool/build/__init__.py"}));
  EXPECT_EQ(result.left_out, 3u);
}

TEST_P(WalkBoth, IncludeAndExclude) {
  for (const char* name : {"a.py", "src/b.py", "src/gen/c.py", "docs/d.py", "docs/src/e.py"}) dir_.write(name, "");
  WalkOptions some = options();
  some.exclude = {"gen/", "./docs/*.py"};
  EXPECT_EQ(paths(walk_root(some)), (Paths{"a.py", "docs/src/e.py", "src/b.py"}));
  some.include = {"/src/**"};
  EXPECT_EQ(paths(walk_root(some)), (Paths{"src/b.py"}));
  some.include = {"src"};
  EXPECT_EQ(paths(walk_root(some)), (Paths{"docs/src/e.py", "src/b.py"}));
  some.globs_from = dir_.path();
  some.include = {"/src"};
  EXPECT_EQ(paths(walk(dir_ / "src", some)), (Paths{"b.py"}));
  EXPECT_EQ(paths(walk(dir_ / "src/b.py", some)), (Paths{"b.py"}));
  EXPECT_EQ(paths(walk(dir_ / "src/gen/c.py", some)), (Paths{}));
}

TEST_P(WalkBoth, ASubfolderOfTheTree) {
  dir_.write(".gitignore", "/a/x.py\n*.gen.py\n");
  for (const char* name : {"a/x.py", "a/y.py", "a/b/z.py", "a/b/x.gen.py", "c.py"}) dir_.write(name, "");
  // Without git the rules above a folder hold where a work tree is around it.
  if (!GetParam()) std::filesystem::create_directory(dir_ / ".git");
  const Walk result = walk(dir_ / "a//", options());
  EXPECT_EQ(paths(result), (Paths{"b/z.py", "y.py"}));
  EXPECT_EQ(result.root, dir_ / "a");
}

TEST_P(WalkBoth, AnIgnoredFolderIsWalkedWhenGiven) {
  if (!GetParam()) std::filesystem::create_directory(dir_ / ".git");
  dir_.write(".gitignore", "out/\n*.py\n");
  dir_.write("out/a.py", "");
  dir_.write("out/sub/b.py", "");
  EXPECT_EQ(paths(walk(dir_ / "out", options())), (Paths{"a.py", "sub/b.py"}));
  EXPECT_EQ(paths(walk(dir_ / "out/sub", options())), (Paths{"b.py"}));
}

TEST_P(WalkBoth, AnEmptyFolder) { EXPECT_TRUE(walk_root(options()).files.empty()); }

TEST_P(WalkBoth, UnreadableFoldersAreNamed) {
  dir_.write("a.py", "");
  dir_.write("locked/b.py", "");
  ASSERT_EQ(chmod((dir_ / "locked").c_str(), 0), 0);
  if (access((dir_ / "locked").c_str(), R_OK) == 0) GTEST_SKIP() << "permission bits do not bind this user";
  const Walk result = walk_root(options());
  ASSERT_EQ(chmod((dir_ / "locked").c_str(), 0700), 0);
  EXPECT_EQ(paths(result), (Paths{"a.py"}));
  EXPECT_EQ(result.unreadable, (std::vector<std::pair<std::string, std::string>>{{"locked", "Permission denied"}}));
}

TEST(Walk, AFileIsAWalkOfOne) {
  const TempDir dir;
  dir.write("third_party/x_pb2.txt", "");
  const Walk result = walk(dir / "third_party/x_pb2.txt", python_only());
  EXPECT_EQ(result.root, dir / "third_party");
  EXPECT_EQ(paths(result), (Paths{"x_pb2.txt"}));
  EXPECT_EQ(result.files[0].absolute, dir / "third_party/x_pb2.txt");
}

TEST(Walk, RefusesWhatIsNotThere) {
  EXPECT_EQ(error_of("no/such"), "no/such: no such file or folder; give a file or folder that exists");
  EXPECT_EQ(error_of("/dev/null"), "/dev/null: is neither a file nor a folder; give a file or folder");
  const TempDir dir;
  dir.write("a", "");
  EXPECT_EQ(error_of(dir / "a/b"), dir / "a/b: no such file or folder; give a file or folder that exists");
}

TEST(WalkGit, TrackedFilesAreTakenEvenWhereIgnoredButNotWhereDeleted) {
  const TempDir dir;
  if (!dir.init_git()) GTEST_SKIP() << "git is missing";
  for (const char* name : {"a.py", "gone.py", "ignored.py", "setup.py", "build/kept.py"}) dir.write(name, "");
  ASSERT_TRUE(git_commit_all(dir));
  dir.write(".gitignore", "ignored*.py\n");
  dir.write("ignored2.py", "");
  dir.write("build/output.py", "");
  std::filesystem::remove(dir / "gone.py");
  const Walk result = walk(dir.path(), python_only());
  EXPECT_EQ(paths(result), (Paths{"a.py", "build/kept.py", "ignored.py", "setup.py"}));
  EXPECT_EQ(result.left_out, 1u);
}

TEST(WalkGit, UnmergedFilesAreTakenOnce) {
  const TempDir dir;
  if (!dir.init_git()) GTEST_SKIP() << "git is missing";
  dir.write("a.py", "1\n");
  ASSERT_TRUE(git_commit_all(dir));
  ASSERT_TRUE(
      dir.run("git checkout -q -b other && echo 2 > a.py && git commit -qam x && git checkout -q - && "
              "echo 3 > a.py && git commit -qam x && ! git merge other"));
  EXPECT_EQ(paths(walk(dir.path(), python_only())), (Paths{"a.py"}));
}

TEST(WalkGit, RepositoriesWithin) {
  const TempDir dir;
  if (!dir.init_git()) GTEST_SKIP() << "git is missing";
  dir.write("a.py", "");
  dir.write("nested/b.py", "");
  dir.write("nested/.gitignore", "no.py\n");
  dir.write("nested/no.py", "");
  dir.write("module/c.py", "");
  dir.write("module/d.txt", "");
  const std::string commit = " && git init -q . && git add -A && git -c user.name=a -c user.email=a@b.c commit -qm x";
  ASSERT_TRUE(dir.run("cd nested" + commit) && dir.run("cd module" + commit));
  ASSERT_TRUE(dir.run("git add a.py && git -c advice.addEmbeddedRepo=false add module && git commit -q -m x"));
  WalkOptions options = python_only();
  EXPECT_EQ(paths(walk(dir.path(), options)), (Paths{"a.py", "nested/b.py"}));
  EXPECT_EQ(walk(dir.path(), options).left_out, 1u);
  options.vendored = true;
  EXPECT_EQ(paths(walk(dir.path(), options)), (Paths{"a.py", "module/c.py", "nested/b.py"}));
}

TEST(WalkGit, TheEnvironmentAndTheConfigurationHaveNoSay) {
  const TempDir dir;
  if (!dir.init_git()) GTEST_SKIP() << "git is missing";
  const TempDir other;
  ASSERT_TRUE(other.init_git());
  dir.write("a.py", "");
  ASSERT_TRUE(git_commit_all(dir));
  dir.write(".git/hook", "#!/bin/sh\ntouch '" + dir / "ran" + "'\n");
  ASSERT_TRUE(dir.run("chmod +x .git/hook && git config core.fsmonitor .git/hook && rm -f ran"));
  setenv("GIT_DIR", (other / ".git").c_str(), 1);
  const Walk result = walk(dir.path(), python_only());
  unsetenv("GIT_DIR");
  EXPECT_EQ(paths(result), (Paths{"a.py"}));
  EXPECT_FALSE(std::filesystem::exists(dir / "ran"));
}

TEST(WalkGit, AnIndexThatGitCannotReadIsNoObstacle) {
  const TempDir dir;
  if (!dir.init_git()) GTEST_SKIP() << "git is missing";
  dir.write("a.py", "");
  dir.write(".git/index", "broken");
  EXPECT_EQ(paths(walk(dir.path(), python_only())), (Paths{"a.py"}));
}

TEST(WalkGit, WithoutGitOnThePath) {
  const TempDir dir;
  dir.write("a.py", "");
  const std::string path = std::getenv("PATH");
  setenv("PATH", dir.path().c_str(), 1);
  const Walk result = walk(dir.path(), python_only());
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(paths(result), (Paths{"a.py"}));
}

TEST(WalkGit, BothListingsAgreeOnARandomTree) {
  const TempDir dir;
  if (!dir.init_git()) GTEST_SKIP() << "git is missing";
  std::mt19937 random(4);
  const auto name = [&] { return std::string(1, static_cast<char>('a' + random() % 6)); };
  for (int i = 0; i < 400; ++i) {
    std::string folder;
    for (unsigned depth = random() % 4; depth > 0; --depth) folder += name() + "/";
    if (random() % 8 == 0) {
      static const char* const kRules[] = {"*\n", "a*\n", "!c.py\n", "/b/\n", "d/**\n", "**/e\n", "f/[ab].py\n"};
      std::string rules;
      for (unsigned lines = 1 + random() % 3; lines > 0; --lines) rules += kRules[random() % std::size(kRules)];
      dir.write(folder + ".gitignore", rules);
    }
    dir.write(folder + name() + ".py", "");
  }
  for (const char* folder : {"", "a", "b/c", "d", "e"}) {
    if (!std::filesystem::exists(dir / folder)) continue;
    EXPECT_EQ(paths(walk(dir / folder, python_only(true))), paths(walk(dir / folder, python_only(false)))) << folder;
  }
}

TEST(RunGit, ReadsLargeOutputAndErrorsAtOnce) {
  const TempDir dir;
  dir.write("git",
            "#!/bin/sh\ni=0\nwhile [ $i -lt 20000 ]; do echo outoutoutout; echo errerrerrerr >&2; i=$((i+1)); "
            "done\nexit 3\n");
  ASSERT_TRUE(dir.run("chmod +x git"));
  const std::string path = std::getenv("PATH");
  setenv("PATH", (dir.path() + ":" + path).c_str(), 1);
  std::size_t size = 0;
  const ChildResult result = run_git(".", {}, [&](std::string_view piece) { size += piece.size(); });
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(size, 260000u);
  EXPECT_EQ(result.errors.size(), 260000u);
}

TEST(LooksGenerated, ByNameOrLeadingComment) {
  EXPECT_TRUE(looks_generated("a/x_pb2.py", ""));
  EXPECT_TRUE(looks_generated("x_pb2_grpc.py", ""));
  EXPECT_FALSE(looks_generated("pb2.py", ""));
  EXPECT_TRUE(looks_generated("a.py", "# -*- coding: utf-8 -*-\n# Generated by x.  DO NOT EDIT!\n"));
  EXPECT_TRUE(looks_generated("a.cu", "/*\r\n * @generated\r\n */\r\n"));
  EXPECT_TRUE(looks_generated("a.py", "\xef\xbb\xbf# @generated"));
  EXPECT_FALSE(looks_generated("a.py", "x = '# DO NOT EDIT'\n"));
  EXPECT_FALSE(looks_generated("a.py", "1\n2\n3\n4\n5\n# DO NOT EDIT\n"));
  EXPECT_FALSE(looks_generated("a.py", ""));
}

}  // namespace
}  // namespace torchport
