#include "rules/load.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analyzers/error.h"
#include "opdb/apis.h"
#include "opdb/torch_names.h"
#include "rules/checks/checks.h"
#include "rules/load_native.h"
#include "rules/template.h"
#include "rules/word_list.h"

namespace torchport {
namespace {

using nlohmann::json;

constexpr std::array kFamilies = std::to_array<std::string_view>({"file", "device", "cuda-api", "amp", "distributed", "kernel", "library", "op",
                                                                  "shape", "sparse", "autograd", "numeric", "compile", "build", "config"});

// Words of the YAML for the places in which a literal may stand.
const std::map<std::string_view, Place>& place_words() {
  static const std::map<std::string_view, Place> words = {
      {"none", Place::None}, {"device_argument", Place::DeviceArgument}, {"argument", Place::Argument}, {"comparison", Place::Comparison},
      {"default", Place::Default}, {"option_default", Place::OptionDefault}, {"option_choice", Place::OptionChoice}, {"device_choice", Place::DeviceChoice},
      {"dict_key", Place::DictKey}, {"dict_value", Place::DictValue}, {"assigned", Place::Assigned}, {"returned", Place::Returned},
      {"subscript", Place::Subscript}, {"listed", Place::Listed}, {"environment", Place::Environment}, {"annotation", Place::Annotation}};
  return words;
}

class RuleReader {
 public:
  RuleReader(const json& row, const std::string& path, bool own) : row_(row), path_(path), own_(own) {}

  Rule read() {
    if (!row_.is_object()) throw Error("is no rule", path_, 0, "write a list of maps");
    only(row_, {"id", "name", "family", "match", "check", "message", "why", "advice", "impact", "guarded", "effort", "fix", "examples"});
    Rule rule;
    rule.file = path_;
    rule.line = line_of(row_);
    rule.id = text(row_, "id");
    rule.name = text(row_, "name");
    rule.family = text(row_, "family");
    rule.message = text(row_, "message");
    rule.why = text(row_, "why");
    rule.advice = optional_text(row_, "advice");
    rule.check = optional_text(row_, "check");
    if (own_ == (rule.id.rfind("TP", 0) == 0)) fail(row_, own_ ? "a rule of your own may not be named TP…" : "a rule's id begins with TP");
    if (std::find(kFamilies.begin(), kFamilies.end(), rule.family) == kFamilies.end()) fail(row_, "unknown family \"" + rule.family + "\"");
    if (!row_.contains("match") && rule.check.empty()) fail(row_, "a rule has match or check");
    if (!rule.check.empty() && !is_check(rule.check)) fail(row_, "there is no check \"" + rule.check + "\"");
    for (const json& match : as_list(row_, "match")) rule.matches.push_back(read_match(match));
    rule.impact = impacts(row_, "impact", nullptr);
    rule.guarded = impacts(row_, "guarded", &rule.impact);
    effort(rule);
    for (const json& fix : as_list(row_, "fix")) rule.fixes.push_back(read_fix(fix));
    for (const json& example : as_list(row_, "examples")) rule.examples.push_back(read_example(example));
    if (rule.examples.empty() && rule.check != "none") fail(row_, "a rule has examples");
    return rule;
  }

 private:
  [[noreturn]] void fail(const json& at, const std::string& what) const {
    throw Error(what, path_, at.is_object() ? line_of(at) : line_of(row_), "see rules/README.md");
  }

  static std::uint32_t line_of(const json& map) { return map.value(kLineKey, 0u); }

  void only(const json& map, std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : map.items()) {
      if (key == kLineKey || std::find(known.begin(), known.end(), key) != known.end()) continue;
      fail(map, "unknown key \"" + key + "\"");
    }
  }

  std::string text(const json& map, const char* key) const {
    const std::string value = optional_text(map, key);
    if (value.empty()) fail(map, std::string("\"") + key + "\" is missing");
    return value;
  }

  std::string optional_text(const json& map, const char* key) const {
    if (!map.contains(key)) return {};
    if (!map[key].is_string()) fail(map, std::string("\"") + key + "\" must be text");
    return map[key].get<std::string>();
  }

