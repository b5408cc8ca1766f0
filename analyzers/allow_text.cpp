#include "analyzers/allow_text.h"
#include "analyzers/text.h"

#include <algorithm>

namespace torchport {

std::optional<AllowText> allow_text(std::string_view text, Span comment) {
  constexpr std::string_view kMark = "torchport:";
  text = trimmed(text);
  // Behind another remark: `# noqa  # torchport: allow …`.
  for (const std::string_view later : {"# torchport: allow", "// torchport: allow"}) {
    if (const std::size_t at = text.find(later); at != std::string_view::npos) text = text.substr(text.find(kMark, at));
  }
  if (!text.starts_with(kMark)) return std::nullopt;
  text = trimmed(text.substr(kMark.size()));
  AllowText out;
  out.allow.span = comment;
  out.allow.known_form = false;
  out.file = text.starts_with("allow-file");
  if (!out.file && !text.starts_with("allow")) return out;
  text = trimmed(text.substr(out.file ? 10 : 5));
  const std::size_t dashes = text.find("--");
  out.allow.why = dashes == std::string_view::npos ? std::string_view() : trimmed(text.substr(dashes + 2));
  std::string_view rules = text.substr(0, dashes);
  while (!(rules = trimmed(rules)).empty()) {
    const std::size_t end = std::min(rules.find_first_of(", \t"), rules.size());
    if (end > 0) out.allow.rules.push_back(rules.substr(0, end));
    rules = rules.substr(std::min(end + 1, rules.size()));
  }
  out.allow.known_form = !out.allow.rules.empty();
  return out;
}

}  // namespace torchport
