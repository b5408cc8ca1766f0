// Where a parse of tree-sitter gets its memory: blocks of one thread, reused by size and given back together. A parse asks for some
// hundred thousand small blocks, and the general allocator took a tenth of a scan.
#pragma once

namespace torchport {

#ifdef TORCHPORT_SANITIZED
inline constexpr bool kTreesFreeThemselves = false;
#else
inline constexpr bool kTreesFreeThemselves = true;
#endif

// While one of these lives, tree-sitter's blocks on this thread come from the arena; when it dies all of them are gone, freed or not.
// Parser, tree and cursor must be made and used within its life, on its thread. The tree is better left than deleted, which would visit all of its
// nodes; what the grammar's scanner holds is no part of this, so the parser is deleted.
// In builds with the address sanitizer blocks come from malloc one by one, so that errors are seen; then the tree must be deleted too.
class ParseMemory {
 public:
  ParseMemory();
  ~ParseMemory();
  ParseMemory(const ParseMemory&) = delete;
  ParseMemory& operator=(const ParseMemory&) = delete;
};

}  // namespace torchport
