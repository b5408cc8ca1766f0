// Lists of words that decide which files are read: kept sorted, and markers as few as serve.
#pragma once

#include <string>
#include <vector>

namespace torchport {

void sort_unique(std::vector<std::string>& list);

// Sorts, and drops each marker that another one is part of, since it is found with that.
void keep_least(std::vector<std::string>& markers);

}  // namespace torchport