  bool flag(const json& map, const char* key) const {
    if (!map.contains(key)) return false;
    if (!map[key].is_boolean()) fail(map, std::string("\"") + key + "\" must be true or false");
    return map[key].get<bool>();
  }

  static std::vector<json> as_list(const json& map, const char* key) {
    if (!map.contains(key)) return {};
    if (map[key].is_array()) return map[key].get<std::vector<json>>();
    return {map[key]};
  }

  std::vector<std::string> texts(const json& map, const char* key) const {
    std::vector<std::string> out;
    for (const json& item : as_list(map, key)) {
      if (!item.is_string()) fail(map, std::string("\"") + key + "\" must be text or a list of texts");
      out.push_back(item.get<std::string>());
    }
    return out;
  }

  Impact impact(const json& at, const std::string& word) const {
    const auto known = impact_named(word);
    if (!known) fail(at, "unknown impact \"" + word + "\"");
    return *known;
  }

  // Without the key `guarded`: what would block only degrades, since the guarded code does not run there.
  Impacts impacts(const json& row, const char* key, const Impacts* base) const {
    Impacts out{};
    if (!row.contains(key)) {
      if (base == nullptr) fail(row, "\"impact\" is missing");
      std::transform(base->begin(), base->end(), out.begin(), [](Impact i) { return std::min(i, Impact::Degrades); });
      return out;
    }
    const json& map = row[key];
    if (!map.is_object() || !map.contains("default")) fail(row, std::string("\"") + key + "\" is a map with a default");
    out.fill(impact(map, text(map, "default")));
    bool rocm = false;
    bool cuda_api = false;
    for (const auto& [name, value] : map.items()) {
      if (name == kLineKey || name == "default") continue;
      const auto target = target_named(name);
      if (!target) fail(map, "unknown target \"" + name + "\"");
      if (!value.is_string()) fail(map, "an impact is a word");
      out[static_cast<std::size_t>(*target)] = impact(map, value.get<std::string>());
      rocm = rocm || name == "rocm";
    }
    for (const json& match : as_list(row, "match")) {
      for (const char* how : {"call", "name", "reference", "assign", "import"}) {
        for (const std::string& symbol : texts(match, how)) cuda_api = cuda_api || symbol.rfind("torch.cuda", 0) == 0;
      }
    }
    if (base == nullptr && cuda_api && !rocm) fail(map, "a rule about torch.cuda says what happens on rocm");
    // Nothing guarded is worse than unguarded.
    for (std::size_t i = 0; base != nullptr && i < out.size(); ++i) out[i] = std::min(out[i], (*base)[i]);
    return out;
  }

  void effort(Rule& rule) const {
    const std::string word = row_.contains("effort") ? text(row_, "effort") : "small";
    for (const Effort e : {Effort::Trivial, Effort::Small, Effort::Medium, Effort::Large, Effort::Redesign}) {
      if (name_of(e) == word) {
        rule.effort = e;
        return;
      }
    }
    fail(row_, "unknown effort \"" + word + "\"");
  }

