#include "cli/analysis.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <unordered_map>

#include "analyzers/error.h"
#include "cli/output.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "cli/walk.h"
#include "cli/write_file.h"
#include "rules/settle.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

// More is no source that anybody wrote, and would take the memory of the whole run.
constexpr std::uintmax_t kLargest = 64U << 20;
constexpr std::size_t kHead = 4096;

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

struct FileResult {
  FileEntry entry;
  std::vector<Finding> findings;
  std::vector<Location> locations;
};

// Holds what the tasks of one run share; each writes only the result of its own index and the sums.
class Run {
 public:
  Run(const Job& job, const Inputs& inputs)
      : job_(job), inputs_(inputs), results_(inputs.files.size()), project_(inputs.files.size()) {}

  Report run() {
    Progress progress;
    const std::size_t total = inputs_.files.size();
    for_each_index(
        job_.jobs, total, [this](std::size_t i) { file(i); }, [&](std::size_t done) { progress.show(done, total); });
    progress.clear();
    project_.close();
    return report();
  }

 private:
  void file(std::size_t index) {
    std::optional<Loaded> loaded;
    try {
      loaded = load(inputs_, index);
    } catch (const Error& error) {
      not_read(index, error.what());
      return;
    }
    if (loaded->kind == Kind::Generated) ++left_out_;
    if (loaded->kind != Kind::Source) return;
    const Input& input = inputs_.files[index];
    const SourceFile source(input.path, std::move(loaded->bytes));
    const FileFacts facts = analyze(source, loaded->language, job_.catalogue.interest);
    ++(facts.status == Status::Skipped ? skipped_ : scanned_);
    project_.add(index, input.path, facts);
    OpCounts ops;
    std::vector<Finding> findings = findings_of(job_, input, source, facts, static_cast<std::uint32_t>(index), &ops);
    if (ops.uses + ops.possible + ops.host != 0) {
      const std::lock_guard lock(ops_mutex_);
      ops_.add(ops);
    }
    const bool whole = facts.status == Status::Full || facts.status == Status::Skipped;
    if (findings.empty() && whole) return;
    auto result = std::make_unique<FileResult>();
    result->entry = {input.path, part_of(input.path), facts.status, false, facts.status_why};
    for (const Finding& finding : findings) result->locations.push_back(locate(source, finding));
    result->findings = std::move(findings);
    results_[index] = std::move(result);
  }

  void not_read(std::size_t index, std::string why) {
    const Input& input = inputs_.files[index];
    if (why.starts_with(input.absolute + ": ")) why.erase(0, input.absolute.size() + 2);
    auto result = std::make_unique<FileResult>();
    result->entry = {input.path, part_of(input.path), Status::Failed, true, why};
    result->findings.push_back(unreadable(job_.catalogue, static_cast<std::uint32_t>(index), std::move(why)));
    result->locations.emplace_back();
    result->locations.back().related.resize(result->findings.back().related.size());
    results_[index] = std::move(result);
  }

  Report report() {
    Report report;
    report.root = job_.root;
    report.targets = job_.targets;
    report.scanned = scanned_;
    report.skipped = skipped_;
    report.left_out = inputs_.left_out + left_out_;
    report.torch_version = job_.torch_version;
    report.torch_source = job_.torch_source;
    report.ops = ops_;
    for (std::unique_ptr<FileResult>& result : results_) {
      if (!result) continue;
      const auto file = static_cast<std::uint32_t>(report.files.size());
      report.files.push_back(std::move(result->entry));
      for (Finding& finding : result->findings) {
        // Files without findings are not in the report, so theirs are other numbers than in the run.
        for (Related& related : finding.related) related.file = file;
        finding.file = file;
        settle(project_, report.files.back().path, finding);
        report.findings.push_back(std::move(finding));
      }
      std::move(result->locations.begin(), result->locations.end(), std::back_inserter(report.locations));
      result.reset();
    }
    count(report);
    return report;
  }

  const Job& job_;
  const Inputs& inputs_;
  std::vector<std::unique_ptr<FileResult>> results_;
  Project project_;
  std::mutex ops_mutex_;
  OpCounts ops_;
  std::atomic<std::uint32_t> scanned_ = 0, skipped_ = 0, left_out_ = 0;
};

}  // namespace

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

Loaded load(const Inputs& inputs, std::size_t index) {
  const Input& input = inputs.files[index];
  if (!input.unreadable.empty()) throw Error(input.unreadable, input.absolute);
  Loaded loaded;
  if (!inputs.given) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(input.absolute, error);
    if (!error && size > kLargest) throw Error("is larger than 64 MiB", input.absolute);
  }
  loaded.bytes = inputs.given ? *inputs.given : read_file(input.absolute);
  const std::string_view head = std::string_view(loaded.bytes).substr(0, kHead);
  loaded.language = language_of(input.path, head);
  if (loaded.language == Language::None) return loaded;
  const bool generated = !input.named && looks_generated(input.path, head);
  loaded.kind = generated ? Kind::Generated : Kind::Source;
  return loaded;
}

std::vector<Finding> findings_of(const Job& job, const Input& input, const SourceFile& source, const FileFacts& facts,
                                 std::uint32_t file, OpCounts* counts) {
  std::vector<Finding> findings = run_rules(job.catalogue, source, facts, file, job.run, counts);
  std::erase_if(findings,
                [&](const Finding& finding) { return job.off.contains(finding.rule) || !shown(finding, job.targets); });
  for (Finding& finding : findings) {
    if (finding.suppressed) continue;
    if (const Allowance* allowance = allowance_for(job, *finding.rule, input.absolute)) {
      finding.suppressed =
          allowance->why.empty() ? job.config.file + ":" + std::to_string(allowance->line) : allowance->why;
    }
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.span.start != b.span.start ? a.span.start < b.span.start : a.rule->id < b.rule->id;
  });
  return findings;
}

Project project_of(const Job& job, const Inputs& inputs) {
  Project project(inputs.files.size());
  for_each_index(
      job.jobs, inputs.files.size(),
      [&](std::size_t i) {
        try {
          const Loaded loaded = load(inputs, i);
          if (loaded.kind != Kind::Source) return;
          const SourceFile source(inputs.files[i].path, loaded.bytes);
          project.add(i, source.path(), analyze(source, loaded.language, job.catalogue.interest));
        } catch (const Error&) {  // said by whoever reads it next
        }
      },
      [](std::size_t) {});
  project.close();
  return project;
}

Report analyse(const Job& job, const Inputs& inputs) { return Run(job, inputs).run(); }

bool incomplete(const Job& job, const Report& report) {
  return !job.options.allow_skipped &&
         std::any_of(report.files.begin(), report.files.end(), [](const FileEntry& file) { return file.unreadable; });
}

}  // namespace torchport
