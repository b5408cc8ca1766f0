#include "cli/options.h"

#include <gtest/gtest.h>

#include "analyzers/error.h"
#include "cli/nearest.h"

namespace torchport {
namespace {

Options options(std::vector<const char*> words) {
  words.insert(words.begin(), "torchport");
  return std::get<Options>(parse_options(static_cast<int>(words.size()), words.data()));
}

std::string complaint(std::vector<const char*> words) {
  try {
    options(std::move(words));
  } catch (const Error& error) {
    return error.what();
  }
  return "no complaint";
}

using Words = std::vector<std::string>;

TEST(Options, FlagsStandBeforeAndBehindPaths) {
  for (const auto& parsed :
       {options({"scan", "--target", "xpu,mps", "a", "b"}), options({"scan", "a", "--target=xpu,mps", "b"}),
        options({"scan", "a", "b", "--target", "xpu", "--target", "mps"})}) {
    EXPECT_EQ(parsed.command, Command::Scan);
    EXPECT_EQ(parsed.paths, (Words{"a", "b"}));
    EXPECT_EQ(parsed.targets, (Words{"xpu", "mps"}));
  }
}

TEST(Options, PathsBehindTwoDashesMayBeginWithOne) {
  EXPECT_EQ(options({"scan", "--", "-a.py"}).paths, Words{"-a.py"});
}

TEST(Options, FixHasItsOwnFlags) {
  const Options parsed = options({"fix", "--check", "--unsafe", "--diff", "--jobs", "3", "--min-torch", "2.6"});
  EXPECT_TRUE(parsed.check && parsed.unsafe && parsed.diff);
  EXPECT_EQ(parsed.jobs, 3U);
  EXPECT_EQ(parsed.min_torch, "2.6");
  EXPECT_NE(complaint({"scan", "--check"}), "no complaint");
}

TEST(Options, GateHasItsOwnFlags) {
  const Options parsed = options({"gate", "--fail-on", "tpu:degrades,kernel:blocks", "--baseline", "b.json", "--since", "HEAD~1", "--format", "junit"});
  EXPECT_EQ(parsed.command, Command::Gate);
  EXPECT_EQ(parsed.fail_on, (Words{"tpu:degrades", "kernel:blocks"}));
  EXPECT_EQ(parsed.baseline, "b.json");
  EXPECT_EQ(parsed.since, "HEAD~1");
  const Options writing = options({"gate", "--baseline", "b.json", "--write-baseline", "--accept-new"});
  EXPECT_TRUE(writing.write_baseline && writing.accept_new);
  EXPECT_NE(complaint({"gate", "--write-baseline"}).find("needs --baseline"), std::string::npos);
  EXPECT_NE(complaint({"gate", "--baseline", "b", "--accept-new"}).find("needs --write-baseline"), std::string::npos);
  EXPECT_NE(complaint({"gate", "--baseline", "b", "--write-baseline", "--since", "HEAD"}).find("no --since"), std::string::npos);
}

TEST(Options, ReportIsAPageUnlessAskedOtherwise) {
  EXPECT_EQ(options({"report", "src"}).format, "html");
  EXPECT_EQ(options({"report", "--format", "markdown"}).format, "markdown");
  EXPECT_TRUE(options({"report", "--compare", "a.json", "b.json"}).compare);
  EXPECT_NE(complaint({"report", "--format", "text"}).find("known are html, json or markdown"), std::string::npos);
}

TEST(Options, HelpAndVersionAreTexts) {
  const char* help[] = {"torchport", "fix", "--help"};
  EXPECT_NE(std::get<std::string>(parse_options(3, help)).find("--unsafe"), std::string::npos);
  const char* version[] = {"torchport", "--version"};
  EXPECT_TRUE(std::get<std::string>(parse_options(2, version)).starts_with("torchport "));
}

TEST(Options, ComplaintsNameTheWordAndWhatWasMeant) {
  EXPECT_EQ(complaint({"scna"}), "unknown command \"scna\", did you mean \"scan\"? See torchport --help");
  EXPECT_EQ(complaint({"fix", "--unsfe"}), "unknown flag \"--unsfe\", did you mean --unsafe? See torchport fix --help");
  EXPECT_NE(complaint({}).find("no command given"), std::string::npos);
  EXPECT_NE(complaint({"scan", "--target", "neurn"}).find("did you mean \"neuron\"?; known are neuron, tpu"),
            std::string::npos);
  EXPECT_NE(complaint({"scan", "--format", "jsn"}).find("did you mean \"json\""), std::string::npos);
  EXPECT_NE(complaint({"rules", "--format", "sarif"}).find("known are text or json"), std::string::npos);
  EXPECT_NE(complaint({"scan", "--jobs", "many"}).find("--jobs"), std::string::npos);
  EXPECT_NE(complaint({"scan", "--stdin", "a.py"}).find("--stdin-path"), std::string::npos);
  EXPECT_NE(complaint({"scan", "--stdin-path", "a.py"}).find("needs --stdin"), std::string::npos);
}

TEST(Options, TorchVersions) {
  EXPECT_EQ(torch_version("2.6"), 206U);
  EXPECT_EQ(torch_version("2.13.1"), 213U);
  EXPECT_EQ(torch_version("2"), 200U);
  for (const char* text : {"", "two", "2.", "2.x", ".6", "2.6.1.0", "-2", "2.600", "2.6+cu121"})
    EXPECT_FALSE(torch_version(text)) << text;
  EXPECT_EQ(torch_text(213), "2.13");
}

TEST(Nearest, FewEditsOnly) {
  EXPECT_EQ(nearest("exlude", {"include", "exclude"}), "exclude");
  EXPECT_EQ(nearest("TP12", {"TP101", "TP102"}), "TP102");
  EXPECT_EQ(nearest("cuda-sync", {"cuda-method", "cuda-synchronize"}), "cuda-synchronize");
  EXPECT_EQ(nearest("banana", {"include", "exclude"}), "");
  EXPECT_EQ(nearest("", {"include"}), "");
}

}  // namespace
}  // namespace torchport
