#include "opdb/apis.h"

#include <algorithm>
#include <charconv>

namespace torchport {
namespace {

constexpr std::uint32_t kDone = 1U << 31;

bool starts(std::string_view text, std::string_view prefix) { return text.starts_with(prefix); }

// Calls visit(word) for each of the blank-separated words.
template <typename Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    if (blank != 0) visit(text.substr(0, blank));
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
}

const Arg* argument(const Use& use, std::int32_t position, std::string_view keyword) {
  for (const Arg& arg : use.args) {
    if (arg.splat) continue;
    if (arg.keyword.empty() ? position >= 0 && arg.position == static_cast<std::uint32_t>(position)
                            : arg.keyword == keyword)
      return &arg;
  }
  return nullptr;
}

bool has_value(const Arg& arg, std::string_view wanted) {
  return std::any_of(arg.values.begin(), arg.values.end(), [&](const Value& value) { return value.text == wanted; });
}

bool splatted(const Use& use) {
  return std::any_of(use.args.begin(), use.args.end(), [](const Arg& arg) { return arg.splat; });
}

// "3/mode=bicubic", "mode=absent", "1/dim=number" (a whole one, as written), "*=torch.Tensor" (any argument).
bool holds(std::string_view condition, const Use& use, bool method) {
  const std::size_t equal = condition.find('=');
  std::string_view key = condition.substr(0, equal);
  const std::string_view wanted = condition.substr(equal + 1);
  if (key == "*")
    return std::any_of(use.args.begin(), use.args.end(), [&](const Arg& arg) { return has_value(arg, wanted); });
  std::int32_t position = -1;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), position);
  if (error == std::errc()) key.remove_prefix(static_cast<std::size_t>(end - key.data()));
  if (key.starts_with('/')) key.remove_prefix(1);
  // What a function takes first is what a method is called on.
  const Arg* arg = argument(use, method ? position - 1 : position, key);
  if (wanted == "absent") return arg == nullptr && !splatted(use);
  if (arg == nullptr) return false;
  if (wanted == "number")
    return std::any_of(arg->values.begin(), arg->values.end(), [](const Value& value) { return value.kind == ValueKind::Int; });
  return wanted == "present" || has_value(*arg, wanted);
}

// A term of the table: "a|b>c=0.25".
struct Term {
  std::string_view instead;  // "a|b"
  std::string_view op;
  double share = 1;
};

Term term_of(std::string_view word) {
  Term term;
  if (const std::size_t equal = word.rfind('='); equal != std::string_view::npos) {
    std::from_chars(word.data() + equal + 1, word.data() + word.size(), term.share);
    word = word.substr(0, equal);
  }
  const std::size_t arrow = word.find('>');
  term.op = arrow == std::string_view::npos ? word : word.substr(arrow + 1);
  if (arrow != std::string_view::npos) term.instead = word.substr(0, arrow);
  return term;
}

bool any_native(std::string_view ops, const Coverage& coverage, Target target) {
  while (!ops.empty()) {
    const std::size_t bar = std::min(ops.find('|'), ops.size());
    if (coverage.support(ops.substr(0, bar), target) == Support::Native) return true;
    ops.remove_prefix(std::min(bar + 1, ops.size()));
  }
  return false;
}

}  // namespace

Apis::Apis(const Coverage& coverage) : coverage_(coverage), rows_(SortedTable(embedded_table("apis.tsv")).rows()) {
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    const auto [entry, is_new] = by_name_.try_emplace(rows_[i].cells[0], Range{i, i + 1});
    if (!is_new) entry->second.last = i + 1;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) known_.emplace_back(0);
  methods_ = tensor_methods();
}

// Under which name the table has what the symbol names; `shifted`: the table counts the tensor as the first argument.
const Apis::Range* Apis::range(std::string_view symbol, bool& shifted) const {
  const auto look = [&](std::string_view prefix, std::string_view name) -> const Range* {
    std::string full(prefix);
    full += name;
    const auto it = by_name_.find(full);
    return it == by_name_.end() ? nullptr : &it->second;
  };
  shifted = false;
  if (const Range* exact = look("", symbol)) return exact;
  const std::string_view last = symbol.substr(symbol.rfind('.') + 1);
  if (starts(symbol, "torch.Tensor.")) {
    shifted = true;
    for (const std::string_view home : {"torch.", "torch.nn.functional.", "torch.linalg.", "torch.special."}) {
      if (const Range* found = look(home, last)) return found;
    }
    if (!last.ends_with('_') || last.starts_with('_')) return nullptr;
    return range(std::string("torch.Tensor.").append(last.substr(0, last.size() - 1)), shifted);
  }
  // Names that a module hands on under another path.
  if (starts(symbol, "torch.nn.functional.") || starts(symbol, "torch.special.") || starts(symbol, "torch.functional."))
    return look("torch.", last);
  if (starts(symbol, "torch.nn.modules.")) return look("torch.nn.", last);
  if (starts(symbol, "torch.optim.")) return look("torch.optim.", last);
  if (starts(symbol, "torch.") && symbol.find('.', 6) == std::string_view::npos) {
    if (const Range* found = look("torch.nn.functional.", last)) return found;
    return look("torch.Tensor.", last);
  }
  return nullptr;
}

