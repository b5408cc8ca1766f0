// What a target does with overloads as exported programs hold them.
#include <gtest/gtest.h>

#include "opdb/overloads.h"
#include "opdb/sorted_table.h"

namespace torchport {
namespace {

std::string on(std::string_view op, Target target) {
  const Served found = served(op, target);
  std::string text(name_of(found.support));
  for (const std::string& lacking : found.lacking) text += " " + lacking;
  return text;
}

TEST(Overloads, AreTakenApartAsPyTorchDoes) {
  EXPECT_EQ(on("aten::add.Tensor", Target::Tpu), "native");
  EXPECT_EQ(on("aten::linear", Target::Neuron), "native");
  EXPECT_EQ(on("aten::conv2d", Target::Tpu), "native");
  EXPECT_EQ(on("aten::upsample_trilinear3d.vec", Target::Tpu), "unsupported aten::upsample_trilinear3d");
  EXPECT_EQ(on("aten::upsample_trilinear3d.vec", Target::Mps), "native");
  EXPECT_EQ(on("aten::batch_norm", Target::Neuron), "fallback aten::native_batch_norm");
}

TEST(Overloads, WhereTheDeviceHasAPartTheMeasuredCallAnswers) {
  EXPECT_EQ(on("aten::scaled_dot_product_attention", Target::Neuron), "native");
  EXPECT_EQ(on("aten::lstm.input", Target::Neuron), "unsupported aten::_thnn_fused_lstm_cell");
}

TEST(Overloads, WhatIsNotKnownIsUnknown) {
  EXPECT_EQ(on("own::scale", Target::Npu), "unknown own::scale");
  EXPECT_EQ(on("aten::no_such", Target::Cuda), "unknown aten::no_such");
  EXPECT_EQ(on("aten::linear", Target::Cpu), "native");
}

TEST(Overloads, EveryPartOfTheTableExists) {
  for (const TableRow& row : SortedTable(embedded_table("composites.tsv")).rows()) {
    EXPECT_TRUE(coverage().known(row.cells[0])) << row.cells[0];
    if (row.cells[1].starts_with('@')) continue;
    std::string_view parts = row.cells[1];
    while (!parts.empty()) {
      const std::size_t blank = std::min(parts.find(' '), parts.size());
      EXPECT_TRUE(coverage().known(parts.substr(0, blank))) << row.cells[0] << ": " << parts.substr(0, blank);
      parts.remove_prefix(std::min(blank + 1, parts.size()));
    }
  }
}

}  // namespace
}  // namespace torchport
