// Files whole: read whole, and written whole or not at all. Says what went wrong as an Error that names the path.
// Knows nothing of what the bytes mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchport {

// Throws Error where the file cannot be read, is a folder, or holds 2 GiB or more (offsets are 32 bits wide).
std::string read_file(const std::string& path);

// Puts `bytes` in the place of `expected_old`: a temporary file in the same folder, flushed to the disk, renamed over
// `path`. Keeps the mode, and the owner where permitted; extended attributes are not kept. Of a file with several hard
// links only this name gets the new bytes, the others keep the old ones: a tree that shares its files with a package
// cache must not change the cache. Throws Error, with the file as it was and nothing left beside it, where the file
// holds something other than `expected_old`, is read-only by its mode bits (also for root; in a folder that has write bits itself), is a symbolic link or no
// regular file, or cannot be written.
void write_file(const std::string& path, std::string_view bytes, std::string_view expected_old);

// Throws Error where `output` is one of the files that the run reads: it would be written over.
void keep_apart(const std::string& output, const std::vector<std::string>& read);

}  // namespace torchport
