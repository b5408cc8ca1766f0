// Which rule, if any, a use meets.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/catalogue.h"

namespace torchport {

// For the uses of one file, which share few symbols: what the catalogue has for a symbol is looked up once. Keeps the catalogue and views of the symbols.
class Matcher {
 public:
  explicit Matcher(const Catalogue& catalogue) : catalogue_(catalogue) {}
  // The best row for the use: exact symbols before globs, more arguments before fewer, then the order of ids.
  std::optional<Catalogue::Entry> match(const Use& use);

 private:
  std::vector<Catalogue::Entry> rows_of(std::string_view symbol) const;

  const Catalogue& catalogue_;
  std::unordered_map<std::string_view, std::vector<Catalogue::Entry>> by_symbol_;
};

// Whether the use has such an argument (or has none, where that is wanted).
bool argument_matches(const ArgMatch& want, const Use& use);

// '*' stands for any run of characters.
bool wildcard_match(std::string_view glob, std::string_view text);

}  // namespace torchport
