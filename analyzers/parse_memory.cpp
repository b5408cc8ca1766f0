#include "analyzers/parse_memory.h"

#include <tree_sitter/api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace torchport {
namespace {

// Before each block: how many bytes it can hold. Sixteen bytes, to keep what follows aligned for everything.
struct alignas(16) Header {
  std::size_t capacity;
  Header* next_free;
};

constexpr std::size_t kStep = 32;
constexpr std::size_t kSmall = 1024;              // blocks up to this size are kept by steps of kStep, larger ones by powers of two
constexpr std::size_t kSteps = kSmall / kStep;
constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kKept = 8;                  // chunks a thread keeps between two files

struct SizeClass {
  std::size_t index;
  std::size_t capacity;
};

SizeClass class_of(std::size_t size) {
  if (size <= kSmall) {
    const std::size_t step = size == 0 ? 0 : (size - 1) / kStep;
    return {step, (step + 1) * kStep};
  }
  std::size_t index = kSteps;
  std::size_t capacity = kSmall * 2;
  for (; capacity < size; capacity *= 2) ++index;
  return {index, capacity};
}

class Arena {
 public:
  void* take(std::size_t size) {
    const SizeClass wanted = class_of(size);
    Header*& free = free_[wanted.index];
    if (free != nullptr) {
      Header* block = free;
      free = block->next_free;
      return block + 1;
    }
    auto* block = static_cast<Header*>(fresh(sizeof(Header) + wanted.capacity));
    block->capacity = wanted.capacity;
    return block + 1;
  }

  void give(void* memory) {
    Header* block = static_cast<Header*>(memory) - 1;
    Header*& free = free_[class_of(block->capacity).index];
    block->next_free = free;
    free = block;
  }

  static std::size_t capacity(void* memory) { return (static_cast<Header*>(memory) - 1)->capacity; }

  void reset() {
    free_.fill(nullptr);
    large_.clear();
    if (chunks_.size() > kKept) chunks_.resize(kKept);
    next_chunk_ = 0;
    at_ = end_ = nullptr;
  }

 private:
  void* fresh(std::size_t size) {
    if (size > kChunk / 4) {
      large_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
      return large_.back().get();
    }
    if (static_cast<std::size_t>(end_ - at_) < size) {
      if (next_chunk_ == chunks_.size()) chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kChunk));
      at_ = chunks_[next_chunk_++].get();
      end_ = at_ + kChunk;
    }
    void* block = at_;
    at_ += size;
    return block;
  }

  std::array<Header*, 64> free_{};
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::vector<std::unique_ptr<std::byte[]>> large_;
  std::size_t next_chunk_ = 0;
  std::byte* at_ = nullptr;
  std::byte* end_ = nullptr;
};

thread_local Arena arena;
// The same without the question whether it has been made yet, which each of the many blocks would ask.
constinit thread_local Arena* current = nullptr;

void* take(std::size_t size) { return current->take(size); }

void* take_zeroed(std::size_t count, std::size_t size) {
  void* memory = current->take(count * size);
  return std::memset(memory, 0, count * size);
}

void give(void* memory) {
  if (memory != nullptr) current->give(memory);
}

void* take_again(void* memory, std::size_t size) {
  if (memory == nullptr) return current->take(size);
  const std::size_t held = Arena::capacity(memory);
  if (size <= held) return memory;
  void* larger = current->take(size);
  std::memcpy(larger, memory, held);
  current->give(memory);
  return larger;
}

void install() {
  current = &arena;
  if constexpr (kTreesFreeThemselves) {
    static const bool installed = [] {
      ts_set_allocator(take, take_zeroed, take_again, give);
      return true;
    }();
    static_cast<void>(installed);
  }
}

}  // namespace

ParseMemory::ParseMemory() { install(); }

ParseMemory::~ParseMemory() { arena.reset(); }

}  // namespace torchport
