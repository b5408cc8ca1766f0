// The device types that torchport can judge for. Not their operator tables: those are Coverage.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torchport {

// Own: a device of the user's that only the table given with --opdb knows.
enum class Target : std::uint8_t { Neuron, Tpu, Xpu, Mps, Npu, Xla, Rocm, Cuda, Cpu, Own };

constexpr std::size_t kTargetCount = 10;
constexpr std::array<std::string_view, kTargetCount - 1> kTargetNames = {"neuron", "tpu", "xpu", "mps", "npu", "xla", "rocm", "cuda", "cpu"};

// The name of Target::Own; empty: there is none. Set before anything asks, and once.
inline std::string& own_target_name() {
  static std::string name;
  return name;
}

inline std::string_view name_of(Target target) {
  return target == Target::Own ? std::string_view(own_target_name()) : kTargetNames[static_cast<std::size_t>(target)];
}

// Those that have a name.
inline std::vector<Target> known_targets() {
  std::vector<Target> targets;
  for (std::size_t i = 0; i < kTargetCount; ++i) {
    if (!name_of(static_cast<Target>(i)).empty()) targets.push_back(static_cast<Target>(i));
  }
  return targets;
}

inline std::vector<std::string_view> target_names() {
  std::vector<std::string_view> names;
  for (const Target target : known_targets()) names.push_back(name_of(target));
  return names;
}

inline std::optional<Target> target_named(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (std::size_t i = 0; i < kTargetCount; ++i) {
    if (name_of(static_cast<Target>(i)) == name) return static_cast<Target>(i);
  }
  return std::nullopt;
}

// The target of that name, which becomes that of Own where it is none of the others; nothing where it cannot be the
// name of a device, or Own has another one.
inline std::optional<Target> target_or_own(std::string_view name) {
  if (const auto known = target_named(name)) return known;
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), fits) || !own_target_name().empty()) return std::nullopt;
  own_target_name() = name;
  return Target::Own;
}

}  // namespace torchport
