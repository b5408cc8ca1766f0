// torchport ops: every operator that the code uses, how each target serves it, and where.
#include <algorithm>
#include <map>
#include <tuple>

#include "analyzers/error.h"
#include "cli/analysis.h"
#include "cli/commands.h"
#include "cli/models.h"
#include "cli/output.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "reports/write_ops.h"

namespace torchport {
namespace {

struct FileOps {
  std::vector<std::pair<OpUse, std::uint32_t>> uses;  // with their lines; `api` points into the database or into names
  std::vector<std::string> names;                     // owns those that the database does not know
  OpCounts counts;
  bool trains = false;
  std::string unreadable;
};

FileOps ops_of(const Job& job, const Inputs& inputs, std::size_t index) {
  FileOps out;
  try {
    Loaded loaded = load(inputs, index);
    if (loaded.kind != Kind::Source) return out;
    const SourceFile source(inputs.files[index].path, std::move(loaded.bytes));
    const FileFacts facts = analyze(source, loaded.language, job.catalogue.interest);
    const Tensors tensors(facts);
    const OpUses found = operator_uses(facts, tensors);
    out.counts.add(found);
    out.trains = found.trains;
    for (const OpUse& use : found.uses) {
      if (use.host) continue;
      const Use& at = facts.uses[static_cast<std::size_t>(use.use)];
      out.uses.emplace_back(use, source.position(at.kind == UseKind::Call ? at.callee.start : at.span.start).line);
      out.names.emplace_back(use.api);
    }
  } catch (const Error& error) {
    out.unreadable = error.what();
  }
  return out;
}

// Whether the backward pass changes the answer for any target.
bool backward_decides(const OpUse& use) {
  for (std::size_t t = 0; t < kTargetCount; ++t) {
    const auto target = static_cast<Target>(t);
    if (support_of(use, target, true) != support_of(use, target, false)) return true;
  }
  return false;
}

using Key = std::tuple<std::string, std::optional<std::uint32_t>, bool>;

OpsReport report_of(const Job& job, const Inputs& inputs, std::vector<FileOps>& files) {
  OpsReport report;
  report.root = job.root;
  report.targets = job.targets;
  report.torch_version = job.torch_version;
  report.torch_source = job.torch_source;
  report.newer_torch = job.run.min_torch > *torch_version(Coverage::torch_version());
  std::map<Key, OpRow> rows;
  for (std::size_t f = 0; f < files.size(); ++f) {
    report.counts.add(files[f].counts);
    for (std::size_t i = 0; i < files[f].uses.size(); ++i) {
      const auto& [use, line] = files[f].uses[i];
      const bool trains = files[f].trains && backward_decides(use);
      OpRow& row = rows[{files[f].names[i], use.forward, trains}];
      row.api = files[f].names[i];
      if (use.forward) row.condition = apis().condition(*use.forward);
      row.forward = use.forward;
      row.backward = use.backward;
      row.trains = trains;
      ++row.uses;
      row.places.emplace_back(inputs.files[f].path, line);
    }
  }
  for (auto& [key, row] : rows) report.rows.push_back(std::move(row));
  return report;
}

// What the targets lack comes first, the rest by name.
void sort_rows(OpsReport& report) {
  const auto rank = [&](const OpRow& row) {
    int worst = 0;
    for (const Target target : report.targets) {
      const Support s = support_on(row, target);
      worst = std::max(worst, s == Support::Unsupported ? 3
                              : s == Support::Fallback  ? 2
                              : s == Support::Unknown   ? 1
                                                        : 0);
    }
    return worst;
  };
  std::stable_sort(report.rows.begin(), report.rows.end(),
                   [&](const OpRow& a, const OpRow& b) { return rank(a) > rank(b); });
}

// Adds the exported programs among the paths; false where one could not be read, which is said.
bool add_models(OpsReport& report, const std::vector<std::string>& paths) {
  bool all_read = true;
  for (const std::string& path : paths) {
    try {
      add_model(report, path, read_model(path));
    } catch (const Error& error) {
      if (paths.size() == 1) throw;
      note(error.what());
      all_read = false;
    }
  }
  return all_read;
}

}  // namespace

int run_ops(Options options) {
  Job job = make_job(std::move(options));
  if (show_config(job)) return 0;
  Output output(job.options.output);
  std::vector<std::string> models;
  for (const std::string& path : job.paths) {
    if (is_model(path)) models.push_back(path);
  }
  std::erase_if(job.paths, is_model);
  const Inputs inputs = job.paths.empty() ? Inputs{} : gather(job);
  std::vector<FileOps> files(inputs.files.size());
  Progress progress;
  for_each_index(
      job.jobs, files.size(), [&](std::size_t i) { files[i] = ops_of(job, inputs, i); },
      [&](std::size_t done) { progress.show(done, files.size()); });
  progress.clear();
  OpsReport report = report_of(job, inputs, files);
  bool all_read = add_models(report, models);
  sort_rows(report);
  write_ops(report, job.options.format, job.options.verbose,
            [&output](std::string_view text) { output.write(text); });
  output.finish();
  for (const FileOps& file : files) {
    if (file.unreadable.empty()) continue;
    note(file.unreadable);
    all_read = false;
  }
  return all_read || job.options.allow_skipped ? 0 : 2;
}

}  // namespace torchport
