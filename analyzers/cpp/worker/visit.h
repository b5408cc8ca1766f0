// Walks over the declarations of one parse and writes down what they tell.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclGroup.h>
#include <clang/Basic/SourceManager.h>

#include "analyzers/cpp/worker/parse.h"

namespace torchport::worker {

// What the preprocessor saw, in the order of expansion.
struct Expanded {
  struct Word {
    clang::SourceLocation use;   // where the macro is used from which it comes
    std::string text;
  };
  std::vector<Word> words;
  std::vector<std::pair<clang::SourceRange, std::string>> dispatches;
};

// The file of the repository and the byte in it; nothing for the stubs and for what macros pasted together.
std::optional<At> place(const clang::SourceManager& sources, clang::SourceLocation spelled);

void visit(clang::ASTContext& context, const std::vector<clang::Decl*>& declarations, const Expanded& expanded, const Wanted& wanted, Facts& facts);

}  // namespace torchport::worker
