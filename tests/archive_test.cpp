// Archives of torch.export: what is read of a good one, and that no bytes make the reader do anything but say so.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "analyzers/error.h"
#include "opdb/graph/graph.h"
#include "opdb/graph/storages.h"
#include "tests/support/temp_dir.h"

namespace torchport {
namespace {

std::string little(std::uint64_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
  return out;
}

std::uint32_t crc(std::string_view bytes) {
  std::uint32_t c = ~0U;
  for (const char byte : bytes) {
    c ^= static_cast<unsigned char>(byte);
    for (int i = 0; i < 8; ++i) c = (c >> 1) ^ ((c & 1) != 0 ? 0xedb88320U : 0U);
  }
  return ~c;
}

// A zip of stored entries.
std::string zip(const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string out, list;
  for (const auto& [name, data] : parts) {
    const std::string same = little(0, 4) + little(0, 4) + little(crc(data), 4) + little(data.size(), 4) + little(data.size(), 4) + little(name.size(), 2);
    list += "PK\1\2" + little(0, 2) + little(0, 2) + same + little(0, 2) + little(0, 2) + little(0, 4) + little(0, 4) + little(out.size(), 4) + name;
    out += "PK\3\4" + little(0, 2) + same + little(0, 2) + name + data;
  }
  const std::size_t start = out.size();
  return out + list + "PK\5\6" + little(0, 4) + little(parts.size(), 2) + little(parts.size(), 2) + little(list.size(), 4) + little(start, 4) + little(0, 2);
}

constexpr std::string_view kProgram = R"({"graph_module": {"graph": {"inputs": [], "nodes": [
  {"target": "torch.ops.aten.add.Tensor", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}], "outputs": [],
   "metadata": {"stack_trace": "File \"/a/b.py\", line 7, in f\n    x\n  File \"/lib/site-packages/torch/nn/x.py\", line 9, in g"}},
  {"target": "torch.ops.aten.zeros.default", "inputs": [{"name": "device", "arg": {"as_device": {"type": "cuda", "index": 0}}}, {"name": "dtype", "arg": {"as_scalar_type": 13}}],
   "outputs": [], "metadata": {}},
  {"target": "torch.ops.higher_order.cond", "inputs": [{"name": "t", "arg": {"as_graph": {"name": "t", "graph": {"nodes": [
    {"target": "torch.ops.own.scale.default", "inputs": [], "outputs": [], "metadata": {}}]}}}}], "outputs": [], "metadata": {}},
  {"target": "_operator.mul", "inputs": [], "outputs": [], "metadata": {}}],
  "tensor_values": {"x": {"dtype": 7, "sizes": [{"as_expr": {"expr_str": "s0"}}], "device": {"type": "cpu", "index": null}}}}},
  "range_constraints": {"s0": {"min_val": 2, "max_val": 64}}, "schema_version": {"major": 8, "minor": 20}, "torch_version": "2.13.0"})";

class ArchiveTest : public ::testing::Test {
 protected:
  Graph read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    Archive archive(path_);
    EXPECT_EQ(graph_format(archive, path_), GraphFormat::Exported);
    return read_exported_program(archive, path_);
  }
  std::string refused(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  const test::TempDir dir_;
  const std::string path_ = dir_.path() + "/m.pt2";
};

TEST_F(ArchiveTest, WhatAProgramHolds) {
  const Graph graph = read(zip({{"m/archive_format", "pt2"}, {"m/models/model.json", std::string(kProgram)}}));
  std::string ops;
  for (const GraphOp& op : graph.ops) ops += op.op + "@" + op.path + ":" + std::to_string(op.line) + (op.host ? " host" : "") + "\n";
  EXPECT_EQ(ops, "aten::add.Tensor@/a/b.py:7\naten::zeros@:0\nown::scale@:0\nhigher_order::cond@:0 host\n_operator.mul@:0 host\n");
  EXPECT_EQ(graph.devices.at("cuda:0").constants, 1u);
  EXPECT_EQ(graph.devices.at("cpu").tensors, 1u);
  EXPECT_EQ(graph.dtypes, (std::set<std::string>{"bfloat16", "float32"}));
  EXPECT_EQ(graph.symbols.at("s0"), "2..64");
  EXPECT_EQ(graph.torch, "2.13.0");
}

