#include "cli/commands.h"

#include <csignal>
#include <exception>

#include "analyzers/error.h"
#include "cli/output.h"
#include "cli/write_file.h"
#include "opdb/coverage.h"

namespace torchport {
namespace {

int run(int argc, const char* const* argv) {
  std::variant<Options, std::string> parsed = parse_options(argc, argv);
  if (const auto* text = std::get_if<std::string>(&parsed)) {
    Output output({});
    output.write(*text);
    output.finish();
    return 0;
  }
  auto& options = std::get<Options>(parsed);
  if (!options.opdb.empty()) coverage().replace(read_file(options.opdb), options.opdb);
  switch (options.command) {
    case Command::Scan:
      return run_scan(std::move(options));
    case Command::Fix:
      return run_fix(std::move(options));
    case Command::Gate:
      return run_gate(std::move(options));
    case Command::Report:
      return run_report(std::move(options));
    case Command::Init:
      return run_init(std::move(options));
    case Command::Explain:
      return run_explain(options);
    case Command::Rules:
      return run_rules_command(options);
    case Command::Facts:
      return run_facts(options);
    case Command::Ops:
      return run_ops(std::move(options));
    case Command::Opdb:
      return run_opdb(options);
  }
  return 3;
}

}  // namespace

int run_torchport(int argc, const char* const* argv) {
  std::signal(SIGPIPE, SIG_IGN);
  open_standard_files();
  try {
    return run(argc, argv);
  } catch (const ClosedPipe&) {
    return 0;
  } catch (const Error& error) {
    note(error.what());
    return 2;
  } catch (const std::exception& error) {
    note(std::string("internal error: ") + error.what());
  } catch (...) {
    note("internal error");
  }
  return 3;
}

}  // namespace torchport
