#include "analyzers/source.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace torchport {

SourceFile::SourceFile(std::string path, std::string bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {
  line_starts_.push_back(0);
  const bool has_cr = std::memchr(bytes_.data(), '\r', bytes_.size()) != nullptr;
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (!has_cr) {
      const void* hit = std::memchr(bytes_.data() + i, '\n', bytes_.size() - i);
      if (hit == nullptr) break;
      i = static_cast<std::size_t>(static_cast<const char*>(hit) - bytes_.data());
    } else if (bytes_[i] == '\r') {
      if (i + 1 < bytes_.size() && bytes_[i + 1] == '\n') ++i;
    } else if (bytes_[i] != '\n') {
      continue;
    }
    line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

Position SourceFile::position(std::uint32_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

Span SourceFile::line_span(std::uint32_t line) const {
  const std::uint32_t start = line_starts_[line - 1];
  std::uint32_t end = line < line_starts_.size() ? line_starts_[line] : static_cast<std::uint32_t>(bytes_.size());
  while (end > start && (bytes_[end - 1] == '\n' || bytes_[end - 1] == '\r')) --end;
  return {start, end};
}

Span SourceFile::whole_lines(Span span) const {
  const std::uint32_t last = position(span.end == 0 ? 0 : span.end - 1).line;
  const std::uint32_t end = last < line_count() ? line_starts_[last] : static_cast<std::uint32_t>(bytes_.size());
  return {line_starts_[position(span.start).line - 1], end};
}

std::string_view SourceFile::line_end() const {
  if (line_starts_.size() < 2) return "\n";
  const std::uint32_t next = line_starts_[1];
  if (bytes_[next - 1] == '\r') return "\r";
  return next >= 2 && bytes_[next - 2] == '\r' ? "\r\n" : "\n";
}

}  // namespace torchport
