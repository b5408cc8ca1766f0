// The names of torch that a fix may write, from opdb/data/torch_names.tsv: since which release each exists and what it does on a host without
// any accelerator. Not the operators: those are Coverage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torchport {

struct TorchName {
  std::string_view name;   // dotted; a parameter as "torch.accelerator.current_accelerator(check_available=)"
  std::uint32_t since = 0; // 100 * major + minor of the first release; 0: older than 1.13
  std::uint32_t until = 0; // the last one that has it; 0: still there
  bool raises = false;     // where there is no accelerator
};

// "2.10" -> 210; nothing where it is no version.
std::optional<std::uint32_t> parse_torch_version(std::string_view text);
std::string torch_version_text(std::uint32_t version);
// For people: "1.8 and later (setup.py:3)", and what stays out of reach with a torch so old.
std::string oldest_torch_text(const std::string& version, const std::string& source);

// A table read once; sorted by name.
class TorchNames {
 public:
  // Throws Error with the line of a row that is not of the form.
  static TorchNames parse(std::string_view tsv, const std::string& path);
  const TorchName* find(std::string_view name) const;
  const std::vector<TorchName>& all() const { return rows_; }

 private:
  std::vector<TorchName> rows_;
};

// The table built in.
const TorchNames& torch_names();

}  // namespace torchport
