// Drives clang over one file of the repository, as device code, to the end however many errors there are. Not for several files at the same time.
#pragma once

#include <string>
#include <vector>

#include <llvm/ADT/StringSet.h>

#include "analyzers/cpp/worker/facts.h"
#include "analyzers/cpp/worker/repository.h"

namespace torchport::worker {

struct Wanted {
  llvm::StringSet<> words, members;    // names
  std::vector<std::string> prefixes;   // beginnings of names
};

// Fills Repository::precompiled. Gives what clang said of the stubs; empty: nothing.
std::string precompile(Repository& repository);

Facts parse(const Repository& repository, std::uint32_t file, const Wanted& wanted, const std::vector<std::string>& arguments);

}  // namespace torchport::worker
