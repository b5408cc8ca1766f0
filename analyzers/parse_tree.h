// A parse of tree-sitter, whatever the language.
#pragma once

#include <tree_sitter/api.h>

#include <memory>
#include <string_view>

#include "analyzers/parse_memory.h"

namespace torchport {

struct TreeDelete {
  void operator()(TSTree* tree) const {
    if constexpr (!kTreesFreeThemselves) ts_tree_delete(tree);
  }
};
using TreeOwner = std::unique_ptr<TSTree, TreeDelete>;

// Within the life of a ParseMemory, and so is the tree. Null where the text costs more steps than real code does.
TreeOwner parse_tree(const TSLanguage* language, std::string_view text);

}  // namespace torchport
