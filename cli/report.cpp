#include <filesystem>
#include <system_error>

#include "analyzers/error.h"
#include "cli/analysis.h"
#include "cli/commands.h"
#include "cli/effort.h"
#include "cli/output.h"
#include "cli/write_file.h"
#include "cli/write_report.h"
#include "reports/document.h"
#include "reports/report_page.h"
#include "reports/write_json.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

bool is_document(const std::string& path) {
  std::error_code error;
  return path.ends_with(".json") && !fs::is_directory(path, error);
}

std::string folder_name(const Job& job) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(job.root), error);
  return folder.filename().empty() ? job.root : folder.filename().string();
}

Document scanned(const Job& job, Report& report) {
  report.effort = estimate(report, effort_table(job));
  std::string text;
  write_json(report, TORCHPORT_VERSION, [&text](std::string_view piece) { text += piece; });
  Document document = read_document(text, job.root);
  document.name = folder_name(job);
  return document;
}

void write_made(const Options& options, const Json& made, const std::vector<Document>& documents = {}) {
  Output output(options.output);
  const Sink sink = [&output](std::string_view text) { output.write(text); };
  if (options.format == "json") {
    sink(made.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  } else if (options.format == "markdown") {
    write_report_markdown(made, TORCHPORT_VERSION, sink, documents);
  } else {
    write_report_html(made, TORCHPORT_VERSION, sink, documents);
  }
  output.finish();
}

// Which of the files it is that holds something else than a scan does; only asked where one does.
[[noreturn]] void name_the_broken(const std::vector<Document>& documents, const std::vector<std::string>& paths, const std::string& why) {
  for (std::size_t i = 0; i < documents.size(); ++i) {
    try {
      const Json made = report_of(documents[i]);
      write_report_html(made, TORCHPORT_VERSION, [](std::string_view) {}, {});
    } catch (const Json::exception& error) {
      throw no_report(paths[i], error.what());
    }
  }
  throw no_report(paths.back(), why);
}

// What a scan has settled no flag of a report can change.
void refuse_flags_of_scans(const Options& options) {
  const std::pair<const char*, bool> flags[] = {{"--target", !options.targets.empty()},
                                                {"--rules", !options.rules.empty()},
                                                {"--min-torch", !options.min_torch.empty()},
                                                {"--opdb", !options.opdb.empty()},
                                                {"--config", !options.config.empty()},
                                                {"-p", !options.compile_commands.empty()},
                                                {"--show-config", options.show_config}};
  for (const auto& [flag, given] : flags) {
    if (given) throw Error(std::string(flag) + " says nothing of scans that are made already", {}, 0, "give it to torchport scan --format json");
  }
}

int report_of_files(const Options& options) {
  refuse_flags_of_scans(options);
  keep_apart(options.output, options.paths);
  std::vector<Document> documents;
  for (const std::string& path : options.paths) {
    if (!is_document(path)) {
      throw Error("is no *.json", path, 0, "give either folders and sources, or the JSON of scans and reports");
    }
    documents.push_back(read_document(read_file(path), path));
  }
  try {
    if (options.compare) {
      if (documents.size() != 2) throw Error("--compare takes two files: the old JSON and the new one");
      write_made(options, comparison_of(documents[0], documents[1]), documents);
    } else {
      tell_apart(documents);
      write_made(options, documents.size() == 1 ? report_of(documents[0]) : portfolio_of(documents), documents);
    }
  } catch (const Json::exception& error) {
    name_the_broken(documents, options.paths, error.what());
  }
  return 0;
}

}  // namespace

int run_report(Options options) {
  bool any_document = options.compare;
  for (const std::string& path : options.paths) any_document = any_document || is_document(path);
  if (any_document) return report_of_files(options);
  const Job job = make_job(std::move(options));
  if (show_config(job)) return 0;
  const Inputs inputs = gather(job);
  keep_apart(job.options.output, inputs);
  Report report = analyse(job, inputs);
  write_made(job.options, report_of(scanned(job, report)));
  if (!incomplete(job, report)) return 0;
  say_what_was_not_read(report);
  return 2;
}

}  // namespace torchport
