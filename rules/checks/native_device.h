// CUDA named as a device, and guards that are given an index of one: the device of a tensor parameter takes the place, else the accelerator's.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/context.h"

namespace torchport {

// The variable of that name in the function of the use; null: none, or several.
const NativeVariable* native_variable(const Context& context, const Use& use, std::string_view name);

// The last name of a variable's type where it is no template, pointer or array: "Tensor" of "const at::Tensor&".
std::string_view native_type(const Context& context, const NativeVariable& variable);

// torch::kCUDA where a device is taken.
std::optional<Fix> device_fix(const Context& context, const Use& use);

// CUDAGuard of an index or of a variable. Without `host_only`, what holds beside kernels too. `with_members`: see names_with_members.
std::optional<Fix> guard_fix(const Context& context, const Use& use, bool host_only, const std::set<std::string_view>& with_members);

// What a guard of a device becomes, with what it is given.
std::optional<Fix> device_guard(const Context& context, const Use& use, Applicability applicability, std::string_view device, std::vector<std::string> headers = {});

}  // namespace torchport
