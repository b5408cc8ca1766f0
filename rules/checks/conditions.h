// What hangs on a condition that asks for CUDA.
#pragma once

#include <string_view>
#include <vector>

#include "rules/context.h"

namespace torchport {

struct Consequences {
  bool any = false;          // something is guarded by the condition
  bool raises = false;       // the program refuses to go on without CUDA
  bool skips = false;        // a test is skipped
  bool ties = false;         // the guarded code holds ties
  bool unfixable = false;    // ... of which one has no fix, or the code names CUDA in other ways
  bool review = false;       // ... of which one has a fix that wants a review: then so does the condition's
  bool other_path = false;   // there is code for where it fails
  std::vector<std::string_view> others;  // other device types with an arm
};

// Of the guards whose condition holds the span, or is the name that the span's statement assigns.
Consequences consequences(const Context& context, const Use& use);

// Whether the reason of a skip says that the code is meant for CUDA alone: "CUDA-only op".
bool meant_for_cuda(const Context& context, const Use& use);

// Impacts of a condition with these consequences: `base` where code depends on it.
Impacts condition_impacts(const Consequences& c, const Impacts& base);

}  // namespace torchport
