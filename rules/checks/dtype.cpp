// Tensors of a dtype that targets lack: where one is made on the device, turned to it, or moved there from the host.
// The rule's match names the dtypes, and the methods that cast to them. Where the dtype is one of a table, chosen when the program runs, another rule
// says so.
#include <algorithm>

#include "rules/checks/checks.h"
#include "analyzers/text.h"

namespace torchport {
namespace {

bool names(const Rule& rule, std::string_view dtype) {
  for (const Match& match : rule.matches) {
    for (const std::string& symbol : match.symbols) {
      if (symbol == dtype ||
          (symbol.ends_with('*') && dtype.starts_with(std::string_view(symbol).substr(0, symbol.size() - 1))))
        return true;
    }
  }
  return false;
}

// Calls that ask about a dtype and make nothing of it.
bool only_asks(std::string_view symbol) {
  const std::string_view last = last_part(symbol);
  return last == "finfo" || last == "iinfo" || last == "can_cast" || last == "promote_types" || last == "isinstance" ||
         last.starts_with("is_");
}

bool moves(const Context& context, const Use& use) {
  const std::string_view last = last_part(use.symbol);
  if (use.symbol != "torch.Tensor." + std::string(last)) return false;
  const Arg* device = device_asked(use);
  const bool away = last == "cuda" || last == "xpu" || (last == "to" && device != nullptr && !is_cpu(*device));
  return away && context.tensors.worked_on(use).host;
}

// Whether a tensor of the dtype that the call asks for comes to be on a device.
bool reaches_device(const Context& context, const Use& use) {
  if (moves(context, use)) return true;
  if (!Tensors::is_maker(use)) return !context.tensors.on_host(use);
  const TensorInfo made = context.tensors.of_use(static_cast<UseId>(&use - context.facts.uses.data()));
  if (!use.on.empty() || use.symbol.ends_with("_like") || takes_unseen(use)) return !made.host;
  return made.device;
}

bool names_dtype(const Context& context, const Rule& rule, const Use& use) {
  if (only_asks(use.symbol)) return false;
  if (use.symbol == "torch.set_default_dtype" || use.symbol == "torch.set_default_tensor_type") {
    return !use.args.empty() &&
           std::any_of(use.args[0].values.begin(), use.args[0].values.end(), [&](const Value& value) {
             return names(rule, dtype_named(value.text)) ||
                    (value.text.ends_with(".DoubleTensor") && names(rule, "torch.float64"));
           });
  }
  const std::string_view asked = dtype_asked(use);
  if (asked.empty() || !names(rule, asked))
    return asked.empty() && moves(context, use) && names(rule, context.tensors.worked_on(use).dtype);
  return reaches_device(context, use);
}

}  // namespace

void check_dtype(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.kind != UseKind::Call || context.hit_of_use[i] != kNone || !names_dtype(context, rule, use)) continue;
    context.add(rule, static_cast<UseId>(i));
  }
}

void check_dtype_choice(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.kind != UseKind::Call || context.hit_of_use[i] != kNone || only_asks(use.symbol)) continue;
    std::string lacking;
    for (const std::string_view dtype : dtypes_chosen(use)) {
      if ((dtype == kAnyDtype || names(rule, dtype)) && lacking.find(dtype) == std::string::npos) lacking.append(lacking.empty() ? "" : ", ").append(dtype);
    }
    if (lacking.empty() || !dtype_asked(use).empty() || !reaches_device(context, use)) continue;
    Finding& finding = context.add(rule, static_cast<UseId>(i)).finding;
    finding.message = lacking == kAnyDtype ? "takes its dtype by a name that is known when it runs" : "chooses its dtype when it runs, and not every target has " + lacking;
  }
}

}  // namespace torchport
