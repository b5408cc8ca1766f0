// Runs one task per index on several threads, whose stacks are large enough for deeply nested sources. Which thread
// takes which index is left open, so a task may write only to what belongs to its index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace torchport {

// `waiting` is called by the calling thread about ten times a second. The first exception of a task ends the run and is
// thrown on.
void for_each_index(std::uint32_t threads, std::size_t count, const std::function<void(std::size_t)>& task,
                    const std::function<void(std::size_t done)>& waiting);

}  // namespace torchport
