#include "rules/checks/device_text.h"

#include <algorithm>

namespace torchport {
namespace {

// Whether a device may be given to the call as a torch.device, and not as a string only.
bool takes_objects(const Use& call) {
  if (call.symbol.rfind("torch.", 0) != 0 && call.symbol.rfind("*.to", 0) != 0) return false;
  if (call.symbol == "torch.device" && call.args.size() > 1) return false;
  for (const std::string_view name : {"torch.autocast", "torch.amp.autocast", "torch.amp.GradScaler", "torch.amp.custom_fwd", "torch.amp.custom_bwd", "torch.get_autocast_dtype",
                                      "torch.distributed.init_device_mesh", "torch.distributed.device_mesh.init_device_mesh", "torch.random.fork_rng"}) {
    if (call.symbol == name) return false;
  }
  return true;
}

// Places that want a device type as a string.
bool wants_string(const Context& context, const Use& use) {
  if (use.place != Place::DeviceArgument) return true;
  if (use.place_name == "device_type") return true;
  if (use.part_of == kNone) return true;
  const Use& call = context.use(use.part_of);
  if (!takes_objects(call)) return true;
  const Arg* type = find_argument(call, -1, "device_type");
  return type != nullptr && type->span.contains(use.span);
}

}  // namespace

bool takes_device(const Context& context, Span given) {
  for (const Use& call : context.facts.uses) {
    if (call.span.start > given.start) break;  // in order of their starts
    if (call.kind != UseKind::Call || call.span.end < given.end) continue;
    const auto arg = std::find_if(call.args.begin(), call.args.end(), [&](const Arg& a) { return a.span == given; });
    if (arg == call.args.end()) continue;
    return arg->keyword != "device_type" && takes_objects(call);
  }
  return false;
}

namespace {

// Where the letters after quote and prefix begin.
std::uint32_t content_start(const SourceFile& source, Span literal) {
  const std::string_view text = source.text(literal);
  const std::size_t quote = text.find_first_of("\"'");
  const bool triple = text.substr(quote, 3) == "\"\"\"" || text.substr(quote, 3) == "'''";
  return literal.start + static_cast<std::uint32_t>(quote + (triple ? 3 : 1));
}

bool is_fstring(const SourceFile& source, Span literal) {
  const std::string_view text = source.text(literal);
  return text.substr(0, text.find_first_of("\"'")).find_first_of("fF") != std::string_view::npos;
}

Applicability worse(Applicability a, bool safe) { return safe ? a : std::max(a, Applicability::Review); }

std::string quoted_like(const SourceFile& source, Span literal, const std::string& text) {
  const std::string_view old = source.text(literal);
  const char quote = old[old.find_first_of("\"'")];
  return std::string(1, quote) + text + std::string(1, quote);
}

class StringFixer {
 public:
  StringFixer(const Context& context, const Use& use) : c_(context), use_(use) {}

  std::optional<Fix> fix() {
    if (use_.form.in_string || use_.form.fixed) return std::nullopt;
    const std::string_view inner = c_.source.text(use_.span);
    const bool built = use_.partial || use_.symbol == "cuda:" || inner.find("cuda:{") != std::string_view::npos || inner.find("cuda:%") != std::string_view::npos;
    const bool definition = use_.place == Place::Assigned || use_.place == Place::Returned;
    const Use* device_call = direct_device_call();
    if (built) return built_string();
    if (device_call != nullptr && device_call->args.size() == 1) return whole_call(*device_call, definition_of(*device_call));
    return plain(definition);
  }

 private:
  // torch.device("cuda"…) with the string as its first argument as it stands.
  const Use* direct_device_call() const {
    if (use_.part_of == kNone) return nullptr;
    const Use& call = c_.use(use_.part_of);
    return call.symbol == "torch.device" && !call.args.empty() && call.args[0].span == use_.span ? &call : nullptr;
  }

  // Whether the call is all that an assignment or a return is about.
  bool definition_of(const Use& call) const {
    const std::string_view statement = c_.source.text(call.statement);
    const std::string_view before = statement.substr(0, call.span.start - call.statement.start);
    const bool ends = call.span.end == call.statement.end;
    if (!ends || before.empty()) return false;
    return before == "return " || (before.find_first_of("([{\"'\n") == std::string_view::npos && before.find('=') != std::string_view::npos);
  }

  // The code before and behind a place, blanks on its line left out.
  std::string_view before_it(Span span) const {
    const std::string_view text = c_.source.text().substr(0, span.start);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
  }
  std::string_view behind_it(Span span) const {
    const std::string_view text = c_.source.text().substr(span.end);
    return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  }

  // x.device == torch.device("cuda"): on a host without CUDA the answer must stay no.
  bool compared(const Use& call) const {
    const std::string_view before = before_it(call.span);
    const std::string_view after = behind_it(call.span);
    return before.ends_with("==") || before.ends_with("!=") || after.starts_with("==") || after.starts_with("!=") || after.starts_with(".type ==") || after.starts_with(".type !=");
  }

  // Under torch.cuda.is_available(): there is an accelerator. That some name equals "cuda" proves nothing.
  bool known_there(const Use& call) const {
    for (GuardId g = call.guard; g != kNone; g = c_.guard(g).outer) {
      const Guard& guard = c_.guard(g);
      if (guard.kind == GuardKind::Available && guard.holds && (guard.device == "cuda" || guard.device == "accelerator")) return true;
    }
    return false;
  }

