// Fixes of C++ findings that need no check of their own. Runs after all checks; touches findings without a fix only.
// They are made from tokens: what a name is called, what a variable is declared as, and every place where its function writes it. torchport-clang sends
// no edits (clang::tooling::Replacements): it parses against stubs, which know no more of torch's types than the names that are written, so that what it
// could add is a type behind `auto` or a project's alias. Such places are left, and fix gives the same with it and without.
#pragma once

#include "rules/context.h"

namespace torchport {

void rewrite_native(Context& context);

}  // namespace torchport
