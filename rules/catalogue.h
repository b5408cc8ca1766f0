// The rules that are in force, valid, in the order of their ids, and what they ask the analyzers to look for.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/kernel_table.h"
#include "rules/rule.h"

namespace torchport {

struct Catalogue {
  std::vector<Rule> rules;
  Interest interest;
  KernelTable kernels;
  std::vector<NativeRewrite> native_rewrites;
  std::vector<NativeType> native_types;
  std::vector<std::pair<std::string, std::string>> native_flags;  // flags of CUDA's events and those of c10::Event
  std::vector<std::string> native_takers;    // functions that take a device whole, or the options of one
  std::vector<std::string> native_plain;     // globs over functions and macros that launch nothing and take every tensor; ".x": members
  std::vector<std::string> native_checks;    // macros that throw where a status of CUDA is an error
  std::vector<std::string> extension_names;  // globs over what Python calls extension modules

  const Rule* find(std::string_view id_or_name) const;

  struct Entry {
    std::uint32_t rule;
    std::uint32_t match;
  };
  // By exact symbol, and by what stands before a final '*' (longest first); within each, matches with more arguments first.
  std::unordered_map<std::string_view, std::vector<Entry>> exact;
  std::vector<std::pair<std::string_view, Entry>> globs;
  // Rebuilds both from `rules`, which must not move afterwards.
  void index();
};

// The rules built in; they were checked when torchport was built, so nothing can fail here.
Catalogue built_in_catalogue();
// Adds the *.yaml files of a user's folder, sorted by name. Throws Error with file:line on an unknown key, a duplicate id, an unknown name in
// a fix, a missing part. Rule ids of users start with anything but "TP".
void add_rules(Catalogue& catalogue, const std::string& folder);

}  // namespace torchport
