#include "cli/config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "analyzers/error.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

std::string complaint(std::string_view text) {
  try {
    parse_config(text, "torchport.yaml");
  } catch (const Error& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(Config, EveryKeyWithItsLine) {
  const Config config = parse_config(
      "targets: [neuron, xpu]\n"
      "include: ['src/**']\n"
      "exclude:\n"
      "  - third_party/\n"
      "  - '*_pb2.py'\n"
      "rules:\n"
      "  disable: [TP102]\n"
      "  only: device\n"
      "allow:\n"
      "  - path: tests/\n"
      "    rules: [TP101, cuda-method]\n"
      "    why: these test CUDA\n"
      "min_torch: 2.10\n"
      "jobs: 4\n"
      "vendored: true\n",
      "torchport.yaml");
  ASSERT_EQ(config.targets.size(), 2U);
  EXPECT_EQ(config.targets[1].text, "xpu");
  EXPECT_EQ(config.exclude[1].text, "*_pb2.py");
  EXPECT_EQ(config.exclude[1].line, 5U);
  EXPECT_EQ(config.disable[0].text, "TP102");
  EXPECT_EQ(config.only[0].line, 8U);
  ASSERT_EQ(config.allow.size(), 1U);
  EXPECT_EQ(config.allow[0].path, "tests/");
  EXPECT_EQ(config.allow[0].rules[1].text, "cuda-method");
  EXPECT_EQ(config.allow[0].why, "these test CUDA");
  EXPECT_EQ(config.allow[0].line, 10U);
  EXPECT_EQ(config.min_torch->text, "2.10");
  EXPECT_EQ(config.jobs->text, "4");
  EXPECT_EQ(config.vendored->text, "true");
}

TEST(Config, EmptyIsNoConfig) {
  EXPECT_TRUE(parse_config("", "torchport.yaml").targets.empty());
  EXPECT_TRUE(parse_config("# nothing\n", "torchport.yaml").targets.empty());
}

TEST(Config, ComplaintsNameLineAndNearestKey) {
  EXPECT_EQ(complaint("targets: [tpu]\nexlude: []\n"),
            "torchport.yaml:2: unknown key \"exlude\"; did you mean \"exclude\"");
  EXPECT_EQ(complaint("rules:\n  disabled: []\n"),
            "torchport.yaml:2: unknown key \"disabled\"; did you mean \"disable\"");
  EXPECT_NE(complaint("zzz: 1\n").find("known are targets"), std::string::npos);
  EXPECT_EQ(complaint("targets: [tpu]\ntargets: [xpu]\n"), "torchport.yaml:2: key \"targets\" stands twice");
}

TEST(Config, ComplaintsAboutTypesNameTheLine) {
  EXPECT_EQ(complaint("\ntargets: {tpu: 1}\n"), "torchport.yaml:2: \"targets\" must be a list of words");
  EXPECT_EQ(complaint("exclude:\n  - a\n  - [b]\n"), "torchport.yaml:3: \"exclude\" must be a list of words");
  EXPECT_EQ(complaint("jobs: many\n"), "torchport.yaml:1: \"jobs\" must be a whole number");
  EXPECT_EQ(complaint("jobs: 99999999999\n"), "torchport.yaml:1: \"jobs\" must be a whole number");
  EXPECT_EQ(complaint("vendored: yes\n"), "torchport.yaml:1: \"vendored\" must be true or false");
  EXPECT_EQ(complaint("min_torch: [2.6]\n"), "torchport.yaml:1: \"min_torch\" must be one word");
  EXPECT_EQ(complaint("allow:\n  - rules: [TP101]\n"), "torchport.yaml:2: an entry of \"allow\" needs a path");
  EXPECT_EQ(complaint("- a\n"), "torchport.yaml:1: torchport.yaml must be a map of keys and values");
  EXPECT_NE(complaint("a: [\n").find("torchport.yaml:2: not valid YAML"), std::string::npos) << complaint("a: [\n");
}

class FindConfig : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "torchport-config-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = fs::canonical(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& path) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << "\n";
  }
  std::string found(const std::string& root) const { return find_config((folder_ / root).string()).value_or("none"); }
  std::string at(const std::string& path) const { return (folder_ / path).string(); }

  fs::path folder_;
};

TEST_F(FindConfig, NearestWinsUpToTheTopOfTheWorkTree) {
  put("torchport.yaml");
  put("repo/.git/HEAD");
  put("repo/a/b/x.py");
  EXPECT_EQ(found("repo/a/b"), "none");
  put("repo/torchport.yaml");
  EXPECT_EQ(found("repo/a/b"), at("repo/torchport.yaml"));
  EXPECT_EQ(found("repo/a/b/x.py"), at("repo/torchport.yaml"));
  put("repo/a/torchport.yaml");
  EXPECT_EQ(found("repo/a/b"), at("repo/a/torchport.yaml"));
  EXPECT_EQ(found("repo"), at("repo/torchport.yaml"));
}

TEST_F(FindConfig, OutsideOfAWorkTreeOnlyTheRootCounts) {
  put("torchport.yaml");
  put("a/x.py");
  EXPECT_EQ(found("a"), "none");
  EXPECT_EQ(found("."), at("torchport.yaml"));
}

TEST_F(FindConfig, LoadingRemembersTheFolder) {
  put("a/torchport.yaml");
  EXPECT_EQ(load_config(at("a/torchport.yaml")).folder, at("a"));
  EXPECT_THROW(load_config(at("a")), Error);
}

}  // namespace
}  // namespace torchport
