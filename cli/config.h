// torchport.yaml: where it lies and what it says, every value with its line. Whether rules and targets exist is checked
// when a Job is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torchport {

struct Setting {
  std::string text;
  std::uint32_t line = 0;
};

// Hours of a class of reports/effort.yaml.
struct EffortSetting {
  Setting name;
  std::vector<Setting> hours;
};

// Findings of `rules` (all if empty) in files under `path` are suppressed.
struct Allowance {
  std::string path;
  std::vector<Setting> rules;
  std::string why;
  std::uint32_t line = 0;
};

struct Config {
  std::string file;    // as people find it; empty: there is none
  std::string folder;  // absolute; globs are relative to it
  std::vector<Setting> targets, include, exclude, disable, only;
  std::vector<Allowance> allow;
  std::optional<Setting> min_torch, jobs, vendored;
  std::vector<Setting> fail_on;                // gate
  std::optional<Setting> max_ties, ratchet;
  std::vector<EffortSetting> effort;
};

// The nearest torchport.yaml from `root` upwards to the top of its work tree (the folder that holds .git). Outside of
// one, up to the current folder where that lies above `root`, else in `root` alone: a stray file far above decides
// nothing.
std::optional<std::string> find_config(const std::string& root);
// The top of the work tree around `path`, absolute.
std::optional<std::string> work_tree(const std::string& path);

// Throws Error with the file, the line and the nearest known key.
Config load_config(const std::string& file);
Config parse_config(std::string_view text, const std::string& file);

}  // namespace torchport
