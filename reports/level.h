// The words that formats for other programs share: how grave a finding is, and what is said of it.
#pragma once

#include <string>
#include <string_view>

#include "reports/report.h"

namespace torchport {

// "error" for blocks, "warning" for degrades, "note" for the rest.
std::string_view level_of(Impact impact);
// "neuron, tpu: blocks; xpu: degrades"; printable.
std::string impacts_text(const Finding& finding, const std::vector<Target>& targets);
// What, where it matters, why and what to do, in one line; printable.
std::string full_message(const Finding& finding, const std::vector<Target>& targets);
// From the top of the git work tree. Bytes as they are on the disk.
std::string_view tree_path(const FileEntry& file);
// As a reference in a URI: every byte that is not plain is %-encoded.
std::string uri_of(std::string_view path);

}  // namespace torchport
