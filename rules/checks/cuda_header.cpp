// Headers of CUDA. One of which nothing is left in a source file is taken out: it alone keeps the file from building elsewhere.
#include <algorithm>
#include <array>

#include "rules/checks/checks.h"
#include "rules/checks/cuda_header.h"
#include "rules/checks/native_text.h"

namespace torchport {
namespace {

// What else such a header brings along, torch's own collective headers bring too; without one of them it may be needed for that.
constexpr std::array<std::string_view, 8> kWhole = {"torch/extension.h", "torch/torch.h", "torch/all.h", "torch/script.h", "ATen/ATen.h", "torch/library.h", "torch/types.h", "torch/csrc/api/include/torch/all.h"};

bool is_source(std::string_view path) { return path.ends_with(".cpp") || path.ends_with(".cc") || path.ends_with(".cxx"); }

// Includes of code that is not read with the file, which may need what stands above it.
bool takes_in_code(const FileFacts& facts) {
  constexpr std::array<std::string_view, 5> kHeaders = {".h", ".hpp", ".hh", ".hxx", ".cuh"};
  return std::any_of(facts.uses.begin(), facts.uses.end(), [&](const Use& use) {
    if (use.kind != UseKind::Include) return false;
    const std::string_view name = use.symbol.substr(use.symbol.rfind('/') + 1);
    return name.find('.') != std::string_view::npos && std::none_of(kHeaders.begin(), kHeaders.end(), [&](std::string_view end) { return name.ends_with(end); });
  });
}

}  // namespace

bool headers_may_go(const Context& context, const std::function<bool(UseId)>& gone) {
  if (takes_in_code(context.facts)) return false;
  if (!is_source(context.source.path()) || has_kernels(context.facts)) return false;
  for (std::size_t u = 0; u < context.facts.uses.size(); ++u) {
    const Use& use = context.facts.uses[u];
    // A member of a tensor and the name of a device come with torch's own headers.
    if (use.kind == UseKind::Mention && !use.symbol.starts_with('.') && !names_cuda_device(use) && !gone(static_cast<UseId>(u))) return false;
  }
  const bool device = std::any_of(context.facts.natives.begin(), context.facts.natives.end(), [](const NativeFunction& f) { return f.side != Side::Host; });
  return !device && std::any_of(kWhole.begin(), kWhole.end(), [&](std::string_view header) { return includes(context.facts, header); });
}

std::optional<Span> header_line(const Context& context, const Use& use) {
  if (use.guard != kNone) return std::nullopt;
  const std::uint32_t line = context.source.position(use.span.start).line;
  Span whole = context.source.line_span(line);
  if (context.source.text({use.span.end, whole.end}).find_first_not_of(" \t\r") != std::string_view::npos) return std::nullopt;
  if (line < context.source.line_count()) whole.end = context.source.line_span(line + 1).start;
  return whole;
}

void check_cuda_header(Context& context, const Rule& rule) {
  const bool unused = headers_may_go(context, [](UseId) { return false; });
  for (std::size_t u = 0; u < context.facts.uses.size(); ++u) {
    const Use& use = context.facts.uses[u];
    if (use.kind != UseKind::Include) continue;
    const auto entry = context.matcher.match(use);
    if (!entry || &context.catalogue.rules[entry->rule] != &rule) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(u));
    if (!unused) continue;
    if (const auto line = header_line(context, use)) hit.finding.fix = Context::fix(Applicability::Safe, "nothing of it is left in the file", {{*line, ""}});
  }
}

}  // namespace torchport
