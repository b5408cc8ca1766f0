#include "opdb/sorted_table.h"

#include <algorithm>

#include "analyzers/error.h"
#include "embedded_opdb.h"

namespace torchport {
namespace {

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

TableRow row_of(std::string_view line) {
  TableRow row{{}, line};
  for (std::string_view& cell : row.cells) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    cell = line.substr(0, tab);
    line.remove_prefix(std::min(tab + 1, line.size()));
  }
  return row;
}

std::string_view key_of(std::string_view line) { return line.substr(0, line.find('\t')); }

// Where the lines of comments and the names of the columns end.
std::size_t head_length(std::string_view text) {
  std::string_view rest = text;
  while (rest.starts_with("# ") || rest.starts_with("#\n")) take_line(rest);
  take_line(rest);
  return text.size() - rest.size();
}

}  // namespace

SortedTable::SortedTable(std::string_view text)
    : head_(text.substr(0, head_length(text))), rows_(text.substr(head_.size())) {}

std::optional<TableRow> SortedTable::find(std::string_view key) const {
  std::size_t low = 0;
  std::size_t high = rows_.size();
  while (low < high) {
    // The line around the middle; the bounds are always starts of lines.
    const std::size_t middle = low + (high - low) / 2;
    const std::size_t before = middle == low ? std::string_view::npos : rows_.rfind('\n', middle - 1);
    const std::size_t start = before == std::string_view::npos || before < low ? low : before + 1;
    const std::size_t end = std::min(rows_.find('\n', start), high);
    const std::string_view line = rows_.substr(start, end - start);
    const int order = key_of(line).compare(key);
    if (order == 0) return row_of(line);
    if (order < 0) {
      low = std::min(end + 1, high);
    } else {
      high = start;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> SortedTable::head() const {
  std::vector<std::string_view> lines;
  std::string_view rest = head_;
  while (rest.starts_with("#")) {
    std::string_view line = take_line(rest);
    line.remove_prefix(std::min<std::size_t>(2, line.size()));
    lines.push_back(line);
  }
  return lines;
}

std::vector<TableRow> SortedTable::rows() const {
  std::vector<TableRow> rows;
  std::string_view rest = rows_;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (!line.empty()) rows.push_back(row_of(line));
  }
  return rows;
}

std::string_view embedded_table(std::string_view name) {
  for (const EmbeddedFile& file : embedded_opdb()) {
    if (file.path.substr(file.path.rfind('/') + 1) == name) return file.bytes;
  }
  throw Error("the table " + std::string(name) + " was not built in");
}

std::string sorted_table_text(std::string_view text) {
  const std::size_t head = head_length(text);
  std::string_view rest = text.substr(head);
  std::vector<std::string_view> lines;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (!line.empty()) lines.push_back(line);
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](std::string_view a, std::string_view b) { return key_of(a) < key_of(b); });
  std::string sorted(text.substr(0, head));
  for (const std::string_view line : lines) sorted.append(line).append("\n");
  return sorted;
}

}  // namespace torchport
