#include "cli/analysis.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <numeric>
#include <tuple>
#include <system_error>
#include <unordered_map>

#include "analyzers/embedded_native.h"
#include "analyzers/error.h"
#include "cli/clang_pass.h"
#include "cli/output.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "cli/walk.h"
#include "cli/write_file.h"
#include "rules/allows.h"
#include "rules/kernels.h"
#include "rules/native_calls.h"
#include "rules/settle.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

// More is no source that anybody wrote, and would take the memory of the whole run.
constexpr std::uintmax_t kLargest = 64U << 20;
constexpr std::size_t kHead = 4096;

// The path from the top of the work tree, or as it would be typed.
std::string path_in_tree(const std::optional<std::string>& top, const std::string& root, const Input& input) {
  const std::string folder = top && *top != "/" ? *top + "/" : "/";
  if (top && input.absolute.starts_with(folder)) return input.absolute.substr(folder.size());
  // Outside of a work tree the place of the folder on this machine is no part of the name.
  if (fs::path(root).is_absolute()) return input.path;
  return (fs::path(root) / input.path).lexically_normal().generic_string();
}

struct FileResult {
  FileEntry entry;
  std::vector<Finding> findings;
  std::vector<Location> locations;
};

// Holds what the tasks of one run share; each writes only the result of its own index and the sums.
class Run {
 public:
  Run(const Job& job, const Inputs& inputs)
      : job_(job), inputs_(inputs), results_(inputs.files.size()), callers_(inputs.files.size()), project_(inputs.files.size()), clang_(job, inputs) {}

  Report run() {
    Progress progress;
    const std::size_t total = inputs_.files.size();
    const std::vector<std::size_t> order = native_first();
    for_each_index(
        job_.jobs, total,
        [&](std::size_t i) {
          if (done_.empty() || !done_[order[i]]) file(order[i]);
        },
        [&](std::size_t done) { progress.show(done, total); });
    for (const auto& [index, why] : clang_.finish(project_)) clang_failed(index, why);
    progress.clear();
    project_.close();
    const NativeNames names(job_.catalogue, project_.natives(), job_.run.own_packages);
    if (!names.names.empty()) {
      for_each_index(job_.jobs, total, [&](std::size_t i) { calls(i, names); }, [](std::size_t) {});
      for (std::size_t i = 0; i < total; ++i) {
        for (const auto& [entry, line, symbol] : callers_[i]) project_.natives().add_caller(entry, inputs_.files[i].path, line, symbol);
      }
    }
    return report();
  }

  // What this run finds in a file is also what `twin` has in the file that `same` names.
  void hand_on_to(Run& twin, const std::vector<std::size_t>& same) {
    twin_ = &twin;
    same_ = &same;
    twin.done_.assign(twin.results_.size(), false);
    for (const std::size_t index : same) {
      if (index != kOther) twin.done_[index] = true;
    }
  }

 private:
  // Calls into C++ of the same project, which no file knows of by itself.
  void calls(std::size_t index, const NativeNames& names) {
    const Input& input = inputs_.files[index];
    if (language_of(input.path, {}) != Language::Python) return;
    std::optional<Loaded> loaded;
    try {
      loaded = load(inputs_, index);
    } catch (const Error&) {  // said when it was read first
      return;
    }
    if (loaded->kind != Kind::Source || !names.in(loaded->bytes)) return;
    const SourceFile source(input.path, std::move(loaded->bytes));
    const FileFacts facts = analyze(source, Language::Python, names.interest);
    std::vector<Finding> findings;
    for (NativeCall& call : native_calls(job_.catalogue, project_.natives(), source, facts, static_cast<std::uint32_t>(index))) {
      const std::uint32_t line = source.position(call.finding.span.start).line;
      for (const std::uint32_t entry : call.entries) callers_[index].push_back({entry, line, std::string(source.text(call.finding.span))});
      findings.push_back(std::move(call.finding));
    }
    apply_allows(job_.catalogue, source, facts, static_cast<std::uint32_t>(index), findings);
    // A comment that allows none of the file's other findings may allow one of these.
    std::erase_if(findings, [](const Finding& finding) { return finding.rule->family == "file"; });
    for (const Allow& allow : facts.allows) {
      const auto takes = [&](const Finding& finding) {
        const std::uint32_t line = source.position(finding.span.start).line;
        return finding.suppressed && line >= allow.first_line && line <= allow.last_line;
      };
      if (std::any_of(findings.begin(), findings.end(), takes)) drop_unused(index, allow.span);
    }
    settle_findings(job_, input, findings);
    add(index, source, facts, std::move(findings));
  }

