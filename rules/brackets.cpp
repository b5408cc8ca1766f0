#include "rules/brackets.h"

#include "analyzers/text.h"

namespace torchport {
namespace {

constexpr std::string_view kChoice = ".accelerator.current_accelerator(";

// The bracket that closes the one at `open`; npos: none. Strings in a device hold no brackets.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

bool begins_argument(std::string_view before) {
  before = before.substr(0, before.find_last_not_of(" \t\r\n") + 1);
  return before.ends_with('(') || before.ends_with(',') || (before.ends_with('=') && !before.ends_with("==") && !before.ends_with("!="));
}

bool ends_argument(std::string_view after) {
  const std::size_t next = after.find_first_not_of(" \t\r\n");
  return next != std::string_view::npos && (after[next] == ')' || after[next] == ',');
}

void drop(const SourceFile& source, Edit& edit) {
  for (std::size_t at = edit.text.find('('); at != std::string::npos; at = edit.text.find('(', at + 1)) {
    std::size_t torch = at + 1;
    while (torch < edit.text.size() && is_word(edit.text[torch])) ++torch;
    if (edit.text.compare(torch, kChoice.size(), kChoice) != 0) continue;
    const std::size_t close = closing(edit.text, at);
    if (close == std::string::npos) return;
    const std::string_view text = edit.text;
    const bool begins = begins_argument(at == 0 ? source.text().substr(0, edit.span.start) : text.substr(0, at));
    const bool ends = ends_argument(close + 1 == text.size() ? source.text().substr(edit.span.end) : text.substr(close + 1));
    if (!begins || !ends) continue;
    edit.text.erase(close, 1);
    edit.text.erase(at, 1);
  }
}

}  // namespace

void drop_needless_brackets(const SourceFile& source, std::optional<Fix>& fix) {
  if (!fix) return;
  for (Edit& edit : fix->edits) drop(source, edit);
}

}  // namespace torchport
