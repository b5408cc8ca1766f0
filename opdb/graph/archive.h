// The list and the stored entries of a zip archive, as torch writes them. Not an unpacker: nothing is decompressed and
// nothing is written, and only what is asked for is read, so an archive of many gigabytes costs its list.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace torchport {

struct ArchiveEntry {
  std::string name;
  std::uint64_t size = 0;    // unpacked
  std::uint64_t packed = 0;  // in the file
  std::uint64_t header = 0;  // where its local header begins
  std::uint32_t crc = 0;
  bool stored = true;  // not compressed
};

class Archive {
 public:
  // Throws Error where the file is no zip archive, or a damaged one.
  explicit Archive(const std::string& path);

  const std::vector<ArchiveEntry>& entries() const { return entries_; }
  // The entry whose name without the archive's top folder is this; null: none.
  const ArchiveEntry* find(std::string_view name) const;
  // Its bytes. Throws Error where it is compressed, larger than `most`, or not what its checksum says.
  std::string read(const ArchiveEntry& entry, std::uint64_t most);

 private:
  std::string bytes(std::uint64_t offset, std::uint64_t size);
  void read_list();

  std::string path_;
  std::ifstream file_;
  std::uint64_t size_ = 0;
  std::vector<ArchiveEntry> entries_;
};

// "models/model.json" of "name/models/model.json".
std::string_view below_top(std::string_view name);

}  // namespace torchport