  Match read_match(const json& map) const {
    if (!map.is_object()) fail(row_, "a match is a map");
    only(map, {"call", "name", "reference", "assign", "import", "method", "attribute", "literal", "place", "place_name", "choice", "kernel", "uncalled", "args", "cpp", "include", "launch"});
    Match match;
    const auto symbols = [&](const char* key, std::initializer_list<UseKind> kinds) {
      if (!map.contains(key)) return;
      match.kinds.insert(match.kinds.end(), kinds);
      for (std::string& symbol : texts(map, key)) match.symbols.push_back(std::move(symbol));
    };
    symbols("call", {UseKind::Call});
    symbols("name", {UseKind::Call, UseKind::Reference, UseKind::Assign, UseKind::Import});
    symbols("reference", {UseKind::Reference});
    symbols("assign", {UseKind::Assign});
    symbols("import", {UseKind::Import});
    symbols("kernel", {UseKind::Kernel});
    symbols("uncalled", {UseKind::UncalledGuard});
    symbols("literal", {UseKind::Literal});
    symbols("cpp", {UseKind::Mention});
    symbols("include", {UseKind::Include});
    symbols("launch", {UseKind::Launch});
    for (const char* key : {"method", "attribute"}) {
      if (!map.contains(key)) continue;
      match.kinds.push_back(key[0] == 'm' ? UseKind::Call : UseKind::Reference);
      for (const std::string& name : texts(map, key)) {
        for (const char* type : {"*.", "torch.Tensor.", "torch.nn.Module."}) match.symbols.push_back(type + name);
      }
    }
    if (flag(map, "choice")) {
      match.kinds.push_back(UseKind::Choice);
      match.symbols.push_back("*");
    }
    if (match.symbols.empty()) fail(map, "a match names something");
    for (const std::string& word : texts(map, "place")) {
      const auto it = place_words().find(word);
      if (it == place_words().end()) fail(map, "unknown place \"" + word + "\"");
      match.places.push_back(it->second);
    }
    match.place_names = texts(map, "place_name");
    if (map.contains("args")) match.args = read_args(map["args"]);
    return match;
  }

  std::vector<ArgMatch> read_args(const json& map) const {
    std::vector<ArgMatch> out;
    if (!map.is_object()) fail(row_, "args is a map");
    for (const auto& [key, value] : map.items()) {
      if (key == kLineKey) continue;
      ArgMatch arg;
      std::string_view name = key;
      const std::size_t slash = name.find('/');
      const std::string_view first = name.substr(0, slash);
      const bool number = !first.empty() && first.find_first_not_of("0123456789") == std::string_view::npos;
      if (number) arg.position = std::stoi(std::string(first));
      arg.keyword = !number ? std::string(first) : slash == std::string_view::npos ? std::string() : std::string(name.substr(slash + 1));
      std::vector<std::string> globs;
      for (const json& item : value.is_array() ? value.get<std::vector<json>>() : std::vector<json>{value}) {
        if (item.is_boolean()) {
          globs.push_back(item.get<bool>() ? "True" : "False");
        } else if (item.is_string()) {
          globs.push_back(item.get<std::string>());
        } else {
          fail(map, "an argument's value is text");
        }
      }
      if (globs.size() == 1 && globs[0] == "present") globs.clear();
      if (globs.size() == 1 && globs[0] == "absent") {
        globs.clear();
        arg.absent = true;
      }
      for (const std::string& glob : globs) arg.glob += (arg.glob.empty() ? "" : "\n") + glob;
      out.push_back(std::move(arg));
    }
    return out;
  }

  FixTemplate read_fix(const json& map) const {
    if (!map.is_object()) fail(row_, "a fix is a map");
    only(map, {"text", "when", "argument", "otherwise", "safety", "message", "delete"});
    FixTemplate fix;
    fix.text = flag(map, "delete") ? std::string(kDeleteStatement) : text(map, "text");
    if (map.contains("when")) fix.when = read_args(map["when"]);
    fix.argument = optional_text(map, "argument");
    fix.otherwise = optional_text(map, "otherwise");
    fix.message = optional_text(map, "message");
    const std::string safety = text(map, "safety");
    if (safety != "safe" && safety != "review") fail(map, "safety is safe or review");
    fix.safety = safety == "safe" ? Applicability::Safe : Applicability::Review;
    try {
      check_template(fix);
    } catch (const Error& e) {
      fail(map, e.what());
    }
    return fix;
  }

  Example read_example(const json& map) const {
    if (!map.is_object()) fail(row_, "an example is a map");
    only(map, {"before", "after", "keep", "run", "no_fix", "also", "min_torch"});
    Example example;
    example.line = line_of(map);
    example.before = optional_text(map, "before");
    example.after = optional_text(map, "after");
    example.keep = optional_text(map, "keep");
    example.run = flag(map, "run");
    example.no_fix = flag(map, "no_fix");
    example.also = texts(map, "also");
    if (map.contains("min_torch")) {
      const auto version = parse_torch_version(text(map, "min_torch"));
      if (!version) fail(map, "min_torch is a version like \"2.4\"");
      example.min_torch = *version;
    }
    if (example.before.empty() == example.keep.empty()) fail(map, "an example has either before or keep");
    if (!example.before.empty() && example.after.empty() != example.no_fix) fail(map, "before has after, or no_fix: true");
    return example;
  }

