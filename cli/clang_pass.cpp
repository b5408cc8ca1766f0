#include "cli/clang_pass.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "analyzers/error.h"
#include "analyzers/text.h"
#include "cli/programs.h"
#include "cli/write_file.h"
#include "rules/match.h"

namespace torchport {
namespace {

bool is_header(std::string_view path) {
  return path.ends_with(".h") || path.ends_with(".cuh") || path.ends_with(".hpp") || path.ends_with(".inl");
}

// What TORCHPORT_CLANG_WORKER names, else torchport-clang beside this program; empty: there is none. An empty TORCHPORT_CLANG_WORKER turns it off.
std::string clang_program() {
  if (const char* given = std::getenv("TORCHPORT_CLANG_WORKER")) {
    if (*given != '\0' && !is_program(given)) throw Error("TORCHPORT_CLANG_WORKER names no program that can be run", given);
    return given;
  }
  const std::string beside = path_beside("torchport-clang");
  return is_program(beside) ? beside : std::string();
}

// What HIP adds to the language the stubs do not have.
bool is_hip(std::string_view path) { return path.ends_with(".hip") || path.find("/hip/") != std::string_view::npos; }

bool worth_reading(const FileFacts& facts) {
  if (facts.language != Language::Cpp || facts.status != Status::Full) return false;
  const auto on_device = [](const NativeFunction& f) { return f.side != Side::Host && f.defined; };
  const auto matters = [](const Use& use) { return use.kind == UseKind::Launch || (use.kind == UseKind::Mention && use.symbol.starts_with('.')); };
  return std::any_of(facts.natives.begin(), facts.natives.end(), on_device) || std::any_of(facts.uses.begin(), facts.uses.end(), matters);
}

// ("WITH_CUDA", None), ("BUILD_CUDA", "1") in a setup.py: those that CUDA's builds define. What it defines for other devices takes other branches.
std::vector<std::string> macros_in(std::string_view setup, const NativeInterest& interest) {
  std::vector<std::string> out;
  if (setup.find("define_macros") == std::string_view::npos) return out;
  for (std::size_t at = setup.find_first_of("\"'"); at != std::string_view::npos; at = setup.find_first_of("\"'", at + 1)) {
    const std::size_t end = setup.find(setup[at], at + 1);
    if (end == std::string_view::npos) break;
    const std::string_view name = setup.substr(at + 1, end - at - 1), before = trimmed(setup.substr(0, at)), behind = trimmed(setup.substr(end + 1, 40));
    at = end;
    const auto meets = [&](const std::string& glob) { return wildcard_match(glob, name); };
    if (!before.ends_with('(') || !behind.starts_with(',') || !std::all_of(name.begin(), name.end(), is_word)) continue;
    if (std::any_of(interest.cuda_macros.begin(), interest.cuda_macros.end(), meets)) out.push_back("-D" + std::string(name));
  }
  return out;
}

void add_macros(const Input& input, const NativeInterest& interest, std::vector<std::string>& arguments) {
  try {
    for (std::string& macro : macros_in(read_file(input.absolute), interest)) {
      if (std::find(arguments.begin(), arguments.end(), macro) == arguments.end()) arguments.push_back(std::move(macro));
    }
  } catch (const Error&) {  // said when it is analysed
  }
}

}  // namespace

ClangPass::ClangPass(const Job& job, const Inputs& inputs) {
  ClangSettings settings;
  settings.program = clang_program();
  if (settings.program.empty() || inputs.given) return;
  for (std::uint32_t i = 0; i < inputs.files.size(); ++i) {
    const Input& input = inputs.files[i];
    if (input.given) return;
    if (input.path == "setup.py" || input.path.ends_with("/setup.py")) add_macros(input, job.catalogue.interest.native, settings.arguments);
    if (input.unreadable.empty() && language_of(input.path, {}) == Language::Cpp) settings.files.emplace_back(i, input.absolute);
  }
  if (settings.files.empty()) return;
  settings.processes = job.jobs;
  settings.database = job.options.compile_commands;
  workers_ = std::make_unique<ClangWorkers>(std::move(settings), job.catalogue.interest.native);
}

void ClangPass::offer(std::size_t file, const SourceFile& source, const FileFacts& facts) {
  if (!workers_ || is_hip(source.path()) || !worth_reading(facts)) return;
  if (!is_header(source.path())) {
    workers_->ask(static_cast<std::uint32_t>(file));
    return;
  }
  const std::lock_guard lock(mutex_);
  headers_.push_back(static_cast<std::uint32_t>(file));
}

std::map<std::size_t, std::string> ClangPass::finish(Project& project) {
  std::map<std::size_t, std::string> failures;
  if (!workers_) return failures;
  workers_->wait();
  std::set<std::uint32_t> seen;
  for (const auto& [file, answer] : workers_->answers()) seen.insert(answer.files.begin(), answer.files.end());
  for (const std::uint32_t header : headers_) {
    if (!seen.contains(header)) workers_->ask(header);
  }
  workers_->wait();
  for (const auto& [file, answer] : workers_->answers()) {
    project.natives().add(answer);
    if (!answer.failure.empty()) failures.emplace(file, answer.failure);
  }
  workers_.reset();
  return failures;
}

}  // namespace torchport
