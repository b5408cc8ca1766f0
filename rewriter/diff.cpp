#include <algorithm>
#include <array>

#include "rewriter/line_diff.h"
#include "rewriter/rewrite.h"

namespace torchport {
namespace {

constexpr std::uint32_t kContext = 3;

// The letter by which git (and C) escapes a control character; 0: none.
char escape_letter(char c) {
  switch (c) {
    case '\a':
      return 'a';
    case '\b':
      return 'b';
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\v':
      return 'v';
    case '\f':
      return 'f';
    case '\r':
      return 'r';
    case '"':
      return '"';
    case '\\':
      return '\\';
    default:
      return 0;
  }
}

std::string quoted(const std::string& path) {
  const auto plain = [](unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  if (std::all_of(path.begin(), path.end(), plain)) return path;
  std::string text = "\"";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain(byte)) {
      text += c;
    } else if (const char letter = escape_letter(c)) {
      text += '\\';
      text += letter;
    } else {
      const std::array<char, 4> octal = {'\\', static_cast<char>('0' + (byte >> 6)),
                                         static_cast<char>('0' + ((byte >> 3) & 7)),
                                         static_cast<char>('0' + (byte & 7))};
      text.append(octal.data(), octal.size());
    }
  }
  return text + '"';
}

std::string header(std::string_view path) {
  const std::string old_name = quoted("a/" + std::string(path));
  const std::string new_name = quoted("b/" + std::string(path));
  // A tab ends a name that holds spaces; without it `patch` takes what follows the space for a date.
  const char* end = path.find(' ') != std::string_view::npos ? "\t\n" : "\n";
  return "diff --git " + old_name + " " + new_name + "\n--- " + old_name + end + "+++ " + new_name + end;
}

// An empty range is named by the line before it.
std::string range_text(std::uint32_t start, std::uint32_t count) {
  std::string text = std::to_string(count == 0 ? start : start + 1);
  if (count != 1) text += "," + std::to_string(count);
  return text;
}

class Printer {
 public:
  Printer(std::string& out, const std::vector<std::string_view>& before, const std::vector<std::string_view>& after)
      : out_(out), before_(before), after_(after) {}

  void hunk(const LineChange* first, const LineChange* last) {
    const std::uint32_t lead = std::min(first->before, kContext);
    const std::uint32_t end = last->before + last->before_count;
    const std::uint32_t trail = std::min(static_cast<std::uint32_t>(before_.size()) - end, kContext);
    const std::uint32_t old_start = first->before - lead;
    const std::uint32_t new_start = first->after - lead;
    const std::uint32_t new_end = last->after + last->after_count;
    out_ += "@@ -" + range_text(old_start, end + trail - old_start) + " +" +
            range_text(new_start, new_end + trail - new_start) + " @@\n";
    std::uint32_t at = old_start;
    for (const LineChange* change = first; change <= last; ++change) {
      lines(' ', before_, at, change->before);
      at = change->before + change->before_count;
      lines('-', before_, change->before, at);
      lines('+', after_, change->after, change->after + change->after_count);
    }
    lines(' ', before_, end, end + trail);
  }

 private:
  void lines(char sign, const std::vector<std::string_view>& from, std::uint32_t start, std::uint32_t end) {
    for (std::uint32_t i = start; i < end; ++i) {
      out_ += sign;
      out_ += from[i];
      if (!from[i].ends_with('\n')) out_ += "\n\\ No newline at end of file\n";
    }
  }

  std::string& out_;
  const std::vector<std::string_view>& before_;
  const std::vector<std::string_view>& after_;
};

}  // namespace

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const std::vector<std::string_view> old_lines = split_lines(before);
  const std::vector<std::string_view> new_lines = split_lines(after);
  const std::vector<LineChange> changes = diff_lines(old_lines, new_lines);
  std::string out = header(path);
  Printer printer(out, old_lines, new_lines);
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t last = first;
    while (last + 1 < changes.size() &&
           changes[last + 1].before - (changes[last].before + changes[last].before_count) <= 2 * kContext) {
      ++last;
    }
    printer.hunk(&changes[first], &changes[last]);
    first = last + 1;
  }
  return out;
}

}  // namespace torchport
