#include "reports/effort.h"

#include <gtest/gtest.h>

#include <set>

#include "analyzers/error.h"
#include "reports/report.h"
#include "reports/treemap.h"

namespace torchport {
namespace {

Rule rule(std::string family, std::string name, Effort effort) {
  Rule made;
  made.family = std::move(family);
  made.name = std::move(name);
  made.effort = effort;
  return made;
}

std::string class_id(const Rule& of, std::optional<Applicability> fix = {}) {
  const EffortTable table = built_in_effort_table();
  Finding finding;
  finding.rule = &of;
  if (fix) finding.fix = Fix{*fix, "", {{{0, 1}, "x"}}};
  return table.classes[class_of(table, finding, true)].id;
}

TEST(EffortTable, TheOneBuiltInIsWellFormed) {
  const EffortTable table = built_in_effort_table();
  std::set<std::string> ids;
  for (const EffortClass& one : table.classes) {
    EXPECT_TRUE(ids.insert(one.id).second) << one.id;
    EXPECT_FALSE(one.what.empty());
    EXPECT_LE(one.hours.low, one.hours.likely);
    EXPECT_LE(one.hours.likely, one.hours.high);
  }
  EXPECT_FALSE(table.not_counted.empty());
}

TEST(EffortTable, EveryFindingHasAClass) {
  EXPECT_EQ(class_id(rule("device", "cuda-method", Effort::Trivial), Applicability::Safe), "fix-safe");
  EXPECT_EQ(class_id(rule("device", "cuda-method", Effort::Trivial), Applicability::Review), "fix-review");
  EXPECT_EQ(class_id(rule("device", "cuda-method", Effort::Trivial), Applicability::Manual), "manual-trivial");
  EXPECT_EQ(class_id(rule("kernel", "triton-kernel", Effort::Large)), "triton-kernel");
  EXPECT_EQ(class_id(rule("kernel", "wmma", Effort::Redesign)), "kernel-redesign");
  EXPECT_EQ(class_id(rule("library", "cupy-import", Effort::Medium)), "library");
  const EffortTable table = built_in_effort_table();
  for (const char* family : {"device", "cuda-api", "amp", "distributed", "kernel", "library", "op", "shape", "sparse",
                             "autograd", "numeric", "compile", "build", "config"}) {
    for (const Effort effort : {Effort::Trivial, Effort::Small, Effort::Medium, Effort::Large, Effort::Redesign}) {
      const std::string id = class_id(rule(family, "x", effort));
      EXPECT_NE(id, "fix-safe") << family << " " << name_of(effort) << " fits no class and fell to the first";
    }
  }
}

TEST(EffortTable, FaultsNameFileAndLine) {
  const auto complaint = [](const char* text) -> std::string {
    try {
      read_effort_table(text, "e.yaml");
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  const std::string phases = "phases: [{id: a, title: t, unblocks: u}]\nnot_counted: []\nclasses:\n";
  EXPECT_EQ(complaint((phases + "  - {id: x, phase: a, hours: [1, 2, 3], what: w}\n").c_str()), "none");
  EXPECT_NE(complaint((phases + "  - {id: x, phase: a, hours: [3, 2, 1], what: w}\n").c_str())
                .find("e.yaml:4: \"hours\" must rise"),
            std::string::npos);
  EXPECT_NE(complaint((phases + "  - {id: x, phase: b, hours: [1, 2, 3], what: w}\n").c_str()).find("no phase \"b\""),
            std::string::npos);
  EXPECT_NE(
      complaint((phases + "  - {id: x, phase: a, hour: [1, 2, 3], what: w}\n").c_str()).find("unknown key \"hour\""),
      std::string::npos);
  EXPECT_NE(complaint("classes: []\n").find("needs \"phases\""), std::string::npos);
}

TEST(Treemap, AreasAreTheWeightsAndLieWithin) {
  const std::vector<TreemapFile> files = {
      {"top/a/x.py", 40}, {"top/a/y.py", 10}, {"top/b.py", 30}, {"top/c/d/e.py", 20}, {"top/none.py", 0}};
  double area = 0;
  std::size_t leaves = 0;
  for (const TreemapBox& box : treemap(files, 1000, 400)) {
    EXPECT_GE(box.x, 0);
    EXPECT_GE(box.y, 0);
    EXPECT_LE(box.x + box.width, 1000.001);
    EXPECT_LE(box.y + box.height, 400.001);
    if (box.depth == 0) area += box.width * box.height;
    leaves += box.file >= 0 ? 1 : 0;
    if (box.path == "top/b.py") {
      EXPECT_NEAR(box.width * box.height, 0.3 * 400000, 1);
    }
    if (box.path == "top/c/d/e.py") {
      EXPECT_EQ(box.name, "c/d/e.py");
    }
  }
  EXPECT_EQ(leaves, 4U);
  EXPECT_NEAR(area, 400000, 1);
  EXPECT_TRUE(treemap({}, 10, 10).empty());
}

}  // namespace
}  // namespace torchport
