#include "opdb/overloads.h"

#include <algorithm>

#include "opdb/apis.h"

namespace torchport {
namespace {

constexpr int kMostLevels = 8;  // a table that leads in a circle ends here; measured ones need four

const SortedTable& composites() {
  static const SortedTable instance(embedded_table("composites.tsv"));
  return instance;
}

void lacks(Served& out, std::string_view op, Support support) {
  out.support = worse(out.support, support);
  std::string name = full_name(op);
  if (std::find(out.lacking.begin(), out.lacking.end(), name) == out.lacking.end())
    out.lacking.push_back(std::move(name));
}

// The device has a part in how PyTorch takes it apart: what was measured of the Python API on a device knows that.
void as_api(std::string_view op, std::string_view api, Target target, Served& out) {
  Use use;
  use.symbol = api;
  const auto call = apis().find(use);
  if (!call || !call->forward) return lacks(out, op, Support::Unknown);
  const Support support = apis().support(*call->forward, target);
  if (support == Support::Native) return;
  out.support = worse(out.support, support);
  for (const Lacking& l : apis().lacking(*call->forward, target)) {
    if (worse(l.support, support) == support) lacks(out, l.op, l.support);
  }
}

void judge(std::string_view op, Target target, int level, Served& out) {
  const Support own = coverage().support(op, target);
  if (own == Support::Native) return;
  if (own != Support::Composite) {
    const Support reached = coverage().reached(op, target);
    if (reached != Support::Native) lacks(out, op, reached);
    return;
  }
  std::string_view name = op;
  if (name.starts_with("aten::")) name.remove_prefix(6);
  const auto row = composites().find(name);
  if (!row || level == kMostLevels) return lacks(out, op, Support::Unknown);
  std::string_view parts = row->cells[1];
  if (parts.starts_with('@')) return as_api(op, parts.substr(1), target, out);
  while (!parts.empty()) {
    const std::size_t blank = std::min(parts.find(' '), parts.size());
    if (blank != 0) judge(parts.substr(0, blank), target, level + 1, out);
    parts.remove_prefix(std::min(blank + 1, parts.size()));
  }
}

}  // namespace

Served served(std::string_view op, Target target) {
  Served out{Support::Native, {}};
  if (target == Target::Cpu && coverage().known(op)) return out;
  judge(op, target, 0, out);
  return out;
}

}  // namespace torchport
