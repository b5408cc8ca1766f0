#include "rules/checks/native_device.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analyzers/text.h"
#include "rules/checks/native_rows.h"
#include "rules/checks/native_text.h"

namespace torchport {
namespace {

// A device as text, and what it needs.
struct Written {
  std::string text;
  bool accelerator = false;
};

const NativeFunction* function_of(const Context& context, const Use& use) {
  for (const NativeFunction& native : context.facts.natives) {
    if (native.function == use.scope) return native.side == Side::Host && native.defined && !native.in_macro ? &native : nullptr;
  }
  return nullptr;
}

// Moved to some device, said to be the host's, only now given a value, or asked for its type only: its own device need not be the one that is meant.
bool lies_elsewhere(const SourceFile& source, const NativeVariable& tensor) {
  const auto type_only = [](const NativeSite& site) { return site.member == "scalar_type" || site.member == "dtype" || site.member == "element_size" || site.member == "itemsize"; };
  if (!tensor.sites.empty() && std::all_of(tensor.sites.begin(), tensor.sites.end(), type_only)) return true;
  return std::any_of(tensor.sites.begin(), tensor.sites.end(), [&](const NativeSite& site) {
    const std::string_view behind = trimmed(source.text().substr(site.whole.end, 8));
    if (behind.starts_with('=') && !behind.starts_with("==")) return true;
    // !x.is_cuda(), !x.defined(), x.device() == at::kCPU, x.accessor<float, 1>(): on the host, or nowhere.
    const bool denied = site.whole.start > 0 && source.text()[site.whole.start - 1] == '!' && (site.member == "is_cuda" || site.member == "defined");
    const std::string_view compared = behind.starts_with("==") ? source.text().substr(site.whole.end, 32) : std::string_view();
    const bool host = compared.substr(0, compared.find_first_of(";,)")).find("CPU") != std::string_view::npos;
    if (denied || host || site.member == "accessor") return true;
    const bool moved = site.called && (site.member == "to" || site.member == "cuda" || site.member == "cpu" || site.member == "is_cpu");
    return moved || (site.member.empty() && site.callee.find("CPU") != std::string_view::npos);
  });
}

// Whether the text ends in a lambda that captures nothing, and so sees no parameter.
bool ends_in_bare_lambda(std::string_view text) {
  constexpr std::size_t kLongest = 4096;
  int lambdas = 0;
  text.remove_prefix(text.size() - std::min(text.size(), kLongest));
  for (std::size_t at = text.rfind("[]"); at != std::string_view::npos && ++lambdas < 32; at = at == 0 ? at - 1 : text.rfind("[]", at - 1)) {
    const std::string_view behind = trimmed(text.substr(at + 2));
    if (!behind.starts_with('(') && !behind.starts_with('{')) continue;
    const std::string_view body = behind.substr(std::min(behind.find('{'), behind.size()));
    int depth = 0;
    for (std::size_t i = 0; i < body.size() && (i == 0 || depth > 0); ++i) depth += body[i] == '{' ? 1 : body[i] == '}' ? -1 : 0;
    if (depth > 0) return true;
  }
  return false;
}

// Variables are in the order of their functions.
auto first_of(const Context& context, std::int32_t function) {
  const auto& all = context.facts.variables;
  return std::lower_bound(all.begin(), all.end(), function, [](const NativeVariable& v, std::int32_t f) { return v.function < f; });
}

// The first tensor among the parameters whose device the place can take; empty: none.
std::string_view tensor_at_hand(const Context& context, const Use& use) {
  const NativeFunction* native = function_of(context, use);
  if (native == nullptr || ends_in_bare_lambda(context.source.text({native->span.start, use.span.start}))) return {};
  // The parameters of a function come first.
  for (auto it = first_of(context, use.scope); it != context.facts.variables.end() && it->function == use.scope && it->parameter; ++it) {
    const NativeVariable& variable = *it;
    if (variable.twice || variable.sites.size() > 1000 || native_type(context, variable) != "Tensor" || lies_elsewhere(context.source, variable)) continue;
    return variable.name;
  }
  return {};
}

Written device_type(std::string_view tensor) { return tensor.empty() ? Written{std::string(kAccelerator), true} : Written{std::string(tensor) + ".device().type()", false}; }

// In "kCUDA, x.get_device())" the index says whose device is meant: x, and where its argument ends.
std::optional<std::pair<std::string, std::uint32_t>> indexed_by(const SourceFile& source, std::uint32_t at) {
  constexpr std::array<std::string_view, 2> kIndices = {".get_device()", ".device().index()"};
  const std::string_view text = source.text();
  const std::size_t comma = text.find_first_not_of(" \t\r\n", at);
  const std::size_t name = comma == std::string_view::npos || text[comma] != ',' ? comma : text.find_first_not_of(" \t\r\n", comma + 1);
  if (name == comma || name == std::string_view::npos) return std::nullopt;
  std::size_t end = name;
  while (end < text.size() && is_word(text[end])) ++end;
  for (const std::string_view index : kIndices) {
    const std::size_t close = end + index.size();
    if (end == name || !text.substr(end).starts_with(index) || byte_behind(source, static_cast<std::uint32_t>(close)) != ')') continue;
    return std::pair{std::string(text.substr(name, end - name)), static_cast<std::uint32_t>(close)};
  }
  return std::nullopt;
}

std::optional<Fix> accelerator_fix(const Context& context, const Use& use, const Written& written, std::string_view tensor) {
  std::vector<Edit> edits = {{use.callee, written.text}};
  if (written.accelerator && (!torch_has(context, kAcceleratorSince) || !add_includes(context.source, context.facts, {std::string(kAcceleratorHeader)}, edits))) return std::nullopt;
  const std::string message = written.accelerator ? "takes the accelerator that is there (not XLA)" : "takes the device of " + std::string(tensor);
  return Context::fix(Applicability::Review, message, std::move(edits));
}

// What is moved to CUDA may lie on the host: a variable's own device says nothing.
std::string_view owner_of_move(const Context& context, const Use& use) {
  std::string_view text = context.source.text().substr(0, use.callee.start);
  if (text.ends_with("->to(")) return "->";
  if (!text.ends_with(".to(")) return {};
  text.remove_suffix(4);
  std::size_t start = text.size();
  while (start > 0 && is_word(text[start - 1])) --start;
  return text.substr(start);
}

// x.get_device() of a tensor: its name.
std::string_view tensor_of_index(const Context& context, const Use& use, std::string_view index) {
  for (const std::string_view end : {".get_device()", ".device().index()"}) {
    if (!index.ends_with(end)) continue;
    const std::string_view name = index.substr(0, index.size() - end.size());
    const NativeVariable* variable = native_variable(context, use, name);
    if (variable != nullptr && native_type(context, *variable) == "Tensor") return name;
  }
  return {};
}

bool is_integer(const Context& context, const NativeVariable& variable) {
  constexpr std::array<std::string_view, 8> kIntegers = {"int", "int32_t", "int64_t", "long", "short", "DeviceIndex", "size_t", "int8_t"};
  return std::find(kIntegers.begin(), kIntegers.end(), native_type(context, variable)) != kIntegers.end();
}

}  // namespace

const NativeVariable* native_variable(const Context& context, const Use& use, std::string_view name) {
  for (auto it = first_of(context, use.scope); it != context.facts.variables.end() && it->function == use.scope; ++it) {
    if (it->name == name) return it->twice ? nullptr : &*it;
  }
  return nullptr;
}

std::string_view native_type(const Context& context, const NativeVariable& variable) {
  std::string_view type = trimmed(context.source.text(variable.type));
  while (type.ends_with('&') || type.ends_with("const")) type = trimmed(type.substr(0, type.size() - (type.ends_with('&') ? 1 : 5)));
  if (variable.form == '[' || type.find_first_of("<>*") != std::string_view::npos) return {};
  std::size_t start = type.size();
  while (start > 0 && is_word(type[start - 1])) --start;
  return type.substr(start);
}

std::optional<Fix> device_fix(const Context& context, const Use& use) {
  const auto& takers = context.catalogue.native_takers;
  if (!names_cuda_device(use)) return std::nullopt;
  const NativeFunction* native = function_of(context, use);
  if (native == nullptr || native->parameters.contains(use.span) || use.place != Place::Argument || std::find(takers.begin(), takers.end(), use.place_callee) == takers.end()) return std::nullopt;
  const bool device = use.place_callee == "device" || use.place_callee == "Device", move = use.place_callee == "to";
  const char next = byte_behind(context.source, use.callee.end);
  const std::string_view around = statement_around(context.source, use.span);
  // Compared with, it is a question about CUDA.
  if (around.find("==") != std::string_view::npos || around.find("!=") != std::string_view::npos || around.find("_EQ(") != std::string_view::npos || around.find("_NE(") != std::string_view::npos) return std::nullopt;
  // What is made once serves every call.
  const std::string_view tensor = trimmed(around).starts_with("static ") ? std::string_view() : tensor_at_hand(context, use);
  if (device && use.place_position == 0 && next == ',') {
    if (const auto owner = indexed_by(context.source, use.callee.end)) {
      return Context::fix(Applicability::Review, "takes the device of " + owner->first, {{{use.callee.start, owner->second}, owner->first + ".device()"}});
    }
    return accelerator_fix(context, use, device_type(tensor), tensor);
  }
  if (next == ',' ? !move || use.place_position != 0 : next != ')' && next != '}') return std::nullopt;
  const bool own = move && !owner_of_move(context, use).empty();
  const Written written = tensor.empty() || own ? device_type({}) : Written{std::string(tensor) + ".device()", false};
  return accelerator_fix(context, use, written, tensor);
}

std::optional<Fix> device_guard(const Context& context, const Use& use, Applicability applicability, std::string_view device, std::vector<std::string> headers) {
  const std::string global = context.source.text(use.callee).starts_with("::") ? "::" : "";
  std::vector<Edit> edits = {{use.callee, global + (use.symbol.starts_with("Optional") ? "c10::OptionalDeviceGuard" : "c10::DeviceGuard")}};
  if (context.source.text(use.args[0].span) != device) edits.push_back({use.args[0].span, std::string(device)});
  headers.emplace_back("c10/core/DeviceGuard.h");
  if (!add_includes(context.source, context.facts, headers, edits)) return std::nullopt;
  return Context::fix(applicability, "guard the device of any type", std::move(edits));
}

std::optional<Fix> guard_fix(const Context& context, const Use& use, bool host_only, const std::set<std::string_view>& with_members) {
  if (use.symbol != "CUDAGuard" && use.symbol != "OptionalCUDAGuard") return std::nullopt;
  if (use.args.size() != 1 || use.bound.empty() || with_members.contains(use.bound)) return std::nullopt;
  const std::string_view given = context.source.text(use.args[0].span);
  if (const std::string_view tensor = tensor_of_index(context, use, given); !tensor.empty()) return device_guard(context, use, Applicability::Review, std::string(tensor) + ".device()");
  const NativeVariable* variable = native_variable(context, use, given);
  if (variable == nullptr) return std::nullopt;
  if (native_type(context, *variable) == "Device") return device_guard(context, use, Applicability::Review, given);
  if (!host_only || !is_integer(context, *variable)) return std::nullopt;
  const std::string_view tensor = tensor_at_hand(context, use);
  const Written type = device_type(tensor);
  if (type.accelerator && !torch_has(context, kAcceleratorSince)) return std::nullopt;
  return device_guard(context, use, Applicability::Review, "c10::Device(" + type.text + ", " + std::string(given) + ")",
                      type.accelerator ? std::vector<std::string>{std::string(kAcceleratorHeader)} : std::vector<std::string>{});
}

}  // namespace torchport
