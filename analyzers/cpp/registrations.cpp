#include "analyzers/cpp/registrations.h"

#include <algorithm>
#include <array>

namespace torchport::cpp {
namespace {

// The macros whose body registers, and what their arguments are: positions of the namespace and of the key.
struct Opener {
  std::string_view name;
  int space;
  int key;
  RegistrationKind kind;
};
constexpr std::array kOpeners = std::to_array<Opener>({{"TORCH_LIBRARY", 0, -1, RegistrationKind::Operator},
                                                       {"TORCH_LIBRARY_FRAGMENT", 0, -1, RegistrationKind::Operator},
                                                       {"TORCH_LIBRARY_IMPL", 0, 1, RegistrationKind::Operator},
                                                       {"TORCH_LIBRARY_EXPAND", 0, -1, RegistrationKind::Operator},
                                                       {"TORCH_LIBRARY_IMPL_EXPAND", 0, 1, RegistrationKind::Operator},
                                                       {"STABLE_TORCH_LIBRARY", 0, -1, RegistrationKind::Operator},
                                                       {"STABLE_TORCH_LIBRARY_FRAGMENT", 0, -1, RegistrationKind::Operator},
                                                       {"STABLE_TORCH_LIBRARY_IMPL", 0, 1, RegistrationKind::Operator},
                                                       {"PYBIND11_MODULE", 0, -1, RegistrationKind::Method}});

std::string_view inside_quotes(std::string_view text) {
  const std::size_t open = text.find('"');
  const std::size_t close = text.rfind('"');
  if (open == std::string_view::npos || close <= open) return {};
  text = text.substr(open + 1, close - open - 1);
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  return text;
}

// "ns::op.overload(Tensor x) -> Tensor": the name alone, and the namespace where one is written.
void split_schema(std::string_view text, Registration& out) {
  const std::size_t bracket = text.find('(');
  if (bracket != std::string_view::npos) out.schema = text;
  std::string_view name = text.substr(0, bracket);
  name = name.substr(0, name.find('.'));
  const std::size_t colons = name.find("::");
  if (colons != std::string_view::npos) {
    out.space = name.substr(0, colons);
    name = name.substr(colons + 2);
  }
  const std::size_t first = name.find_first_not_of(" \t\n");
  name = first == std::string_view::npos ? std::string_view() : name.substr(first);
  out.name = name.substr(0, name.find_first_of(" \t\n"));
}

class RegistrationReader {
 public:
  RegistrationReader(const Tokens& tokens, FileFacts& facts) : t_(tokens), facts_(facts) {}

  void body(const FunctionPart& part, const Opener& opener) {
    const auto arguments = t_.items(part.parameters + 1, t_.all[part.parameters].partner);
    Registration base;
    base.kind = opener.kind;
    // The build gives the module its name.
    if (opener.space < static_cast<int>(arguments.size())) base.space = text(arguments[static_cast<std::size_t>(opener.space)]);
    if (base.space == "TORCH_EXTENSION_NAME") base.space = {};
    if (opener.key >= 0 && opener.key < static_cast<int>(arguments.size())) base.key = text(arguments[static_cast<std::size_t>(opener.key)]);
    if (opener.kind == RegistrationKind::Method || !base.key.empty()) {
      Registration module = base;
      module.kind = RegistrationKind::Module;
      module.name = base.space;
      module.span = t_.all[part.begin].span;
      facts_.registrations.push_back(module);
    }
    calls(part.body, part.end, base);
  }

  // m.def("name", &f), m.impl("name", TORCH_FN(f)), .op("ns::name(…)", f)
  void calls(TokenId first, TokenId last, const Registration& base) {
    for (TokenId i = first; i + 3 < last; ++i) {
      if (!t_.is(i, ".") && !t_.is(i, "->")) continue;
      const std::string_view method = t_.of(i + 1);
      if (method != "def" && method != "impl" && method != "op") continue;
      const TokenId open = i + 2;
      if (!t_.is(open, "(") || t_.all[open].partner == kNoToken) continue;
      one(i + 1, open, base);
    }
  }

 private:
  std::string_view text(std::pair<TokenId, TokenId> item) const { return t_.slice(t_.span_of(item.first, item.second)); }

  void one(TokenId method, TokenId open, const Registration& base) {
    const auto arguments = t_.items(open + 1, t_.all[open].partner);
    if (arguments.empty()) return;
    Registration out = base;
    out.span = t_.all[method].span;
    TokenId name = arguments[0].first;
    // TORCH_SELECTIVE_SCHEMA("…"), TORCH_SELECTIVE_NAME("…")
    if (t_.is_name(name) && t_.is(name + 1, "(")) name += 2;
    if (name >= arguments[0].second || t_.all[name].kind != TokenKind::String) return;
    split_schema(inside_quotes(t_.of(name)), out);
    if (out.name.empty()) return;
    if (arguments.size() > 1) {
      out.function = function(arguments[1]);
      for (TokenId i = arguments[1].first; i < arguments[1].second && out.names.size() < kMostNames; ++i) {
        if (t_.is_name(i)) out.names.push_back(hash_of(t_.of(i)));
      }
    }
    facts_.registrations.push_back(out);
  }

  // The last name of &ns::f<T>, TORCH_FN(f), torch::dispatch(key, f); nothing of a lambda.
  std::string_view function(std::pair<TokenId, TokenId> item) {
    std::string_view last;
    for (TokenId i = item.first; i < item.second; ++i) {
      if (t_.is(i, "[") && i == item.first) return {};
      if (t_.is(i, "<")) break;
      if (t_.is_name(i)) last = t_.of(i);
    }
    return last;
  }

  static constexpr std::size_t kMostNames = 200;
  const Tokens& t_;
  FileFacts& facts_;
};

}  // namespace

void add_registrations(const Tokens& tokens, const Structure& structure, FileFacts& facts) {
  RegistrationReader reader(tokens, facts);
  for (const FunctionPart& part : structure.functions) {
    if (part.body == kNoToken || tokens.all[part.parameters].partner == kNoToken) continue;
    for (const Opener& opener : kOpeners) {
      if (tokens.of(part.name) == opener.name) reader.body(part, opener);
    }
  }
  // auto registry = torch::RegisterOperators().op(…).op(…);
  for (TokenId i = 0; i + 1 < tokens.all.size(); ++i) {
    if (!tokens.is(i, "RegisterOperators")) continue;
    TokenId end = i;
    while (end < tokens.all.size() && !tokens.is(end, ";")) {
      end = tokens.all[end].partner != kNoToken && tokens.all[end].partner > end && !tokens.is(end, "(") ? tokens.all[end].partner + 1 : end + 1;
    }
    reader.calls(i, end, {});
    i = end;
  }
}

}  // namespace torchport::cpp
