// Sparse tensors: the calls that make them, by the rule's match, and those that work on one that is known. The rule for
// COO and the one for the compressed layouts share this; whose a use is, its operands' layout decides where it is
// known.
#include <algorithm>

#include "rules/checks/checks.h"

namespace torchport {
namespace {

Layout layout_of(const Rule& rule) {
  return rule.name.find("compressed") != std::string::npos ? Layout::Compressed : Layout::Coo;
}

Layout operand_layout(const Context& context, const Use& use) {
  const auto sparse = [](Layout layout) { return layout == Layout::Coo || layout == Layout::Compressed; };
  if (const Layout on = context.tensors.of(use.on).layout; sparse(on)) return on;
  for (const Arg& arg : use.args) {
    if (const Layout layout = context.tensors.of(arg.values).layout; sparse(layout)) return layout;
  }
  return Layout::Unknown;
}

Layout asked_layout(const Use& use) {
  for (const Arg& arg : use.args) {
    for (const Value& value : arg.values) {
      if (arg.keyword != "layout" || !value.text.starts_with("torch.sparse_")) continue;
      return value.text == "torch.sparse_coo" ? Layout::Coo : Layout::Compressed;
    }
  }
  return Layout::Unknown;
}

bool is_product(std::string_view symbol) {
  const std::string_view last = symbol.substr(symbol.rfind('.') + 1);
  return last == "__matmul__" || last == "matmul" || last == "mm" || last == "mv" || last == "bmm" || last == "addmm" ||
         last == "smm" || last == "sspaddmm";
}

}  // namespace

void check_sparse(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (context.hit_of_use[i] != kNone || (use.kind != UseKind::Call && use.kind != UseKind::Operator)) continue;
    const auto entry = context.matcher.match(use);
    const bool of_a_rule = entry && context.catalogue.rules[entry->rule].check == rule.check;
    const bool works_on_one = use.symbol.starts_with("torch.sparse.") || is_product(use.symbol);
    Layout operand = works_on_one ? operand_layout(context, use) : Layout::Unknown;
    if (operand == Layout::Unknown && !of_a_rule) operand = asked_layout(use);
    const bool due = operand != Layout::Unknown ? operand == layout_of(rule)
                                                : of_a_rule && &context.catalogue.rules[entry->rule] == &rule;
    if (due) context.add(rule, static_cast<UseId>(i));
  }
}

}  // namespace torchport
