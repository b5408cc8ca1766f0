#include "reports/level.h"

#include "reports/paint.h"

namespace torchport {

std::string_view level_of(Impact impact) {
  switch (impact) {
    case Impact::Blocks:
      return "error";
    case Impact::Degrades:
      return "warning";
    case Impact::Cosmetic:
    case Impact::None:
      break;
  }
  return "note";
}

std::string impacts_text(const Finding& finding, const std::vector<Target>& targets) {
  std::string text;
  for (const Impact impact : {Impact::Blocks, Impact::Degrades, Impact::Cosmetic}) {
    std::string names;
    for (const Target target : targets) {
      if (finding.impact[static_cast<std::size_t>(target)] != impact) continue;
      names += (names.empty() ? "" : ", ") + std::string(name_of(target));
    }
    if (!names.empty()) text += (text.empty() ? "" : "; ") + names + ": " + std::string(name_of(impact));
  }
  return text;
}

std::string full_message(const Finding& finding, const std::vector<Target>& targets) {
  std::string text = printable(finding.message);
  const std::string on = finding.rule->family == "file" ? std::string() : impacts_text(finding, targets);
  if (!on.empty()) text += " [" + on + "]";
  std::string_view why = finding.rule->why;
  for (const Target target : targets) {
    if (const std::string_view own = why_on(finding, target); !own.empty()) {
      why = own;
      break;
    }
  }
  if (!why.empty()) text += ". " + printable(why);
  if (const std::string_view what = advice(finding); !what.empty()) {
    const bool edits = has_edits(finding);
    text += std::string(text.ends_with('.') ? " " : ". ") +
            (edits ? std::string(name_of(finding.fix->applicability)) + " fix: " : std::string("By hand: ")) +
            printable(what);
  }
  return text;
}

std::string_view tree_path(const FileEntry& file) { return file.in_tree.empty() ? file.path : file.in_tree; }

std::string uri_of(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-~";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri;
}

}  // namespace torchport
