// The bytes of one file and where its lines start. Offsets are bytes of the file as it lies on disk; lines and columns exist only when
// something is printed. Knows nothing of any language.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace torchport {

// A half-open range of bytes.
struct Span {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
  friend auto operator<=>(const Span&, const Span&) = default;
  bool empty() const { return start == end; }
  bool contains(Span other) const { return start <= other.start && other.end <= end; }
};

// Both count from 1; the column counts bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

class SourceFile {
 public:
  // `path` is relative to the scan's root, with '/'. Lines end at \n, \r\n or a lone \r.
  SourceFile(std::string path, std::string bytes);

  const std::string& path() const { return path_; }
  std::string_view text() const { return bytes_; }
  std::string_view text(Span span) const { return std::string_view(bytes_).substr(span.start, span.end - span.start); }

  Position position(std::uint32_t offset) const;
  const std::vector<std::uint32_t>& line_starts() const { return line_starts_; }
  std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()); }
  // A line without its end; `line` counts from 1 and must exist.
  Span line_span(std::uint32_t line) const;
  // The lines that hold the span, with the end of the last one: what goes when a statement goes.
  Span whole_lines(Span span) const;
  std::string_view line_text(std::uint32_t line) const { return text(line_span(line)); }
  // "\n", "\r\n" or "\r": what ends the first line; "\n" where there is only one.
  std::string_view line_end() const;

 private:
  std::string path_;
  std::string bytes_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace torchport
