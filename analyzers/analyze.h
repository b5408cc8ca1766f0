// Source in, facts out: picks the analyzer by the file's name. Never throws on bad source; what could not be understood is in the status.
#pragma once

#include "analyzers/facts.h"
#include "analyzers/source.h"

namespace torchport {

// By extension (.py .pyi .pyw; .cu .cuh .cpp .cc .cxx .h .hpp .inl .hip) or, for a file without one, by a `#!…python` line in `head` (its first bytes; may be empty).
Language language_of(std::string_view path, std::string_view head);

// The source must outlive the facts.
FileFacts analyze(const SourceFile& source, Language language, const Interest& interest);

// The offset of the first place where `text` cannot be parsed, if any; for checking rewritten files.
std::optional<std::uint32_t> first_syntax_error(std::string_view text, Language language);
// How many such places there are.
std::uint32_t count_syntax_errors(std::string_view text, Language language);

}  // namespace torchport