  const json& row_;
  const std::string& path_;
  bool own_;
};

void add_places(Catalogue& catalogue, const json& document, const std::string& path) {
  for (const auto& [key, value] : document.items()) {
    if (key == kLineKey) continue;
    if (key == "device_places") {
      for (const json& row : value) {
        DevicePlace place{row.at("symbol").get<std::string>(), -1, {}};
        if (row.contains("position")) place.position = std::stoi(row["position"].get<std::string>());
        place.keyword = row.value("keyword", std::string());
        catalogue.interest.places.push_back(std::move(place));
      }
    } else if (key == "words" || key == "methods" || key == "roots" || key == "markers" || key == "common_roots") {
      Interest& i = catalogue.interest;
      auto& list = key == "words" ? i.words : key == "methods" ? i.methods : key == "roots" ? i.roots : key == "markers" ? i.markers : i.common_roots;
      for (const json& word : value) list.push_back(word.get<std::string>());
    } else if (!add_native_table(catalogue, key, value, path)) {
      throw Error("unknown key \"" + key + "\"", path, document.value(kLineKey, 0u), "device_places, words, methods, roots, common_roots and markers are known");
    }
  }
}

bool is_native(UseKind kind) { return kind == UseKind::Mention || kind == UseKind::Include || kind == UseKind::Launch; }

}  // namespace

void add_document(Catalogue& catalogue, const json& document, const std::string& path, bool own) {
  if (document.is_null()) return;
  if (document.is_object()) return add_places(catalogue, document, path);
  if (!document.is_array()) throw Error("is no list of rules", path, 1, "see rules/README.md");
  for (const json& row : document) catalogue.rules.push_back(RuleReader(row, path, own).read());
}

void finish_catalogue(Catalogue& catalogue) {
  auto& rules = catalogue.rules;
  std::stable_sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return a.id < b.id; });
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (i > 0 && rules[i].id == rules[i - 1].id) throw Error("the id " + rules[i].id + " is taken", rules[i].file, rules[i].line, "ids are never reused");
    if (!names.insert(rules[i].name).second) throw Error("the name " + rules[i].name + " is taken", rules[i].file, rules[i].line, "give it another");
  }
  Interest& interest = catalogue.interest;
  for (const Rule& rule : rules) {
    for (const Match& match : rule.matches) {
      const bool literal = match.kinds.front() == UseKind::Literal || match.kinds.front() == UseKind::Choice;
      const bool native = is_native(match.kinds.front());
      for (const std::string& symbol : match.symbols) {
        const std::string_view view = symbol;
        if (match.kinds.front() == UseKind::Mention) add_native_name(interest.native, symbol);
        if (literal || native) continue;
        if (view.substr(0, 2) == "*.") {
          interest.methods.emplace_back(view.substr(2));
        } else if (view.find('.') != 0) {
          std::string_view root = view.substr(0, view.find('.'));
          if (!root.empty() && root.back() == '*') root.remove_suffix(1);
          interest.roots.emplace_back(root);
        }
      }
    }
  }
  interest.tensor_methods = apis().tensor_methods();
  sort_unique(interest.roots);
  sort_unique(interest.methods);
  sort_unique(interest.words);
  interest.markers.insert(interest.markers.end(), interest.words.begin(), interest.words.end());
  // A file about nothing but common libraries is read only where it holds one of the listed markers too: most files of a model library
  // have no tie.
  for (const std::string& root : interest.roots) {
    const auto& common = interest.common_roots;
    if (std::find(common.begin(), common.end(), root) != common.end()) continue;
    interest.markers.push_back("import " + root + " ");
    interest.markers.push_back("from " + root + " ");
  }
  keep_least(interest.markers);
  finish_native(interest.native);
  catalogue.index();
}

}  // namespace torchport
