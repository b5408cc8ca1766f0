#include "cli/analysis.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "reports/write_json.h"
#include "reports/write_text.h"

namespace torchport {
namespace {

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

}  // namespace

int run_scan(Options options) {
  const Job job = make_job(std::move(options));
  Output output(job.options.output);
  if (job.options.show_config) {
    output.write(config_text(job));
    output.finish();
    return 0;
  }
  const Report report = analyse(job, gather(job));
  const Sink sink = [&output](std::string_view text) { output.write(text); };
  if (job.options.format == "json") {
    write_json(report, TORCHPORT_VERSION, sink);
  } else {
    write_text(report, text_options(job, output), sink);
  }
  output.finish();
  if (!incomplete(job, report)) return 0;
  say_what_was_not_read(report);
  return 2;
}

}  // namespace torchport
