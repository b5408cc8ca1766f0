#include "rules/load_native.h"

#include <algorithm>

#include "analyzers/error.h"
#include "opdb/torch_names.h"
#include "rules/load.h"
#include "rules/word_list.h"

namespace torchport {
namespace {

using nlohmann::json;

class TableReader {
 public:
  TableReader(Catalogue& catalogue, const std::string& path) : catalogue_(catalogue), path_(path) {}

  void feature(const json& row) {
    only(row, {"feature", "what", "names", "code", "ptx", "with", "hidden", "impact", "structure"});
    NativeInterest& interest = catalogue_.interest.native;
    KernelFeature feature;
    feature.name = text(row, "feature");
    feature.what = text(row, "what");
    feature.with = texts(row, "with");
    feature.hidden = row.contains("hidden");
    if (row.contains("impact")) {
      for (const auto& [name, word] : row["impact"].items()) {
        if (name == kLineKey) continue;
        const auto target = target_named(name);
        if (!target) fail(row, "unknown target \"" + name + "\"");
        feature.impact.emplace_back(*target, impact(row, word));
      }
    }
    const auto bit = static_cast<std::int32_t>(catalogue_.kernels.features.size());
    if (bit >= 64) fail(row, "there are 64 features at most");
    for (std::string& name : texts(row, "names")) interest.words.push_back({std::move(name), bit, false, false});
    for (std::string& code : texts(row, "code")) interest.code.emplace_back(std::move(code), bit);
    for (std::string& ptx : texts(row, "ptx")) interest.ptx.emplace_back(std::move(ptx), bit);
    if (row.contains("structure")) {
      const std::string word = text(row, "structure");
      std::int32_t* place = word == "one-index" ? &interest.one_index : word == "other-index" ? &interest.other_index : word == "indirect-index" ? &interest.indirect_index
                            : word == "inner-loop" ? &interest.inner_loop : nullptr;
      if (place == nullptr) fail(row, "unknown structure \"" + word + "\"");
      *place = bit;
    }
    catalogue_.kernels.features.push_back(std::move(feature));
  }

  void kernel_class(const json& row) {
    only(row, {"class", "effort", "offers"});
    KernelClass out;
    out.name = text(row, "class");
    const std::string word = text(row, "effort");
    bool known = false;
    for (const Effort e : {Effort::Trivial, Effort::Small, Effort::Medium, Effort::Large, Effort::Redesign}) {
      if (name_of(e) != word) continue;
      out.effort = e;
      known = true;
    }
    if (!known) fail(row, "unknown effort \"" + word + "\"");
    for (const auto& [target, offer] : row.at("offers").items()) {
      if (target == kLineKey) continue;
      if (target != "default" && !target_named(target)) fail(row, "unknown target \"" + target + "\"");
      out.offers.emplace_back(target, offer.get<std::string>());
    }
    catalogue_.kernels.classes.push_back(std::move(out));
  }

  void class_row(const json& row) {
    only(row, {"class", "names", "unless", "all", "any", "none", "why"});
    KernelClassRow out{text(row, "class"), texts(row, "names"), texts(row, "unless"), texts(row, "all"), texts(row, "any"), texts(row, "none"), text(row, "why")};
    const auto& classes = catalogue_.kernels.classes;
    if (std::none_of(classes.begin(), classes.end(), [&](const KernelClass& c) { return c.name == out.name; })) fail(row, "unknown class \"" + out.name + "\"");
    for (const auto* list : {&out.all, &out.any, &out.none}) {
      for (const std::string& name : *list) {
        if (catalogue_.kernels.feature(name) < 0) fail(row, "unknown feature \"" + name + "\"");
      }
    }
    if (out.names.empty() && out.all.empty() && out.any.empty()) fail(row, "a row asks for a name or a feature");
    catalogue_.kernels.rows.push_back(std::move(out));
  }

  void rewrite(const json& row) {
    only(row, {"call", "of", "gives", "to", "header", "form", "then", "with", "since"});
    const std::string form = maybe(row, "form");
    if (!form.empty() && form != "statement") fail(row, "form is statement, or not there");
    std::uint32_t since = 0;
    if (row.contains("since")) {
      const auto version = parse_torch_version(text(row, "since"));
      if (!version) fail(row, "since is no version");
      since = *version;
    }
    catalogue_.native_rewrites.push_back({text(row, "call"), maybe(row, "of"), maybe(row, "gives"), text(row, "to"), texts(row, "header"), maybe(row, "then"), maybe(row, "with"), !form.empty(), since});
  }

  void native_type(const json& row) {
    only(row, {"type", "is", "to", "header", "flag", "made"});
    const std::string kind = text(row, "is");
    if (kind != "event" && kind != "stream" && kind != "guard") fail(row, "is is event, stream or guard");
    catalogue_.native_types.push_back({text(row, "type"), kind, text(row, "to"), texts(row, "header"), maybe(row, "flag"), row.contains("made")});
  }

