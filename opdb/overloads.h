// What a target does with an overload that stands in the graph of an exported program. Such graphs hold overloads that
// PyTorch takes apart before a device is asked; opdb/data/composites.tsv says into what (README.md there: how it was
// measured). Not for calls of the Python API: those are Apis.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opdb/coverage.h"

namespace torchport {

struct Served {
  Support support = Support::Unknown;  // never Composite
  std::vector<std::string> lacking;    // "aten::upsample_linear1d.out": what the target has no kernel for
};

// `op`: "aten::add.Tensor".
Served served(std::string_view op, Target target);

}  // namespace torchport
