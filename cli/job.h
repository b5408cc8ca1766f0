// All that scan and fix need, loaded and checked: after a Job exists the run cannot be misconfigured. Reads no source.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cli/config.h"
#include "cli/ignore.h"
#include "cli/options.h"
#include "opdb/target.h"
#include "rules/catalogue.h"
#include "rules/run.h"

namespace torchport {

// A setting that holds and what decided it, for --show-config.
struct Decision {
  std::string key, value, from;
};

struct Job {
  Job() = default;
  Job(Job&&) = default;  // no copies: `off` points into the catalogue
  Job& operator=(Job&&) = default;

  Options options;
  Config config;
  Catalogue catalogue;
  std::unordered_set<const Rule*> off;  // rules that the configuration leaves out
  IgnoreRules include, exclude;         // the configuration's globs
  std::vector<IgnoreRules> allowed;     // paths of Config::allow, by index
  std::vector<std::string> paths;       // at least one, existing
  std::string root;                     // paths in reports are relative to it
  std::vector<Target> targets;          // at least one, in the order given
  std::uint32_t jobs = 1;
  RunOptions run;
  std::string torch_version, torch_source;
  std::vector<Decision> decisions;
};

// Throws Error.
Job make_job(Options options);
Catalogue load_catalogue(const Options& options);
std::vector<Target> chosen_targets(const std::vector<std::string>& words);

// Whether include and exclude let this file in.
bool in_scope(const Job& job, std::string_view absolute);
// The entry of the configuration that allows this rule's findings in that file.
const Allowance* allowance_for(const Job& job, const Rule& rule, std::string_view absolute);
std::string config_text(const Job& job);
// With --show-config: writes that text where output goes, and says that nothing else is to be done.
bool show_config(const Job& job);

}  // namespace torchport