TEST_F(ArchiveTest, TheFormOfOlderTorch) {
  EXPECT_EQ(read(zip({{"serialized_exported_program.json", std::string(kProgram)}, {"version", "8.2"}})).ops.size(), 5u);
}

TEST_F(ArchiveTest, WhatIsNotRead) {
  const auto program = [](const std::string& json) { return zip({{"m/models/model.json", json}}); };
  EXPECT_NE(refused("").find("ends too early"), std::string::npos);
  EXPECT_NE(refused("no zip").find("is no archive"), std::string::npos);
  EXPECT_NE(refused(zip({{"m/data.pkl", "x"}})).find("pickled objects"), std::string::npos);
  EXPECT_NE(refused(zip({{"m/data/aotinductor/a.so", "x"}})).find("AOTInductor"), std::string::npos);
  EXPECT_NE(refused(program("{")).find("is no JSON"), std::string::npos);
  EXPECT_NE(refused(program("[1]")).find("no program"), std::string::npos);
  EXPECT_NE(refused(program(std::string(100000, '['))).find("deeper"), std::string::npos);
  EXPECT_NE(refused(program(R"({"graph_module": {}, "torch_version": "3.1", "schema_version": {"major": 9, "minor": 0}})")).find("schema 9"), std::string::npos);
  EXPECT_NE(refused(program(R"({"graph_module": {"graph": {"nodes": [1, "a", null]}}})")).find("does not write"), std::string::npos);
  EXPECT_NE(refused(program(R"({"graph_module": {"graph": {"nodes": [{"inputs": []}]}}})")).find("does not write"), std::string::npos);
  std::string packed = program(std::string(kProgram));
  packed[packed.rfind("PK\1\2") + 10] = 8;
  EXPECT_NE(refused(packed).find("is compressed"), std::string::npos);
  std::string huge = program(std::string(kProgram));
  for (const std::size_t at : {20u, 24u}) huge.replace(huge.rfind("PK\1\2") + at, 4, "\xfe\xff\xff\xff");
  EXPECT_NE(refused(huge).find("MiB"), std::string::npos);
  std::string flipped = program(std::string(kProgram));
  flipped[200] ^= 1;
  EXPECT_NE(refused(flipped).find("checksum"), std::string::npos);
}

TEST_F(ArchiveTest, NoBytesDoHarm) {
  const std::string whole = zip({{"m/archive_format", "pt2"}, {"m/models/model.json", std::string(kProgram)}, {"m/models/b.json", std::string(kProgram)}});
  for (std::size_t end = 0; end < whole.size(); end += 37) EXPECT_NE(refused(whole.substr(0, end)), "") << end;
  std::mt19937 random(20261130);
  for (int round = 0; round < 400; ++round) {
    std::string bytes = whole;
    // The list at the end is where a reader may be led astray.
    const std::size_t from = round % 2 == 0 ? whole.find("PK\1\2") : 0;
    for (int i = 0; i < 3; ++i) bytes[from + random() % (bytes.size() - from)] = static_cast<char>(random());
    refused(bytes);
  }
}

TEST(Storages, AreReadWithoutUnpickling) {
  const std::string string_cpu = std::string("X") + little(6, 4) + "cuda:0", name = std::string("X") + little(7, 4) + "storage";
  const std::string pickle = "\x80\2c__torch__\nNet\nq" + little(0, 1) + ")\x81}((" + name + "ctorch\nHalfStorage\nq\1" + "X" + little(1, 4) + "0" + string_cpu +
                             "q\2K\4tQ(" + name + "h\1X" + little(1, 4) + "1h\2K\4tQub.";
  Storages storages;
  EXPECT_TRUE(storages.add(pickle));
  EXPECT_EQ(storages.root, "__torch__.Net");
  EXPECT_EQ(storages.devices, (std::map<std::string, std::uint32_t>{{"cuda:0", 2}}));
  EXPECT_EQ(storages.types, (std::set<std::string>{"HalfStorage"}));
  for (std::size_t end = 0; end + 1 < pickle.size(); ++end) EXPECT_FALSE(Storages().add(pickle.substr(0, end))) << end;
  EXPECT_FALSE(Storages().add("\x80\4\x95"));
}

}  // namespace
}  // namespace torchport
