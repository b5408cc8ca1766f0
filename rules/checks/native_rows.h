// The rows of rules/cpp/rewrites.yaml at a place: whether one fits, what it takes away and what it writes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/context.h"

namespace torchport {

inline constexpr std::string_view kAccelerator = "at::accelerator::getAccelerator(true).value()";
inline constexpr std::string_view kAcceleratorHeader = "ATen/DeviceAccelerator.h";
inline constexpr std::uint32_t kAcceleratorSince = 207;

// Whether the project's torch has what came with `since`.
bool torch_has(const Context& context, std::uint32_t since);

// The text of {stream 0} and its like: the kind of the place and its argument, nothing where it is left out.
using ObjectText = std::function<std::optional<std::string>(std::string_view kind, std::optional<Span> argument)>;

// Whether the row is about objects, which go with all that is done with them.
bool is_about_objects(const NativeRewrite& row);

std::optional<std::string> filled(const SourceFile& source, const NativeRewrite& row, const std::vector<Span>& args, const ObjectText& object);

// What the row takes away of a call; nothing where it does not fit the place.
std::optional<Span> replaced(const Context& context, const Use& use, const NativeRewrite& row);

std::vector<Span> argument_spans(const Use& use);

}  // namespace torchport
