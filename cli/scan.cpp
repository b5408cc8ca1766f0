#include "cli/analysis.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/write_report.h"

namespace torchport {

int run_scan(Options options) {
  const Job job = make_job(std::move(options));
  if (show_config(job)) return 0;
  Output output(job.options.output);
  Report report = analyse(job, gather(job));
  write_report(job, report, nullptr, output);
  if (!incomplete(job, report)) return 0;
  say_what_was_not_read(report);
  return 2;
}

}  // namespace torchport
