// Device and pinned memory. Both are plain host memory; the device's is cached, counted and limited as a real accelerator's is.
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simulator.h"

namespace torchport::simulator {
namespace {

using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;
using c10::CachingDeviceAllocator::DeviceStats;

constexpr size_t kTotalBytes = size_t{16} << 30;
constexpr size_t kGranularity = 512;
constexpr size_t kAlignment = 64;

Stat& all(StatArray& stats) {
  return stats[static_cast<size_t>(StatType::AGGREGATE)];
}

class DeviceMemory final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* data = bytes == 0 ? nullptr : take(bytes);
    return {data, data, &release, c10::Device(kDeviceType, 0)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }

  bool initialized() override { return true; }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}  // work is done when its call returns
  void emptyCache(c10::MempoolId_t) override {
    std::lock_guard lock(mutex_);
    drop_cache();
  }
  DeviceStats getDeviceStats(c10::DeviceIndex) override {
    std::lock_guard lock(mutex_);
    return stats_;
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {
    std::lock_guard lock(mutex_);
    for (StatArray* stats : counted()) all(*stats).reset_accumulated();
    stats_.num_device_alloc = stats_.num_device_free = stats_.num_ooms = 0;
  }
  void resetPeakStats(c10::DeviceIndex) override {
    std::lock_guard lock(mutex_);
    for (StatArray* stats : counted()) all(*stats).reset_peak();
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex) override {
    std::lock_guard lock(mutex_);
    return {kTotalBytes - reserved(), kTotalBytes};
  }

  void give_back(void* data) {
    std::lock_guard lock(mutex_);
    const auto block = used_.extract(data);
    const auto [size, requested] = block.mapped();
    cache_[size].push_back(data);
    all(stats_.allocation).decrease(1);
    all(stats_.active).decrease(1);
    all(stats_.allocated_bytes).decrease(size);
    all(stats_.active_bytes).decrease(size);
    all(stats_.requested_bytes).decrease(requested);
  }

 private:
  struct Block {
    size_t size, requested;
  };

  static void release(void* data);

  void* take(size_t requested) {
    std::lock_guard lock(mutex_);
    const size_t size = (requested + kGranularity - 1) / kGranularity * kGranularity;
    auto& free_blocks = cache_[size];
    void* data = nullptr;
    if (!free_blocks.empty()) {
      data = free_blocks.back();
      free_blocks.pop_back();
    } else {
      data = reserve(size);
    }
    used_[data] = {size, requested};
    all(stats_.allocation).increase(1);
    all(stats_.active).increase(1);
    all(stats_.allocated_bytes).increase(size);
    all(stats_.active_bytes).increase(size);
    all(stats_.requested_bytes).increase(requested);
    return data;
  }

  void* reserve(size_t size) {
    if (reserved() + size > kTotalBytes) drop_cache();
    void* data = reserved() + size > kTotalBytes ? nullptr : std::aligned_alloc(kAlignment, size);
    if (data == nullptr) {
      ++stats_.num_ooms;
      C10_THROW_ERROR(OutOfMemoryError, "the simulated device is out of memory");
    }
    ++stats_.num_device_alloc;
    all(stats_.segment).increase(1);
    all(stats_.reserved_bytes).increase(size);
    return data;
  }

  void drop_cache() {
    for (auto& [size, blocks] : cache_) {
      for (void* data : blocks) std::free(data);
      stats_.num_device_free += static_cast<int64_t>(blocks.size());
      all(stats_.segment).decrease(blocks.size());
      all(stats_.reserved_bytes).decrease(size * blocks.size());
      blocks.clear();
    }
  }

  size_t reserved() { return static_cast<size_t>(all(stats_.reserved_bytes).current); }

  std::vector<StatArray*> counted() {
    return {&stats_.allocation,     &stats_.segment,        &stats_.active,         &stats_.allocated_bytes,
            &stats_.reserved_bytes, &stats_.active_bytes,   &stats_.requested_bytes};
  }

  std::mutex mutex_;
  std::unordered_map<void*, Block> used_;
  std::unordered_map<size_t, std::vector<void*>> cache_;
  DeviceStats stats_;
};

class PinnedMemory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* data = std::malloc(bytes == 0 ? 1 : bytes);
    std::lock_guard lock(mutex_);
    blocks_[data] = bytes;
    return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }

  bool holds(const void* address) {
    std::lock_guard lock(mutex_);
    const auto* byte = static_cast<const char*>(address);
    for (const auto& [data, bytes] : blocks_) {
      const auto* begin = static_cast<const char*>(data);
      if (byte >= begin && byte < begin + bytes) return true;
    }
    return false;
  }
  void give_back(void* data) {
    {
      std::lock_guard lock(mutex_);
      blocks_.erase(data);
    }
    std::free(data);
  }

 private:
  static void release(void* data);

  std::mutex mutex_;
  std::unordered_map<void*, size_t> blocks_;
};

// Never destroyed: tensors outlive every static object.
DeviceMemory& device_memory() {
  static auto* memory = new DeviceMemory;
  return *memory;
}
PinnedMemory& pinned_memory() {
  static auto* memory = new PinnedMemory;
  return *memory;
}

void DeviceMemory::release(void* data) {
  if (data != nullptr) device_memory().give_back(data);
}
void PinnedMemory::release(void* data) {
  pinned_memory().give_back(data);
}

REGISTER_ALLOCATOR(kDeviceType, &device_memory())

}  // namespace

c10::DeviceAllocator& device_allocator() {
  return device_memory();
}
c10::Allocator& pinned_allocator() {
  return pinned_memory();
}
bool is_pinned(const void* data) {
  return pinned_memory().holds(data);
}

}  // namespace torchport::simulator
