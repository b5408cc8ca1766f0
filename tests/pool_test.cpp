#include "cli/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace torchport {
namespace {

const auto kNothing = [](std::size_t) {};

TEST(Pool, EveryIndexOnce) {
  for (const std::uint32_t threads : {0U, 1U, 3U, 100U}) {
    std::vector<std::atomic<int>> seen(257);
    for_each_index(
        threads, seen.size(), [&](std::size_t i) { ++seen[i]; }, kNothing);
    for (const auto& times : seen) EXPECT_EQ(times, 1);
  }
  for_each_index(
      4, 0, [](std::size_t) { FAIL(); }, kNothing);
}

TEST(Pool, AnExceptionEndsTheRunAndIsThrownOn) {
  std::atomic<int> begun = 0;
  const auto task = [&](std::size_t i) {
    ++begun;
    if (i == 3) throw std::runtime_error("three");
  };
  EXPECT_THROW(for_each_index(2, 100000, task, kNothing), std::runtime_error);
  EXPECT_LT(begun, 100000);
}

// Noinline and volatile, so that each level really takes its part of the stack.
__attribute__((noinline)) std::size_t deep(std::size_t levels) {
  volatile char frame[256] = {};
  frame[levels % sizeof frame] = 1;
  return levels == 0 ? 0 : deep(levels - 1) + static_cast<std::size_t>(frame[levels % sizeof frame]);
}

TEST(Pool, StacksAreDeepEnoughForNestedSources) {
  std::size_t reached = 0;
  for_each_index(
      2, 1, [&](std::size_t) { reached = deep(60000); }, kNothing);
  EXPECT_EQ(reached, 60000U);
}

}  // namespace
}  // namespace torchport
