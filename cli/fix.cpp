#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>

#include "analyzers/error.h"
#include "cli/commands.h"
#include "cli/fix_file.h"
#include "cli/output.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "cli/write_file.h"
#include "opdb/torch_names.h"
#include "reports/paint.h"
#include "rewriter/rewrite.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

struct FileFix {
  FixedText fixed;  // its text is kept only where it is printed
  bool changed = false;
  std::string diff;
  std::string trouble;  // the file is as it was, and this is why
  bool unread = false;
  std::size_t not_made = 0;  // fixes that the trouble prevented
};

class FixRun {
 public:
  FixRun(const Job& job, const Inputs& inputs) : job_(job), inputs_(inputs), results_(inputs.files.size()) {
    std::error_code error;
    here_ = fs::current_path(error).string();
    tree_ = work_tree(inputs.files.empty() ? job.root : inputs.files.front().absolute).value_or(here_);
  }

  void run() {
    Progress progress;
    const std::size_t total = inputs_.files.size();
    for_each_index(
        job_.jobs, total, [this](std::size_t i) { file(i); }, [&](std::size_t done) { progress.show(done, total); });
  }

  bool writes() const { return !job_.options.diff && !job_.options.check && !job_.options.from_stdin; }
  std::string diffs() const;
  // The fixed text with --stdin; what came in where nothing changed.
  std::string text() const;
  std::string summary(bool colour) const;
  int exit_code() const;

 private:
  void file(std::size_t index);
  void take(std::size_t index, const Loaded& loaded);
  std::string diff_path(const Input& input) const;
  std::size_t changed() const;
  std::string fixed_lines(const Paint& paint) const;
  std::string left_lines(const Paint& paint) const;
  std::string trouble_lines(const Paint& paint) const;
  std::string changed_lines() const;

  const Job& job_;
  const Inputs& inputs_;
  std::vector<std::unique_ptr<FileFix>> results_;  // of the files that hold something to say
  std::string here_, tree_;
};

void FixRun::file(std::size_t index) {
  const Input& input = inputs_.files[index];
  try {
    const Loaded loaded = load(inputs_, index);
    if (loaded.kind == Kind::Source) take(index, loaded);
  } catch (const Error& error) {
    std::string why = error.what();
    if (why.starts_with(input.absolute + ": ")) why.erase(0, input.absolute.size() + 2);
    results_[index] = std::make_unique<FileFix>();
    results_[index]->trouble = why;
    results_[index]->unread = true;
  }
}

void FixRun::take(std::size_t index, const Loaded& loaded) {
  const Input& input = inputs_.files[index];
  FileFix result{fix_text(job_, input, loaded.bytes, loaded.language), false, {}, {}, false, 0};
  result.trouble = result.fixed.refused;
  result.changed = result.fixed.text != loaded.bytes;
  if (result.changed && job_.options.diff)
    result.diff = unified_diff(diff_path(input), loaded.bytes, result.fixed.text);
  if (result.changed && writes()) {
    try {
      write_file(input.absolute, result.fixed.text, loaded.bytes);
    } catch (const Error& error) {
      result.changed = false;
      result.trouble = error.what();
      if (result.trouble.starts_with(input.absolute + ": ")) result.trouble.erase(0, input.absolute.size() + 2);
      result.not_made = result.fixed.applied.size();
      result.fixed.applied.clear();
    }
  }
  if (!inputs_.given) result.fixed.text = {};
  if (!result.changed && result.trouble.empty() && result.fixed.left.empty() && !inputs_.given) return;
  results_[index] = std::make_unique<FileFix>(std::move(result));
}

// From the top of the work tree, as git's own patches; elsewhere from the current folder, or from the PATH given.
std::string FixRun::diff_path(const Input& input) const {
  for (const std::string& folder : {tree_, here_}) {
    const std::string prefix = folder == "/" ? folder : folder + "/";
    if (input.absolute.starts_with(prefix)) return input.absolute.substr(prefix.size());
  }
  return input.path;
}

std::string FixRun::diffs() const {
  std::string text;
  for (const auto& result : results_) {
    if (result) text += result->diff;
  }
  return text;
}

std::string FixRun::text() const {
  const bool known = !results_.empty() && results_.front() && !results_.front()->unread;
  return known ? results_.front()->fixed.text : inputs_.given.value_or("");
}

std::size_t FixRun::changed() const {
  return static_cast<std::size_t>(
      std::count_if(results_.begin(), results_.end(), [](const auto& result) { return result && result->changed; }));
}

