#include "rules/match.h"

#include <algorithm>

#include "rules/fix.h"

namespace torchport {
namespace {

bool any_line_matches(std::string_view globs, std::string_view text) {
  while (!globs.empty()) {
    const std::size_t end = std::min(globs.find('\n'), globs.size());
    if (wildcard_match(globs.substr(0, end), text)) return true;
    globs = globs.substr(std::min(end + 1, globs.size()));
  }
  return false;
}

bool matches(const Match& match, const Use& use) {
  if (std::find(match.kinds.begin(), match.kinds.end(), use.kind) == match.kinds.end()) return false;
  if (!match.places.empty() && std::find(match.places.begin(), match.places.end(), use.place) == match.places.end()) return false;
  if (!match.place_names.empty()) {
    const bool named = std::any_of(match.place_names.begin(), match.place_names.end(), [&](const std::string& g) { return wildcard_match(g, use.place_name); });
    if (!named) return false;
  }
  return std::all_of(match.args.begin(), match.args.end(), [&](const ArgMatch& a) { return argument_matches(a, use); });
}

}  // namespace

bool wildcard_match(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      mark = t;
    } else if (g < glob.size() && glob[g] == text[t]) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

bool argument_matches(const ArgMatch& want, const Use& use) {
  const Arg* arg = find_argument(use, want.position, want.keyword);
  const bool splat = std::any_of(use.args.begin(), use.args.end(), [](const Arg& a) { return a.splat; });
  if (want.absent) return arg == nullptr && !splat;
  if (arg == nullptr) return false;
  if (want.glob.empty()) return true;
  // "cuda" if … else "cpu": what is written for CUDA alone does not fit.
  const bool mixed = want.glob.rfind("cuda", 0) == 0 && std::any_of(arg->values.begin(), arg->values.end(), [&](const Value& v) {
    return v.kind == ValueKind::String && !any_line_matches(want.glob, v.text);
  });
  if (mixed) return false;
  return std::any_of(arg->values.begin(), arg->values.end(), [&](const Value& v) {
    // A device string that comes through a name is a finding where it is written.
    if (want.glob.rfind("cuda", 0) == 0 && !arg->span.contains(v.origin)) return false;
    // None is a value as it is written; an instance is known by its type only.
    return v.kind != ValueKind::Instance && any_line_matches(want.glob, v.kind == ValueKind::None ? "None" : v.text);
  });
}

std::optional<Catalogue::Entry> Matcher::match(const Use& use) {
  const auto [known, is_new] = by_symbol_.try_emplace(use.symbol);
  if (is_new) known->second = rows_of(use.symbol);
  for (const Catalogue::Entry& e : known->second) {
    if (matches(catalogue_.rules[e.rule].matches[e.match], use)) return e;
  }
  return std::nullopt;
}

std::vector<Catalogue::Entry> Matcher::rows_of(std::string_view symbol) const {
  std::vector<Catalogue::Entry> rows;
  if (const auto it = catalogue_.exact.find(symbol); it != catalogue_.exact.end()) rows = it->second;
  for (const auto& [prefix, e] : catalogue_.globs) {
    // Its last letter first: most prefixes begin alike.
    const bool may = prefix.empty() || (symbol.size() >= prefix.size() && symbol[prefix.size() - 1] == prefix.back());
    if (may && symbol.starts_with(prefix)) rows.push_back(e);
  }
  return rows;
}

}  // namespace torchport
