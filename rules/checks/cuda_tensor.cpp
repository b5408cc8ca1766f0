// Members that mean something of a tensor only: is_cuda(), cuda(), data<T>(), type(). No type is known; the text around them decides.
#include <algorithm>

#include "rules/checks/checks.h"
#include "rules/checks/native_text.h"

namespace torchport {
namespace {

// What stands behind the use, blanks left out, to the end of its line.
std::string_view behind(const Context& context, const Use& use) {
  const std::uint32_t end = context.source.line_span(context.source.position(use.span.end).line).end;
  std::string_view text = context.source.text({use.span.end, std::max(end, use.span.end)});
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

std::string_view before(const Context& context, const Use& use) {
  return context.source.text({context.source.line_span(context.source.position(use.span.start).line).start, use.span.start});
}

template <typename Want>
void add_members(Context& context, const Rule& rule, std::string_view symbol, const Want& want) {
  for (std::size_t u = 0; u < context.facts.uses.size(); ++u) {
    const Use& use = context.facts.uses[u];
    if (use.kind == UseKind::Mention && use.symbol == symbol && want(use)) context.add(rule, static_cast<UseId>(u));
  }
}

}  // namespace

void check_cuda_tensor(Context& context, const Rule& rule) {
  const std::size_t first = context.hits.size();
  for (const std::string_view symbol : {".is_cuda", ".isCuda"}) {
    add_members(context, rule, symbol, [&](const Use& use) { return behind(context, use).starts_with("()"); });
  }
  // The code behind it launches kernels: it is theirs to be mended, and the question is right as long as they are there.
  if (!has_kernels(context.facts)) return;
  for (std::size_t h = first; h < context.hits.size(); ++h) {
    for (Impact& impact : context.hits[h].finding.impact) impact = std::min(impact, Impact::Cosmetic);
  }
}

void check_tensor_cuda_method(Context& context, const Rule& rule) {
  add_members(context, rule, ".cuda", [&](const Use& use) { return behind(context, use).starts_with("()"); });
}

void check_legacy_data(Context& context, const Rule& rule) {
  add_members(context, rule, ".data", [&](const Use& use) {
    const std::string_view text = behind(context, use);
    return text.starts_with("<") && text.find(">()") != std::string_view::npos;
  });
}

void check_legacy_type(Context& context, const Rule& rule) {
  add_members(context, rule, ".type", [&](const Use& use) {
    const std::string_view text = behind(context, use);
    if (!text.starts_with("()")) return false;
    return before(context, use).find("AT_DISPATCH") != std::string_view::npos || text.starts_with("().is_cuda()") || text.starts_with("().scalarType()") || text.starts_with("().backend()");
  });
}

}  // namespace torchport
