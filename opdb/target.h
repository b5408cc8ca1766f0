// The device types that torchport can judge for. Not their operator tables: those are Coverage.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace torchport {

enum class Target : std::uint8_t { Neuron, Tpu, Xpu, Mps, Npu, Xla, Rocm, Cuda, Cpu };

constexpr std::size_t kTargetCount = 9;
constexpr std::array<std::string_view, kTargetCount> kTargetNames = {"neuron", "tpu", "xpu", "mps", "npu", "xla", "rocm", "cuda", "cpu"};

constexpr std::string_view name_of(Target target) { return kTargetNames[static_cast<std::size_t>(target)]; }

constexpr std::optional<Target> target_named(std::string_view name) {
  for (std::size_t i = 0; i < kTargetCount; ++i) {
    if (kTargetNames[i] == name) return static_cast<Target>(i);
  }
  return std::nullopt;
}

}  // namespace torchport
