#include "cli/job.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>

#include "analyzers/error.h"
#include "cli/nearest.h"
#include "cli/output.h"
#include "cli/own_packages.h"
#include "cli/requirements.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMostJobs = 256;

std::string at_line(const Config& config, std::uint32_t line) { return config.file + ":" + std::to_string(line); }

std::string joined(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings) text += (text.empty() ? "" : ", ") + setting.text;
  return text;
}

fs::path folder_to_search(const std::string& path) {
  std::error_code error;
  const fs::path full = fs::absolute(path, error).lexically_normal();
  return fs::is_directory(full, error) ? full : full.parent_path();
}

fs::path common_folder(const std::vector<std::string>& paths) {
  fs::path common = folder_to_search(paths.front());
  for (const std::string& path : paths) {
    const fs::path folder = folder_to_search(path);
    fs::path shared;
    for (auto a = common.begin(), b = folder.begin(); a != common.end() && b != folder.end() && *a == *b; ++a, ++b)
      shared /= *a;
    common = shared;
  }
  return common;
}

void set_paths(Job& job) {
  job.paths = job.options.paths;
  if (job.options.from_stdin) {
    const std::string& path = job.options.stdin_path;
    job.paths = {path.empty() ? std::string("stdin.py") : path};
    job.root = ".";
    return;
  }
  if (job.paths.empty()) job.paths = {"."};
  for (const std::string& path : job.paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) throw Error("no such file or folder", path);
    if (error && status.type() == fs::file_type::none) throw Error("cannot be read: " + error.message(), path);
  }
  job.root = ".";
  if (job.paths.size() > 1) return;
  std::error_code error;
  const fs::path only = job.paths.front();
  job.root = fs::is_directory(only, error) ? only.string() : only.parent_path().string();
  while (job.root.size() > 1 && job.root.ends_with('/')) job.root.pop_back();
  if (job.root.empty()) job.root = ".";
}

void set_config(Job& job) {
  std::string from = "--config";
  if (!job.options.config.empty()) {
    job.config = load_config(job.options.config);
  } else if (const auto found = find_config(common_folder(job.paths).string())) {
    job.config = load_config(*found);
    from = "nearest";
  }
  job.decisions.push_back(job.config.file.empty() ? Decision{"config", "none", "default"}
                                                  : Decision{"config", job.config.file, from});
}

void set_targets(Job& job) {
  const Config& config = job.config;
  // A rewrite is for every machine that the code may meet; a host without any accelerator is one of them.
  const bool every = job.options.command == Command::Fix && job.options.targets.empty();
  if (every) {
    job.targets = known_targets();
  } else if (!job.options.targets.empty()) {
    job.targets = chosen_targets(job.options.targets);
  } else if (!config.targets.empty()) {
    for (const Setting& setting : config.targets) {
      const Target target = parse_target(setting.text, config.file, setting.line);
      if (std::find(job.targets.begin(), job.targets.end(), target) == job.targets.end()) job.targets.push_back(target);
    }
  } else {
    job.targets = chosen_targets({});
  }
  std::string value;
  for (const Target target : job.targets) value += (value.empty() ? "" : ", ") + std::string(name_of(target));
  job.decisions.push_back({"targets", value,
                           every                          ? "fix takes all"
                           : !job.options.targets.empty() ? "--target"
                           : !config.targets.empty()      ? at_line(config, config.targets.front().line)
                                                          : "default"});
}

// A rule's id, its name or a family.
std::vector<const Rule*> rules_named(const Job& job, const Setting& setting) {
  std::vector<const Rule*> named;
  std::vector<std::string_view> known;
  for (const Rule& rule : job.catalogue.rules) {
    if (setting.text == rule.id || setting.text == rule.name || setting.text == rule.family) named.push_back(&rule);
    known.insert(known.end(), {rule.id, rule.name, rule.family});
  }
  if (named.empty()) {
    const std::string meant = did_you_mean(setting.text, known);
    throw Error("no rule or family \"" + setting.text + "\"", job.config.file, setting.line,
                meant.empty() ? "see torchport rules" : meant);
  }
  return named;
}

