// A kernel's finding in full, once all files are known: its class, what it needs, who launches it, and by which operators it is reached.
#pragma once

#include "analyzers/native_project.h"
#include "rules/finding.h"
#include "rules/kernel_table.h"

namespace torchport {

// Names of the features that the bits stand for; one that counts only beside others is left out without them, hidden ones are where asked for.
std::vector<std::string> features_of(const KernelTable& table, std::uint64_t bits, bool hidden);

// The first row that fits a kernel of that name with these features; null: unknown.
const KernelClassRow* class_row_of(const KernelTable& table, std::string_view kernel, const std::vector<std::string>& features);

// Does nothing to findings that need no other file: of kernels, and of questions whether a tensor is CUDA's, which are right where the function
// leads to a launch; of launches; of members whose type Clang knows. `file`: the number of its file in the project;
// `line`: where the finding stands.
void settle_native(const KernelTable& table, const NativeProject& project, std::size_t file, std::uint32_t line, Finding& finding);

}  // namespace torchport
