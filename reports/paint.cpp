#include "reports/paint.h"

#include <array>
#include <cstdint>

namespace torchport {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The character at the start of `text`, which is not empty; overlong forms and surrogates are not valid.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0xFF >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c & 0xC0) != 0x80) return {};
    code = (code << 6) | (c & 0x3F);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, bytes, true};
}

bool is_control(char32_t c) {
  // The bidirectional ones could show a line in another order than it runs; the last two of a plane are no characters, and XML refuses them.
  return (c < 0x20 && c != '\t') || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || (c & 0xFFFE) == 0xFFFE;
}

std::size_t columns(char32_t c) {
  if ((c >= 0x300 && c < 0x370) || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F)) return 0;
  const bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2E80 && c < 0xA4D0) || (c >= 0xAC00 && c < 0xD7A4) ||
                    (c >= 0xF900 && c < 0xFB00) || (c >= 0xFE30 && c < 0xFE70) || (c >= 0xFF00 && c < 0xFF61) ||
                    (c >= 0xFFE0 && c < 0xFFE7) || (c >= 0x1F300 && c < 0x1FB00) || (c >= 0x20000 && c < 0x3FFFE);
  return wide ? 2 : 1;
}

}  // namespace

std::string Paint::in(const char* code, std::string_view text) const {
  if (!colour_ || text.empty()) return std::string(text);
  return std::string("\x1b[") + code + "m" + std::string(text) + "\x1b[0m";
}

std::string Paint::by(Impact impact, std::string_view text) const {
  switch (impact) {
    case Impact::Blocks:
      return red(text);
    case Impact::Degrades:
      return yellow(text);
    case Impact::Cosmetic:
      return cyan(text);
    case Impact::None:
      break;
  }
  return bold(text);
}

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    if (c.valid && !is_control(c.code)) {
      clean += text.substr(0, c.bytes);
    } else {
      clean += "\uFFFD";
    }
    text.remove_prefix(c.bytes);
  }
  return clean;
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character c = first_character(text);
    width += columns(c.code);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string_view head(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  for (std::size_t taken = 0; end < text.size();) {
    const Character c = first_character(text.substr(end));
    taken += columns(c.code);
    if (taken > width) break;
    end += c.bytes;
  }
  return text.substr(0, end);
}

std::string_view tail(std::string_view text, std::size_t width) {
  for (std::size_t all = width_of(text); all > width;) {
    const Character c = first_character(text);
    all -= columns(c.code);
    text.remove_prefix(c.bytes);
  }
  return text;
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t own = width_of(text);
  return std::string(text) + std::string(own < width ? width - own : 0, ' ');
}

std::string aligned_right(std::string_view text, std::size_t width) {
  const std::size_t own = width_of(text);
  return std::string(own < width ? width - own : 0, ' ') + std::string(text);
}

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  std::string text = std::to_string(n) + " ";
  if (n == 1) return text.append(one);
  return many.empty() ? text.append(one).append("s") : text.append(many);
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

}  // namespace torchport
