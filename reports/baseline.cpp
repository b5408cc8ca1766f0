#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>

#include "analyzers/error.h"
#include "reports/known_ties.h"

namespace torchport {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "torchport.baseline/1";
constexpr const char* kRenew = "remove it, and write it anew with torchport gate --baseline FILE --write-baseline";

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value >>= 4) *digit = "0123456789abcdef"[value & 15];
  return text;
}

class BaselineReader {
 public:
  explicit BaselineReader(const std::string& file) : file_(file) {}

  Baseline read(std::string_view text) const {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) fail("is no JSON");
    if (!json.is_object() || json.value("schema", "") != kSchema) fail("is no baseline of this version");
    Baseline baseline;
    for (const char* key : {"targets", "ties"}) {
      if (!json.contains(key) || !json[key].is_array()) fail("has no list of " + std::string(key));
    }
    try {
      for (const Json& name : json.at("targets")) baseline.targets.push_back(target(name.get<std::string>()));
      for (const Json& entry : json.at("ties")) baseline.ties.push_back(tie(entry));
    } catch (const Json::exception& error) {
      fail("tie " + std::to_string(baseline.ties.size() + 1) + ": " + error.what());
    }
    return baseline;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(what, file_, 0, kRenew); }

  Target target(const std::string& name) const {
    const auto known = target_named(name);
    if (!known) fail("unknown target \"" + name + "\"");
    return *known;
  }

  Impact impact(const std::string& name) const {
    const auto known = impact_named(name);
    if (!known) fail("unknown impact \"" + name + "\"");
    return *known;
  }

  KnownTie tie(const Json& entry) const {
    KnownTie tie;
    tie.path = entry.at("path");
    tie.rule = entry.at("rule");
    tie.function = entry.at("function");
    const std::string line = entry.at("line");
    if (line.size() != 16 || line.find_first_not_of("0123456789abcdef") != std::string::npos) {
      fail("\"" + line + "\" is no line's number");
    }
    tie.line_hash = std::stoull(line, nullptr, 16);
    tie.code = entry.value("code", "");
    for (const auto& [name, value] : entry.at("impact").items()) {
      tie.impact[static_cast<std::size_t>(target(name))] = impact(value.get<std::string>());
    }
    return tie;
  }

  const std::string& file_;
};

}  // namespace

Baseline parse_baseline(std::string_view text, const std::string& file) { return BaselineReader(file).read(text); }

std::string baseline_text(Baseline baseline) {
  std::stable_sort(baseline.ties.begin(), baseline.ties.end(), [](const KnownTie& a, const KnownTie& b) {
    return std::tie(a.path, a.rule, a.function, a.line_hash, b.impact) <
           std::tie(b.path, b.rule, b.function, b.line_hash, a.impact);
  });
  Json targets = Json::array();
  for (const Target target : baseline.targets) targets.push_back(name_of(target));
  std::string text = Json({{"schema", kSchema}, {"targets", targets}}).dump();
  text.pop_back();
  text += ", \"ties\": [";
  const char* between = "\n";
  for (const KnownTie& tie : baseline.ties) {
    Json impacts = Json::object();
    for (const Target target : baseline.targets) {
      impacts[std::string(name_of(target))] = name_of(tie.impact[static_cast<std::size_t>(target)]);
    }
    const Json entry = {{"path", tie.path},           {"rule", tie.rule}, {"function", tie.function},
                        {"line", hex(tie.line_hash)}, {"code", tie.code}, {"impact", std::move(impacts)}};
    text += between + entry.dump(-1, ' ', false, Json::error_handler_t::replace);
    between = ",\n";
  }
  return text + (baseline.ties.empty() ? "]}\n" : "\n]}\n");
}

}  // namespace torchport
