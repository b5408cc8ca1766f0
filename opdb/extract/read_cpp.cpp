#include <algorithm>

#include "opdb/extract/extract.h"
#include "analyzers/text.h"

namespace torchport {
namespace {

// Comments become blanks, so that every offset and line stays; strings stay.
std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == '"') {
      for (++i; i < out.size() && out[i] != '"' && out[i] != '\n'; ++i) {
        if (out[i] == '\\') ++i;
      }
    } else if (out.compare(i, 2, "//") == 0) {
      while (i < out.size() && out[i] != '\n') out[i++] = ' ';
    } else if (out.compare(i, 2, "/*") == 0) {
      const std::size_t end = std::min(out.find("*/", i), out.size() - 2);
      for (; i < end + 2; ++i) {
        if (out[i] != '\n') out[i] = ' ';
      }
      --i;
    }
  }
  return out;
}

std::size_t closing_brace(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return text.size();
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  return 1 +
         static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

// m.impl("name", …), m.impl(TORCH_SELECTIVE_NAME("aten::name"), …)
void read_block(std::string_view text, std::size_t begin, std::size_t end, std::string_view ns, std::string_view path,
                Registrations& out) {
  for (std::size_t at = text.find(".impl(", begin); at < end; at = text.find(".impl(", at + 1)) {
    const std::size_t quote = text.find('"', at);
    const std::size_t comma = text.find(',', at);
    if (quote > comma || quote >= end) continue;
    const std::string_view name = text.substr(quote + 1, text.find('"', quote + 1) - quote - 1);
    std::string full = name.find("::") == std::string_view::npos ? std::string(ns) : std::string();
    if (!full.empty()) full += "::";
    full += name;
    out.add(full, path, line_at(text, at));
  }
}

}  // namespace

void read_cpp(std::string_view text, std::string_view path, std::string_view key, Registrations& out) {
  if (text.find("OpName::k") != std::string_view::npos) learn_enumerators(without_comments(text), out);
  constexpr std::string_view kMacro = "TORCH_LIBRARY_IMPL(";
  if (text.find(kMacro) == std::string_view::npos) return;
  const std::string code = without_comments(text);
  const std::string_view view = code;
  for (std::size_t at = view.find(kMacro); at != std::string_view::npos; at = view.find(kMacro, at + 1)) {
    const std::size_t close = view.find(')', at);
    const std::size_t open = view.find('{', at);
    const std::string_view arguments =
        view.substr(at + kMacro.size(), std::min(close, view.size()) - at - kMacro.size());
    const std::size_t comma = arguments.find(',');
    if (close == std::string_view::npos || open == std::string_view::npos || comma == std::string_view::npos) continue;
    const std::string_view ns = trimmed(arguments.substr(0, comma));
    const std::string_view rest = arguments.substr(comma + 1);
    if (trimmed(rest.substr(0, rest.find(','))) != key) continue;
    const std::size_t end = closing_brace(view, open);
    if (ns == "_") {
      const std::string_view block = view.substr(open, end - open);
      if (block.find("fallback") == std::string_view::npos || block.find("makeFallthrough") != std::string_view::npos)
        continue;
      out.fallback = std::string(path) + ":" + std::to_string(line_at(view, at));
      out.fallback_to_cpu = view.find("cpu_fallback") != std::string_view::npos;
    } else {
      read_block(view, open, end, ns, path, out);
      if (ns == "aten") read_enumerators(view.substr(open, end - open), path, line_at(view, open), out);
    }
  }
}

}  // namespace torchport
