#include "cli/clang_pass.h"

#include <algorithm>
#include <set>

namespace torchport {
namespace {

bool is_header(std::string_view path) {
  return path.ends_with(".h") || path.ends_with(".cuh") || path.ends_with(".hpp") || path.ends_with(".inl");
}

// What HIP adds to the language the stubs do not have.
bool is_hip(std::string_view path) { return path.ends_with(".hip") || path.find("/hip/") != std::string_view::npos; }

bool worth_reading(const FileFacts& facts) {
  if (facts.language != Language::Cpp || facts.status != Status::Full) return false;
  const auto on_device = [](const NativeFunction& f) { return f.side != Side::Host && f.defined; };
  const auto matters = [](const Use& use) { return use.kind == UseKind::Launch || (use.kind == UseKind::Mention && use.symbol.starts_with('.')); };
  return std::any_of(facts.natives.begin(), facts.natives.end(), on_device) || std::any_of(facts.uses.begin(), facts.uses.end(), matters);
}

}  // namespace

ClangPass::ClangPass(const Job& job, const Inputs& inputs) {
  ClangSettings settings;
  settings.program = clang_program();
  if (settings.program.empty() || inputs.given) return;
  for (std::uint32_t i = 0; i < inputs.files.size(); ++i) {
    const Input& input = inputs.files[i];
    if (input.given) return;
    if (input.unreadable.empty() && language_of(input.path, {}) == Language::Cpp) settings.files.emplace_back(i, input.absolute);
  }
  if (settings.files.empty()) return;
  settings.processes = job.jobs;
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
