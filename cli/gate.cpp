#include <algorithm>
#include <filesystem>
#include <system_error>

#include "analyzers/error.h"
#include "cli/analysis.h"
#include "cli/commands.h"
#include "cli/fail_on.h"
#include "cli/output.h"
#include "cli/revision.h"
#include "cli/write_file.h"
#include "cli/write_report.h"
#include "reports/gate.h"
#include "reports/paint.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

// Nothing where it is to be written and is not there yet.
std::optional<Baseline> old_baseline(const Job& job) {
  const std::string& file = job.options.baseline;
  if (file.empty()) return std::nullopt;
  std::error_code error;
  if (!fs::exists(file, error)) {
    if (job.options.write_baseline) return std::nullopt;
    throw Error("no such baseline", file, 0, "write it with --write-baseline");
  }
  Baseline baseline = parse_baseline(read_file(file), file);
  for (const Target target : job.targets) {
    if (std::find(baseline.targets.begin(), baseline.targets.end(), target) == baseline.targets.end()) {
      throw Error("was not written for " + std::string(name_of(target)), file, 0,
                  "remove it and write it anew with --write-baseline, or leave the target out");
    }
  }
  if (job.options.write_baseline && baseline.targets.size() != job.targets.size()) {
    throw Error("was written for more targets than this run has", file, 0, "give the same --target");
  }
  return baseline;
}

struct Judged {
  Report report;
  std::vector<Before> before;
};

void add_before(Judged& judged, const Job& job, std::vector<KnownTie> ties) {
  place_ties(ties, job, judged.report);
  Comparison comparison = compare(judged.report, ties);
  judged.before.push_back({std::move(ties), std::move(comparison)});
}

Judged compared(const Job& job, std::optional<Baseline>& baseline) {
  Judged judged;
  const Inputs inputs = gather(job);
  keep_apart(job.options.output, inputs);
  std::optional<Report> then;
  if (job.options.since.empty()) {
    judged.report = analyse(job, inputs);
  } else {
    const Earlier earlier = earlier_inputs(job, inputs, job.options.since);
    std::tie(judged.report, then) = analyse_both(job, inputs, earlier.inputs, earlier.same);
  }
  if (baseline) add_before(judged, job, std::move(baseline->ties));
  if (then) add_before(judged, job, known_ties(*then));
  return judged;
}

// What the file shall hold: what is there and was known, and what lies out of the run's scope; the rest only where it
// is accepted.
Baseline renewed(const Job& job, const Judged& judged) {
  Baseline baseline{job.targets, {}};
  if (judged.before.empty()) {
    baseline.ties = known_ties(judged.report);
    return baseline;
  }
  const auto& [known, comparison] = judged.before.front();
  std::vector<bool> used(known.size(), false);
  // Where not all of the project was read, a tie may look milder than it is.
  const bool part = std::any_of(known.begin(), known.end(), [](const KnownTie& tie) { return !tie.in_scope; });
  for (std::size_t i = 0; i < comparison.states.size(); ++i) {
    const std::int64_t entry = comparison.entries[i];
    if (entry >= 0) used[static_cast<std::size_t>(entry)] = true;
    if (comparison.states[i] == TieState::Known || (comparison.states[i] == TieState::New && job.options.accept_new)) {
      baseline.ties.push_back(known_tie(judged.report, i));
      Impacts& now = baseline.ties.back().impact;
      for (std::size_t t = 0; part && entry >= 0 && t < now.size(); ++t)
        now[t] = std::max(now[t], known[static_cast<std::size_t>(entry)].impact[t]);
    } else if (entry >= 0) {
      // It has become worse, which is not accepted: it stays known as it was.
      baseline.ties.push_back(known[static_cast<std::size_t>(entry)]);
      baseline.ties.back().path = comparison.paths[static_cast<std::size_t>(entry)];
    }
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!used[i] && !known[i].in_scope) baseline.ties.push_back(known[i]);
  }
  return baseline;
}

// The command's work is done once the file is written, whatever it holds.
void write_baseline(const Job& job, const Judged& judged, Gate& gate) {
  const Baseline baseline = renewed(job, judged);
  Output file(job.options.baseline);
  file.write(baseline_text(baseline));
  file.finish();
  const std::size_t ties = baseline.ties.size();
  gate.pass = true;
  gate.why = "wrote " + counted(ties, "tie") + " to " + job.options.baseline;
  if (gate.compared && gate.fresh != 0 && !job.options.accept_new)
    gate.why += "; what is new is not in it (--accept-new takes it)";
  gate.failing.assign(gate.failing.size(), false);
}

}  // namespace

int run_gate(Options options) {
  Job job = make_job(std::move(options));
  const GateLimits limits = gate_limits(job);
  for (Decision& decision : gate_decisions(job, limits)) job.decisions.push_back(std::move(decision));
  if (show_config(job)) return 0;
  keep_apart(job.options.output, {job.options.baseline, job.config.file});
  Output output(job.options.output);
  std::optional<Baseline> baseline = old_baseline(job);
  Judged judged = compared(job, baseline);
  Gate gate = judge(judged.report, limits, judged.before);
  if (job.options.write_baseline) {
    write_baseline(job, judged, gate);
    gate.fail(unread(judged.report, limits));
  }
  try {
    write_report(job, judged.report, &gate, output);
  } catch (const ClosedPipe&) {
    // Whoever read has read enough; the verdict stands.
  }
  if (incomplete(job, judged.report)) {
    say_what_was_not_read(judged.report);
    return 2;
  }
  return gate.pass ? 0 : 1;
}

}  // namespace torchport
