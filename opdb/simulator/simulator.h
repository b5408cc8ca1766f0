// The simulated accelerator: host memory under PyTorch's PrivateUse1 key. What its parts share; kernels.cpp, fused.cpp, autocast.cpp, memory.cpp and runtime.cpp fill it in.
// It shows where a program leaves the device or mixes devices. It is not a model of any chip's speed, limits or numerics.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Device.h>

#include <string_view>

namespace torchport::simulator {

constexpr auto kDeviceType = c10::DeviceType::PrivateUse1;
constexpr c10::DeviceIndex kDeviceCount = 1;

// Raises what PyTorch raises for a device that is not there.
void check_index(c10::DeviceIndex index);

// Device memory, with a cache and the statistics that torch.accelerator reports.
c10::DeviceAllocator& device_allocator();
// Host memory that Tensor.pin_memory() hands out, and whether an address lies in it.
c10::Allocator& pinned_allocator();
bool is_pinned(const void* data);

// A device generator is a CPU generator under the device's name: the CPU kernels that compute for the device draw from it.
at::Generator new_generator(c10::DeviceIndex index);
const at::Generator& default_generator();
at::Generator host_side(const at::Generator& generator);

// The same memory as a CPU tensor.
at::Tensor as_host(const at::Tensor& tensor);
// Raises where tensors of the host, other than single numbers, come together with the device's.
void check_same_device(c10::ArrayRef<at::Tensor> tensors, std::string_view op);

}  // namespace torchport::simulator
