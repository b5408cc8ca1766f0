#include "rules/allows.h"

#include <algorithm>

namespace torchport {

void apply_allows(const Catalogue& catalogue, const SourceFile& source, const FileFacts& facts, std::uint32_t file,
                  std::vector<Finding>& findings) {
  std::vector<Finding> unused;
  for (const Allow& allow : facts.allows) {
    bool used = false;
    for (Finding& f : findings) {
      const std::uint32_t line = source.position(f.span.start).line;
      const bool named = std::any_of(allow.rules.begin(), allow.rules.end(), [&](std::string_view r) {
        return r == f.rule->id || r == f.rule->name || r == f.rule->family || r == "all";
      });
      if (!named || line < allow.first_line || line > allow.last_line || f.rule->family == "file") continue;
      if (!f.suppressed) f.suppressed = std::string(allow.why);
      used = true;
    }
    const Rule* rule = catalogue.find("TP003");
    if (used || rule == nullptr) continue;
    Finding f;
    f.rule = rule;
    f.file = file;
    f.span = allow.span;
    f.message = allow.known_form ? rule->message : "is no comment that torchport knows; write `# torchport: allow TP123 -- why`";
    f.impact = rule->impact;
    unused.push_back(std::move(f));
  }
  findings.insert(findings.end(), unused.begin(), unused.end());
}

}  // namespace torchport
