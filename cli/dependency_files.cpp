#include "cli/dependency_files.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "analyzers/text.h"
#include "cli/requirements.h"

namespace torchport {
namespace {


bool contains(std::string_view text, std::string_view part) { return text.find(part) != kNowhere; }

bool starts_indented(std::string_view line) { return line.starts_with(' ') || line.starts_with('\t'); }

// Hands over each line with its number from 1.
template <class Take>
void for_each_line(std::string_view text, const Take& take) {
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// pip's comments: '#' at the start or after a space.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != kNowhere; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

void add(FoundTorch& found, const std::optional<std::uint32_t>& version, std::uint32_t line) {
  if (version) found.emplace_back(*version, line);
}

struct QuotedString {
  std::string_view text;
  std::string_view before;  // what stands before it on its line
};

// Of one line of TOML: its strings, and by how much it opens more brackets than it closes.
struct TomlLine {
  std::vector<QuotedString> strings;
  int depth = 0;
};

TomlLine read_toml_line(std::string_view line) {
  TomlLine result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '#') break;
    if (c == '[' || c == '{') ++result.depth;
    if (c == ']' || c == '}') --result.depth;
    if (c != '"' && c != '\'') continue;
    std::size_t end = i + 1;
    while (end < line.size() && line[end] != c) end += c == '"' && line[end] == '\\' ? 2 : 1;
    end = std::min(end, line.size());
    result.strings.push_back({line.substr(i + 1, end - i - 1), trimmed(line.substr(0, i))});
    i = end;
  }
  return result;
}

std::string without_quotes(std::string_view text) {
  std::string result(trimmed(text));
  std::erase_if(result, [](char c) { return c == '"' || c == '\''; });
  return result;
}

class PyprojectReader {
 public:
  FoundTorch read(std::string_view text) {
    for_each_line(text, [this](std::string_view line, std::uint32_t number) { take(line, number); });
    return std::move(found_);
  }

 private:
  void take(std::string_view line, std::uint32_t number) {
    std::string_view value = line;
    if (depth_ == 0) {
      const std::string_view text = trimmed(line);
      if (text.starts_with('[')) {
        section_ = without_quotes(text.substr(0, text.find('#')));
        std::erase_if(section_, [](char c) { return c == '[' || c == ']' || c == ' '; });
        return;
      }
      const std::size_t equals = line.find('=');
      if (equals == kNowhere) return;
      key_ = without_quotes(line.substr(0, equals));
      value = line.substr(equals + 1);
    }
    const TomlLine toml = read_toml_line(value);
    depth_ = std::max(0, depth_ + toml.depth);
    for (const QuotedString& string : toml.strings) add(found_, version(string), number);
  }

  std::optional<std::uint32_t> version(const QuotedString& string) const {
    const bool in_dependencies = contains(section_, "dependencies") || contains(section_, "dependency-groups");
    if (!in_dependencies && !contains(key_, "dependencies") && !(section_ == "build-system" && key_ == "requires")) {
      return std::nullopt;
    }
    const bool named_here = key_ == "torch" || key_ == "pytorch";
    if (in_dependencies && named_here && string.before.empty()) return torch_specifier(string.text);
    const bool of_torch = named_here || section_.ends_with("dependencies.torch");
    if (of_torch && (key_ == "version" || is_value_of("version", string))) return torch_specifier(string.text);
    if (of_torch && key_ != "version" && !is_value_of("url", string)) return std::nullopt;
    return torch_requirement(string.text);
  }

  // In an inline table: { version = "..." }.
  static bool is_value_of(std::string_view key, const QuotedString& string) {
    std::string_view before = string.before;
    if (!before.ends_with('=')) return false;
    before.remove_suffix(1);
    return trimmed(before).ends_with(key);
  }

  std::string section_, key_;
  int depth_ = 0;
  FoundTorch found_;
};

// String literals of setup.py. One with a version counts anywhere; a bare "torch" only in a list of requirements, told
// by the name that it is given to.
class SetupReader {
 public:
  explicit SetupReader(std::string_view text) : text_(text) {}

  FoundTorch read() {
    while (at_ < text_.size()) step();
    return std::move(found_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '"' || c == '\'') {
      take_string(c);
    } else if (is_word(c)) {
      const std::size_t start = at_;
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
      name_ = text_.substr(start, at_ - start);
    } else {
      if (c == '\n') ++line_;
      if (c == '[' || c == '(' || c == '{') lists_.push_back(in_list() || names_requirements());
      if ((c == ']' || c == ')' || c == '}') && !lists_.empty()) lists_.pop_back();
      if (c == ',' || c == '\n') name_ = {};
      ++at_;
    }
  }

