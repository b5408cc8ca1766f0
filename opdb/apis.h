// What a call of PyTorch's Python API makes reach a device, and so how each target serves it. The table is
// opdb/data/apis.tsv (README.md there: how it was measured); which call a use is, arguments included, is worked out
// here.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzers/facts.h"
#include "opdb/coverage.h"

namespace torchport {

// The rows of the call: of the forward pass, and of the backward pass where one was measured.
struct ApiCall {
  std::string_view api;                  // "torch.nn.functional.interpolate"
  std::optional<std::uint32_t> forward;  // nothing: an argument that decides is not known
  std::optional<std::uint32_t> backward;
};

// An overload that a call reaches and that the target has no kernel for.
struct Lacking {
  std::string_view op;  // without "aten::"
  Support support = Support::Unknown;
  double share = 1;  // of the measured calls
};

class Apis {
 public:
  explicit Apis(const Coverage& coverage);

  // Nothing where the table does not know the name. Methods are known as "torch.Tensor.NAME".
  std::optional<ApiCall> find(const Use& use) const;
  std::string_view condition(std::uint32_t row) const { return rows_[row].cells[1]; }

  // The worst of what the call reaches; what less than half of the measured calls reach does not decide. Never
  // Composite.
  Support support(std::uint32_t row, Target target) const;
  std::vector<Lacking> lacking(std::uint32_t row, Target target) const;

  // Names of tensor methods that are operators, each once, sorted.
  std::vector<std::string> tensor_methods() const;
  bool is_tensor_method(std::string_view name) const;
  // The APIs that reach the overload, sorted.
  std::vector<std::string_view> reaching(std::string_view op) const;
  // The names of the table, each once, sorted.
  std::vector<std::string_view> names() const;

 private:
  struct Range {
    std::uint32_t first = 0, last = 0;
  };
  const Range* range(std::string_view symbol, bool& shifted) const;

  const Coverage& coverage_;
  std::vector<TableRow> rows_;
  std::unordered_map<std::string_view, Range> by_name_;
  std::vector<std::string> methods_;
  mutable std::deque<std::atomic<std::uint32_t>>
      known_;  // by row: three bits a target, and one that says that they are there
};

// Over coverage(), made when first asked.
const Apis& apis();

}  // namespace torchport
