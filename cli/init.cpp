#include <unistd.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "analyzers/error.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/job.h"
#include "cli/output.h"
#include "reports/page.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBaseline = "torchport-baseline.json";

// Whether the file may be written: it is not there, or somebody at a terminal says so.
bool may_write(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return true;
  if (::isatty(STDIN_FILENO) == 1) {
    print_error(file.string() + " is there; write it anew? [y/N] ");
    std::array<char, 64> typed{};
    const ssize_t n = ::read(STDIN_FILENO, typed.data(), typed.size());
    const std::string_view answer = std::string_view(typed.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    if (answer.starts_with('y') || answer.starts_with('Y')) return true;
  }
  note("left " + file.string() + " as it is");
  return false;
}

// Whether it was written.
bool write_page(const fs::path& file, std::string_view name, const nlohmann::json& data) {
  if (!may_write(file)) return false;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  Output output(file.string());
  render(name, data, Markup::Html, [&output](std::string_view text) { output.write(text); });
  output.finish();
  note("wrote " + file.string());
  return true;
}

nlohmann::json targets_data(const std::vector<Target>& targets) {
  nlohmann::json list = nlohmann::json::array();
  for (const Target target : targets)
    list.push_back({{"target", name_of(target)}, {"comma", target != targets.back()}});
  return list;
}

}  // namespace

int run_init(Options options) {
  const fs::path folder = options.paths.empty() ? "." : options.paths.front();
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw Error("is no folder", folder.string(), 0, "give the top of the project");
  const fs::path config = (folder / "torchport.yaml").lexically_normal(), baseline = (folder / kBaseline).lexically_normal();
  for (const fs::path& file : {config, baseline}) {
    if (fs::is_directory(file, error)) throw Error("is a folder, and a file is to be written there", file.string(), 0, "move it");
  }
  if (!options.targets.empty() && fs::exists(config, error))
    throw Error("is there and says which targets count", config.string(), 0, "change its targets, and leave --target out");
  const std::vector<Target> targets = chosen_targets(options.targets);
  write_page(config, "init.yaml", {{"targets", targets_data(targets)}});
  const bool workflow = write_page((folder / ".github/workflows/torchport.yml").lexically_normal(), "workflow.yaml",
             {{"baseline", kBaseline}});
  const fs::path absolute = fs::weakly_canonical(fs::absolute(folder), error);
  if (const auto top = work_tree(absolute.string()); top && fs::path(*top) != absolute)
    note("GitHub reads workflows at the top of a repository only: move .github/workflows/torchport.yml to " + *top + ", and have it work in this folder");
  if (workflow) note("set TORCHPORT_SOURCE in .github/workflows/torchport.yml: where pip finds torchport");
  if (!may_write(baseline)) return 0;
  fs::remove(baseline, error);
  options.command = Command::Gate;
  options.paths = {folder.string()};
  options.baseline = baseline.string();
  options.write_baseline = true;
  return run_gate(std::move(options));
}

}  // namespace torchport