  // C++ files come first, so that Clang has long begun when the others are looked at.
  std::vector<std::size_t> native_first() const {
    std::vector<std::size_t> order(inputs_.files.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return language_of(inputs_.files[i].path, {}) == Language::Cpp; });
    return order;
  }

  void clang_failed(std::size_t index, const std::string& why) {
    std::vector<Finding> findings = {partly_read(job_.catalogue, static_cast<std::uint32_t>(index), why)};
    settle_findings(job_, inputs_.files[index], findings);
    FileFacts facts;
    facts.status = Status::Partial;
    facts.status_why = why;
    add(index, SourceFile(inputs_.files[index].path, {}), facts, std::move(findings));
    results_[index]->entry.status = Status::Partial;
    results_[index]->entry.why = why;
  }

  void drop_unused(std::size_t index, Span comment) {
    if (!results_[index]) return;
    FileResult& result = *results_[index];
    for (std::size_t f = 0; f < result.findings.size(); ++f) {
      if (result.findings[f].rule->id != "TP003" || result.findings[f].span != comment) continue;
      result.findings.erase(result.findings.begin() + static_cast<std::ptrdiff_t>(f));
      result.locations.erase(result.locations.begin() + static_cast<std::ptrdiff_t>(f--));
    }
  }

  void add(std::size_t index, const SourceFile& source, const FileFacts& facts, std::vector<Finding> findings) {
    std::unique_ptr<FileResult>& result = results_[index];
    const bool whole = facts.status == Status::Full || facts.status == Status::Skipped;
    if (findings.empty() && whole) return;
    if (!result) {
      result = std::make_unique<FileResult>();
      result->entry = {inputs_.files[index].path, part_of(inputs_.files[index].path), facts.status, false, facts.status_why};
    }
    if (result->findings.empty()) {
      for (const Finding& finding : findings) {
        result->locations.push_back(locate(source, finding, result->locations.empty() ? nullptr : &result->locations.back()));
      }
      result->findings = std::move(findings);
      return;
    }
    for (Finding& finding : findings) {
      const auto after = [&](const Finding& other) { return std::tie(finding.span.start, finding.rule->id) < std::tie(other.span.start, other.rule->id); };
      const auto place = std::find_if(result->findings.begin(), result->findings.end(), after);
      result->locations.insert(result->locations.begin() + (place - result->findings.begin()), locate(source, finding));
      result->findings.insert(place, std::move(finding));
    }
  }

  void file(std::size_t index) {
    std::optional<Loaded> loaded;
    try {
      loaded = load(inputs_, index);
    } catch (const Error& error) {
      not_read(index, error.what());
      return;
    }
    if (loaded->kind == Kind::Hipified) ++hipified_;
    if (loaded->kind == Kind::Generated || loaded->kind == Kind::Hipified) ++left_out_;
    if (loaded->kind != Kind::Source) return;
    const Input& input = inputs_.files[index];
    const SourceFile source(input.path, std::move(loaded->bytes));
    const FileFacts facts = analyze(source, loaded->language, job_.catalogue.interest);
    ++(facts.status == Status::Skipped ? skipped_ : scanned_);
    project_.add(index, source, facts);
    clang_.offer(index, source, facts);
    const std::size_t other = twin_ == nullptr ? kOther : (*same_)[index];
    if (other != kOther) twin_->project_.add(other, source, facts);
    OpCounts ops;
    std::vector<Finding> findings = findings_of(job_, input, source, facts, static_cast<std::uint32_t>(index), &ops);
    if (ops.uses + ops.possible + ops.host != 0) {
      const std::lock_guard lock(ops_mutex_);
      ops_.add(ops);
    }
    add(index, source, facts, std::move(findings));
    if (loaded->language == Language::Python) embedded(index, source, other);
    if (other != kOther && results_[index]) twin_->results_[other] = std::make_unique<FileResult>(*results_[index]);
  }

  // Its places are those of the file; a fix in the middle of a string is left to people.
  void embedded(std::size_t index, const SourceFile& python, std::size_t other) {
    std::optional<std::string> text = embedded_native(python);
    if (!text) return;
    const SourceFile source(python.path(), std::move(*text));
    const FileFacts facts = analyze(source, Language::Cpp, job_.catalogue.interest);
    project_.add_embedded(index, source, facts);
    if (other != kOther) twin_->project_.add_embedded(other, source, facts);
    std::vector<Finding> findings =
        findings_of(job_, inputs_.files[index], source, facts, static_cast<std::uint32_t>(index));
    for (Finding& finding : findings) {
      if (finding.fix) finding.fix = Fix{Applicability::Manual, finding.rule->advice, {}};
    }
    add(index, python, facts, std::move(findings));
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
    report.hipified = hipified_;
    report.torch_version = job_.torch_version;
    report.torch_source = job_.torch_source;
    report.ops = ops_;
    const std::optional<std::string> top = inputs_.files.empty() ? std::nullopt : work_tree(job_.paths.front());
    for (std::size_t index = 0; index < results_.size(); ++index) {
      std::unique_ptr<FileResult>& result = results_[index];
      if (!result) continue;
      const auto file = static_cast<std::uint32_t>(report.files.size());
      report.files.push_back(std::move(result->entry));
      report.files.back().in_tree = path_in_tree(top, job_.root, inputs_.files[index]);
      for (std::size_t n = 0; n < result->findings.size(); ++n) {
        Finding& finding = result->findings[n];
        // Files without findings are not in the report, so theirs are other numbers than in the run.
        for (Related& related : finding.related) related.file = file;
        finding.file = file;
        if (settle(project_, report.files.back().path, finding))
          std::swap(result->locations[n].edits, result->locations[n].open_edits);
        settle_native(job_.catalogue.kernels, project_.natives(), index, result->locations[n].range.start.line, finding);
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
  struct Caller {
    std::uint32_t entry = 0, line = 0;
    std::string symbol;
  };
  std::vector<std::vector<Caller>> callers_;  // by file
  Project project_;
  ClangPass clang_;
  std::mutex ops_mutex_;
  OpCounts ops_;
  std::atomic<std::uint32_t> scanned_ = 0, skipped_ = 0, left_out_ = 0, hipified_ = 0;
  Run* twin_ = nullptr;
  const std::vector<std::size_t>* same_ = nullptr;
  std::vector<bool> done_;  // files whose results come from another run; empty: none
};

// What hipify made: its own head says so, or a file lies where it would have taken it from.
bool is_translation(const Inputs& inputs, std::string_view path, std::string_view head) {
  if (says_hipified(head)) return true;
  const std::vector<std::string> sources = hipified_from(path);
  return std::any_of(sources.begin(), sources.end(), [&](const std::string& source) {
    const auto at = std::lower_bound(inputs.files.begin(), inputs.files.end(), source, [](const Input& input, const std::string& path) { return input.path < path; });
    return at != inputs.files.end() && at->path == source;
  });
}

}  // namespace

Loaded load(const Inputs& inputs, std::size_t index) {
  const Input& input = inputs.files[index];
  if (!input.unreadable.empty()) throw Error(input.unreadable, input.absolute);
  Loaded loaded;
  const std::optional<std::string>& given = input.given ? input.given : inputs.given;
  if (!given) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(input.absolute, error);
    if (!error && size > kLargest) throw Error("is larger than 64 MiB", input.absolute);
  }
  loaded.bytes = given ? *given : read_file(input.absolute);
  const std::string_view head = std::string_view(loaded.bytes).substr(0, kHead);
  loaded.language = language_of(input.path, head);
  if (loaded.language == Language::None) return loaded;
  if (!input.named && loaded.language == Language::Cpp && is_translation(inputs, input.path, head)) {
    loaded.kind = Kind::Hipified;
  } else {
    const bool generated = !input.named && looks_generated(input.path, head);
    loaded.kind = generated ? Kind::Generated : Kind::Source;
  }
  return loaded;
}

