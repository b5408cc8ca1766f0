// Text for a terminal: colours where they are wanted, bytes that a terminal could misunderstand made harmless, widths
// as columns of the screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace torchport {

class Paint {
 public:
  explicit Paint(bool colour) : colour_(colour) {}
  std::string bold(std::string_view text) const { return in("1", text); }
  std::string dim(std::string_view text) const { return in("2", text); }
  std::string red(std::string_view text) const { return in("1;31", text); }
  std::string green(std::string_view text) const { return in("32", text); }
  std::string yellow(std::string_view text) const { return in("1;33", text); }
  std::string cyan(std::string_view text) const { return in("36", text); }
  std::string by(Impact impact, std::string_view text) const;
  bool colour() const { return colour_; }

 private:
  std::string in(const char* code, std::string_view text) const;
  bool colour_;
};

// Control characters and bytes that are no UTF-8 become U+FFFD; tabs stay.
std::string printable(std::string_view text);
// Columns that printable text takes, a tab counting as one.
std::size_t width_of(std::string_view text);
// The longest beginning, or end, of printable text that takes at most `width` columns.
std::string_view head(std::string_view text, std::size_t width);
std::string_view tail(std::string_view text, std::size_t width);
// Filled up with blanks to `width` columns.
std::string padded(std::string_view text, std::size_t width);
std::string aligned_right(std::string_view text, std::size_t width);
// "1 file", "3 files".
std::string counted(std::size_t n, std::string_view one, std::string_view many = {});
// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& items);

}  // namespace torchport
