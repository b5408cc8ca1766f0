// A table of tab-separated lines in the order of their first cells, searched where it lies: nothing is read at start-up
// and nothing copied. Lines before the first row that begin with "# " say where it comes from; the first other line
// names the columns.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torchport {

struct TableRow {
  std::array<std::string_view, 4> cells;  // missing ones are empty
  std::string_view line;                  // where it lies, whole
};

class SortedTable {
 public:
  SortedTable() = default;
  // `text` must outlive the table.
  explicit SortedTable(std::string_view text);

  std::optional<TableRow> find(std::string_view key) const;
  // The lines that begin with "# ", without that.
  std::vector<std::string_view> head() const;
  std::vector<TableRow> rows() const;

 private:
  std::string_view head_, rows_;
};

// The bytes of opdb/data/NAME. Throws Error where it was not built in.
std::string_view embedded_table(std::string_view name);

// The same lines with the rows sorted, for tables of users.
std::string sorted_table_text(std::string_view text);

}  // namespace torchport
