// The tables under rules/cpp: names to look for in C++ and CUDA, features and classes of kernels. See rules/README.md for their form.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "rules/catalogue.h"

namespace torchport {

// Takes one key of a document that is a map; false where the key is of no such table. Throws Error with file:line.
bool add_native_table(Catalogue& catalogue, const std::string& key, const nlohmann::json& rows, const std::string& path);

// A name of a rule's `cpp:` becomes one that the analyzer looks for.
void add_native_name(NativeInterest& interest, std::string_view symbol);

// When all documents are in: sorts, and derives the markers.
void finish_native(NativeInterest& interest);

}  // namespace torchport
