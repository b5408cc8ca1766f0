#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>

#include "analyzers/error.h"
#include "cli/nearest.h"

namespace torchport {
namespace {

constexpr std::string_view kAbout = "Finds what ties PyTorch code to CUDA, and rewrites it.";
constexpr std::string_view kExits =
    "Exit codes: 0 it ran, 1 gate: fail, or fix --check: something would change, 2 it could not, or a file could not "
    "be read "
    "or "
    "written, 3 internal error.";

struct FormatRow {
  std::string_view format, commands;
};
// Each format with the commands that write it.
constexpr std::array<FormatRow, 9> kFormats = {{{"text", "scan gate rules facts ops opdb"},
                                                {"html", "report"},
                                                {"json", "scan gate report rules facts ops opdb"},
                                                {"sarif", "scan gate"},
                                                {"github", "scan gate"},
                                                {"gitlab", "scan gate"},
                                                {"junit", "gate"},
                                                {"markdown", "scan gate report ops"},
                                                {"csv", "ops"}}};

std::vector<std::string_view> formats_of(std::string_view command) {
  std::vector<std::string_view> formats;
  for (const FormatRow& row : kFormats) {
    if (row.commands.find(command) != std::string_view::npos) formats.push_back(row.format);
  }
  return formats;
}

std::string formats_text(std::string_view command) {
  const std::vector<std::string_view> formats = formats_of(command);
  std::string text;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == formats.size() ? " or " : ", ") + std::string(formats[i]);
  }
  return text;
}

void add_paths(CLI::App& command, Options& options) {
  command.add_option("PATH", options.paths, "Files and folders; none: the current folder");
}

void add_catalogue_flags(CLI::App& command, Options& options) {
  command.add_option("--rules", options.rules, "Folder with rules of your own")->type_name("DIR");
}

void add_output_flags(CLI::App& command, Options& options, bool formats) {
  if (formats) {
    const std::string known = formats_text(command.get_name());
    command
        .add_option("--format", options.format,
                    known + " (" + std::string(formats_of(command.get_name()).front()) + ")")
        ->type_name("FORMAT");
  }
  command.add_option("--output", options.output, "Write there instead of to standard output")->type_name("FILE");
}