std::vector<Finding> findings_of(const Job& job, const Input& input, const SourceFile& source, const FileFacts& facts,
                                 std::uint32_t file, OpCounts* counts) {
  std::vector<Finding> findings = run_rules(job.catalogue, source, facts, file, job.run, counts);
  settle_findings(job, input, findings);
  return findings;
}

void settle_findings(const Job& job, const Input& input, std::vector<Finding>& findings) {
  std::erase_if(findings,
                [&](const Finding& finding) { return job.off.contains(finding.rule) || !shown(finding, job.targets); });
  for (Finding& finding : findings) {
    if (finding.suppressed) continue;
    if (const Allowance* allowance = allowance_for(job, *finding.rule, input.absolute)) {
      finding.suppressed =
          allowance->why.empty() ? job.config.file + ":" + std::to_string(allowance->line) : allowance->why;
      finding.suppressed_outside = true;
    }
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.span.start != b.span.start ? a.span.start < b.span.start : a.rule->id < b.rule->id;
  });
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
          project.add(i, source, analyze(source, loaded.language, job.catalogue.interest));
        } catch (const Error&) {  // said by whoever reads it next
        }
      },
      [](std::size_t) {});
  project.close();
  return project;
}

Report analyse(const Job& job, const Inputs& inputs) { return Run(job, inputs).run(); }

std::pair<Report, Report> analyse_both(const Job& job, const Inputs& inputs, const Inputs& earlier,
                                       const std::vector<std::size_t>& same) {
  Run then(job, earlier), now(job, inputs);
  now.hand_on_to(then, same);
  Report report = now.run();
  return {std::move(report), then.run()};
}

bool incomplete(const Job& job, const Report& report) {
  return !job.options.allow_skipped &&
         std::any_of(report.files.begin(), report.files.end(), [](const FileEntry& file) { return file.unreadable; });
}

}  // namespace torchport
