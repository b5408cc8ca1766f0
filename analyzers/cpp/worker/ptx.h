// The instructions that a piece of inline PTX holds.
#pragma once

#include <set>
#include <string>

#include <llvm/ADT/StringExtras.h>

namespace torchport::worker {

// "{\n  .reg .pred p;\n @p mma.sync.aligned.m16n8k16.row.col.f32 {%0}, …;\n}": mma.sync.aligned.m16n8k16.row.col.f32
inline void add_instructions(llvm::StringRef text, std::set<std::string>& out) {
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(";\n");
    llvm::StringRef line = text.substr(0, end).trim(" \t\r{}");
    text = end == llvm::StringRef::npos ? llvm::StringRef() : text.substr(end + 1);
    if (line.consume_front("@")) line = line.substr(std::min(line.find_first_of(" \t"), line.size())).trim();
    const llvm::StringRef word = line.take_while([](char c) { return llvm::isAlnum(c) || c == '.' || c == '_' || c == ':'; });
    if (!word.empty() && llvm::isAlpha(word.front()) && !word.contains(':') && word.size() < 100) out.insert(word.str());
  }
}

}  // namespace torchport::worker
