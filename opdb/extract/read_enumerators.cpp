// Backends that name operators by enumerators: ImplStable<OpName::kAddOut>(m) in a block of the key, and a table from
// enumerators to names elsewhere.
#include <algorithm>
#include <cctype>

#include "analyzers/text.h"
#include "opdb/extract/extract.h"

namespace torchport {
namespace {

constexpr std::string_view kEnumerator = "OpName::k";

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(at, end - at);
}

// "addout" of "add.out", "AddOut" and "kAddOut" without its k.
std::string flat(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '_' && c != '.') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

bool in_place(std::string_view op) {
  const std::string_view name = op.substr(0, op.find('.'));
  return name.ends_with('_') && !name.starts_with("__");
}

}  // namespace

void learn_enumerators(std::string_view text, Registrations& out) {
  for (std::size_t at = text.find(kEnumerator); at != std::string_view::npos; at = text.find(kEnumerator, at + 1)) {
    const std::string_view name = word_at(text, at + kEnumerator.size());
    const std::size_t after = at + kEnumerator.size() + name.size();
    // The name stands behind the enumerator, before anything else does: {OpName::kAddOut, "aten::add.out"}.
    const std::size_t quote = text.find_first_not_of(" \t\n,:", after);
    if (quote == std::string_view::npos || quote == after || text[quote] != '"') continue;
    const std::string_view op = text.substr(quote + 1, text.find('"', quote + 1) - quote - 1);
    std::string full(op.find("::") == std::string_view::npos ? "aten::" : "");
    out.enumerator_names.emplace(name, full.append(op));
  }
}

void read_enumerators(std::string_view block, std::string_view path, std::size_t first_line, Registrations& out) {
  std::size_t line = first_line, counted = 0;
  for (std::size_t at = block.find(kEnumerator); at != std::string_view::npos; at = block.find(kEnumerator, at + 1)) {
    line += static_cast<std::size_t>(std::count(block.begin() + static_cast<std::ptrdiff_t>(counted), block.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    out.enumerators[std::string(word_at(block, at + kEnumerator.size()))].push_back(std::string(path) + ":" + std::to_string(line));
  }
}

std::vector<std::string> resolve_enumerators(const Coverage& coverage, Registrations& out) {
  std::map<std::string, std::vector<std::string_view>> by_letters;
  if (!out.enumerators.empty()) {
    for (const std::string_view op : coverage.overloads()) by_letters[flat(op)].push_back(op);
  }
  std::vector<std::string> unknown;
  for (const auto& [name, places] : out.enumerators) {
    std::string op, how;
    if (const auto told = out.enumerator_names.find(name); told != out.enumerator_names.end()) {
      op = told->second;
    } else if (const auto found = by_letters.find(flat(name)); found != by_letters.end()) {
      std::vector<std::string_view> meant = found->second;
      if (meant.size() > 1) std::erase_if(meant, [&](std::string_view one) { return in_place(one) != (name.find('_') != std::string::npos); });
      if (meant.size() == 1) op = full_name(meant.front());
      how = " (k" + name + ", by its spelling)";
    }
    if (op.empty()) unknown.push_back(name);
    for (const std::string& place : op.empty() ? std::vector<std::string>() : places) out.places[op].push_back(place + how);
  }
  return unknown;
}

}  // namespace torchport
