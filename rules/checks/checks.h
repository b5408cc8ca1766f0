// The checks that need reasoning over more than one use: one function a check, one line a check in checks.cpp.
#pragma once

#include <string_view>

#include "rules/context.h"

namespace torchport {

bool is_check(std::string_view name);

// Whether the check looks at what the others found, and so runs after them.
bool is_late(std::string_view name);

// Runs the rule's check over the file; adds its findings to the context.
void run_check(Context& context, const Rule& rule);

void check_device_string(Context& context, const Rule& rule);
void check_device_comparison(Context& context, const Rule& rule);
void check_device_option(Context& context, const Rule& rule);
void check_device_choice(Context& context, const Rule& rule);
void check_cuda_module(Context& context, const Rule& rule);
void check_device_context(Context& context, const Rule& rule);
void check_nccl_backend(Context& context, const Rule& rule);
void check_cuda_method(Context& context, const Rule& rule);
void check_cuda_available(Context& context, const Rule& rule);
void check_ddp_device_ids(Context& context, const Rule& rule);
void check_device_properties(Context& context, const Rule& rule);
void check_cuda_seed(Context& context, const Rule& rule);
void check_pinned_tensor(Context& context, const Rule& rule);
void check_streams(Context& context, const Rule& rule);
void check_tensor_type(Context& context, const Rule& rule);
void check_tensor_of_data(Context& context, const Rule& rule);
void check_load_location(Context& context, const Rule& rule);
void check_op_support(Context& context, const Rule& rule);
void check_dtype(Context& context, const Rule& rule);
void check_dtype_choice(Context& context, const Rule& rule);
void check_sparse(Context& context, const Rule& rule);
void check_dynamic_shape(Context& context, const Rule& rule);
void check_integer_device(Context& context, const Rule& rule);
void check_native_kernel(Context& context, const Rule& rule);
void check_native_declaration(Context& context, const Rule& rule);
void check_cuda_registration(Context& context, const Rule& rule);
void check_cuda_guard(Context& context, const Rule& rule);
void check_cuda_tensor(Context& context, const Rule& rule);
void check_tensor_cuda_method(Context& context, const Rule& rule);
void check_legacy_data(Context& context, const Rule& rule);
void check_legacy_type(Context& context, const Rule& rule);
void check_cuda_header(Context& context, const Rule& rule);

}  // namespace torchport
