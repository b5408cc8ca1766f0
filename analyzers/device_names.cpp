#include "analyzers/device_names.h"

#include <cctype>
#include <string>

namespace torchport {
namespace {

bool ends(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

}  // namespace

bool device_like_name(std::string_view name) {
  // Most names are rejected here, and every name of a file is asked.
  const bool may = name.ends_with("map_location") || name.ends_with("MAP_LOCATION") || name.find("dev") != std::string_view::npos ||
                   name.find("Dev") != std::string_view::npos || name.find("DEV") != std::string_view::npos;
  if (!may) return false;
  std::string low;
  for (const char c : name) low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  low = low.substr(low.rfind('.') == std::string::npos ? 0 : low.rfind('.') + 1);
  const std::size_t start = low.find_first_not_of('_');
  if (start != std::string::npos) low = low.substr(start);
  // Booleans and lists about devices are no devices.
  for (const std::string_view word : {"devices", "device_ids", "device_count", "device_id", "device_index", "device_mesh", "num_device"}) {
    if (low.find(word) != std::string::npos) return false;
  }
  if (low.rfind("is_", 0) == 0 || low.rfind("has_", 0) == 0 || low.rfind("use_", 0) == 0) return false;
  return low == "dev" || low == "device" || low == "map_location" || low.rfind("device_", 0) == 0 || ends(low, "_device") || ends(low, "_dev") ||
         low.find("device_type") != std::string::npos || low.find("device_name") != std::string::npos || low.find("_device_") != std::string::npos;
}

}  // namespace torchport
