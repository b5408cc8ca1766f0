// The report for people: each finding with its code line, why it matters and what to do, then a summary. The words of a
// rule are printed at its first finding only, so that a thousand findings stay readable.
#pragma once

#include "reports/paint.h"
#include "reports/report.h"

namespace torchport {

struct TextOptions {
  bool colour = false;
  bool verbose = false;       // nothing is shortened; suppressed findings too
  std::size_t width = 120;    // of the screen, for code lines
  std::string paths;          // as they would be typed, for the commands that the end proposes
  std::string command_flags;  // " --target xpu": what those commands need besides; empty or with a blank before
  std::vector<bool> hidden = {};  // findings not to be printed, by index; empty: none
};

void write_text(const Report& report, const TextOptions& options, const Sink& sink);
// The findings without the summary; a blank line at the end where there are any.
void write_findings(const Report& report, const TextOptions& options, const Sink& sink);

// The table by family, and at most ten lines for whoever plans the port.
std::string text_summary(const Report& report, const TextOptions& options);

// "path:line:column", printable.
std::string place_text(const Report& report, std::size_t finding);

}  // namespace torchport