void add_target_flag(CLI::App& command, Options& options) {
  command.add_option("--target", options.targets, "What the code shall run on (scan and rules: neuron,tpu; fix and explain: all)")
      ->type_name("T,...")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_opdb_flag(CLI::App& command, Options& options) {
  command.add_option("--opdb", options.opdb, "A table of your own in the place of one target's")->type_name("FILE");
}

void add_run_flags(CLI::App& command, Options& options) {
  add_paths(command, options);
  add_target_flag(command, options);
  command.add_option("--config", options.config, "Use this file instead of the nearest torchport.yaml")
      ->type_name("FILE");
  add_catalogue_flags(command, options);
  add_opdb_flag(command, options);
  command.add_option("--min-torch", options.min_torch, "The oldest torch that the project runs on: 2.6")
      ->type_name("V");
  command.add_option("--jobs", options.jobs, "Threads (all cores)")->type_name("N");
  command.add_option("-p", options.compile_commands, "Folder of a compile_commands.json: macros and include folders for C++")->type_name("DIR");
  command.add_flag("--allow-skipped", options.allow_skipped, "Unreadable files do not make the exit code 2");
  command.add_flag("--show-config", options.show_config, "Say which setting holds and what decided it, and stop");
  command.add_flag("--verbose", options.verbose, "Shorten nothing; suppressed findings too");
}

void add_stdin_flags(CLI::App& command, Options& options) {
  command.add_flag("--stdin", options.from_stdin, "Read the source from standard input, for editors");
  command.add_option("--stdin-path", options.stdin_path, "The path that this source has")->type_name("P");
}

CLI::App* add_command(CLI::App& app, const char* name, const char* about) {
  CLI::App* command = app.add_subcommand(name, about);
  command->set_help_flag("--help,-h", "Print this");
  return command;
}

std::string without_dashes(std::string_view word) {
  const auto start = std::min(word.find_first_not_of('-'), word.size());
  return std::string(word.substr(start, word.find('=') - start));
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* known : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(known->get_name());
  const std::string meant = did_you_mean(word, {names.begin(), names.end()});
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  if (word.empty()) return "no command given; known are " + known + "; see torchport --help";
  if (word.starts_with('-'))
    return "unknown flag \"" + word + "\"; flags stand behind the command; see torchport --help";
  return "unknown command \"" + word + "\"" +
         (meant.empty() ? "; known are " + known + "; see" : ", " + meant + "? See") + " torchport --help";
}

// CLI11 speaks of "the following arguments"; people want the word that is wrong and the one that is meant.
std::string usage_message(const CLI::ParseError& error, const CLI::App& app, const std::string& first_word) {
  if (app.get_subcommands().empty()) return unknown_command(app, first_word);
  const CLI::App& command = *app.get_subcommands().front();
  const std::string see = "see torchport " + command.get_name() + " --help", help = "; " + see;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return std::string(error.what()) + help;
  const std::vector<std::string> extras = app.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  if (!word.starts_with('-')) return "one argument too many: \"" + word + "\"" + help;
  std::vector<std::string> names;
  for (const CLI::Option* known : command.get_options()) {
    for (const std::string& name : known->get_lnames()) names.push_back(name);
  }
  const std::string_view meant = nearest(without_dashes(word), {names.begin(), names.end()});
  if (meant.empty()) return "unknown flag \"" + word + "\"" + help;
  return "unknown flag \"" + word + "\", did you mean --" + std::string(meant) + "? S" + see.substr(1);
}

void add_gate(CLI::App& app, Options& options) {
  CLI::App* gate = add_command(app, "gate", "Judge for CI: exit 1 where there are findings that are not to be");
  add_run_flags(*gate, options);
  add_output_flags(*gate, options, true);
  gate->add_option("--fail-on", options.fail_on, "What fails, as [TARGET:|FAMILY:]IMPACT (blocks)")
      ->type_name("LIMIT,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  gate->add_option("--baseline", options.baseline, "Findings that are known and do not fail")->type_name("FILE");
  gate->add_flag("--write-baseline", options.write_baseline,
                 "Write the baseline: without what is fixed, nothing new taken");
  gate->add_flag("--accept-new", options.accept_new, "With --write-baseline: take what is new, too");
  gate->add_option("--since", options.since, "Only findings fail that this git revision had not")->type_name("REV");
  gate->callback([&options] { options.command = Command::Gate; });
}

void add_report(CLI::App& app, Options& options) {
  CLI::App* report =
      add_command(app, "report", "A page of readiness, effort and what to do first; also of JSON that is there");
  add_run_flags(*report, options);
  add_output_flags(*report, options, true);
  report->add_flag("--compare", options.compare, "What has moved between two JSON files, the old and the new");
  report->callback([&options, report] {
    options.command = Command::Report;
    if (report->count("--format") == 0) options.format = "html";
  });
}

void add_init(CLI::App& app, Options& options) {
  CLI::App* init = add_command(
      app, "init", "Write a configuration, a baseline and a workflow; what is there stays unless you say so");
  init->add_option("FOLDER", options.paths, "The top of the project; none: the current folder")->expected(0, 1);
  add_target_flag(*init, options);
  init->callback([&options] { options.command = Command::Init; });
}

void add_database_commands(CLI::App& app, Options& options) {
  CLI::App* ops = add_command(app, "ops", "Every operator used, and how each target serves it");
  add_run_flags(*ops, options);
  add_output_flags(*ops, options, true);
  ops->callback([&options] { options.command = Command::Ops; });

  CLI::App* opdb = add_command(app, "opdb", "Look into the op database: list, show OP, diff A B, diff --old FILE, extract DIR, probe");
  opdb->add_option("DO", options.paths, "list, show, diff, extract or probe, and what")->required();
  add_target_flag(*opdb, options);
  add_opdb_flag(*opdb, options);
  opdb->add_option("--old", options.old, "diff: an older table of a target")->type_name("FILE");
  opdb->add_option("--library", options.library, "probe: a backend's shared library, which is loaded")->type_name("LIB.so");
  opdb->add_option("--python", options.python, "probe: a backend's Python module, which is imported")->type_name("MODULE");
  opdb->add_option("--key", options.key, "probe: the dispatch key of its kernels, if not the target's")->type_name("KEY");
  add_output_flags(*opdb, options, true);
  opdb->callback([&options] { options.command = Command::Opdb; });
}

void add_commands(CLI::App& app, Options& options) {
  CLI::App* scan = add_command(app, "scan", "Find what ties the code to CUDA or breaks on the targets");
  add_run_flags(*scan, options);
  add_stdin_flags(*scan, options);
  add_output_flags(*scan, options, true);
  scan->callback([&options] { options.command = Command::Scan; });

  CLI::App* fix = add_command(app, "fix", "Rewrite what can be rewritten");
  add_run_flags(*fix, options);
  add_stdin_flags(*fix, options);
  add_output_flags(*fix, options, false);
  fix->add_flag("--diff", options.diff, "Print a patch and write nothing");
  fix->add_flag("--check", options.check, "Write nothing; exit 1 where something would change");
  CLI::Option* unsafe = fix->add_flag("--unsafe", options.unsafe, "Take fixes that want a review too");
  fix->add_flag("--add-allows", options.add_allows, "Rewrite nothing: add comments that allow what is found, to start with")->excludes(unsafe);
  fix->callback([&options] { options.command = Command::Fix; });

  add_gate(app, options);
  add_report(app, options);
  add_init(app, options);

  CLI::App* explain = add_command(app, "explain", "One rule in full");
  explain->add_option("ID", options.paths, "Id or name of a rule")->required();
  explain->callback([&options] { options.command = Command::Explain; });
  CLI::App* rules = add_command(app, "rules", "All rules");
  rules->callback([&options] { options.command = Command::Rules; });
  for (CLI::App* command : {explain, rules}) {
    add_target_flag(*command, options);
    add_catalogue_flags(*command, options);
    add_output_flags(*command, options, command == rules);
  }

  add_database_commands(app, options);
  CLI::App* facts = add_command(app, "facts", "The uses in a file as rules see them");
  facts->add_option("FILE", options.paths, "A source file")->required()->expected(1);
  add_catalogue_flags(*facts, options);
  add_output_flags(*facts, options, true);
  facts->callback([&options] { options.command = Command::Facts; });
}

void check_together(const Options& options, const std::string& command) {
  const std::vector<std::string_view> known = formats_of(command);
  if (!known.empty() && std::find(known.begin(), known.end(), options.format) == known.end()) {
    const std::string meant = did_you_mean(options.format, known);
    throw Error("unknown format \"" + options.format + "\" of " + command, {}, 0,
                meant.empty() ? "known are " + formats_text(command) : meant);
  }
  if (options.write_baseline && options.baseline.empty()) throw Error("--write-baseline needs --baseline FILE");
  if (options.accept_new && !options.write_baseline) throw Error("--accept-new needs --write-baseline");
  if (options.write_baseline && !options.since.empty()) {
    throw Error("--write-baseline takes all that the tree has and no --since");
  }
  if (options.from_stdin && !options.paths.empty()) {
    throw Error("--stdin reads one source and takes no PATH", {}, 0, "give its path with --stdin-path");
  }
  if (!options.from_stdin && !options.stdin_path.empty()) throw Error("--stdin-path needs --stdin");
  // A table of the user's own may be about a device of the user's own: then it is known only once that is read.
  if (!options.opdb.empty() || options.command == Command::Opdb) return;
  for (const std::string& target : options.targets) parse_target(target);
}

// --since "$REV" with no REV must not pass for no --since.
void refuse_empty(const CLI::App& command) {
  const CLI::App* const nested = command.get_subcommands().empty() ? nullptr : command.get_subcommands().front();
  for (const CLI::App* app : {&command, nested}) {
    if (app == nullptr) continue;
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_expected_max() == 0 || option->count() == 0) continue;
      for (const std::string& value : option->results()) {
        if (value.empty()) throw Error(option->get_name() + " is given an empty value", {}, 0, "give one, or leave the flag out");
      }
    }
  }
}

}  // namespace

