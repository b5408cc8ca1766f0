#include "reports/page.h"

#include <kainjow/mustache.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "embedded_templates.h"

namespace torchport {
namespace {

namespace mustache = kainjow::mustache;

mustache::data to_data(const nlohmann::json& json) {
  switch (json.type()) {
    case nlohmann::json::value_t::object: {
      mustache::data object(mustache::data::type::object);
      for (const auto& [key, value] : json.items()) object.set(key, to_data(value));
      return object;
    }
    case nlohmann::json::value_t::array: {
      mustache::data list(mustache::data::type::list);
      for (const nlohmann::json& item : json) list.push_back(to_data(item));
      return list;
    }
    case nlohmann::json::value_t::string:
      return {json.get<std::string>()};
    case nlohmann::json::value_t::boolean:
      return {json.get<bool>()};
    case nlohmann::json::value_t::null:
      return {false};
    default:
      return {json.dump()};
  }
}

// What Markdown would read as its own, what HTML would, and the sign that calls people.
std::string escape_markdown(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '@':
        safe += "&#64;";
        break;
      case '\n':
      case '\r':
      case '\t':
        safe += ' ';
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '~':
      case '#':
        safe += '\\';
        [[fallthrough]];
      default:
        safe += c;
    }
  }
  return safe;
}

std::string_view template_named(std::string_view name) {
  const std::string ending = "/" + std::string(name) + ".mustache";
  for (const EmbeddedFile& file : embedded_templates()) {
    if (std::string_view(file.path).ends_with(ending)) return file.bytes;
  }
  throw std::logic_error("no template " + std::string(name));
}

}  // namespace

void render(std::string_view name, const nlohmann::json& data, Markup markup, const Sink& sink) {
  mustache::mustache page{std::string(template_named(name))};
  if (!page.is_valid()) throw std::logic_error(std::string(name) + ": " + page.error_message());
  if (markup == Markup::Markdown) page.set_custom_escape(escape_markdown);
  mustache::data filled = to_data(data);
  filled.set("style", mustache::partial([] { return std::string(template_named("style.css")); }));
  filled.set("script", mustache::partial([] { return std::string(template_named("script.js")); }));
  filled.set("listing", mustache::partial([] { return std::string(template_named("listing.html")); }));
  page.render(filled, [&sink](const std::string& piece) { sink(piece); });
}

}  // namespace torchport