  void flag(const json& row) {
    only(row, {"flag", "to"});
    catalogue_.native_flags.emplace_back(text(row, "flag"), text(row, "to"));
  }

  void launch(const json& row) {
    only(row, {"name", "kernel", "grid", "block", "shared", "stream"});
    const auto position = [&](const char* key) { return row.contains(key) ? std::stoi(text(row, key)) : -1; };
    const std::string name = text(row, "name");
    catalogue_.interest.native.launches.push_back({name, position("kernel"), position("grid"), position("block"), position("shared"), position("stream")});
    catalogue_.interest.native.words.push_back({name, -1, true, false});
  }

 private:
  [[noreturn]] void fail(const json& row, const std::string& what) const { throw Error(what, path_, row.value(kLineKey, 0u), "see rules/README.md"); }

  void only(const json& row, std::initializer_list<std::string_view> known) const {
    if (!row.is_object()) throw Error("is no row", path_, 0, "write a list of maps");
    for (const auto& [key, value] : row.items()) {
      if (key != kLineKey && std::find(known.begin(), known.end(), key) == known.end()) fail(row, "unknown key \"" + key + "\"");
    }
  }

  std::string text(const json& row, const char* key) const {
    if (!row.contains(key) || !row[key].is_string()) fail(row, std::string("\"") + key + "\" is missing or no text");
    return row[key].get<std::string>();
  }

  std::string maybe(const json& row, const char* key) const { return row.contains(key) ? text(row, key) : std::string(); }

  std::vector<std::string> texts(const json& row, const char* key) const {
    std::vector<std::string> out;
    if (!row.contains(key)) return out;
    for (const json& item : row[key].is_array() ? row[key].get<std::vector<json>>() : std::vector<json>{row[key]}) {
      if (!item.is_string()) fail(row, std::string("\"") + key + "\" must be text or a list of texts");
      out.push_back(item.get<std::string>());
    }
    return out;
  }

  Impact impact(const json& row, const json& word) const {
    const auto known = word.is_string() ? impact_named(word.get_ref<const std::string&>()) : std::nullopt;
    if (!known) fail(row, "unknown impact");
    return *known;
  }

  Catalogue& catalogue_;
  const std::string& path_;
};

}  // namespace

std::int32_t KernelTable::feature(std::string_view name) const {
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features[i].name == name) return static_cast<std::int32_t>(i);
  }
  return -1;
}

bool add_native_table(Catalogue& catalogue, const std::string& key, const json& rows, const std::string& path) {
  TableReader reader(catalogue, path);
  NativeInterest& interest = catalogue.interest.native;
  if (key == "kernel_features") {
    for (const json& row : rows) reader.feature(row);
  } else if (key == "kernel_classes") {
    for (const json& row : rows) reader.kernel_class(row);
  } else if (key == "kernel_rows") {
    for (const json& row : rows) reader.class_row(row);
  } else if (key == "native_rewrites") {
    for (const json& row : rows) reader.rewrite(row);
  } else if (key == "native_types") {
    for (const json& row : rows) reader.native_type(row);
  } else if (key == "native_flags") {
    for (const json& row : rows) reader.flag(row);
  } else if (key == "native_checks" || key == "native_takers" || key == "native_plain") {
    auto& list = key == "native_checks" ? catalogue.native_checks : key == "native_takers" ? catalogue.native_takers : catalogue.native_plain;
    for (const json& word : rows) list.push_back(word.get<std::string>());
  } else if (key == "launch_calls") {
    for (const json& row : rows) reader.launch(row);
  } else if (key == "cuda_macros" || key == "rocm_macros" || key == "native_markers") {
    auto& list = key == "cuda_macros" ? interest.cuda_macros : key == "rocm_macros" ? interest.rocm_macros : interest.markers;
    for (const json& word : rows) list.push_back(word.get<std::string>());
  } else if (key == "extension_names") {
    for (const json& word : rows) catalogue.extension_names.push_back(word.get<std::string>());
  } else if (key == "native_namespaces") {
    for (const json& word : rows) {
      interest.words.push_back({word.get<std::string>(), -1, false, true});
      interest.markers.push_back(word.get<std::string>() + "::");
    }
  } else {
    return false;
  }
  return true;
}

void add_native_name(NativeInterest& interest, std::string_view symbol) {
  // Found by its namespace: see native_namespaces.
  if (symbol.find("::") != std::string_view::npos) return;
  interest.words.push_back({std::string(symbol), -1, true, false});
  // Members are so common that they make no file worth a look: ".data".
  if (!symbol.starts_with('.')) interest.markers.emplace_back(symbol.ends_with('*') ? symbol.substr(0, symbol.size() - 1) : symbol);
}

void finish_native(NativeInterest& interest) {
  std::stable_sort(interest.words.begin(), interest.words.end(), [](const NativeWord& a, const NativeWord& b) { return a.word < b.word; });
  keep_least(interest.markers);
}

}  // namespace torchport
