// What a port may cost, in hours as ranges: a visible table (effort.yaml) times counted findings. An estimate, never a
// promise.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "opdb/target.h"
#include "rules/rule.h"

namespace torchport {

struct Report;
struct Finding;

struct Hours {
  double low = 0, likely = 0, high = 0;
  Hours& operator+=(const Hours& other);
  friend Hours operator*(double n, const Hours& hours) { return {n * hours.low, n * hours.likely, n * hours.high}; }
};

enum class Each : std::uint8_t { Finding, TiedFile, UnknownFile };

// What makes two findings of a class one piece of work: the same rule and line of code, the same file, the same library, the same
// name (an operator in whatever line), or nothing.
enum class Once : std::uint8_t { Line, File, Package, Symbol, Place };

struct EffortClass {
  std::string id, what, phase;
  Hours hours;
  Each each = Each::Finding;
  Once once = Once::Line;
  std::vector<std::string> fix, family, effort, name, features;  // a finding has one of each that is not empty
};

struct EffortPhase {
  std::string id, title, unblocks;
};

// A kernel of so many lines takes its class's hours that often.
struct EffortSize {
  std::uint32_t up_to = 0;  // lines of code
  double times = 1;
};

struct EffortTable {
  std::vector<EffortClass> classes;
  std::vector<EffortSize> sizes;  // rising; the last holds all that is longer
  std::vector<EffortPhase> phases;
  std::vector<std::string> not_counted;
};

// That of effort.yaml. Throws Error with path and line where it is not well formed; a test reads the one built in.
EffortTable read_effort_table(std::string_view text, const std::string& path);
EffortTable built_in_effort_table();

// The place of the finding's class in the table, as it is or as if it had no fix.
std::size_t class_of(const EffortTable& table, const Finding& finding, bool with_fix);

struct ClassEffort {
  std::size_t index = 0;       // into EffortTable::classes
  std::uint32_t count = 0;     // places that cost
  std::uint32_t repeated = 0;  // places like one of those, which cost nothing more
  Hours hours;
};

struct PartEffort {
  Hours hours;
  Hours by_hand;  // if nothing were rewritten
  std::vector<ClassEffort> classes;
};

constexpr std::size_t kEffortParts = 3;  // by Part

struct EffortEstimate {
  EffortTable table;
  std::array<std::array<PartEffort, kEffortParts>, kTargetCount> targets;  // of the report's targets; others are empty
  std::vector<std::int32_t> classes;  // of the report's findings, by index; -1: they cost nothing
};

EffortEstimate estimate(const Report& report, EffortTable table);
// The share of the likely hours that fixes take away; 0 where there are none.
double taken_away(const Hours& hours, const Hours& by_hand);

}  // namespace torchport
