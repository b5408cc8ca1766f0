// Which uses of a file are calls of operators, and how each target serves them: what the counts, the findings and
// `torchport ops` share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/facts.h"
#include "opdb/apis.h"
#include "rules/tensors.h"

namespace torchport {

struct OpUse {
  UseId use = kNone;
  std::string_view api;                            // as the database knows it; where it does not, the symbol
  std::optional<std::uint32_t> forward, backward;  // rows of apis(); no `forward`: Unknown
  bool host = false;                               // works in the host's memory whatever the target is
};

// In the order of the uses. Methods of values that only may be tensors are not among them: `possible` counts those.
struct OpUses {
  std::vector<OpUse> uses;
  std::uint32_t possible = 0;
  bool trains = false;  // the file runs backward passes, so that these count too
};
OpUses operator_uses(const FileFacts& facts, const Tensors& tensors);

// Never Composite.
Support support_of(const OpUse& use, Target target, bool trains);

// Promise: native + fallback + unsupported + unknown of each target = uses.
struct OpCounts {
  std::array<std::array<std::uint32_t, 5>, kTargetCount> by_target{};  // by Support
  std::uint32_t uses = 0, possible = 0, host = 0;

  void add(const OpUses& found);
  void add(const OpCounts& other);
};

}  // namespace torchport
