// Device strings: which texts name a CUDA device, and how a fix writes another in their place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/context.h"

namespace torchport {

// "cuda", "cuda:1", and the constant beginnings of "cuda:{}" and f"cuda:{rank}" (partial).
bool is_cuda_device(std::string_view text, bool partial);
// The number after "cuda:", -1 where there is none.
int device_index(std::string_view text);
// Whether the file chooses among several devices by index, so that "cuda" and "cuda:0" may differ.
bool uses_indices(const FileFacts& facts);

// Whether what stands at `given` is an argument of a call that takes a torch.device as well as a string.
bool takes_device(const Context& context, Span given);

// The fix of a string constant that stands where a device is given; nothing where none is sure to be right.
std::optional<Fix> device_string_fix(const Context& context, const Use& use);

}  // namespace torchport