std::optional<ApiCall> Apis::find(const Use& use) const {
  bool method = false;
  const Range* rows = range(use.symbol, method);
  if (rows == nullptr) return std::nullopt;
  std::optional<std::uint32_t> found[2];
  for (std::uint32_t i = rows->first; i < rows->last; ++i) {
    auto& way = found[rows_[i].cells[2] == "bw" ? 1 : 0];
    bool all = !way;
    for_each_word(rows_[i].cells[1], [&](std::string_view condition) { all = all && holds(condition, use, method); });
    if (all) way = i;
  }
  // Where every row of a direction says the same, the argument that is not known does not decide.
  for (const std::string_view direction : {"fw", "bw"}) {
    std::optional<std::uint32_t> same;
    bool differ = false;
    for (std::uint32_t i = rows->first; i < rows->last; ++i) {
      if (rows_[i].cells[2] != direction) continue;
      differ = differ || (same && rows_[*same].cells[3] != rows_[i].cells[3]);
      same = i;
    }
    auto& way = found[direction == "bw" ? 1 : 0];
    if (!way && !differ) way = same;
  }
  return ApiCall{rows_[rows->first].cells[0], found[0], found[1]};
}

std::vector<Lacking> Apis::lacking(std::uint32_t row, Target target) const {
  std::vector<Lacking> out;
  for_each_word(rows_[row].cells[3], [&](std::string_view word) {
    const Term term = term_of(word);
    if (any_native(term.instead, coverage_, target)) return;
    const Support support = coverage_.reached(term.op, target);
    if (support == Support::Native) return;
    const auto same = std::find_if(out.begin(), out.end(), [&](const Lacking& l) { return l.op == term.op; });
    if (same == out.end()) out.push_back({term.op, support, term.share});
  });
  return out;
}

Support Apis::support(std::uint32_t row, Target target) const {
  const std::uint32_t known = known_[row].load(std::memory_order_relaxed);
  const auto shift = 3U * static_cast<std::uint32_t>(target);
  if ((known & kDone) != 0) return static_cast<Support>((known >> shift) & 7U);
  std::uint32_t all = kDone;
  for (std::size_t t = 0; t < kTargetCount; ++t) {
    std::array<double, 5> share{};
    for (const Lacking& l : lacking(row, static_cast<Target>(t))) share[static_cast<std::size_t>(l.support)] += l.share;
    Support worst = Support::Native;
    double sum = 0;
    for (const Support s : {Support::Unsupported, Support::Fallback, Support::Unknown}) {
      sum += share[static_cast<std::size_t>(s)];
      if (worst == Support::Native && sum >= 0.5) worst = s;
    }
    all |= static_cast<std::uint32_t>(worst) << (3U * t);
  }
  known_[row].store(all, std::memory_order_relaxed);
  return static_cast<Support>((all >> shift) & 7U);
}

std::vector<std::string> Apis::tensor_methods() const {
  std::vector<std::string> methods;
  for (const auto& [name, range] : by_name_) {
    if (!starts(name, "torch.")) continue;
    const std::string_view rest = name.substr(6);
    const bool own = starts(rest, "Tensor.");
    if (!own && rest.find('.') != std::string_view::npos) continue;
    const std::string_view method = own ? rest.substr(7) : rest;
    if (method.starts_with("__")) continue;
    methods.emplace_back(method);
    if (!method.ends_with('_')) methods.push_back(std::string(method) + "_");
  }
  std::sort(methods.begin(), methods.end());
  methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
  return methods;
}

bool Apis::is_tensor_method(std::string_view name) const {
  return std::binary_search(methods_.begin(), methods_.end(), name);
}

std::vector<std::string_view> Apis::reaching(std::string_view op) const {
  if (op.starts_with("aten::")) op.remove_prefix(6);
  std::vector<std::string_view> found;
  for (const TableRow& row : rows_) {
    bool here = false;
    for_each_word(row.cells[3], [&](std::string_view word) {
      const Term term = term_of(word);
      here = here || term.op == op || term.instead == op;
    });
    if (here && (found.empty() || found.back() != row.cells[0])) found.push_back(row.cells[0]);
  }
  return found;
}

std::vector<std::string_view> Apis::names() const {
  std::vector<std::string_view> names;
  for (const TableRow& row : rows_) {
    if (names.empty() || names.back() != row.cells[0]) names.push_back(row.cells[0]);
  }
  return names;
}

const Apis& apis() {
  static const Apis instance(coverage());
  return instance;
}

}  // namespace torchport
