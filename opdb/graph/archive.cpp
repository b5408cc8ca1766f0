#include "opdb/graph/archive.h"

#include <algorithm>
#include <array>

#include "analyzers/error.h"

namespace torchport {
namespace {

constexpr std::uint64_t kMostList = std::uint64_t{64} << 20;
constexpr std::uint64_t kEndSize = 22, kEntrySize = 46, kLocalSize = 30, kLocatorSize = 20, kEnd64Size = 56;
constexpr std::uint32_t kMax32 = 0xffffffff;

std::uint64_t number(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < size && at + i < bytes.size(); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

std::uint32_t crc_of(std::string_view bytes) {
  static const auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? 0xedb88320U : 0U);
    }
    return table;
  }();
  std::uint32_t crc = kMax32;
  for (const char c : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

// Sizes and the place that do not fit into 32 bits stand in the entry's extra fields.
void take_zip64(std::string_view extra, ArchiveEntry& entry) {
  while (extra.size() >= 4) {
    const std::uint64_t kind = number(extra, 0, 2);
    const std::uint64_t length = std::min<std::uint64_t>(number(extra, 2, 2), extra.size() - 4);
    std::string_view body = extra.substr(4, length);
    if (kind == 1) {
      for (std::uint64_t* field : {&entry.size, &entry.packed, &entry.header}) {
        if (*field != kMax32 || body.size() < 8) continue;
        *field = number(body, 0, 8);
        body.remove_prefix(8);
      }
    }
    extra.remove_prefix(4 + length);
  }
}

}  // namespace

std::string_view below_top(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

Archive::Archive(const std::string& path) : path_(path), file_(path, std::ios::binary | std::ios::ate) {
  if (!file_) throw Error("cannot be read", path_, 0, "check its permissions");
  const std::streamoff end = file_.tellg();
  size_ = end < 0 ? 0 : static_cast<std::uint64_t>(end);
  if (bytes(0, 2) != "PK")
    throw Error("is no archive of torch.export or TorchScript", path_, 0,
                "save it by torch.export.save or torch.jit.save of torch 1.6 or later");
  read_list();
}

std::string Archive::bytes(std::uint64_t offset, std::uint64_t size) {
  if (offset > size_ || size > size_ - offset)
    throw Error("ends too early, or is damaged", path_, 0, "save or copy it anew");
  std::string out(size, '\0');
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(offset));
  file_.read(out.data(), static_cast<std::streamsize>(size));
  if (!file_) throw Error("cannot be read", path_, 0, "save or copy it anew");
  return out;
}

void Archive::read_list() {
  const Error damaged("ends too early, or is damaged: it has no list of what it holds", path_, 0,
                      "save or copy it anew");
  const std::uint64_t tail_size = std::min<std::uint64_t>(size_, 65535 + kEndSize);
  const std::string tail = bytes(size_ - tail_size, tail_size);
  const std::size_t end = tail.rfind(std::string_view("PK\5\6", 4));
  if (end == std::string::npos || tail.size() - end < kEndSize) throw damaged;
  std::uint64_t count = number(tail, end + 10, 2), length = number(tail, end + 12, 4),
                start = number(tail, end + 16, 4);
  if (end >= kLocatorSize && tail.compare(end - kLocatorSize, 4, "PK\6\7") == 0) {
    const std::string end64 = bytes(number(tail, end - kLocatorSize + 8, 8), kEnd64Size);
    if (!end64.starts_with("PK\6\6")) throw damaged;
    count = number(end64, 32, 8);
    length = number(end64, 40, 8);
    start = number(end64, 48, 8);
  }
  if (length > kMostList) throw Error("its list of contents is larger than any that torch writes", path_);
  const std::string list = bytes(start, length);
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (list.size() - at < kEntrySize || list.compare(at, 4, "PK\1\2") != 0) throw damaged;
    const std::uint64_t name = number(list, at + 28, 2), extra = number(list, at + 30, 2);
    const std::uint64_t whole = kEntrySize + name + extra + number(list, at + 32, 2);
    if (whole > list.size() - at) throw damaged;
    ArchiveEntry entry{list.substr(at + kEntrySize, name), number(list, at + 24, 4), number(list, at + 20, 4),
                       number(list, at + 42, 4), static_cast<std::uint32_t>(number(list, at + 16, 4)),
                       number(list, at + 10, 2) == 0};
    take_zip64(std::string_view(list).substr(at + kEntrySize + name, extra), entry);
    entries_.push_back(std::move(entry));
    at += whole;
  }
}

const ArchiveEntry* Archive::find(std::string_view name) const {
  for (const ArchiveEntry& entry : entries_) {
    if (below_top(entry.name) == name) return &entry;
  }
  return nullptr;
}

std::string Archive::read(const ArchiveEntry& entry, std::uint64_t most) {
  if (!entry.stored)
    throw Error("its part " + entry.name + " is compressed, which torch does not do", path_, 0,
                "save it anew by torch.export.save");
  if (entry.size > most)
    throw Error("its part " + entry.name + " has " + std::to_string(entry.size >> 20) + " MiB", path_, 0,
                "at most " + std::to_string(most >> 20) + " MiB are read");
  const std::string local = bytes(entry.header, kLocalSize);
  if (!local.starts_with("PK\3\4") || entry.packed != entry.size)
    throw Error("is damaged at its part " + entry.name, path_, 0, "save or copy it anew");
  std::string data = bytes(entry.header + kLocalSize + number(local, 26, 2) + number(local, 28, 2), entry.size);
  if (crc_of(data) != entry.crc)
    throw Error("is damaged at its part " + entry.name + ": the checksum differs", path_, 0, "save or copy it anew");
  return data;
}

}  // namespace torchport
