#include "analyzers/analyze.h"

#include <algorithm>
#include <array>

#include "analyzers/cpp/analyze_cpp.h"
#include "analyzers/python/analyze_python.h"
#include "analyzers/python/syntax.h"

namespace torchport {

bool FileFacts::has_identifier(std::string_view name) const { return std::binary_search(identifiers.begin(), identifiers.end(), name); }

Language language_of(std::string_view path, std::string_view head) {
  const std::string_view name = path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos && dot != 0) {
    const std::string_view extension = name.substr(dot);
    constexpr std::array<std::string_view, 9> kCpp = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".inl", ".hip"};
    if (std::find(kCpp.begin(), kCpp.end(), extension) != kCpp.end()) return Language::Cpp;
    return extension == ".py" || extension == ".pyi" || extension == ".pyw" ? Language::Python : Language::None;
  }
  const std::string_view first = head.substr(0, head.find('\n'));
  return first.substr(0, 2) == "#!" && first.find("python") != std::string_view::npos ? Language::Python : Language::None;
}

FileFacts analyze(const SourceFile& source, Language language, const Interest& interest) {
  if (language == Language::Python) {
    FileFacts facts = python::analyze_python(source, interest);
    facts.language = language;
    return facts;
  }
  if (language == Language::Cpp) return cpp::analyze_cpp(source, interest);
  return {};
}

std::uint32_t count_syntax_errors(std::string_view text, Language language) {
  if (language == Language::Cpp) return static_cast<std::uint32_t>(cpp::syntax_errors(text).size());
  if (language != Language::Python) return 0;
  std::string why;
  const std::optional<std::string> changed = python::parseable(text, why);
  if (!why.empty()) return 1;
  const python::Tree tree(changed ? std::string_view(*changed) : text);
  return tree.complete() ? static_cast<std::uint32_t>(tree.errors().size()) : 1;
}

std::optional<std::uint32_t> first_syntax_error(std::string_view text, Language language) {
  if (language == Language::Cpp) {
    const std::vector<Span> errors = cpp::syntax_errors(text);
    return errors.empty() ? std::nullopt : std::optional(errors.front().start);
  }
  if (language != Language::Python) return std::nullopt;
  std::string why;
  const std::optional<std::string> changed = python::parseable(text, why);
  if (!why.empty()) return 0;
  const python::Tree tree(changed ? std::string_view(*changed) : text);
  if (!tree.complete()) return 0;
  if (tree.errors().empty()) return std::nullopt;
  return tree.errors().front().start;
}

}  // namespace torchport
