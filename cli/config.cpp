#include "cli/config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "analyzers/error.h"
#include "cli/nearest.h"
#include "cli/write_file.h"

namespace torchport {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = "torchport.yaml";

fs::path absolute_folder(const std::string& path) {
  std::error_code error;
  fs::path folder = fs::weakly_canonical(fs::absolute(path.empty() ? "." : path), error);
  if (error) folder = fs::absolute(path).lexically_normal();
  return fs::is_directory(folder, error) ? folder : folder.parent_path();
}

bool is_above(const fs::path& upper, const fs::path& lower) {
  return std::mismatch(upper.begin(), upper.end(), lower.begin(), lower.end()).first == upper.end();
}

class ConfigReader {
 public:
  explicit ConfigReader(std::string file) { config_.file = std::move(file); }

  Config read(const YAML::Node& top) {
    if (top.IsNull()) return config_;
    for_keys(top, "torchport.yaml",
             [this](std::string_view key, const YAML::Node& value) {
               if (key == "targets")
                 config_.targets = words(value, key);
               else if (key == "include")
                 config_.include = words(value, key);
               else if (key == "exclude")
                 config_.exclude = words(value, key);
               else if (key == "rules")
                 read_rules(value);
               else if (key == "allow")
                 read_allow(value);
               else if (key == "gate")
                 read_gate(value);
               else if (key == "effort")
                 read_effort(value);
               else if (key == "min_torch")
                 config_.min_torch = word(value, key);
               else if (key == "jobs")
                 config_.jobs = number(value, key);
               else
                 config_.vendored = boolean(value, key);
             },
             {"targets", "include", "exclude", "rules", "allow", "min_torch", "jobs", "vendored", "gate", "effort"});
    return config_;
  }

 private:
  static std::uint32_t line_of(const YAML::Node& node) {
    return node.Mark().is_null() ? 0 : static_cast<std::uint32_t>(node.Mark().line) + 1;
  }

  [[noreturn]] void fail(const YAML::Node& node, const std::string& message, const std::string& hint = {}) const {
    throw Error(message, config_.file, line_of(node), hint);
  }

