// What torch's names give back, as far as the analyzer must know to tell a tensor from anything else. Facts of the public API of torch 2.13,
// unchanged since 1.0 as far as they are used here.
#pragma once

#include <string_view>

namespace torchport::python {

constexpr std::string_view kTensor = "torch.Tensor";
constexpr std::string_view kModule = "torch.nn.Module";

// The type under its usual name: "torch.Tensor" for torch.FloatTensor and torch.nn.Parameter, "torch.nn.Module" for torch.nn.Linear.
// Empty where the name is no type that we know.
std::string_view type_named(std::string_view path);
bool is_known_type(std::string_view path);
// Whether calling a module of torch of this class gives a tensor: not of those that give a tuple or whatever they are made of.
bool module_gives_tensor(std::string_view path);
// x.grad, x.data, x.T …: attributes of a tensor that are tensors.
bool is_tensor_attribute(std::string_view attribute);
// torch.float64, torch.double, torch.float8_e4m3fn …
bool is_dtype(std::string_view path);

}  // namespace torchport::python
