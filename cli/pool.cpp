#include "cli/pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

namespace torchport {
namespace {

constexpr std::size_t kStack = 64U << 20;
constexpr std::chrono::milliseconds kTick{100};

struct Pool {
  std::size_t count = 0;
  const std::function<void(std::size_t)>* task = nullptr;
  std::atomic<std::size_t> next = 0, done = 0;
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = 0;
  std::exception_ptr failure;

  void work() {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        (*task)(i);
        ++done;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
    const std::lock_guard lock(mutex);
    --running;
    ended.notify_all();
  }
};

void* run(void* pool) {
  static_cast<Pool*>(pool)->work();
  return nullptr;
}

}  // namespace

void for_each_index(std::uint32_t threads, std::size_t count, const std::function<void(std::size_t)>& task,
                    const std::function<void(std::size_t done)>& waiting) {
  Pool pool;
  pool.count = count;
  pool.task = &task;
  pool.running = std::min<std::size_t>(std::max(threads, 1U), count);
  if (pool.running == 0) return;

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  std::vector<pthread_t> started;
  const std::size_t wanted = pool.running;
  for (std::size_t i = 0; i < wanted; ++i) {
    pthread_t thread{};
    if (pthread_create(&thread, &attributes, run, &pool) != 0) break;
    started.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  {
    std::unique_lock lock(pool.mutex);
    pool.running -= wanted - started.size();
  }
  // Where no thread can be had the work is still done.
  if (started.empty()) {
    pool.running = 1;
    pool.work();
  }
  {
    std::unique_lock lock(pool.mutex);
    while (!pool.ended.wait_for(lock, kTick, [&] { return pool.running == 0; })) waiting(pool.done);
  }
  for (const pthread_t thread : started) pthread_join(thread, nullptr);
  if (pool.failure) std::rethrow_exception(pool.failure);
}

}  // namespace torchport
