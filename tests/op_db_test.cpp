// What the database answers of the APIs in PyTorch's own list of operators, op_db, against what its samples met on a device with the
// registrations of a backend (opdb/measured/op_db_verdicts.tsv).
#include <gtest/gtest.h>

#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "opdb/apis.h"

namespace torchport {
namespace {

struct Entry {
  std::string name, api, call;
  std::array<std::string, 4> measured;  // neuron, neuron backward, tpu, tpu backward
  std::string why;
};

const std::array<std::string, 4> kWays = {"neuron", "neuron_bw", "tpu", "tpu_bw"};

std::vector<Entry> entries() {
  std::ifstream file(TORCHPORT_SOURCE_DIR "/opdb/measured/op_db_verdicts.tsv");
  std::vector<Entry> found;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#') || line.starts_with("entry\t")) continue;
    std::istringstream cells(line);
    Entry entry;
    std::getline(cells, entry.name, '\t');
    std::getline(cells, entry.api, '\t');
    std::getline(cells, entry.call, '\t');
    for (std::string& verdict : entry.measured) std::getline(cells, verdict, '\t');
    std::getline(cells, entry.why);
    found.push_back(entry);
  }
  return found;
}

// "mode=bicubic": the call with that keyword.
Use use_of(const Entry& entry) {
  Use use;
  use.kind = UseKind::Call;
  use.symbol = entry.api;
  if (const std::size_t equal = entry.call.find('='); equal != std::string::npos) {
    Arg arg;
    arg.keyword = std::string_view(entry.call).substr(0, equal);
    arg.values.push_back({ValueKind::String, std::string_view(entry.call).substr(equal + 1), false, {}});
    use.args.push_back(arg);
  }
  return use;
}

// "fallback 3/21" is native: what less than half of the samples meet does not decide.
std::string decided(const std::string& measured) {
  const std::size_t blank = measured.find(' '), slash = measured.find('/');
  if (blank == std::string::npos) return measured;
  int some = 0, all = 0;
  std::from_chars(measured.data() + blank + 1, measured.data() + slash, some);
  std::from_chars(measured.data() + slash + 1, measured.data() + measured.size(), all);
  return 2 * some >= all ? measured.substr(0, blank) : "native";
}

std::string answered(const ApiCall& call, std::size_t way) {
  const auto row = way % 2 == 0 ? call.forward : call.backward;
  if (!row) return way % 2 == 0 ? "unknown" : "native";  // no backward row: nothing reaches the device
  const Support support = apis().support(*row, way < 2 ? Target::Neuron : Target::Tpu);
  return support == Support::Unsupported ? "raises" : std::string(name_of(support));
}

// "neuron tpu_bw: the reason": of which the answer differs.
std::set<std::string> excused(const std::string& why) {
  std::istringstream names(why.substr(0, why.find(':')));
  std::set<std::string> found;
  for (std::string name; names >> name;) found.insert(name);
  return found;
}

// As they were first counted, with the same registrations.
TEST(OpDb, VerdictsAddUp) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (const Entry& entry : entries()) {
    for (std::size_t way = 0; way < kWays.size(); ++way) {
      const std::string& verdict = entry.measured[way];
      ++counts[kWays[way]][verdict.substr(0, verdict.find(' ')) + (verdict.find(' ') == std::string::npos ? "" : " in some")];
    }
  }
  using Counts = std::map<std::string, int>;
  EXPECT_EQ(counts["neuron"], (Counts{{"native", 320}, {"fallback", 329}, {"fallback in some", 42}, {"raises", 3}, {"-", 8}}));
  EXPECT_EQ(counts["neuron_bw"], (Counts{{"native", 363}, {"fallback", 153}, {"fallback in some", 23}, {"-", 163}}));
  EXPECT_EQ(counts["tpu"], (Counts{{"native", 572}, {"raises", 117}, {"raises in some", 5}, {"-", 8}}));
  EXPECT_EQ(counts["tpu_bw"], (Counts{{"native", 510}, {"raises", 27}, {"raises in some", 3}, {"-", 162}}));
}

TEST(OpDb, AnswersAreWhatItsSamplesMeet) {
  const auto all = entries();
  ASSERT_EQ(all.size(), 702u);
  for (const Entry& entry : all) {
    const auto call = apis().find(use_of(entry));
    std::set<std::string> differ;
    for (std::size_t way = 0; call && way < kWays.size(); ++way) {
      if (entry.measured[way] != "-" && answered(*call, way) != decided(entry.measured[way])) differ.insert(kWays[way]);
    }
    if (!call) differ.insert("unlisted");
    EXPECT_EQ(differ, excused(entry.why)) << entry.name << " (" << entry.api << " " << entry.call << ")";
  }
}

}  // namespace
}  // namespace torchport
