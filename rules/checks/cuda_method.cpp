#include <algorithm>

#include "rules/checks/checks.h"
#include "rules/checks/device_text.h"

namespace torchport {
namespace {

bool is_instance(const Arg& arg, std::string_view type) {
  return std::any_of(arg.values.begin(), arg.values.end(), [&](const Value& v) { return v.kind == ValueKind::Instance && v.text == type; });
}

bool constant(const Arg& arg, std::string_view text) { return arg.values.size() == 1 && arg.values[0].text == text; }

bool device_name(std::string_view text) { return text.find("device") != std::string_view::npos && text.find("device_id") == std::string_view::npos && text.find('(') == std::string_view::npos; }

// A number, by its value or by what such names are used for: rank, args.gpu, gpu_ids[0].
bool is_index(const Arg& arg, std::string_view text) {
  const bool number = std::any_of(arg.values.begin(), arg.values.end(), [](const Value& v) { return v.kind == ValueKind::Int || (v.kind == ValueKind::Instance && v.text == "int"); });
  if (number || text.find("rank") != std::string_view::npos) return true;
  for (const std::string_view end : {"gpu", "gpu_id", "idx", "index", "device_id", "]"}) {
    if (text.ends_with(end)) return true;
  }
  return text == "i";
}

// The new first argument of .to(): the device for .cuda(), .cuda(0) and .cuda(None); what was given, where that is a device; else a device
// of the given number.
struct NewArgument {
  std::string text;
  Applicability safety = Applicability::Safe;
  std::vector<Edit> more;
};

std::optional<NewArgument> new_argument(const Context& context, const Use& use, const Arg* given) {
  const SourceFile& source = context.source;
  NewArgument out;
  if (given != nullptr && (is_instance(*given, "torch.device") || device_name(source.text(given->span)))) {
    out.text = source.text(given->span);
    out.safety = is_instance(*given, "torch.device") ? Applicability::Safe : Applicability::Review;
    return out;
  }
  const auto d = device_at(source, context.facts, use.span, context.options);
  if (!d) return std::nullopt;
  out.more = d->edits;
  out.text = d->text;
  if (!d->safe) out.safety = Applicability::Review;
  if (given == nullptr || constant(*given, "None")) return out;
  const bool zero = source.text(given->span) == "0";  // a parameter's default says nothing of its callers
  if (zero && !uses_indices(context.facts)) return out;
  out.safety = Applicability::Review;
  if (!is_index(*given, source.text(given->span))) {  // .to() takes numbers, strings and devices alike
    out.more.clear();
    out.text = source.text(given->whole);
    return out;
  }
  const bool own = d->edits.empty() && d->text.find("DEVICE") == std::string::npos;
  if (zero || own) return out;
  out.text = torch_name(source, context.facts, use.span, out.more) + ".device(" + d->type + ", " + std::string(source.text(given->span)) + ")";
  return out;
}

std::optional<Fix> method_fix(const Context& context, const Use& use) {
  const SourceFile& source = context.source;
  const std::string_view receiver = source.text(use.receiver);
  // lambda storage, loc: storage.cuda(i): what a loader maps with; a storage has no .to(device) in the older releases.
  if (receiver == "storage") return Context::fix(Applicability::Review, "what is loaded stays on the CPU", {{{use.receiver.end, use.span.end}, ""}});
  // torch.Tensor.cuda(x): what is moved is the argument.
  if (use.via != Via::Type && receiver.find("Tensor") != std::string_view::npos && receiver.find('(') == std::string_view::npos) return std::nullopt;
  // super() must be asked for the method that is overridden.
  if (receiver.rfind("super(", 0) == 0) return std::nullopt;
  if (std::any_of(use.args.begin(), use.args.end(), [](const Arg& a) { return a.splat; })) return std::nullopt;
  const Arg* given = find_argument(use, 0, "device");
  auto argument = new_argument(context, use, given);
  if (!argument) return std::nullopt;
  if (use.form.in_string && argument->text.find_first_of("\"'") != std::string::npos) return std::nullopt;
  std::vector<Edit> edits{{{use.callee.end - 4, use.callee.end}, "to"}};
  if (given != nullptr) {
    const std::string_view old = source.text(given->whole);
    if (old != argument->text) edits.push_back({given->whole, argument->text});
  } else {
    const std::uint32_t open = static_cast<std::uint32_t>(source.text().find('(', use.callee.end)) + 1;
    edits.push_back({{open, open}, argument->text + (use.args.empty() ? "" : ", ")});
  }
  // .cuda(device, True): the second of .to() is the dtype.
  if (const Arg* second = find_argument(use, 1, ""); second != nullptr) {
    edits.push_back({{second->span.start, second->span.start}, "non_blocking="});
  }
  return Context::fix(argument->safety, "moves to the device that is there", std::move(edits), argument->more);
}

}  // namespace

// x.cuda(), model.cuda(0), t.cuda(non_blocking=True)
void check_cuda_method(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (context.hit_of_use[i] != kNone) continue;
    // map(torch.Tensor.cuda, batch): the method itself, handed on.
    const bool handed = use.kind == UseKind::Reference && (use.via == Via::Import || use.via == Via::Alias) && !use.form.fixed;
    if (use.kind != UseKind::Call && !handed) continue;
    if (use.symbol != "*.cuda" && use.symbol != "torch.Tensor.cuda" && use.symbol != "torch.nn.Module.cuda") continue;
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    if (!handed) hit.finding.fix = method_fix(context, use);
  }
}

// x.to(rank): a number means the current accelerator, so only a host without one fails.
void check_integer_device(Context& context, const Rule& rule) {
  for (std::size_t i = 0; i < context.facts.uses.size(); ++i) {
    const Use& use = context.facts.uses[i];
    if (use.kind != UseKind::Call || context.hit_of_use[i] != kNone) continue;
    if (use.symbol != "*.to" && use.symbol != "torch.Tensor.to" && use.symbol != "torch.nn.Module.to") continue;
    const Arg* given = find_argument(use, 0, "device");
    if (given == nullptr) continue;
    const std::string_view text = context.source.text(given->span);
    const bool by_name = text == "rank" || text == "local_rank" || text == "self.local_rank" || text == "args.local_rank" || text == "gpu_id" || text == "args.gpu";
    const bool number = is_instance(*given, "int") || (given->values.size() == 1 && given->values[0].kind == ValueKind::Int);
    if (!number && !(by_name && given->values.empty())) continue;
    Hit& hit = context.add(rule, static_cast<UseId>(i));
    hit.finding.span = given->span;
    auto d = device_at(context.source, context.facts, use.span, context.options);
    if (!d || use.form.in_string || d->text == text) continue;
    const bool zero = text == "0" && !uses_indices(context.facts);
    const std::string written = zero ? d->text : torch_name(context.source, context.facts, use.span, d->edits) + ".device(" + d->type + ", " + std::string(text) + ")";
    hit.finding.fix = Context::fix(Applicability::Review, "runs on a host without an accelerator too", {{given->span, written}}, d->edits);
  }
}

}  // namespace torchport
