// What the command line says, before the configuration has its word; values are still words. CLI11 stays in
// options.cpp.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "opdb/target.h"

namespace torchport {

enum class Command : std::uint8_t { Scan, Fix, Gate, Report, Init, Explain, Rules, Facts, Ops, Opdb };

struct Options {
  Command command = Command::Scan;
  std::vector<std::string> paths;    // scan, fix: as given; facts: the file; explain: the rules asked for; opdb: what to do and its words
  std::vector<std::string> targets;  // empty: not given
  std::string format = "text";
  std::string output;  // empty: standard output
  std::string config;  // empty: look for one
  std::string opdb;    // a table of the user's own
  std::string old;     // opdb diff: the older table
  std::string library, python, key;  // opdb probe: the backend, and the dispatch key if not the target's own
  std::string rules;   // folder of the user's own rules
  std::string min_torch;
  std::uint32_t jobs = 0;  // 0: not given
  std::string compile_commands;  // folder of a compile_commands.json
  bool allow_skipped = false;
  bool show_config = false;
  bool verbose = false;
  bool diff = false, check = false, unsafe = false, add_allows = false;
  std::vector<std::string> fail_on;  // gate
  std::string baseline, since;
  bool write_baseline = false, accept_new = false;
  bool compare = false;  // report
  bool from_stdin = false;
  std::string stdin_path;
};

// The options, or what --help or --version print. Throws Error on bad usage.
std::variant<Options, std::string> parse_options(int argc, const char* const* argv);

// 206 of "2.6", "2.6.1" or "2"; nothing if it is no version.
std::optional<std::uint32_t> torch_version(std::string_view text);
std::string torch_text(std::uint32_t version);
// Throws Error that names the known ones.
Target parse_target(const std::string& word, const std::string& file = {}, std::uint32_t line = 0);

}  // namespace torchport
