#include "opdb/torch_names.h"

#include <algorithm>
#include <charconv>

#include "analyzers/error.h"
#include "embedded_opdb.h"

namespace torchport {

std::optional<std::uint32_t> parse_torch_version(std::string_view text) {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  const char* end = text.data() + text.size();
  const auto [dot, bad] = std::from_chars(text.data(), end, major);
  if (bad != std::errc() || major > 99) return std::nullopt;
  if (dot == end) return major * 100;
  if (*dot != '.') return std::nullopt;
  const auto [rest, bad_minor] = std::from_chars(dot + 1, end, minor);
  if (bad_minor != std::errc() || minor > 99 || (rest != end && *rest != '.' && *rest != '+')) return std::nullopt;
  return major * 100 + minor;
}

std::string torch_version_text(std::uint32_t version) { return std::to_string(version / 100) + "." + std::to_string(version % 100); }

TorchNames TorchNames::parse(std::string_view tsv, const std::string& path) {
  TorchNames table;
  std::uint32_t line = 0;
  while (!tsv.empty()) {
    const std::size_t end = std::min(tsv.find('\n'), tsv.size());
    std::string_view row = tsv.substr(0, end);
    tsv = tsv.substr(std::min(end + 1, tsv.size()));
    if (++line == 1 || row.empty()) continue;
    std::string_view cells[4];
    for (std::string_view& cell : cells) {
      const std::size_t tab = std::min(row.find('\t'), row.size());
      cell = row.substr(0, tab);
      row = row.substr(std::min(tab + 1, row.size()));
    }
    TorchName name{cells[0], 0, 0, cells[3] == "raises"};
    const auto since = cells[1].empty() ? std::optional<std::uint32_t>(0) : parse_torch_version(cells[1]);
    const auto until = cells[2].empty() ? std::optional<std::uint32_t>(0) : parse_torch_version(cells[2]);
    if (!since || !until || cells[0].empty()) throw Error("is no row of name, since, until, without_accelerator", path, line, "see the header");
    name.since = *since;
    name.until = *until;
    table.rows_.push_back(name);
  }
  std::sort(table.rows_.begin(), table.rows_.end(), [](const TorchName& a, const TorchName& b) { return a.name < b.name; });
  return table;
}

const TorchName* TorchNames::find(std::string_view name) const {
  const auto it = std::lower_bound(rows_.begin(), rows_.end(), name, [](const TorchName& a, std::string_view n) { return a.name < n; });
  return it != rows_.end() && it->name == name ? &*it : nullptr;
}

std::string oldest_torch_text(const std::string& version, const std::string& source) {
  std::string text = version + " and later (" + source + ")";
  const std::uint32_t accelerator = torch_names().find("torch.accelerator")->since;
  if (const auto oldest = parse_torch_version(version); oldest && *oldest < accelerator) {
    const std::string since = torch_version_text(accelerator);
    text += "; most fixes write torch.accelerator, which came in " + since + ": --min-torch " + since + " offers them";
  }
  return text;
}

const TorchNames& torch_names() {
  static const TorchNames table = [] {
    for (const EmbeddedFile& file : embedded_opdb()) {
      if (file.path.ends_with("torch_names.tsv")) return TorchNames::parse(file.bytes, std::string(file.path));
    }
    throw Error("the table torch_names.tsv was not built in");
  }();
  return table;
}

}  // namespace torchport
