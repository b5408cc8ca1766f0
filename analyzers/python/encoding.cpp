#include <algorithm>

#include "analyzers/python/syntax.h"

namespace torchport::python {
namespace {

// The name after "coding:" or "coding=" in one of the first two lines (PEP 263), lower case; empty: UTF-8.
std::string declared_encoding(std::string_view bytes) {
  std::size_t start = 0;
  for (int line = 0; line < 2 && start < bytes.size(); ++line) {
    const std::size_t end = std::min(bytes.find_first_of("\r\n", start), bytes.size());
    std::string_view text = bytes.substr(start, end - start);
    const std::size_t hash = text.find('#');
    std::size_t at = hash == std::string_view::npos ? hash : text.find("coding", hash);
    if (at != std::string_view::npos && (at += 6) < text.size() && (text[at] == ':' || text[at] == '=')) {
      ++at;
      while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
      std::string name;
      while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '-' || text[at] == '_' || text[at] == '.')) {
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at++])));
      }
      return name;
    }
    start = end + 1;
  }
  return {};
}

// Length of the UTF-8 sequence at `at`, 0 where it is none.
std::size_t utf8_length(std::string_view s, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 0;
  if (length == 0 || at + length > s.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

bool is_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    const std::size_t length = utf8_length(s, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

// In these encodings the second byte of a character may look like ASCII.
bool two_byte(const std::string& name) {
  for (const char* prefix : {"gb", "big5", "shift", "sjis", "cp932", "ms932", "cp936", "cp949", "cp950", "johab", "euc"}) {
    if (name.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> parseable(std::string_view bytes, std::string& why) {
  const auto starts = [&](std::string_view mark) { return bytes.substr(0, mark.size()) == mark; };
  if (starts("\xff\xfe") || starts("\xfe\xff")) {
    why = "is UTF-16, which Python does not read as source; save it as UTF-8";
    return std::nullopt;
  }
  if (bytes.find('\0') != std::string_view::npos) {
    why = "holds a zero byte, so it is no Python source; leave it out of the scan";
    return std::nullopt;
  }
  if (std::all_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return std::nullopt;
  const std::string encoding = declared_encoding(bytes);
  const bool utf8 = encoding.empty() || encoding.rfind("utf", 0) == 0;
  if (utf8 && is_utf8(bytes)) return std::nullopt;
  std::string text(bytes);
  const bool pairs = two_byte(encoding);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) < 0x80) continue;
    text[i] = '_';
    if (pairs && i + 1 < text.size() && text[i + 1] != '\n' && text[i + 1] != '\r') text[++i] = '_';
  }
  return text;
}

}  // namespace torchport::python
