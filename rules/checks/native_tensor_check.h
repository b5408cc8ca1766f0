// TORCH_CHECK(x.is_cuda()) in functions of which it can be seen that no kernel stands behind them: any device but the host's will do. Runs after the
// other fixes; before a launch, or before a call of which nothing is known, the check is right and stays.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "rules/context.h"

namespace torchport {

class TensorChecks {
 public:
  // What the file's findings are tied to and no fix takes away decides: made once all other fixes are there.
  explicit TensorChecks(const Context& context);
  std::optional<Fix> fix(const Use& use);

 private:
  bool plain(std::int32_t function);
  bool called(const NativeFunction& caller, std::uint64_t call);
  bool spelled(const NativeFunction& caller, std::uint64_t call) const;

  const Context& c_;
  std::set<std::uint64_t> methods_;       // hashes of the methods of tensors
  std::map<std::int32_t, bool> plain_;    // by function, as far as it was asked for
  std::set<std::int32_t> stay_;           // functions in which something else stays with CUDA
};

}  // namespace torchport
