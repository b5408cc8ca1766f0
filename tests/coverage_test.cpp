// What the op database answers, against its own tables read in the plainest way.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "opdb/apis.h"
#include "opdb/coverage.h"
#include "analyzers/error.h"

namespace torchport {
namespace {

using Rows = std::map<std::string_view, TableRow>;

const Rows& rows_of(const std::string& table) {
  static std::map<std::string, Rows> read;
  Rows& rows = read[table];
  if (rows.empty()) {
    for (const TableRow& row : SortedTable(embedded_table(table)).rows()) rows[row.cells[0]] = row;
  }
  return rows;
}

std::set<std::string_view> words(std::string_view list) {
  std::set<std::string_view> out;
  while (!list.empty()) {
    out.insert(list.substr(0, list.find(',')));
    list.remove_prefix(std::min(list.find(','), list.size() - 1) + 1);
  }
  return out;
}

bool has_composite(const std::set<std::string_view>& keys) {
  const auto it = keys.lower_bound("Composite");
  return it != keys.end() && it->starts_with("Composite");
}

// The rules of opdb/README.md, written down a second time.
Support plain(std::string_view op, Target target) {
  const auto keys = words(rows_of("aten.tsv").at(op).cells[1]);
  const std::map<Target, std::string_view> in_tree = {{Target::Mps, "MPS"}, {Target::Cuda, "CUDA"}, {Target::Rocm, "CUDA"}, {Target::Cpu, "CPU"}};
  if (const auto key = in_tree.find(target); key != in_tree.end()) {
    if (keys.contains(key->second)) return Support::Native;
    if (has_composite(keys)) return Support::Composite;
    const bool elsewhere = std::any_of(keys.begin(), keys.end(), [&](std::string_view k) { return k.ends_with(key->second); });
    return elsewhere ? Support::Native : Support::Unsupported;
  }
  const std::map<std::string_view, Support> statuses = {{"native", Support::Native}, {"native_via_out", Support::Native}, {"composite", Support::Composite},
                                                        {"cpu_fallback", Support::Fallback}, {"raises", Support::Unsupported}, {"unknown", Support::Unknown}};
  const Rows& own = rows_of(std::string(name_of(target)) + ".tsv");
  if (const auto row = own.find(op); row != own.end() && row->second.cells[1] != "phantom") return statuses.at(row->second.cells[1]);
  const std::string_view through = rows_of("aten.tsv").at(op).cells[2];
  const bool generated = std::none_of(keys.begin(), keys.end(), [](std::string_view k) { return k.starts_with("Composite") && !k.ends_with("NonFunctional"); });
  if (!through.empty() && generated) {
    if (const auto out = own.find(through); out != own.end() && out->second.cells[1] == "native") return Support::Native;
  } else if (has_composite(keys)) {
    return Support::Composite;
  }
  const Support missing = statuses.at(own.at("@missing").cells[1]);
  return missing == Support::Fallback && !keys.contains("CPU") ? Support::Unsupported : missing;
}

TEST(Coverage, EveryOverloadOnEveryTargetIsAsTheTablesSay) {
  const Coverage coverage;
  const auto overloads = coverage.overloads();
  ASSERT_EQ(overloads.size(), 3110u);
  for (const std::string_view op : overloads) {
    for (const Target target : known_targets()) {
      const Answer answer = coverage.answer("aten::" + std::string(op), target);
      ASSERT_EQ(answer.support, plain(op, target)) << op << " on " << name_of(target);
      ASSERT_FALSE(answer.evidence.empty()) << op << " on " << name_of(target);
    }
  }
}

// Counted in the sources: registrations and what torch makes of them.
TEST(Coverage, CountsAreThoseOfTheSources) {
  const Coverage coverage;
  const auto count = [&](Target target) {
    std::array<int, 5> counts{};
    for (const std::string_view op : coverage.overloads()) ++counts[static_cast<std::size_t>(coverage.answer(op, target).support)];
    return counts;
  };
  EXPECT_EQ(count(Target::Neuron), (std::array{456, 1740, 733, 181, 0}));
  EXPECT_EQ(count(Target::Xpu)[1], 1699);
}

TEST(Coverage, IsTotal) {
  const Coverage coverage;
  EXPECT_EQ(coverage.answer("aten::no_such_thing", Target::Neuron).support, Support::Unknown);
  EXPECT_EQ(coverage.answer("", Target::Cpu).support, Support::Unknown);
  EXPECT_EQ(coverage.answer("aten::div", Target::Neuron).support, Support::Unknown) << "registered, but torch has no such overload";
}

TEST(Coverage, AUsersTableTakesThePlaceOfATargets) {
  Coverage coverage;
  coverage.replace("# target: npu\n# source: ours\nop\tstatus\tevidence\tlimits\naten::relu\traises\tseen\t\n@missing\tcpu_fallback\tpolicy\t\nabs\tnative\tours:1\tfloat only\n", "ours.tsv");
  EXPECT_EQ(coverage.answer("aten::abs", Target::Npu).support, Support::Native);
  EXPECT_EQ(coverage.answer("aten::abs", Target::Npu).limits, "float only");
  EXPECT_EQ(coverage.answer("aten::relu", Target::Npu).support, Support::Unsupported);
  EXPECT_EQ(coverage.answer("aten::topk.values", Target::Npu).support, Support::Fallback);
}

TEST(Coverage, AWrongTableIsRefusedWithItsLine) {
  Coverage coverage;
  try {
    coverage.replace("# target: npu\nop\tstatus\tevidence\nabs\tperhaps\t\n", "ours.tsv");
    FAIL() << "taken";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("ours.tsv:3"), std::string::npos) << e.what();
  }
  EXPECT_THROW(coverage.replace("op\tstatus\tevidence\n", "ours.tsv"), Error);
}

TEST(SortedTable, FindsEveryRowAndNoOther) {
  const SortedTable table(embedded_table("aten.tsv"));
  const auto rows = table.rows();
  for (const TableRow& row : rows) {
    const auto found = table.find(row.cells[0]);
    ASSERT_TRUE(found) << row.cells[0];
    ASSERT_EQ(found->line, row.line);
  }
  for (const char* name : {"", "a", "zzz", "add.Tensor\t", "abs.ou"}) EXPECT_FALSE(table.find(name)) << name;
  EXPECT_FALSE(SortedTable("").find("x"));
  EXPECT_TRUE(SortedTable("op\nx").find("x"));
}

Use call(std::string_view symbol) {
  Use use;
  use.kind = UseKind::Call;
  use.symbol = symbol;
  return use;
}

Use with(Use use, std::string_view keyword, std::string_view value) {
  Arg arg;
  arg.keyword = keyword;
  arg.values.push_back({ValueKind::String, value, false, {}});
  use.args.push_back(arg);
  return use;
}

Use positional(Use use, Value value) {
  Arg arg;
  arg.position = 1;
  arg.values.push_back(value);
  use.args.emplace_back();
  use.args.push_back(arg);
  return use;
}

Support on(const Use& use, Target target) {
  const auto found = apis().find(use);
  return found && found->forward ? apis().support(*found->forward, target) : Support::Unknown;
}

TEST(Apis, TheArgumentsDecide) {
  const Use resize = call("torch.nn.functional.interpolate");
  EXPECT_EQ(on(with(resize, "mode", "trilinear"), Target::Tpu), Support::Unsupported);
  EXPECT_EQ(on(with(resize, "mode", "bilinear"), Target::Tpu), Support::Native);
  EXPECT_EQ(on(with(with(resize, "mode", "bilinear"), "antialias", "True"), Target::Tpu), Support::Unsupported);
  EXPECT_EQ(on(resize, Target::Neuron), Support::Fallback) << "nearest is the default";
  Use unknown = resize;
  unknown.args.push_back({});
  unknown.args[0].keyword = "mode";
  EXPECT_EQ(on(unknown, Target::Tpu), Support::Unknown);
}

TEST(Apis, AMaximumIsOfADimensionOfAllOrOfTwo) {
  const Use largest = call("torch.max");
  EXPECT_EQ(on(positional(largest, {ValueKind::Int, "1", false, {}}), Target::Neuron), Support::Native);
  EXPECT_EQ(on(positional(largest, {ValueKind::Instance, "torch.Tensor", false, {}}), Target::Neuron), Support::Fallback);
  EXPECT_EQ(on(positional(largest, {ValueKind::Name, "other.thing", false, {}}), Target::Neuron), Support::Unknown);
  EXPECT_EQ(on(with(largest, "dim", "1"), Target::Neuron), Support::Native);
  EXPECT_EQ(on(with(largest, "other", "torch.Tensor"), Target::Neuron), Support::Fallback);
}

TEST(Apis, AnArgumentThatChangesNothingMayBeUnknown) {
  Use reduce = call("torch.Tensor.scatter_reduce");
  for (std::uint32_t position = 0; position < 3; ++position) {
    reduce.args.emplace_back();
    reduce.args.back().position = position;
  }
  EXPECT_EQ(on(with(reduce, "reduce", "amax"), Target::Neuron), Support::Fallback);
  EXPECT_EQ(on(reduce, Target::Neuron), Support::Fallback) << "all of them by the same kernel";
}

TEST(Apis, WhatPyTorchTakesApartIsJudgedByItsParts) {
  EXPECT_EQ(on(call("torch.linalg.pinv"), Target::Neuron), Support::Fallback) << "by _linalg_svd and maximum";
  EXPECT_EQ(on(with(call("torch.norm"), "p", "nuc"), Target::Neuron), Support::Fallback);
  EXPECT_EQ(on(call("torch.norm"), Target::Neuron), Support::Native);
  EXPECT_EQ(on(with(call("torch.round"), "decimals", "2"), Target::Tpu), Support::Native);
}

TEST(Apis, OneOperatorByManyNames) {
  for (const char* name : {"torch.softmax", "torch.Tensor.softmax", "torch.nn.functional.softmax"}) EXPECT_EQ(on(call(name), Target::Neuron), Support::Native) << name;
  for (const char* name : {"torch.svd", "torch.Tensor.svd", "torch.linalg.svd"}) EXPECT_EQ(on(call(name), Target::Mps), Support::Unsupported) << name;
  EXPECT_EQ(on(call("torch.Tensor.mul_"), Target::Tpu), Support::Native);
  EXPECT_FALSE(apis().find(call("torch.no_grad")));
}

// Measured with a device that registers what the backend registers (common calls, forward).
TEST(Apis, VerdictsAreThoseMeasured) {
  struct Row {
    const char* api;
    Support neuron, tpu;
  };
  constexpr Support N = Support::Native, F = Support::Fallback, U = Support::Unsupported;
  for (const Row& row : std::initializer_list<Row>{{"torch.nn.functional.conv2d", N, N},
                                                   {"torch.nn.functional.linear", N, N},
                                                   {"torch.matmul", N, N},
                                                   {"torch.nn.functional.scaled_dot_product_attention", N, N},
                                                   {"torch.nn.MultiheadAttention", F, N},
                                                   {"torch.nn.functional.grid_sample", F, N},
                                                   {"torch.nn.functional.max_pool3d", F, N},
                                                   {"torch.nn.functional.max_unpool2d", F, U},
                                                   {"torch.nn.functional.batch_norm", F, N},
                                                   {"torch.nn.functional.layer_norm", N, N},
                                                   {"torch.nn.functional.mish", F, U},
                                                   {"torch.nn.functional.dropout", N, N},
                                                   {"torch.nn.functional.smooth_l1_loss", F, U},
                                                   {"torch.nn.LSTM", U, N},
                                                   {"torch.nn.GRU", U, N},
                                                   {"torch.nn.RNN", N, N},
                                                   {"torch.kthvalue", F, U},
                                                   {"torch.topk", N, N},
                                                   {"torch.masked_fill", N, N},
                                                   {"torch.linalg.eigh", F, U},
                                                   {"torch.linalg.qr", F, N},
                                                   {"torch.fft.rfft", F, N},
                                                   {"torch.erfinv", N, N}}) {
    EXPECT_EQ(on(call(row.api), Target::Neuron), row.neuron) << row.api;
    EXPECT_EQ(on(call(row.api), Target::Tpu), row.tpu) << row.api;
  }
}

TEST(Apis, AFunctionalizingTargetServesInPlaceForms) {
  EXPECT_EQ(on(call("torch.Tensor.add_"), Target::Xla), Support::Native);
  EXPECT_EQ(on(call("torch.Tensor.relu_"), Target::Xla), Support::Native) << "not structured";
  EXPECT_EQ(on(call("torch.Tensor.floor_divide_"), Target::Xla), Support::Native) << "its functional form has another overload name";
  EXPECT_EQ(on(call("torch.Tensor.floor_divide_"), Target::Neuron), Support::Fallback);
  EXPECT_EQ(coverage().reached("_reshape_alias", Target::Xla), Support::Native) << "a reshape is a view there";
  EXPECT_EQ(coverage().answer("aten::add.out", Target::Xla).support, Support::Fallback) << "the overload itself has no kernel";
}

TEST(Apis, OperatorsOfTorchvision) {
  EXPECT_EQ(on(call("torchvision.ops.nms"), Target::Neuron), Support::Fallback);
  EXPECT_EQ(on(call("torchvision.ops.roi_align"), Target::Tpu), Support::Unsupported);
  EXPECT_EQ(on(call("torchvision.ops.DeformConv2d"), Target::Mps), Support::Native);
  EXPECT_EQ(on(call("torchvision.ops.nms"), Target::Npu), Support::Unknown);
}

// What each collective makes is answered for every target, with the source, or as unknown with what was not read.
TEST(Apis, CollectivesAreAsTheProcessGroupOfTheTarget) {
  std::size_t collectives = 0;
  for (const TableRow& row : SortedTable(embedded_table("apis.tsv")).rows()) {
    if (!row.cells[0].starts_with("torch.distributed.")) continue;
    ++collectives;
    std::string_view ops = row.cells[3];
    ASSERT_TRUE(ops.starts_with("c10d::")) << row.cells[0];
    while (!ops.empty()) {
      std::string op(ops.substr(0, ops.find(' ')));
      ops.remove_prefix(std::min(op.size() + 1, ops.size()));
      op.erase(0, op.find('>') + 1);
      for (const Target target : known_targets()) {
        EXPECT_TRUE(rows_of("other_ops.tsv").contains(op + "@" + std::string(name_of(target)))) << op << " on " << name_of(target);
        EXPECT_FALSE(coverage().answer(op, target).evidence.empty());
      }
    }
  }
  EXPECT_GE(collectives, 60U);
  EXPECT_EQ(on(call("torch.distributed.all_reduce"), Target::Neuron), Support::Native);
  EXPECT_EQ(on(call("torch.distributed.all_to_all_single"), Target::Xpu), Support::Native);
  EXPECT_EQ(on(call("torch.distributed.distributed_c10d.send"), Target::Neuron), Support::Unsupported);
  EXPECT_EQ(on(call("torch.distributed.all_reduce_coalesced"), Target::Xla), Support::Unsupported);
  EXPECT_EQ(on(call("torch.distributed.reduce_scatter_tensor"), Target::Tpu), Support::Native);
  EXPECT_EQ(on(call("torch.distributed.reduce"), Target::Tpu), Support::Unsupported);
  EXPECT_EQ(on(call("torch.distributed.all_reduce"), Target::Mps), Support::Unsupported);
  EXPECT_EQ(on(call("torch.distributed.all_gather_object"), Target::Mps), Support::Native) << "by tensors of the CPU";
  EXPECT_EQ(on(call("torch.distributed.gather_object"), Target::Tpu), Support::Native);
  EXPECT_EQ(on(call("torch.distributed.recv"), Target::Cuda), Support::Unsupported) << "from any source";
  EXPECT_EQ(on(call("torch.distributed.recv"), Target::Cpu), Support::Native);
}

TEST(Apis, ConvolutionsAreNativeWhereEachDeviceHasItsOwn) {
  for (const Target target : {Target::Cpu, Target::Cuda, Target::Rocm, Target::Mps, Target::Xpu}) EXPECT_EQ(on(call("torch.nn.functional.conv2d"), target), Support::Native) << name_of(target);
}

}  // namespace
}  // namespace torchport
