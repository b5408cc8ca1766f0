#include "reports/page_data.h"

#include <array>
#include <cstdio>

namespace torchport {

std::string number_text(double value, const char* format) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string share_text(double share) {
  // Neither all nor none is said of what is not.
  if (share > 0 && share < 0.01) return "<1";
  if (share < 1 && share > 0.99) return ">99";
  return number_text(100 * share, "%.0f");
}

std::string percent_text(std::uint64_t n, std::uint64_t total) {
  return share_text(total == 0 ? 0 : static_cast<double>(n) / static_cast<double>(total));
}

Data hours_data(const Json& hours) {
  return {{"low", hours_text(hours.value("low", 0.0))},
          {"likely", hours_text(hours.value("likely", 0.0))},
          {"high", hours_text(hours.value("high", 0.0))}};
}

Data segment(std::string_view kind, std::string_view label, std::uint64_t n, std::uint64_t total,
             const std::string& filter) {
  return {{"kind", kind},
          {"label", label},
          {"n", n},
          {"percent", percent_text(n, total)},
          {"width", number_text(total == 0 ? 0 : 100.0 * static_cast<double>(n) / static_cast<double>(total), "%.2f")},
          {"filter", filter.empty() ? Data(false) : Data(filter)}};
}

Data step_bar(const Json& counts, const std::string& target, bool files) {
  Data segments = Data::array();
  const std::uint64_t total = counts.value("total", std::uint64_t{0});
  for (std::size_t i = 0; i < kStepCount; ++i) {
    const std::string step(kStepNames[i]);
    const std::uint64_t n = counts.value(step, std::uint64_t{0});
    if (n == 0) continue;
    const bool has_rows = !files || (i != 0 && step != "unknown");
    segments.push_back(segment(step, files ? kStepWords[i].files : kStepWords[i].ties, n, total,
                               has_rows            ? target + (files ? ":file-" : ":") + step
                               : step == "unknown" ? "f:file"
                                                   : std::string()));
  }
  if (!segments.empty()) segments.back()["last"] = true;
  return {{"what", files ? "files" : "ties"}, {"total", total}, {"segments", std::move(segments)}};
}

std::string hours_text(double hours) {
  if (hours >= 9.95) return number_text(hours, "%.0f");
  std::string text = number_text(hours, "%.1f");
  if (hours > 0 && text == "0.0") return "<0.1";
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace torchport
