#include <yaml-cpp/yaml.h>

#include "analyzers/error.h"
#include "rules/load.h"

namespace torchport {
namespace {

// Scalars stay strings, but for plain true and false: a rule's texts are never numbers.
nlohmann::json convert(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map: {
      nlohmann::json map = nlohmann::json::object();
      map[kLineKey] = node.Mark().line + 1;
      for (const auto& entry : node) {
        const std::string key = entry.first.as<std::string>();
        if (map.contains(key)) throw YAML::ParserException(entry.first.Mark(), "the key \"" + key + "\" stands here twice");
        map[key] = convert(entry.second);
      }
      return map;
    }
    case YAML::NodeType::Sequence: {
      nlohmann::json list = nlohmann::json::array();
      for (const auto& item : node) list.push_back(convert(item));
      return list;
    }
    case YAML::NodeType::Scalar: {
      const std::string text = node.Scalar();
      if (node.Tag() == "?" && (text == "true" || text == "false")) return text == "true";
      return text;
    }
    default: return nullptr;
  }
}

}  // namespace

nlohmann::json yaml_to_json(const std::string& text, const std::string& path) {
  try {
    return convert(YAML::Load(text));
  } catch (const YAML::Exception& e) {
    throw Error(e.msg, path, static_cast<std::uint32_t>(e.mark.line + 1), "mend the YAML");
  }
}

}  // namespace torchport
