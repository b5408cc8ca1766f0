#include <algorithm>
#include <array>
#include <cctype>

#include "cli/requirements.h"
#include "analyzers/text.h"

namespace torchport {
namespace {

constexpr std::uint32_t kAny = 0;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
struct Version {
  std::uint32_t number = 0;  // 100 * major + minor
  bool later = false;        // not the minor's first release
};

std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  std::size_t length = 0;
  for (; length < text.size() && is_digit(text[length]); ++length) {
    number = std::min(number * 10 + static_cast<std::uint32_t>(text[length] - '0'), 9999U);
  }
  if (length == 0) return std::nullopt;
  text.remove_prefix(length);
  return number;
}

std::optional<Version> read_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const std::optional<std::uint32_t> major = take_number(text);
  if (!major) return std::nullopt;
  Version version{100 * *major, false};
  if (!text.starts_with('.')) return version;
  text.remove_prefix(1);
  version.number += std::min(take_number(text).value_or(0), 99U);
  if (!text.starts_with('.')) return version;
  text.remove_prefix(1);
  version.later = take_number(text).value_or(0) != 0;
  return version;
}

// The newest minor version below; of majors only torch 1's last is known.
std::uint32_t before(std::uint32_t version) {
  if (version % 100 != 0) return version - 1;
  return version == 200 ? 113 : kAny;
}

// What a list of clauses leaves: ">=2.1,<3".
class Bounds {
 public:
  // False where this is no clause.
  bool add(std::string_view op, std::string_view text) {
    static constexpr std::array<std::string_view, 9> kLower = {"", "=", "==", "===", ">=", ">", "~=", "~", "^"};
    if (text == "*" && (op.empty() || op == "=" || op == "==")) return true;
    const std::optional<Version> version = read_version(text);
    if (!version) return false;
    if (op == "!=") return true;
    if (op == "<=" || op == "<") {
      const bool allowed = op == "<=" || version->later;
      highest_ = std::min(highest_, allowed ? version->number : before(version->number));
      return true;
    }
    lowest_ = std::max(lowest_, version->number);
    return std::find(kLower.begin(), kLower.end(), op) != kLower.end();
  }

  std::uint32_t oldest() const { return lowest_ != kAny ? lowest_ : highest_ == kNoLimit ? kAny : highest_; }

 private:
  static constexpr std::uint32_t kNoLimit = UINT32_MAX;
  std::uint32_t lowest_ = kAny;
  std::uint32_t highest_ = kNoLimit;
};

std::optional<std::uint32_t> oldest_of_clauses(std::string_view text) {
  const auto is_operator = [](char c) { return std::string_view("<>=!~^").find(c) != std::string_view::npos; };
  const auto is_gap = [](char c) { return is_space(c) || c == ','; };
  Bounds bounds;
  std::size_t at = 0;
  const auto read_while = [&](const auto& belongs) {
    const std::size_t start = at;
    while (at < text.size() && belongs(text[at])) ++at;
    return text.substr(start, at - start);
  };
  while (true) {
    read_while(is_gap);
    if (at == text.size()) return bounds.oldest();
    const std::string_view op = read_while(is_operator);
    read_while(is_space);
    const std::string_view version = read_while([&](char c) { return !is_gap(c) && !is_operator(c); });
    if (!bounds.add(op, version)) return std::nullopt;
  }
}

// ".../torch-2.0.1%2Bcu118-cp310-....whl" or "git+https://...@v2.1.0".
std::uint32_t version_in_url(std::string_view url) {
  const std::string_view name = url.substr(url.rfind('/') + 1);
  std::optional<Version> version;
  if (name.starts_with("torch-")) version = read_version(name.substr(6));
  const std::size_t tag = name.rfind("@v");
  if (!version && tag != std::string_view::npos) version = read_version(name.substr(tag + 1));
  return version ? version->number : kAny;
}

bool is_wheel_of_torch(std::string_view text) {
  const std::string_view name = text.substr(text.rfind('/') + 1);
  return name.starts_with("torch-") && name.find(".whl") != std::string_view::npos && read_version(name.substr(6));
}

}  // namespace

std::optional<std::uint32_t> torch_specifier(std::string_view specifier) {
  std::optional<std::uint32_t> oldest;
  while (true) {
    const std::size_t end = std::min(specifier.find('|'), specifier.size());
    const std::optional<std::uint32_t> one = oldest_of_clauses(specifier.substr(0, end));
    if (!one) return std::nullopt;
    oldest = std::min(oldest.value_or(*one), *one);
    if (end == specifier.size()) return oldest;
    specifier.remove_prefix(end);
    while (specifier.starts_with('|')) specifier.remove_prefix(1);
  }
}

std::optional<std::uint32_t> torch_requirement(std::string_view requirement) {
  requirement = trimmed(requirement);
  if (is_wheel_of_torch(requirement)) return version_in_url(requirement);
  std::string name;
  for (const char c : requirement) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') break;
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (name != "torch") return std::nullopt;
  std::string_view rest = trimmed(requirement.substr(name.size()));
  if (rest.starts_with('[')) rest = trimmed(rest.substr(std::min(rest.find(']'), rest.size() - 1) + 1));
  if (rest.starts_with('@')) {
    rest = trimmed(rest.substr(1));
    return version_in_url(rest.substr(0, rest.find_first_of(" ;")));
  }
  rest = trimmed(rest.substr(0, rest.find(';')));
  if (rest.starts_with('(') && rest.ends_with(')')) rest = rest.substr(1, rest.size() - 2);
  // A version without an operator is no requirement of pip's.
  if (!rest.empty() && std::string_view("<>=!~").find(rest.front()) == std::string_view::npos) return std::nullopt;
  return torch_specifier(rest);
}

}  // namespace torchport
