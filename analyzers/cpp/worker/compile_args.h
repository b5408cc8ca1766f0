// What a compile_commands.json says of a file that matters to a parse without a toolkit: macros, and folders to look for headers in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <clang/Tooling/CompilationDatabase.h>

namespace torchport::worker {

// Null where the folder has none that can be read.
std::unique_ptr<clang::tooling::CompilationDatabase> database_in(const std::string& folder);

// -D, -U, and -I with absolute folders; of folders outside the repository nothing can be read anyhow.
std::vector<std::string> arguments_for(const clang::tooling::CompilationDatabase& database, const std::string& file);

}  // namespace torchport::worker
