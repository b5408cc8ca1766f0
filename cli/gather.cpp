// The files of a run: walked to or named, each once, sorted.
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_map>

#include "cli/analysis.h"
#include "cli/output.h"
#include "cli/walk.h"
#include "cli/write_file.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

// The path as a report over several PATHs shows it: relative to the current folder where it lies in it.
std::string shown_path(const fs::path& typed, const std::string& rest) {
  fs::path path = (typed / rest).lexically_normal();
  if (!path.is_absolute()) return path.generic_string();
  std::error_code error;
  const fs::path inside = path.lexically_relative(fs::current_path(error));
  return error || inside.empty() || *inside.begin() == ".." ? path.generic_string() : inside.generic_string();
}

class Gatherer {
 public:
  explicit Gatherer(const Job& job) : job_(job), several_(job.paths.size() > 1) {}

  Inputs gather() {
    for (const std::string& path : job_.paths) add_path(path);
    std::sort(inputs_.files.begin(), inputs_.files.end(),
              [](const Input& a, const Input& b) { return a.path < b.path; });
    return std::move(inputs_);
  }

 private:
  void add_path(const std::string& typed) {
    const Config& config = job_.config;
    std::error_code error;
    const bool named = !fs::is_directory(typed, error);
    WalkOptions options;
    options.include = words(config.include);
    options.exclude = words(config.exclude);
    options.globs_from = config.folder;
    options.vendored = config.vendored && config.vendored->text == "true";
    options.wanted = [](std::string_view path) { return language_of(path, {}) != Language::None; };
    Walk walked = walk(typed, options);
    inputs_.left_out += walked.left_out;
    const auto reported = [&](std::string&& path) {
      return !several_ ? std::move(path) : shown_path(named ? fs::path(typed).parent_path() : fs::path(typed), path);
    };
    for (WalkedFile& file : walked.files) add({reported(std::move(file.path)), std::move(file.absolute), {}, named});
    for (auto& [path, why] : walked.unreadable) {
      const std::string absolute = (fs::absolute(walked.root, error) / path).string();
      add({reported(std::move(path)), absolute, why.empty() ? "cannot be read" : why, false});
    }
  }

  static std::vector<std::string> words(const std::vector<Setting>& settings) {
    std::vector<std::string> words;
    words.reserve(settings.size());
    for (const Setting& setting : settings) words.push_back(setting.text);
    return words;
  }

  void add(Input input) {
    if (several_) {
      const auto [known, is_new] = known_.emplace(input.absolute, inputs_.files.size());
      if (!is_new) {
        Input& first = inputs_.files[known->second];
        first.named = first.named || input.named;
        return;
      }
    }
    inputs_.files.push_back(std::move(input));
  }

  const Job& job_;
  bool several_;
  Inputs inputs_;
  std::unordered_map<std::string, std::size_t> known_;
};

}  // namespace

void keep_apart(const std::string& output, const Inputs& inputs) {
  std::error_code error;
  if (output.empty() || !fs::is_regular_file(output, error)) return;
  const std::string absolute = fs::weakly_canonical(fs::absolute(output), error).string();
  for (const Input& input : inputs.files) {
    if (input.absolute == absolute) keep_apart(output, std::vector<std::string>{absolute});
  }
}

Inputs gather(const Job& job) {
  if (!job.options.from_stdin) return Gatherer(job).gather();
  Inputs inputs;
  inputs.given = read_stdin();
  std::error_code error;
  const fs::path path = job.paths.front();
  const std::string absolute = fs::weakly_canonical(fs::absolute(path), error).string();
  if (!in_scope(job, absolute)) return inputs;
  inputs.files.push_back({path.lexically_normal().generic_string(), absolute, {}, true});
  return inputs;
}

}  // namespace torchport