  void take_string(char quote) {
    const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
    const bool is_triple = text_.substr(at_).starts_with(triple);
    const std::size_t start = at_ + (is_triple ? 3 : 1);
    std::size_t end = start;
    while (end < text_.size()) {
      if (is_triple ? text_.substr(end).starts_with(triple) : text_[end] == quote || text_[end] == '\n') break;
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, text_.size());
    const std::string_view content = text_.substr(start, end - start);
    const bool versioned = content.find_first_of("<>=~@") != kNowhere;
    if (!is_triple && (versioned || in_list())) add(found_, torch_requirement(trimmed(content)), line_);
    line_ += static_cast<std::uint32_t>(std::count(content.begin(), content.end(), '\n'));
    name_ = content;
    at_ = end;
    if (at_ < text_.size() && text_[at_] == quote) at_ += is_triple ? 3 : 1;
  }

  bool in_list() const { return !lists_.empty() && lists_.back(); }

  bool names_requirements() const {
    std::string name(name_.substr(0, 100));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return contains(name, "requir") || contains(name, "depend");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::string_view name_;    // the last name or key seen on this line
  std::vector<bool> lists_;  // of the open brackets: whether they hold requirements
  FoundTorch found_;
};

// "pytorch=2.1=py3.9_cuda*", "pytorch 2.1.* cuda*", "conda-forge::pytorch>=2.0,<3".
std::optional<std::uint32_t> conda_requirement(std::string_view item) {
  if (const std::size_t channel = item.find("::"); channel != kNowhere) item.remove_prefix(channel + 2);
  const std::size_t name_end = std::min(item.find_first_of(" \t<>=!~["), item.size());
  const std::string_view name = item.substr(0, name_end);
  if (name == "torch") return torch_requirement(item);
  if (name != "pytorch" && name != "pytorch-gpu" && name != "pytorch-cpu") return std::nullopt;
  std::string_view rest = trimmed(item.substr(name_end));
  const std::size_t version = std::min(rest.find_first_of("0123456789"), rest.size());
  const bool has_list = contains(rest, ",") || contains(rest, "|");
  // What follows a version and '=' or a space names a build.
  if (!has_list) rest = rest.substr(0, rest.find_first_of("= \t", version));
  return torch_specifier(rest).value_or(0);
}

}  // namespace

FoundTorch torch_in_requirements(std::string_view text) {
  FoundTorch found;
  std::string logical;
  std::uint32_t first = 0;
  const auto finish = [&] {
    const std::string_view line = trimmed(without_comment(logical));
    add(found, torch_requirement(line.substr(0, line.find(" --"))), first);
    logical.clear();
  };
  for_each_line(text, [&](std::string_view line, std::uint32_t number) {
    line = trimmed(line);
    if (logical.empty()) first = number;
    const bool goes_on = line.ends_with('\\') && !line.starts_with('#');
    if (goes_on) line.remove_suffix(1);
    logical += line;
    if (!goes_on) finish();
  });
  finish();
  return found;
}

FoundTorch torch_in_pyproject(std::string_view text) { return PyprojectReader().read(text); }

FoundTorch torch_in_setup_cfg(std::string_view text) {
  FoundTorch found;
  std::string_view section, key;
  for_each_line(text, [&](std::string_view line, std::uint32_t number) {
    const bool goes_on = starts_indented(line);
    std::string_view value = trimmed(without_comment(line));
    if (!goes_on && value.starts_with('[')) section = value;
    if (!goes_on) {
      const std::size_t sign = value.find_first_of("=:");
      key = trimmed(value.substr(0, sign));
      value = sign == kNowhere ? std::string_view() : value.substr(sign + 1);
    }
    if (contains(key, "requires") || contains(section, "extras_require")) add(found, torch_requirement(value), number);
  });
  return found;
}

FoundTorch torch_in_setup_py(std::string_view text) { return SetupReader(text).read(); }

FoundTorch torch_in_environment(std::string_view text) {
  FoundTorch found;
  bool in_dependencies = false;  // a channel may be called pytorch, too
  for_each_line(text, [&](std::string_view line, std::uint32_t number) {
    const bool is_top = !starts_indented(line);
    line = trimmed(without_comment(line));
    if (!line.starts_with('-')) {
      if (is_top && !line.empty()) in_dependencies = line.starts_with("dependencies");
      return;
    }
    line = trimmed(line.substr(1));
    const bool quoted = line.size() >= 2 && (line.front() == '"' || line.front() == '\'');
    if (quoted) line = trimmed(line.substr(1, line.size() - 2));
    if (in_dependencies) add(found, conda_requirement(line), number);
  });
  return found;
}

}  // namespace torchport
