// What each target does with each overload of aten, and why we say so. Facts come from opdb/data/*.tsv (README.md
// there: how they were read); nothing here knows of Python code.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "opdb/sorted_table.h"
#include "opdb/target.h"

namespace torchport {

enum class Support : std::uint8_t { Native, Composite, Fallback, Unsupported, Unknown };
std::string_view name_of(Support support);
// "aten::add.Tensor" of "add.Tensor"; other namespaces stay.
std::string full_name(std::string_view op);
// Of two answers about one use: unsupported before fallback before unknown before the rest.
Support worse(Support a, Support b);

struct Answer {
  Support support = Support::Unknown;
  std::string evidence;
  std::string limits;  // empty: none known
};

class Coverage {
 public:
  // The tables built in.
  Coverage();
  // Puts a table of the user's own in the place of one target's: the form of opdb/data/neuron.tsv, with a line "#
  // target: NAME". Throws Error with path and line. The target that it is about.
  Target replace(std::string text, const std::string& path);

  // Total: Unknown where nothing is known. `op`: "aten::add.Tensor" or "add.Tensor".
  Answer answer(std::string_view op, Target target) const;
  // The same without the words, for a dense tensor: a kernel that serves other layouts only does not count.
  Support support(std::string_view op, Target target) const;
  // What happens where this overload is all that is left to call: a composite kernel takes care of itself, and some
  // devices are called by another overload (routes.tsv).
  Support reached(std::string_view op, Target target) const;

  // Whether torch has the overload.
  bool known(std::string_view op) const;
  // An operator of another library or of c10d, of which something is known on some target.
  bool known_of_others(std::string_view op) const;
  std::vector<std::string_view> overloads() const;
  // Where the target's answers come from, a line each; and the row of a policy such as "@sparse", if its table has one.
  std::vector<std::string_view> provenance(Target target) const;
  // Repository, commit and date in short, as each answer ends with them.
  std::string_view cite(Target target) const;
  std::string_view policy(Target target, std::string_view name) const;
  // Whether what the target's table does not name is unknown there.
  bool partial(Target target) const;
  // "2.13": the torch whose overloads these are.
  static std::string_view torch_version() { return "2.13"; }

 private:
  struct Found;
  Found find(std::string_view op, Target target) const;
  static void find_in_tree(std::string_view key, Found& found);
  const SortedTable* table(Target target) const;

  SortedTable aten_, others_;
  std::array<SortedTable, kTargetCount> tables_;
  std::array<bool, kTargetCount> has_table_{};
  bool has_functional_form(std::string_view op, const SortedTable& own) const;

  std::vector<TableRow> routes_;
  std::vector<TableRow> structured_;  // rows of aten.tsv that run through another
  std::vector<std::unique_ptr<std::string>> owned_;
};

// The one that the program uses; --opdb replaces it before anything asks.
Coverage& coverage();

}  // namespace torchport