std::variant<Options, std::string> parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app(std::string(kAbout), "torchport");
  app.set_help_flag("--help,-h", "Print this");
  app.set_version_flag("--version", std::string("torchport ") + TORCHPORT_VERSION);
  app.footer(std::string(kExits));
  app.require_subcommand(1);
  add_commands(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return app.get_subcommands().empty() ? app.help() : app.get_subcommands().front()->help("torchport");
  } catch (const CLI::CallForVersion&) {
    return std::string("torchport ") + TORCHPORT_VERSION + "\n";
  } catch (const CLI::ParseError& error) {
    throw Error(usage_message(error, app, argc > 1 ? argv[1] : ""));
  }
  refuse_empty(*app.get_subcommands().front());
  check_together(options, app.get_subcommands().front()->get_name());
  return options;
}

std::optional<std::uint32_t> torch_version(std::string_view text) {
  std::uint32_t parts[3] = {0, 0, 0};
  for (std::uint32_t& part : parts) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
    if (error != std::errc() || part > 99) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return 100 * parts[0] + parts[1];
    if (text.front() != '.') return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

std::string torch_text(std::uint32_t version) {
  return std::to_string(version / 100) + "." + std::to_string(version % 100);
}

Target parse_target(const std::string& word, const std::string& file, std::uint32_t line) {
  if (const auto target = target_named(word)) return *target;
  std::string known;
  for (const std::string_view name : target_names()) known += (known.empty() ? "" : ", ") + std::string(name);
  const std::string meant = did_you_mean(word, target_names());
  throw Error("unknown target \"" + word + "\"" + (meant.empty() ? "" : ", " + meant + "?"), file, line,
              "known are " + known);
}

}  // namespace torchport