std::string FixRun::fixed_lines(const Paint& paint) const {
  std::map<std::pair<std::string, std::string>, std::array<std::size_t, 2>> by_rule;
  std::size_t sums[2] = {0, 0};
  std::size_t width = 0;
  for (const auto& result : results_) {
    if (!result || !result->changed) continue;
    for (const AppliedFix& applied : result->fixed.applied) {
      const std::size_t kind = applied.applicability == Applicability::Safe ? 0 : 1;
      ++by_rule[{applied.rule->id, applied.rule->name}][kind];
      ++sums[kind];
      width = std::max(width, applied.rule->id.size() + applied.rule->name.size() + 1);
    }
  }
  if (job_.options.add_allows) {
    return paint.bold((writes() ? "allowed " : "would allow ") + counted(sums[0], "finding") + " in " + counted(changed(), "file")) + "\n";
  }
  const std::string verb = writes() ? "fixed" : "would fix";
  if (sums[0] + sums[1] == 0) return verb + " nothing\n";
  std::string text =
      paint.bold(verb + " " + counted(sums[0] + sums[1], "finding") + " in " + counted(changed(), "file")) + ": " +
      std::to_string(sums[0]) + " safe, " + std::to_string(sums[1]) + " review\n";
  for (const auto& [rule, counts] : by_rule) {
    text += "  " + padded(rule.first + " " + rule.second, width);
    if (counts[0] != 0) text += "  " + std::to_string(counts[0]) + " safe";
    if (counts[1] != 0) text += "  " + std::to_string(counts[1]) + " review";
    text += "\n";
  }
  return text;
}

std::string FixRun::left_lines(const Paint& paint) const {
  std::map<std::string, std::map<std::string, std::size_t>> by_why;
  std::size_t left = 0, cosmetic = 0;
  std::string places;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (!results_[i]) continue;
    for (const RemainingFinding& finding : results_[i]->fixed.left) {
      const bool matters = finding.impact >= Impact::Degrades;
      ++(matters ? left : cosmetic);
      if (matters) ++by_why[finding.why][finding.rule->id + " " + finding.rule->name];
      places += "  " + printable(inputs_.files[i].path) + ":" + std::to_string(finding.at.line) + ":" +
                std::to_string(finding.at.column) + ": " + finding.rule->id + " " + finding.rule->name + ": " +
                finding.why + "\n";
    }
  }
  if (left + cosmetic == 0) return {};
  std::string text = paint.bold("left " + counted(left, "finding")) +
                     (cosmetic == 0 ? "" : " and " + std::to_string(cosmetic) + " cosmetic") + "\n";
  for (const auto& [why, rules] : by_why) {
    std::vector<std::pair<std::string, std::size_t>> most(rules.begin(), rules.end());
    std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::size_t sum = 0;
    std::string names;
    for (std::size_t i = 0; i < most.size(); ++i) {
      sum += most[i].second;
      if (i >= 5 && !job_.options.verbose) continue;
      if (i != 0) names += ", ";
      names.append(most[i].first).append(" ×").append(std::to_string(most[i].second));
    }
    if (most.size() > 5 && !job_.options.verbose) names += ", …";
    text += "  " + why + " (" + std::to_string(sum) + "): " + names + "\n";
  }
  return job_.options.verbose ? text + places : text;
}

std::string FixRun::trouble_lines(const Paint& paint) const {
  std::string text;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (!results_[i] || results_[i]->trouble.empty()) continue;
    text += paint.red("left as it is") + ": " + printable(inputs_.files[i].path) + ": " +
            printable(results_[i]->trouble) + "\n";
  }
  return text;
}

std::string FixRun::changed_lines() const {
  if (!job_.options.check && !job_.options.verbose) return {};
  std::string text;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i] && results_[i]->changed)
      text += (writes() ? "changed " : "would change ") + printable(inputs_.files[i].path) + "\n";
  }
  return text;
}

std::string FixRun::summary(bool colour) const {
  const Paint paint(colour);
  const std::string left = left_lines(paint);
  std::string text = trouble_lines(paint) + changed_lines() + fixed_lines(paint) + left;
  if ((changed() != 0 || !left.empty()) && !job_.options.add_allows) text += "for torch " + oldest_torch_text(job_.torch_version, job_.torch_source) + "\n";
  return text;
}

int FixRun::exit_code() const {
  for (const auto& result : results_) {
    if (!result || result->trouble.empty()) continue;
    if (!(result->unread && job_.options.allow_skipped)) return 2;
  }
  return job_.options.check && changed() != 0 ? 1 : 0;
}

}  // namespace

int run_fix(Options options) {
  Job job = make_job(std::move(options));
  if (show_config(job)) return 0;
  Output output(job.options.output);
  const Inputs inputs = gather(job);
  const Project project = project_of(job, inputs);
  job.run.project = &project;
  FixRun run(job, inputs);
  run.run();
  const bool text_is_result = job.options.from_stdin && !job.options.diff && !job.options.check;
  if (job.options.diff || text_is_result) {
    output.write(job.options.diff ? run.diffs() : run.text());
    output.finish();
    print_error(run.summary(false));
  } else {
    output.write(run.summary(output.colour()));
    output.finish();
  }
  return run.exit_code();
}

}  // namespace torchport