void set_rules(Job& job) {
  const Config& config = job.config;
  if (!config.only.empty()) {
    // A file that was not understood is never passed over just because other rules were chosen.
    for (const Rule& rule : job.catalogue.rules) {
      if (rule.family != "file") job.off.insert(&rule);
    }
    for (const Setting& setting : config.only) {
      for (const Rule* rule : rules_named(job, setting)) job.off.erase(rule);
    }
    job.decisions.push_back({"rules only", joined(config.only), at_line(config, config.only.front().line)});
  }
  for (const Setting& setting : config.disable) {
    for (const Rule* rule : rules_named(job, setting)) job.off.insert(rule);
  }
  if (!config.disable.empty())
    job.decisions.push_back({"rules disabled", joined(config.disable), at_line(config, config.disable.front().line)});
  for (const Allowance& allowance : config.allow) {
    for (const Setting& setting : allowance.rules) rules_named(job, setting);
    const std::string rules = allowance.rules.empty() ? "all rules" : joined(allowance.rules);
    job.decisions.push_back({"allowed", rules + " in " + allowance.path, at_line(config, allowance.line)});
  }
  const std::string count = std::to_string(job.catalogue.rules.size() - job.off.size());
  job.decisions.push_back({"rules", count + " of " + std::to_string(job.catalogue.rules.size()),
                           job.options.rules.empty() ? "built in" : "built in and " + job.options.rules});
}

void set_torch(Job& job) {
  const auto given = [&](const std::string& text, const std::string& file, std::uint32_t line) {
    const auto version = torch_version(text);
    if (!version || *version < 100)
      throw Error("\"" + text + "\" is no version of torch", file, line, "write it as 2.6");
    job.run.min_torch = *version;
  };
  if (!job.options.min_torch.empty()) {
    given(job.options.min_torch, {}, 0);
    job.torch_source = "--min-torch";
  } else if (const auto& setting = job.config.min_torch) {
    given(setting->text, job.config.file, setting->line);
    job.torch_source = at_line(job.config, setting->line);
  } else {
    const std::string root = common_folder(job.paths).string();
    std::optional<TorchPin> pin = project_torch(root);
    // Requirements lie at the top even where only a folder of the project is scanned.
    if (const auto top = pin ? std::nullopt : work_tree(root); top && *top != root) pin = project_torch(*top);
    if (pin) job.run.min_torch = pin->version;
    if (!pin) job.torch_source = "newest known; no requirement names torch";
    if (pin) job.torch_source = pin->version == 0 ? "newest known; " + pin->where + " pins none" : pin->where;
  }
  job.torch_version = torch_text(job.run.min_torch == 0 ? newest_known_torch() : job.run.min_torch);
  job.decisions.push_back({"min torch", job.torch_version, job.torch_source});
}

void check_compile_commands(const Job& job) {
  const std::string& folder = job.options.compile_commands;
  std::error_code error;
  if (!folder.empty() && !fs::is_regular_file(fs::path(folder) / "compile_commands.json", error)) throw Error("holds no compile_commands.json", folder, 0, "give -p the folder of one");
}

