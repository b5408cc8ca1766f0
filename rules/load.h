// YAML rows into rules, refused early. Reading YAML (slow, at build time and for --rules) and making rules of it (quick, at every start) are
// two steps with JSON between them, so that the rules built in are parsed once, when torchport is built.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rules/catalogue.h"

namespace torchport {

// The key under which every map carries its line.
constexpr const char* kLineKey = "@line";

// Throws Error with file:line where the text is no YAML.
nlohmann::json yaml_to_json(const std::string& text, const std::string& path);

// Adds the rules and device places of one parsed file. `own`: a user's rule, whose id may not begin with "TP". Throws Error with file:line.
void add_document(Catalogue& catalogue, const nlohmann::json& document, const std::string& path, bool own);

// When all documents are in: sorts, refuses duplicates, and derives what the analyzers must look for.
void finish_catalogue(Catalogue& catalogue);

}  // namespace torchport
