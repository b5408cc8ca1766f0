// Results whose size depends on the data: indexing by a mask, one-argument where, repeats given as a tensor, and the
// functions that the rule's match names.
#include <algorithm>

#include "rules/checks/checks.h"

namespace torchport {
namespace {

bool is_tensor(const Arg& arg) {
  return std::any_of(arg.values.begin(), arg.values.end(),
                     [](const Value& v) { return v.kind == ValueKind::Instance && v.text == "torch.Tensor"; });
}

// Arrays of other libraries have methods of these names too.
bool may_be_an_array(const Context& context) {
  const FileFacts& facts = context.facts;
  return facts.has_identifier("np") || facts.has_identifier("numpy") || facts.has_identifier("pd") ||
         facts.has_identifier("pandas") || facts.has_identifier("jnp");
}

bool by_mask(const Context& context, const Use& use) {
  if (use.symbol.starts_with("*.")) return use.symbol == "*.__getitem__" && !may_be_an_array(context);
  const bool masked = std::any_of(use.args.begin(), use.args.end(), [&](const Arg& arg) {
    return arg.keyword.empty() && context.tensors.of(arg.values).mask;
  });
  if (!masked) return false;
  // A number is written to the places of a mask without counting them.
  return use.symbol.ends_with("__getitem__") || std::any_of(use.args.begin(), use.args.end(), [](const Arg& a) {
           return a.keyword == "value" && is_tensor(a);
         });
}

bool repeats_by_tensor(const Use& use) {
  const bool method = use.symbol.starts_with("torch.Tensor.");
  const bool known_size = find_argument(use, -1, "output_size") != nullptr;
  const Arg* repeats = find_argument(use, method ? 0 : 1, "repeats");
  return !known_size && repeats != nullptr && is_tensor(*repeats);
}

bool has_dynamic_size(const Context& context, const Rule& rule, const Use& use) {
  if (use.kind == UseKind::Index) return by_mask(context, use);
  if (use.kind != UseKind::Call) return false;
  const std::string_view last = use.symbol.substr(use.symbol.rfind('.') + 1);
  if (use.symbol == "torch.where") {
    return use.args.size() == 1 && !use.args[0].splat;
  }
  if (last == "repeat_interleave") return repeats_by_tensor(use);
  const auto entry = context.matcher.match(use);
  if (!entry || &context.catalogue.rules[entry->rule] != &rule) return false;
  return !use.symbol.starts_with("*.") || last.starts_with("masked_") || !may_be_an_array(context);
}

}  // namespace

void check_dynamic_shape(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    if (context.hit_of_use[i] == kNone && has_dynamic_size(context, rule, context.facts.uses[i]))
      context.add(rule, static_cast<UseId>(i));
  }
}

}  // namespace torchport