void set_scope_and_jobs(Job& job) {
  const Config& config = job.config;
  for (const Setting& glob : config.include) job.include.add_line(glob.text);
  for (const Setting& glob : config.exclude) job.exclude.add_line(glob.text);
  for (const Allowance& allowance : config.allow) job.allowed.emplace_back().add_line(allowance.path);
  if (!config.include.empty())
    job.decisions.push_back({"include", joined(config.include), at_line(config, config.include.front().line)});
  if (!config.exclude.empty())
    job.decisions.push_back({"exclude", joined(config.exclude), at_line(config, config.exclude.front().line)});
  const bool vendored = config.vendored && config.vendored->text == "true";
  job.decisions.push_back({"vendored", vendored ? "scanned" : "left out",
                           config.vendored ? at_line(config, config.vendored->line) : "default"});
  std::uint32_t jobs = job.options.jobs;
  std::string from = "--jobs";
  if (jobs == 0 && config.jobs) {
    jobs = static_cast<std::uint32_t>(std::stoul(config.jobs->text));
    from = at_line(config, config.jobs->line);
  }
  if (jobs == 0) {
    jobs = std::max(1U, std::thread::hardware_concurrency());
    from = "all cores";
  }
  job.jobs = std::min(jobs, kMostJobs);
  job.decisions.push_back({"jobs", std::to_string(job.jobs), from});
}

// The path as the configuration's globs see it; nothing for files outside of its folder.
std::optional<std::string_view> within(const Config& config, std::string_view absolute) {
  if (config.folder == "/") return absolute.substr(1);
  if (!absolute.starts_with(config.folder) || absolute.size() <= config.folder.size() ||
      absolute[config.folder.size()] != '/')
    return std::nullopt;
  return absolute.substr(config.folder.size() + 1);
}

}  // namespace

std::vector<Target> chosen_targets(const std::vector<std::string>& words) {
  if (words.empty()) return {Target::Neuron, Target::Tpu};
  std::vector<Target> targets;
  for (const std::string& word : words) {
    const Target target = parse_target(word);
    if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
  }
  return targets;
}

Catalogue load_catalogue(const Options& options) {
  Catalogue catalogue = built_in_catalogue();
  if (!options.rules.empty()) add_rules(catalogue, options.rules);
  return catalogue;
}

Job make_job(Options options) {
  Job job;
  job.options = std::move(options);
  set_paths(job);
  set_config(job);
  job.catalogue = load_catalogue(job.options);
  set_targets(job);
  set_rules(job);
  set_torch(job);
  job.run.own_packages = own_packages(common_folder(job.paths));
  check_compile_commands(job);
  set_scope_and_jobs(job);
  return job;
}

bool in_scope(const Job& job, std::string_view absolute) {
  if (job.include.empty() && job.exclude.empty()) return true;
  const auto path = within(job.config, absolute);
  if (!path) return job.include.empty();
  return (job.include.empty() || job.include.matches(*path)) && !job.exclude.matches(*path);
}

const Allowance* allowance_for(const Job& job, const Rule& rule, std::string_view absolute) {
  if (job.allowed.empty()) return nullptr;
  const auto path = within(job.config, absolute);
  if (!path) return nullptr;
  for (std::size_t i = 0; i < job.allowed.size(); ++i) {
    const Allowance& allowance = job.config.allow[i];
    const bool meant = allowance.rules.empty() ||
                       std::any_of(allowance.rules.begin(), allowance.rules.end(), [&](const Setting& setting) {
                         return setting.text == rule.id || setting.text == rule.name || setting.text == rule.family;
                       });
    if (meant && job.allowed[i].matches(*path)) return &allowance;
  }
  return nullptr;
}

std::string config_text(const Job& job) {
  std::size_t keys = 0, values = 0;
  for (const Decision& decision : job.decisions) {
    keys = std::max(keys, decision.key.size());
    values = std::max(values, std::min<std::size_t>(decision.value.size(), 60));
  }
  std::string text;
  for (const Decision& decision : job.decisions) {
    text += decision.key + std::string(keys - decision.key.size() + 2, ' ') + decision.value +
            std::string(values - std::min(values, decision.value.size()) + 2, ' ') + decision.from + "\n";
  }
  return text;
}

bool show_config(const Job& job) {
  if (!job.options.show_config) return false;
  Output output(job.options.output);
  output.write(config_text(job));
  output.finish();
  return true;
}

}  // namespace torchport
