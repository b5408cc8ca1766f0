#include "rules/catalogue.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analyzers/error.h"
#include "embedded_rules.h"
#include "rules/compiled.h"
#include "rules/load.h"

namespace torchport {

const Rule* Catalogue::find(std::string_view id_or_name) const {
  for (const Rule& rule : rules) {
    if (rule.id == id_or_name || rule.name == id_or_name) return &rule;
  }
  return nullptr;
}

void Catalogue::index() {
  exact.clear();
  globs.clear();
  for (std::uint32_t r = 0; r < rules.size(); ++r) {
    for (std::uint32_t m = 0; m < rules[r].matches.size(); ++m) {
      for (const std::string& symbol : rules[r].matches[m].symbols) {
        if (!symbol.empty() && symbol.back() == '*') {
          globs.push_back({std::string_view(symbol).substr(0, symbol.size() - 1), {r, m}});
        } else {
          exact[symbol].push_back({r, m});
        }
      }
    }
  }
  const auto arguments = [&](const Entry& e) { return rules[e.rule].matches[e.match].args.size() + rules[e.rule].matches[e.match].places.size(); };
  for (auto& [symbol, entries] : exact) {
    std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) { return arguments(a) > arguments(b); });
  }
  std::stable_sort(globs.begin(), globs.end(), [&](const auto& a, const auto& b) {
    return a.first.size() != b.first.size() ? a.first.size() > b.first.size() : arguments(a.second) > arguments(b.second);
  });
}

Catalogue built_in_catalogue() {
  const auto files = embedded_rules();
  return files.empty() ? Catalogue{} : read_compiled(files.front().bytes);
}

void add_rules(Catalogue& catalogue, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code bad;
  std::vector<fs::path> files;
  for (fs::directory_iterator it(folder, bad), end; !bad && it != end; it.increment(bad)) {
    if (it->path().extension() == ".yaml" || it->path().extension() == ".yml") files.push_back(it->path());
  }
  if (bad) throw Error(bad.message(), folder, 0, "give a folder that holds *.yaml");
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw Error("cannot be read", file.string(), 0, "check its permissions");
    add_document(catalogue, yaml_to_json(text.str(), file.string()), file.string(), true);
  }
  finish_catalogue(catalogue);
}

}  // namespace torchport