  template <typename Take>
  void for_keys(const YAML::Node& map, std::string_view what, Take take,
                const std::vector<std::string_view>& known) const {
    if (!map.IsMap()) fail(map, std::string(what) + " must be a map of keys and values");
    std::vector<std::string> seen;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) fail(entry.first, "a key must be a word");
      const std::string& key = entry.first.Scalar();
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        std::string all;
        for (const std::string_view name : known) all += (all.empty() ? "" : ", ") + std::string(name);
        const std::string meant = did_you_mean(key, known);
        fail(entry.first, "unknown key \"" + key + "\"", meant.empty() ? "known are " + all : meant);
      }
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) fail(entry.first, "key \"" + key + "\" stands twice");
      seen.push_back(key);
      take(key, entry.second);
    }
  }

  Setting word(const YAML::Node& node, std::string_view key) const {
    if (!node.IsScalar() || node.Scalar().empty()) fail(node, "\"" + std::string(key) + "\" must be one word");
    return {node.Scalar(), line_of(node)};
  }

  std::vector<Setting> words(const YAML::Node& node, std::string_view key) const {
    std::vector<Setting> all;
    if (node.IsScalar()) return {word(node, key)};
    if (!node.IsSequence()) fail(node, "\"" + std::string(key) + "\" must be a list of words");
    for (const auto& item : node) {
      if (!item.IsScalar() || item.Scalar().empty()) fail(item, "\"" + std::string(key) + "\" must be a list of words");
      all.push_back({item.Scalar(), line_of(item)});
    }
    return all;
  }

  Setting number(const YAML::Node& node, std::string_view key) const {
    Setting setting = word(node, key);
    std::uint32_t value = 0;
    const char* end = setting.text.data() + setting.text.size();
    const auto parsed = std::from_chars(setting.text.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end)
      fail(node, "\"" + std::string(key) + "\" must be a whole number");
    return setting;
  }

  Setting boolean(const YAML::Node& node, std::string_view key) const {
    Setting setting = word(node, key);
    if (setting.text != "true" && setting.text != "false")
      fail(node, "\"" + std::string(key) + "\" must be true or false");
    return setting;
  }

  void read_rules(const YAML::Node& node) {
    for_keys(node, "\"rules\"",
             [this](std::string_view key, const YAML::Node& value) {
               (key == "disable" ? config_.disable : config_.only) = words(value, key);
             },
             {"disable", "only"});
  }

  void read_gate(const YAML::Node& node) {
    for_keys(node, "\"gate\"",
             [this](std::string_view key, const YAML::Node& value) {
               if (key == "fail_on")
                 config_.fail_on = words(value, key);
               else if (key == "max_ties")
                 config_.max_ties = number(value, key);
               else
                 config_.ratchet = boolean(value, key);
             },
             {"fail_on", "max_ties", "ratchet"});
  }

  void read_effort(const YAML::Node& node) {
    if (!node.IsMap()) fail(node, "\"effort\" must be a map of classes and hours", "as fix-review: [0.05, 0.2, 0.5]");
    for (const auto& entry : node) {
      Setting name = word(entry.first, "effort");
      for (const EffortSetting& other : config_.effort) {
        if (other.name.text == name.text) fail(entry.first, "\"" + name.text + "\" is given twice", "leave one");
      }
      std::vector<Setting> hours = words(entry.second, name.text);
      config_.effort.push_back({std::move(name), std::move(hours)});
    }
  }

  void read_allow(const YAML::Node& node) {
    if (!node.IsSequence()) fail(node, "\"allow\" must be a list", "each entry has path, rules and why");
    for (const auto& item : node) {
      Allowance allowance;
      allowance.line = line_of(item);
      for_keys(item, "an entry of \"allow\"",
               [&](std::string_view key, const YAML::Node& value) {
                 if (key == "path")
                   allowance.path = word(value, key).text;
                 else if (key == "rules")
                   allowance.rules = words(value, key);
                 else
                   allowance.why = word(value, key).text;
               },
               {"path", "rules", "why"});
      if (allowance.path.empty()) fail(item, "an entry of \"allow\" needs a path");
      if (allowance.path.starts_with("./")) allowance.path.erase(0, 2);
      config_.allow.push_back(std::move(allowance));
    }
  }

  Config config_;
};

}  // namespace

std::optional<std::string> work_tree(const std::string& path) {
  std::error_code error;
  for (fs::path folder = absolute_folder(path);; folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", error)) return folder.string();
    if (folder == folder.root_path()) return std::nullopt;
  }
}

std::optional<std::string> find_config(const std::string& root) {
  std::error_code error;
  fs::path folder = absolute_folder(root);
  fs::path top = folder;
  const fs::path here = fs::current_path(error);
  if (const auto tree = work_tree(root)) {
    top = *tree;
  } else if (!error && is_above(here, folder)) {
    top = here;
  }
  for (;; folder = folder.parent_path()) {
    const fs::path file = folder / kFileName;
    if (fs::exists(file, error)) {
      const fs::path shown = is_above(here, file) ? file.lexically_relative(here) : file;
      return shown.string();
    }
    if (folder == top || folder == folder.root_path()) return std::nullopt;
  }
}

Config parse_config(std::string_view text, const std::string& file) {
  try {
    return ConfigReader(file).read(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& error) {
    const auto line = error.mark.is_null() ? 0 : static_cast<std::uint32_t>(error.mark.line) + 1;
    throw Error("not valid YAML: " + error.msg, file, line);
  }
}

Config load_config(const std::string& file) {
  Config config = parse_config(read_file(file), file);
  config.folder = absolute_folder(file).string();
  return config;
}

}  // namespace torchport
