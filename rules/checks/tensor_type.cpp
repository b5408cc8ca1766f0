#include <algorithm>
#include <array>

#include "rules/checks/checks.h"
#include "analyzers/text.h"
#include "rules/fix.h"

namespace torchport {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

// The bracket that is open at `at`, looking back; npos: none within the statement.
std::size_t open_bracket(std::string_view text, std::size_t at, std::size_t limit) {
  int depth = 0;
  for (std::size_t i = at; i > limit; --i) {
    const char c = text[i - 1];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if ((c == '(' || c == '[' || c == '{') && depth-- == 0) return i - 1;
  }
  return std::string_view::npos;
}

// The word that stands right before `at`.
std::string_view word_before(std::string_view text, std::size_t at) {
  std::size_t start = at;
  while (start > 0 && is_word(text[start - 1])) --start;
  return text.substr(start, at - start);
}

bool generic_type(std::string_view word) {
  constexpr std::array kTypes = std::to_array<std::string_view>({"Union", "Optional", "Tuple", "tuple", "List", "list", "Sequence", "Iterable", "Dict", "dict",
                                                                 "Mapping", "Callable", "Type", "Set"});
  return std::find(kTypes.begin(), kTypes.end(), word) != kTypes.end();
}

// isinstance(subject, (types…)) around a use, taken apart.
struct TypeTest {
  Span call;
  std::string_view subject;
  std::vector<std::string_view> others;   // types that are no legacy tensor types
  std::vector<std::string> dtypes;
};

std::vector<std::string_view> parts(std::string_view list) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || depth != 0) continue;
    if (const auto part = trimmed(list.substr(from, i - from)); !part.empty()) out.push_back(part);
    from = i + 1;
  }
  return out;
}

std::string dtype_of(std::string_view type) {
  std::string name(type);
  if (name.starts_with("torch.") && !name.starts_with("torch.cuda.")) name.insert(6, "cuda.");
  return std::string(legacy_dtype(name));
}

std::optional<TypeTest> type_test(std::string_view text, const Use& use) {
  std::size_t open = open_bracket(text, use.span.start, use.statement.start);
  if (open == std::string_view::npos || text[open] != '(') return std::nullopt;
  if (word_before(text, open) != "isinstance") open = open_bracket(text, open, use.statement.start);
  if (open == std::string_view::npos || word_before(text, open) != "isinstance") return std::nullopt;
  int depth = 0;
  std::size_t close = open;
  for (; close < use.statement.end; ++close) {
    if (text[close] == '(' || text[close] == '[') ++depth;
    if ((text[close] == ')' || text[close] == ']') && --depth == 0) break;
  }
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  const std::vector<std::string_view> arguments = parts(inside);
  if (depth != 0 || arguments.size() != 2 || inside.find('#') != std::string_view::npos) return std::nullopt;
  TypeTest test{{static_cast<std::uint32_t>(open - 10), static_cast<std::uint32_t>(close + 1)}, arguments[0], {}, {}};
  // It is read twice.
  if (test.subject.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") != std::string_view::npos) return std::nullopt;
  std::string_view types = arguments[1];
  if (types.front() == '(') types = types.substr(1, types.size() - 2);
  for (const std::string_view type : parts(types)) {
    const std::string dtype = dtype_of(type);
    if (dtype.empty()) {
      test.others.push_back(type);
    } else if (std::find(test.dtypes.begin(), test.dtypes.end(), dtype) == test.dtypes.end()) {
      test.dtypes.push_back(dtype);
    }
  }
  return test;
}

std::string joined(const auto& list) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : ", ") + std::string(item);
  return out;
}

// Whether the call stands where `a and b` needs no brackets.
bool stands_free(std::string_view text, const TypeTest& test) {
  const std::string_view before = trimmed(text.substr(0, test.call.start));
  const std::string_view after = text.substr(test.call.end, 1);
  const std::string_view word = word_before(before, before.size());
  const bool opens = word == "if" || word == "elif" || word == "return" || word == "assert" || word == "while" || before.ends_with('(') || before.ends_with('=');
  return opens && !before.ends_with("==") && !before.ends_with("!=") && (after == ":" || after == ")" || after == "\n" || after == "," || after.empty());
}

std::optional<Fix> test_fix(const Context& context, const Use& use, const TypeTest& test) {
  std::vector<Edit> import;
  const std::string torch = torch_name(context.source, context.facts, use.span, import);
  const std::string subject(test.subject);
  std::string code = "isinstance(" + subject + ", " + torch + ".Tensor) and " + subject + ".dtype ";
  std::string dtypes = test.dtypes.size() == 1 ? "== " + test.dtypes[0] : "in (" + joined(test.dtypes) + ")";
  if (torch != "torch") return std::nullopt;
  code += dtypes;
  if (!test.others.empty()) {
    code = "isinstance(" + subject + ", " + (test.others.size() == 1 ? std::string(test.others[0]) : "(" + joined(test.others) + ")") + ") or (" + code + ")";
  }
  if (!stands_free(context.source.text(), test)) code = "(" + code + ")";
  if (use.form.in_string) return std::nullopt;
  return Context::fix(Applicability::Review, "asks for the dtype; tensors of every device are meant", {{test.call, code}}, import);
}

// Parts of names that speak of a size: max_len, x.size(0), n_classes.
constexpr std::array kSizeWords = std::to_array<std::string_view>({"N", "batch", "bs", "channels", "count", "depth", "dim", "dims", "height", "k", "len", "length", "max",
                                                                  "n", "num", "number", "numel", "shape", "size", "sizes", "width"});

// One argument that is no size.
bool is_data(const Context& context, const Use& use) {
  if (use.args.size() != 1 || use.args[0].splat || !use.args[0].keyword.empty()) return false;
  // out=torch.cuda.LongTensor(n): room for a result holds no data yet.
  if (trimmed(context.source.text().substr(0, use.span.start)).ends_with("out=")) return false;
  const std::string_view text = context.source.text(use.args[0].span);
  if (text.starts_with('[')) return true;
  if (text.ends_with(".item()") || text.starts_with("int(") || text.starts_with("round(") || text.starts_with("math.")) return false;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end]) && text[end] != '_') ++end;
    if (std::binary_search(kSizeWords.begin(), kSizeWords.end(), text.substr(i, end - i))) return false;
    i = end + 1;
  }
  return true;
}

}  // namespace

// torch.cuda.LongTensor(values), where no size is known to stand.
void check_tensor_of_data(Context& context, const Rule& rule) {
  context.add_due(rule, [&](const Use& use, Hit& hit) {
    if (is_data(context, use)) hit.finding.fix = make_fix(rule.fixes, {context.source, context.facts, context.options, use}, &hit.from);
  });
}

// torch.cuda.LongTensor as a type: in isinstance the dtype is asked for instead, in a type expression any tensor.
void check_tensor_type(Context& context, const Rule& rule) {
  context.add_due(rule, [&](const Use& use, Hit& hit) {
    if (use.kind != UseKind::Reference) return;
    const std::string_view text = context.source.text();
    if (const auto test = type_test(text, use)) {
      hit.finding.fix = test_fix(context, use, *test);
      return;
    }
    const std::size_t open = open_bracket(text, use.span.start, use.statement.start);
    if (open != std::string_view::npos && text[open] == '[' && generic_type(word_before(text, open))) {
      std::vector<Edit> import;
      const std::string torch = torch_name(context.source, context.facts, use.span, import);
      hit.finding.fix = Context::fix(Applicability::Review, "tensors of every device are meant", {{use.span, torch + ".Tensor"}}, import);
    }
  });
}

}  // namespace torchport
