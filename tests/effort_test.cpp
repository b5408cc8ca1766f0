#include "reports/effort.h"

#include <gtest/gtest.h>

#include <set>

#include "analyzers/error.h"
#include "reports/report.h"
#include "reports/treemap.h"
#include "rules/catalogue.h"

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
  EXPECT_EQ(class_id(rule("kernel", "cuda-source-built-at-run-time", Effort::Large)), "kernel");
  EXPECT_EQ(class_id(rule("kernel", "native-operator", Effort::Large)), "native-call");
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

std::string kernel_class(std::vector<std::string> features, bool is_template = false) {
  const EffortTable table = built_in_effort_table();
  const Rule of = rule("kernel", "cuda-kernel", Effort::Large);
  Finding finding;
  finding.rule = &of;
  finding.kernel.emplace();
  finding.kernel->features = std::move(features);
  finding.kernel->is_template = is_template;
  return table.classes[class_of(table, finding, true)].id;
}

TEST(EffortTable, AKernelIsOfTheHardestThingItShows) {
  EXPECT_EQ(kernel_class({}), "kernel-plain");
  EXPECT_EQ(kernel_class({"half"}), "kernel-plain");
  EXPECT_EQ(kernel_class({}, true), "kernel-template");
  EXPECT_EQ(kernel_class({"shared-memory"}, true), "kernel-shared-memory");
  EXPECT_EQ(kernel_class({"shared-memory", "atomics"}), "kernel-atomics");
  EXPECT_EQ(kernel_class({"shared-memory", "warp-shuffle", "atomics"}), "kernel-warp");
  EXPECT_EQ(kernel_class({"warp-shuffle", "tensor-cores"}), "kernel-tensor-cores");
  EXPECT_EQ(kernel_class({"tensor-cores", "inline-ptx"}), "kernel-ptx");
}

TEST(EffortTable, FeaturesAreThoseOfTheRules) {
  std::set<std::string> known = {"template"};
  for (const KernelFeature& feature : built_in_catalogue().kernels.features) known.insert(feature.name);
  for (const EffortClass& one : built_in_effort_table().classes) {
    for (const std::string& feature : one.features) EXPECT_TRUE(known.contains(feature)) << one.id << ": " << feature;
  }
}

// The likely hours of a project that is one kernel of so many lines, without the comparison of results.
double kernel_hours(std::uint32_t lines) {
  const Rule of = rule("kernel", "cuda-kernel", Effort::Large);
  Report report;
  report.targets = {Target::Tpu};
  report.files.emplace_back().path = "k.cu";
  Finding finding;
  finding.rule = &of;
  finding.impact[static_cast<std::size_t>(Target::Tpu)] = Impact::Blocks;
  finding.kernel.emplace();
  finding.kernel->lines = lines;
  report.findings.push_back(finding);
  report.locations.emplace_back();
  const EffortEstimate effort = estimate(report, built_in_effort_table());
  double hours = 0;
  for (const ClassEffort& one : effort.targets[static_cast<std::size_t>(Target::Tpu)][0].classes) {
    if (effort.table.classes[one.index].each == Each::Finding) hours += one.hours.likely;
  }
  return hours;
}

TEST(EffortTable, LongerKernelsTakeMore) {
  const EffortTable table = built_in_effort_table();
  ASSERT_GE(table.sizes.size(), 2U);
  double before = 0;
  for (const EffortSize& size : table.sizes) {
    const double hours = kernel_hours(size.up_to);
    EXPECT_GT(hours, before);
    before = hours;
  }
  EXPECT_EQ(kernel_hours(table.sizes[0].up_to + 1), kernel_hours(table.sizes[1].up_to));
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
  EXPECT_NE(complaint((phases + "  - {id: x, phase: a, hours: [1, 2, 3], what: w}\nsizes:\n  - {up_to: 9, times: 1}\n  - {up_to: 8, times: 2}\n").c_str())
                .find("e.yaml:7: \"sizes\" must rise"),
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
