// One row of the catalogue. A Rule is valid once load() has returned it. What a match key means: README.md beside this file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzers/facts.h"
#include "opdb/target.h"

namespace torchport {

enum class Impact : std::uint8_t { None, Cosmetic, Degrades, Blocks };
enum class Applicability : std::uint8_t { Safe, Review, Manual };
enum class Effort : std::uint8_t { Trivial, Small, Medium, Large, Redesign };

std::string_view name_of(Impact impact);
std::optional<Impact> impact_named(std::string_view name);
std::string_view name_of(Applicability applicability);
std::string_view name_of(Effort effort);

using Impacts = std::array<Impact, kTargetCount>;

// An argument that must be there (or must not).
struct ArgMatch {
  std::int32_t position = -1;
  std::string keyword;
  std::string glob;        // over the known values as text: "cuda*", "True", "*Tensor"; several: one a line; empty: present at all
  bool absent = false;
};

struct Match {
  std::vector<UseKind> kinds;
  std::vector<std::string> symbols;  // exact, or with a final '*'
  std::vector<Place> places;         // Literal only
  std::vector<std::string> place_names;
  std::vector<ArgMatch> args;
};

// One way of rewriting. `text` replaces the use; see README.md for the placeholders.
struct FixTemplate {
  std::string text;
  std::vector<ArgMatch> when;  // the arguments that the fix is for
  std::string argument;    // "7/pin_memory": only this argument's value is replaced
  std::string otherwise;   // the value where there is no accelerator, if a name in `text` raises there; "statement": only as a statement;
                           // empty: None
  Applicability safety = Applicability::Review;
  std::string message;
  std::uint32_t since = 0; // torch version 100*major+minor from which every name in `text` exists; filled in by load()
  bool guarded = false;    // a name in `text` raises without an accelerator; filled in by load()
};

struct Example {
  std::string before;      // fires this rule, once
  std::string after;       // what `fix --unsafe` makes of it; empty: no fix
  std::string keep;        // silent
  bool run = false;
  bool no_fix = false;
  std::vector<std::string> also;  // other rules that `before` may fire
  std::uint32_t min_torch = 0;
  std::uint32_t line = 0;
};

struct Rule {
  std::string id;
  std::string name;
  std::string family;
  std::string message;
  std::string why;
  std::string advice;      // what to do where no fix can be written
  std::string check;       // name of the C++ check; empty: `match` decides
  std::string file;        // where it is written
  std::uint32_t line = 0;
  std::vector<Match> matches;
  Impacts impact{};
  Impacts guarded{};       // under a guard that asks for CUDA
  Effort effort = Effort::Small;
  std::vector<FixTemplate> fixes;  // the first whose `since` the project's torch has is taken
  std::vector<Example> examples;
};

}  // namespace torchport
