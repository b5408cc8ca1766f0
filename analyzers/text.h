#pragma once
// Small questions to a piece of text, asked all over.

#include <cctype>
#include <string_view>

namespace torchport {

inline constexpr std::size_t kNowhere = std::string_view::npos;

inline bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// A letter, a digit or '_': what a name of Python or C++ may hold, in ASCII.
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// "torch.cuda.Stream" -> "Stream"; a name without a dot is whole.
inline std::string_view last_part(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

// The bytes of the mark that some editors put before UTF-8.
inline constexpr std::size_t mark_size(std::string_view text) { return text.starts_with("\xef\xbb\xbf") ? 3 : 0; }

// "a/b.py" -> "b.py"
inline std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace torchport
