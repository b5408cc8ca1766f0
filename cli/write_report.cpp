#include "cli/write_report.h"

#include <algorithm>
#include <filesystem>

#include "cli/effort.h"
#include "reports/write_annotations.h"
#include "reports/write_json.h"
#include "reports/write_pages.h"
#include "reports/write_sarif.h"
#include "reports/write_text.h"

namespace torchport {
namespace {

constexpr std::size_t kFixedShown = 10;

// So that a proposed command can be pasted into a shell.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=@%+-") ==
                                          std::string::npos;
  if (plain && word.front() != '-') return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

TextOptions text_options(const Job& job, const Output& output) {
  TextOptions text{output.colour(), job.options.verbose, output.width(), {}, {}};
  for (const std::string& path : job.paths) text.paths += (text.paths.empty() ? "" : " ") + quoted(path);
  if (job.options.from_stdin) text.paths = "--stdin --stdin-path " + text.paths;
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) text.command_flags += std::string(" ") + flag + " " + quoted(value);
  };
  std::string targets;
  for (const std::string& target : job.options.targets) targets += (targets.empty() ? "" : ",") + target;
  add("--target", targets);
  add("--min-torch", job.options.min_torch);
  add("--config", job.options.config);
  add("--rules", job.options.rules);
  return text;
}

// As they would be typed from where the command was.
void set_typed_paths(Report& report) {
  for (FileEntry& file : report.files) {
    file.path = (std::filesystem::path(report.root) / file.path).lexically_normal().generic_string();
  }
}

std::string fixed_lines(const Gate& gate, bool all) {
  std::string text;
  for (std::size_t i = 0; i < gate.fixed.size(); ++i) {
    if (i == kFixedShown && !all) return text + "fixed: " + std::to_string(gate.fixed.size() - i) + " more\n";
    text += "fixed: " + gate.fixed[i].path + ": " + gate.fixed[i].rule + ": " + gate.fixed[i].code + "\n";
  }
  return text;
}

void write_gate_text(const Job& job, Report& report, const Gate& gate, const Output& output, const Sink& sink) {
  set_typed_paths(report);
  TextOptions options = text_options(job, output);
  if (!options.verbose) {
    for (const TieState state : gate.states)
      options.hidden.push_back(state == TieState::Known || job.options.write_baseline);
  }
  write_findings(report, options, sink);
  const Paint paint(options.colour);
  const std::string line = printable(gate.verdict_line(report));
  sink(fixed_lines(gate, options.verbose) + (gate.pass ? paint.green(line) : paint.red(line)) + "\n");
}

}  // namespace

void write_report(const Job& job, Report& report, const Gate* gate, Output& output) {
  const Sink sink = [&output](std::string_view text) { output.write(text); };
  const std::string& format = job.options.format;
  if (format == "json") {
    report.effort = estimate(report, effort_table(job));
    write_json(report, TORCHPORT_VERSION, sink, gate);
  } else if (format == "sarif") {
    write_sarif(report, TORCHPORT_VERSION, gate, sink);
  } else if (format == "github") {
    write_github(report, gate, sink);
  } else if (format == "gitlab") {
    write_gitlab(report, gate, sink);
  } else if (format == "markdown") {
    write_markdown(report, gate, sink);
  } else if (format == "junit" && gate != nullptr) {
    write_junit(report, *gate, sink);
  } else if (gate != nullptr) {
    write_gate_text(job, report, *gate, output, sink);
  } else {
    write_text(report, text_options(job, output), sink);
  }
  output.finish();
}

void say_what_was_not_read(const Report& report) {
  std::size_t n = 0;
  const FileEntry* first = nullptr;
  for (const FileEntry& file : report.files) {
    if (!file.unreadable) continue;
    if (++n == 1) first = &file;
  }
  if (n == 0) return;
  note(counted(n, "file") + " could not be read: " + printable(first->path) + (n == 1 ? "" : ", …") +
       "; --allow-skipped forgives it");
}

}  // namespace torchport
