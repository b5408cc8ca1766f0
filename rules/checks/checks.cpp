#include "rules/checks/checks.h"

#include <array>

namespace torchport {
namespace {

struct Row {
  std::string_view name;
  void (*run)(Context&, const Rule&);
  bool late;
};

constexpr std::array kChecks = std::to_array<Row>({
    {"none", nullptr, false},  // found elsewhere: by run.cpp, allows.cpp
    {"device_string", check_device_string, false},
    {"device_comparison", check_device_comparison, true},
    {"device_option", check_device_option, false},
    {"device_choice", check_device_choice, false},
    {"cuda_method", check_cuda_method, false},
    {"cuda_module", check_cuda_module, false},
    {"device_context", check_device_context, false},
    {"nccl_backend", check_nccl_backend, false},
    {"cuda_available", check_cuda_available, true},
    {"ddp_device_ids", check_ddp_device_ids, false},
    {"device_properties", check_device_properties, false},
    {"cuda_seed", check_cuda_seed, false},
    {"pinned_tensor", check_pinned_tensor, false},
    {"streams", check_streams, false},
    {"tensor_type", check_tensor_type, false},
    {"tensor_of_data", check_tensor_of_data, false},
    {"load_location", check_load_location, false},
    {"op_support", check_op_support, false},
    {"dtype", check_dtype, false},
    {"dtype_choice", check_dtype_choice, false},
    {"sparse", check_sparse, false},
    {"dynamic_shape", check_dynamic_shape, false},
    {"integer_device", check_integer_device, false},
    {"native_kernel", check_native_kernel, false},
    {"native_declaration", check_native_declaration, false},
    {"cuda_registration", check_cuda_registration, false},
    {"cuda_guard", check_cuda_guard, false},
    {"cuda_tensor", check_cuda_tensor, false},
    {"tensor_cuda_method", check_tensor_cuda_method, false},
    {"legacy_data", check_legacy_data, false},
    {"legacy_type", check_legacy_type, false},
    {"cuda_header", check_cuda_header, false},
});

}  // namespace

bool is_check(std::string_view name) {
  for (const Row& row : kChecks) {
    if (row.name == name) return true;
  }
  return false;
}

bool is_late(std::string_view name) {
  for (const Row& row : kChecks) {
    if (row.name == name) return row.late;
  }
  return false;
}

void run_check(Context& context, const Rule& rule) {
  for (const Row& row : kChecks) {
    if (row.name == rule.check && row.run != nullptr) return row.run(context, rule);
  }
}

}  // namespace torchport
