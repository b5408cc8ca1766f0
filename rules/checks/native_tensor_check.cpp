#include "rules/checks/native_tensor_check.h"

#include <algorithm>
#include <array>

#include "analyzers/text.h"
#include "opdb/coverage.h"
#include "rules/checks/native_device.h"
#include "rules/checks/native_text.h"
#include "rules/match.h"

namespace torchport {
namespace {

// The memory of a tensor is for code that runs where it lies.
constexpr std::array<std::string_view, 6> kRaw = {"data_ptr", "mutable_data_ptr", "const_data_ptr", "storage", "untyped_storage", "cuda"};

// TORCH_CHECK(x.is_cuda(), …), TORCH_CHECK(x.is_cuda() && y.is_cuda()): the tensor's name.
std::string_view checked_tensor(const Context& context, const Use& use) {
  constexpr std::array<std::string_view, 5> kChecks = {"TORCH_CHECK(", "AT_ASSERTM(", "AT_ASSERT(", "TORCH_INTERNAL_ASSERT(", "AT_CHECK("};
  const std::string_view text = context.source.text();
  if (!text.substr(use.span.end).starts_with("()") || use.receiver.empty() || text[use.receiver.start] != '.') return {};
  std::size_t start = use.receiver.start;
  while (start > 0 && is_word(text[start - 1])) --start;
  const char before = byte_before(context.source, static_cast<std::uint32_t>(start)), behind = byte_behind(context.source, use.span.end + 2);
  if ((before != '(' && before != '&') || (behind != ',' && behind != ')' && behind != '&')) return {};
  const std::string_view statement = trimmed(statement_around(context.source, use.span));
  if (std::none_of(kChecks.begin(), kChecks.end(), [&](std::string_view check) { return statement.starts_with(check); })) return {};
  return text.substr(start, use.receiver.start - start);
}

}  // namespace

TensorChecks::TensorChecks(const Context& context) : c_(context) {
  const auto add = [&](std::string_view method) {
    if (std::find(kRaw.begin(), kRaw.end(), method) == kRaw.end()) methods_.insert(hash_of("." + std::string(method)));
  };
  for (const std::string& method : c_.catalogue.interest.tensor_methods) add(method);
  for (std::string_view op : coverage().overloads()) {
    if (op.starts_with("aten::")) op.remove_prefix(6);
    add(op.substr(0, op.find('.')));
  }
  // The check would only move the crash.
  for (const Hit& hit : c_.hits) {
    if (hit.use == kNone || hit.finding.fix) continue;
    const Use& use = c_.use(hit.use);
    if (use.symbol != ".is_cuda" && use.symbol != ".type" && use.symbol != ".data") stay_.insert(use.scope);
  }
}

// Whether a function and those of the file that it calls call nothing else than what takes every tensor.
bool TensorChecks::plain(std::int32_t function) {
  // One that calls itself is as plain as the rest of it.
  const auto [known, is_new] = plain_.try_emplace(function, true);
  if (!is_new) return known->second;
  bool plain = false;
  for (const NativeFunction& native : c_.facts.natives) {
    if (native.function != function) continue;
    plain = native.side == Side::Host && native.defined && std::all_of(native.calls.begin(), native.calls.end(), [&](std::uint64_t call) { return called(native, call); });
  }
  return plain_[function] = plain;
}

bool TensorChecks::called(const NativeFunction& caller, std::uint64_t call) {
  if (methods_.contains(call) || spelled(caller, call)) return true;
  bool own = false;
  for (const NativeFunction& native : c_.facts.natives) {
    if (hash_of(native.name) != call) continue;
    if (!plain(native.function)) return false;
    own = true;
  }
  return own;
}

// The names that the caller holds are known by their hashes only; its text has them.
bool TensorChecks::spelled(const NativeFunction& caller, std::uint64_t call) const {
  const std::string_view text = c_.source.text(caller.span);
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const std::string member = "." + std::string(word);
    for (const std::string& glob : c_.catalogue.native_plain) {
      if (glob.starts_with('.') ? glob == member && hash_of(member) == call : wildcard_match(glob, word) && hash_of(word) == call) return true;
    }
    at = end;
  }
  return false;
}

std::optional<Fix> TensorChecks::fix(const Use& use) {
  if (use.symbol != ".is_cuda" || use.scope == 0 || stay_.contains(use.scope)) return std::nullopt;
  const std::string_view name = checked_tensor(c_, use);
  const NativeVariable* tensor = native_variable(c_, use, name);
  if (tensor == nullptr || native_type(c_, *tensor) != "Tensor" || !plain(use.scope)) return std::nullopt;
  const auto start = static_cast<std::uint32_t>(use.receiver.start - name.size());
  return Context::fix(Applicability::Review, "asks for any device but the host's", {{{start, use.span.end}, "!" + std::string(name) + ".is_cpu"}});
}

}  // namespace torchport
