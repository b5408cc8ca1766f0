// Which names speak of a device: `device`, `self.device`, `map_location`, `teacher_device`. A guess by spelling, for places where no value
// is known.
#pragma once

#include <string_view>

namespace torchport {

bool device_like_name(std::string_view name);

}  // namespace torchport
