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

int report_of_files(const Options& options) {
  std::vector<Document> documents;
  for (const std::string& path : options.paths) {
    if (!is_document(path)) {
      throw Error("is no *.json", path, 0, "give either folders and sources, or the JSON of scans and reports");
    }
    documents.push_back(read_document(read_file(path), path));
  }
  if (options.compare) {
    if (documents.size() != 2) throw Error("--compare takes two files: the old JSON and the new one");
    write_made(options, comparison_of(documents[0], documents[1]), documents);
  } else {
    tell_apart(documents);
    write_made(options, documents.size() == 1 ? report_of(documents[0]) : portfolio_of(documents), documents);
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
  Report report = analyse(job, gather(job));
  write_made(job.options, report_of(scanned(job, report)));
  if (!incomplete(job, report)) return 0;
  say_what_was_not_read(report);
  return 2;
}

}  // namespace torchport
