#include "rules/rule.h"

namespace torchport {

std::string_view name_of(Impact impact) {
  constexpr std::string_view kNames[] = {"none", "cosmetic", "degrades", "blocks"};
  return kNames[static_cast<std::size_t>(impact)];
}

std::string_view name_of(Applicability applicability) {
  constexpr std::string_view kNames[] = {"safe", "review", "manual"};
  return kNames[static_cast<std::size_t>(applicability)];
}

std::string_view name_of(Effort effort) {
  constexpr std::string_view kNames[] = {"trivial", "small", "medium", "large", "redesign"};
  return kNames[static_cast<std::size_t>(effort)];
}

}  // namespace torchport
