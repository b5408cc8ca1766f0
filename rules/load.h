// YAML rows into rules, refused early: at build time for the rules built in (see compiled.h), at run time for --rules. YAML becomes JSON
// first, so that yaml-cpp stays in one file.
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
