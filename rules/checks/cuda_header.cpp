// Headers of CUDA. One of which nothing is left in a source file is taken out: it alone keeps the file from building elsewhere.
#include <algorithm>
#include <array>

#include "rules/checks/checks.h"
#include "rules/checks/native_text.h"

namespace torchport {
namespace {

// What else such a header brings along, torch's own collective headers bring too; without one of them it may be needed for that.
constexpr std::array<std::string_view, 8> kWhole = {"torch/extension.h", "torch/torch.h", "torch/all.h", "torch/script.h", "ATen/ATen.h", "torch/library.h", "torch/types.h", "torch/csrc/api/include/torch/all.h"};

bool is_source(std::string_view path) { return path.ends_with(".cpp") || path.ends_with(".cc") || path.ends_with(".cxx"); }

bool removable(const Context& context) {
  if (!is_source(context.source.path()) || has_kernels(context.facts)) return false;
  const auto& uses = context.facts.uses;
  const bool named = std::any_of(uses.begin(), uses.end(), [](const Use& use) {
    // A member of a tensor and the name of a device come with torch's own headers.
    return use.kind == UseKind::Mention && !use.symbol.starts_with('.') && use.symbol != "kCUDA" && !use.symbol.ends_with("DeviceType::CUDA");
  });
  const bool device = std::any_of(context.facts.natives.begin(), context.facts.natives.end(), [](const NativeFunction& f) { return f.side != Side::Host; });
  return !named && !device && std::any_of(kWhole.begin(), kWhole.end(), [&](std::string_view header) { return includes(context.facts, header); });
}

}  // namespace

void check_cuda_header(Context& context, const Rule& rule) {
  const bool unused = removable(context);
  for (std::size_t u = 0; u < context.facts.uses.size(); ++u) {
    const Use& use = context.facts.uses[u];
    if (use.kind != UseKind::Include) continue;
    const auto entry = context.matcher.match(use);
    if (!entry || &context.catalogue.rules[entry->rule] != &rule) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(u));
    // Under a condition it may be the only line there.
    if (!unused || use.guard != kNone) continue;
    const std::uint32_t line = context.source.position(use.span.start).line;
    Span whole = context.source.line_span(line);
    if (context.source.text({use.span.end, whole.end}).find_first_not_of(" \t\r") != std::string_view::npos) continue;
    if (line < context.source.line_count()) whole.end = context.source.line_span(line + 1).start;
    hit.finding.fix = Context::fix(Applicability::Safe, "nothing of it is left in the file", {{whole, ""}});
  }
}

}  // namespace torchport
