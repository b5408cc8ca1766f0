// Numbers as the pages of reports show them.
#pragma once

#include <string>
#include <string_view>

#include "reports/document.h"

namespace torchport {

using Data = nlohmann::json;

struct StepWords {
  std::string_view files, ties;
};
constexpr StepWords kStepWords[kStepCount] = {{"nothing found", "harmless there"}, {"after fix", "safe fix"},
                                              {"after a review", "review fix"},  {"after work by hand", "by hand"},
                                              {"after redesign", "redesign"},    {"not fully understood", "unknown"}};

// "0.3", "4.5", "28".
std::string hours_text(double hours);
std::string number_text(double value, const char* format = "%.1f");
// Percents, without the sign.
std::string share_text(double share);
std::string percent_text(std::uint64_t n, std::uint64_t total);
// {"low", "likely", "high"} as texts.
Data hours_data(const Json& hours);
// A part of a bar; `filter` empty: no findings stand behind it.
Data segment(std::string_view kind, std::string_view label, std::uint64_t n, std::uint64_t total,
             const std::string& filter);
// The bar of one of readiness' counts.
Data step_bar(const Json& counts, const std::string& target, bool files);

}  // namespace torchport
