#include "analyzers/cpp/natives.h"

#include <algorithm>
#include <array>

namespace torchport::cpp {
namespace {

// Words of the language and types so common that no function of a project is meant by them.
constexpr std::array<std::string_view, 48> kCommon = {
    "alignas", "auto", "bool", "break", "case", "catch", "char", "class", "const", "const_cast", "constexpr", "continue", "decltype", "default",
    "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "false", "float", "for", "if", "int", "long", "namespace", "new",
    "nullptr", "operator", "reinterpret_cast", "return", "short", "signed", "sizeof", "static", "static_cast", "std", "struct", "switch",
    "template", "this", "true", "typename", "unsigned", "using", "void"};

bool common(std::string_view word) { return std::binary_search(kCommon.begin(), kCommon.end(), word); }

std::uint32_t lines_of(const Tokens& t, const FunctionPart& part, const SourceFile& source) {
  std::uint32_t lines = 0, last = 0;
  std::uint32_t end_of_line = 0;
  for (TokenId i = part.begin; i < part.end; ++i) {
    if (i > part.begin && t.all[i].span.start < end_of_line) continue;
    const std::uint32_t line = source.position(t.all[i].span.start).line;
    end_of_line = source.line_span(line).end;
    if (line != last) ++lines;
    last = line;
  }
  return lines;
}

// A call, a name with template arguments, or one that is handed on; not a variable amid an expression.
bool may_be_function(const Tokens& t, TokenId id, Side side) {
  if (id == 0) return false;
  // On the device a member is one of the few structs that its file includes; on the host it may be anything's.
  if (t.is(id - 1, ".") || t.is(id - 1, "->")) return side != Side::Host && (t.is(id + 1, "(") || t.is(id + 1, "<"));
  static constexpr std::array<std::string_view, 6> kForeign = {"std", "at", "torch", "c10", "thrust", "cub"};
  if (id > 1 && t.is(id - 1, "::") && std::find(kForeign.begin(), kForeign.end(), t.of(id - 2)) != kForeign.end()) return false;
  return t.is(id + 1, "(") || t.is(id + 1, "<") || t.opens_launch(id + 1) || t.is(id - 1, "(") || t.is(id - 1, "&") || t.is(id - 1, "=") || t.is(id - 1, "::") ||
         (t.is(id - 1, ")") && t.is(id - 2, "*"));  // (void*)kernel
}

// extern __shared__, extern __align__(16) __shared__: no static shared memory.
bool sized_at_launch(const Tokens& t, TokenId shared) {
  for (TokenId i = shared; i > 0 && i + 8 > shared && !t.is(i, ";") && !t.is(i, "{") && !t.is(i, "}"); --i) {
    if (t.is(i, "extern")) return true;
  }
  return false;
}

void add_body(const Tokens& t, const FunctionPart& part, const std::vector<WordMeaning>& meanings, const NativeInterest& interest, NativeFunction& native) {
  // The parameters count too: half and texture types stand there.
  for (TokenId i = part.parameters; i < part.end; ++i) {
    const Token& token = t.all[i];
    if (token.kind == TokenKind::Number || token.first == '_') native.features |= code_features(t, i, interest);
    if (token.kind == TokenKind::Identifier) {
      const std::string_view word = t.of(i);
      if (word != "__shared__" || !sized_at_launch(t, i)) native.features |= meanings[token.name].features;
      if (word == "asm" || word == "__asm__") native.features |= ptx_features(t, i, interest);
      if (i != part.name && may_be_function(t, i, part.side) && !common(word)) native.names.push_back(hash_of(word));
    }
  }
  std::sort(native.names.begin(), native.names.end());
  native.names.erase(std::unique(native.names.begin(), native.names.end()), native.names.end());
}

bool over_the_grid(const Tokens& t, TokenId open) {
  if (!t.is(open, "(") || t.all[open].partner == kNoToken) return false;
  for (TokenId i = open; i < t.all[open].partner; ++i) {
    if (t.is(i, "blockIdx") || t.is(i, "threadIdx") || t.is(i, "gridDim")) return true;
  }
  return false;
}

// Whether the name is given the number of its thread in the whole grid, in one dimension, and the body asks for that number nowhere else:
// i = blockIdx.x * blockDim.x + threadIdx.x, or a loop macro over the grid.
bool is_grid_index(const Tokens& t, const FunctionPart& part, std::string_view index) {
  int asked = 0, given = 0;
  for (TokenId i = part.body; i < part.end; ++i) {
    if (t.is(i, "blockIdx")) ++asked;
    if (!t.is_name(i) || t.of(i) != index) continue;
    if (i >= 2 && t.is(i - 1, "(") && t.is_name(i - 2) && t.of(i - 2).find("KERNEL_LOOP") != std::string_view::npos) return asked == 0;
    if (!t.is(i + 1, "=")) continue;
    bool block = false, thread = false, plain = true;
    for (TokenId k = i + 2; k < part.end && !t.is(k, ";"); ++k) {
      block = block || t.is(k, "blockIdx");
      thread = thread || t.is(k, "threadIdx");
      plain = plain && !t.is(k, "%") && !t.is(k, "/") && !t.is(k, "y") && !t.is(k, "z");
    }
    given += block && thread && plain ? 1 : 0;
  }
  return given == 1 && asked == 1;
}

// How the body walks over memory: see NativeInterest.
void add_structure(const Tokens& t, const FunctionPart& part, const NativeInterest& interest, NativeFunction& native) {
  if (part.body == kNoToken) return;
  std::string_view index;
  int subscripts = 0;
  bool several = false, loop = false, indirect = false;
  for (TokenId i = part.body; i < part.end; ++i) {
    loop = loop || t.is(i, "do") || t.is(i, "while") || (t.is(i, "for") && !over_the_grid(t, i + 1));
    if (!t.is(i, "[") || i == 0 || !(t.is_name(i - 1) || t.is(i - 1, "]") || t.is(i - 1, ")"))) continue;
    ++subscripts;
    const bool plain = t.is_name(i + 1) && t.all[i].partner == i + 2 && (index.empty() || index == t.of(i + 1));
    if (plain) index = t.of(i + 1);
    several = several || !plain;
    // What lies in the brackets of an array is read from another array: x[index[i]].
    for (TokenId k = i + 1; !indirect && t.all[i].partner != kNoToken && k < t.all[i].partner && k < i + 200; ++k) indirect = t.is(k, "[") && t.is_name(k - 1);
  }
  const auto set = [&](std::int32_t feature, bool there) {
    if (there && feature >= 0) native.features |= std::uint64_t{1} << feature;
  };
  set(interest.inner_loop, loop);
  set(interest.one_index, subscripts > 1 && !several && is_grid_index(t, part, index));
  set(interest.other_index, several);
  set(interest.indirect_index, indirect);
}

NativeFunction native_of(const Tokens& t, const FunctionPart& part) {
  NativeFunction native;
  native.name = t.of(part.name);
  native.side = part.side;
  native.defined = part.body != kNoToken;
  native.in_macro = t.in_directive(part.begin);
  const TokenId first = part.global == kNoToken ? part.begin : part.global;
  native.span = t.span_of(first, part.end);
  native.head = t.span_of(first, part.body == kNoToken ? part.end : part.body);
  const TokenId close = t.all[part.parameters].partner;
  if (close != kNoToken && close > part.parameters + 1) native.parameters = t.span_of(part.parameters + 1, close);
  if (part.bounds != kNoToken && t.all[part.bounds].partner != kNoToken) native.bounds = t.span_of(part.bounds + 1, t.all[part.bounds].partner);
  native.is_template = part.is_template;
  return native;
}

}  // namespace

void add_natives(const Tokens& tokens, const Structure& structure, const std::vector<WordMeaning>& meanings, const NativeInterest& interest,
                 const SourceFile& source, FileFacts& facts) {
  facts.functions.push_back({{}, {0, static_cast<std::uint32_t>(tokens.text.size())}, false, kNone});
  for (const FunctionPart& part : structure.functions) {
    NativeFunction native = native_of(tokens, part);
    add_body(tokens, part, meanings, interest, native);
    add_structure(tokens, part, interest, native);
    native.lines = lines_of(tokens, part, source);
    native.function = static_cast<std::int32_t>(facts.functions.size());
    facts.functions.push_back({native.name, native.span, false, 0});
    facts.natives.push_back(std::move(native));
  }
  for (const auto& [first, last] : structure.calls) {
    std::vector<std::uint64_t> names;
    for (TokenId i = first + 1; i < last; ++i) {
      if (tokens.is_name(i) && !common(tokens.of(i)) && names.size() < 8) names.push_back(hash_of(tokens.of(i)));
    }
    if (names.size() > 1) facts.linked_names.push_back(std::move(names));
  }
}

}  // namespace torchport::cpp
