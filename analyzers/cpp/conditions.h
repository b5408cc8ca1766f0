// What the #if lines of a C++ file say of CUDA and ROCm: each branch is asked in three worlds, built for CUDA, for ROCm, and for neither.
// Macros of other kinds are unknown, and a condition that they decide says nothing.
#pragma once

#include "analyzers/cpp/tokens.h"
#include "analyzers/facts.h"

namespace torchport::cpp {

struct Conditions {
  std::vector<Guard> guards;         // of kind Build, by body
  // Innermost guard at an offset.
  GuardId at(std::uint32_t offset) const;

 private:
  friend Conditions conditions_of(const Tokens&, const NativeInterest&);
  std::vector<std::pair<std::uint32_t, GuardId>> changes_;  // from this offset on
};

Conditions conditions_of(const Tokens& tokens, const NativeInterest& interest);

}  // namespace torchport::cpp