  // "cuda" + ":0"
  bool added() const {
    return before_it(use_.span).ends_with('+') || behind_it(use_.span).starts_with('+');
  }

  std::optional<DeviceExpression> device(bool definition) const {
    return definition ? device_choice(c_.source, c_.facts, use_.span, c_.options) : device_at(c_.source, c_.facts, use_.span, c_.options);
  }

  std::optional<Fix> whole_call(const Use& call, bool definition) const {
    const int index = device_index(use_.symbol);
    // Beside a comparison the name in reach may be the very thing that is compared.
    auto d = call.form.tight || index >= 0 ? defined_device(c_.source, c_.facts, call.span, c_.options) : device(definition);
    if (!d) return std::nullopt;
    if (compared(call)) return std::nullopt;
    const bool safe = d->safe;
    if (!d->object && index < 0) d->text = torch(d->edits) + ".device(" + d->text + ")";
    std::string text = index >= 0 ? torch(d->edits) + ".device(" + d->type + ", " + std::to_string(index) + ")" : d->text;
    if (definition && index < 0 && known_there(call)) text = text.substr(0, text.find(" or "));
    if (text.find(" or ") != std::string::npos && call.form.operand) text = "(" + text + ")";
    return Context::fix(worse(Applicability::Safe, safe), "the device is chosen at run time", {{call.span, text}}, d->edits);
  }

  std::string torch(std::vector<Edit>& import) const { return torch_name(c_.source, c_.facts, use_.span, import); }

  std::optional<Fix> plain(bool definition) const {
    const int index = device_index(use_.symbol);
    auto d = use_.place == Place::Listed ? defined_device(c_.source, c_.facts, use_.span, c_.options) : device(definition);
    if (!d) return std::nullopt;
    const bool string = wants_string(c_, use_) || added();
    std::string text = string ? d->type : d->text;
    if (index > 0) text = string ? "f" + quoted_like(c_.source, use_.span, "{" + d->type + "}:" + std::to_string(index)) : torch(d->edits) + ".device(" + d->type + ", " + std::to_string(index) + ")";
    if (index > 0 && d->type.find_first_of("\"'") != std::string::npos) return std::nullopt;
    if (use_.place == Place::Default) d->safe = false;  // a public default then depends on the machine
    if (use_.place == Place::Listed) d->safe = false;  // names in lists end up in test ids and messages
    const bool same = index < 0 || (index == 0 && !string && !uses_indices(c_.facts));
    const bool sure = use_.place == Place::DeviceArgument || !use_.flows.empty() || use_.place == Place::Assigned || use_.place == Place::Returned ||
                      use_.place == Place::Default || use_.place == Place::Listed;
    if (!sure) return std::nullopt;
    return Context::fix(worse(Applicability::Safe, d->safe && same), "the device is chosen at run time", {{use_.span, text}}, d->edits);
  }

  // f"cuda:{rank}", "cuda:%d" % rank, "cuda:{}".format(rank), "cuda:" + str(rank)
  std::optional<Fix> built_string() const {
    auto d = device_at(c_.source, c_.facts, use_.span, c_.options);
    if (!d) return std::nullopt;
    const std::uint32_t start = content_start(c_.source, use_.span);
    if (c_.source.text().substr(start, 4) != "cuda") return std::nullopt;
    const Applicability safety = worse(Applicability::Safe, d->safe);
    const std::string message = "the device type is chosen at run time";
    if (is_fstring(c_.source, use_.span)) {
      if (d->type.find_first_of("\"'") != std::string::npos) return std::nullopt;
      return Context::fix(safety, message, {{{start, start + 4}, "{" + d->type + "}"}}, d->edits);
    }
    std::uint32_t after = use_.span.end;
    const std::string_view text = c_.source.text();
    while (after < text.size() && text[after] == ' ') ++after;
    const std::string_view next = text.substr(after, 8);
    if (next.rfind(".format(", 0) != 0 && next.rfind("%", 0) != 0 && next.rfind("+", 0) != 0) return std::nullopt;
    return Context::fix(safety, message, {{{use_.span.start, use_.span.start}, d->type + " + "}, {{start, start + 4}, ""}}, d->edits);
  }

  const Context& c_;
  const Use& use_;
};

}  // namespace

bool is_cuda_device(std::string_view text, bool partial) {
  if (text.substr(0, 4) != "cuda") return false;
  if (text.size() == 4) return true;
  if (text[4] != ':') return false;
  const std::string_view rest = text.substr(5);
  if (rest.empty()) return true;  // "cuda:" + str(rank)
  return std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; }) || rest[0] == '{' || rest[0] == '%' || partial;
}

int device_index(std::string_view text) {
  if (text.size() < 6 || text[4] != ':') return -1;
  int index = 0;
  for (const char c : text.substr(5)) {
    if (c < '0' || c > '9' || index > 1000) return -1;
    index = index * 10 + (c - '0');
  }
  return index;
}

bool uses_indices(const FileFacts& facts) {
  for (const std::string_view name : {"set_device", "set_device_index", "device_ids", "local_rank", "current_device"}) {
    if (facts.has_identifier(name)) return true;
  }
  return false;
}

std::optional<Fix> device_string_fix(const Context& context, const Use& use) { return StringFixer(context, use).fix(); }

}  // namespace torchport
