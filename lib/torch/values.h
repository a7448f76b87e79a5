// Arguments of the C ABI as LibTorch's boxed values, and results back.
//
// Guarantees: a value is converted by the type that the schema states, and nothing else; what does not fit throws
// std::invalid_argument with the parameter's name.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <vector>

#include "plugin/plugin_api.h"

// What the ABI hands around; only pointers to it leave the plug-in.
struct mlgc_torch_tensor {
  at::Tensor tensor;
};

namespace mlgc_torch {

// Nothing for an element type that mlgc does not have.
at::ScalarType scalar_type(std::int32_t dtype);
bool dtype_of(at::ScalarType type, std::int32_t& dtype);

std::int32_t kind_of(const c10::Argument& parameter);
c10::IValue to_ivalue(const mlgc_torch_argument& argument, const c10::Argument& parameter);
// The value with tensors of the meta device, in lists too, as zeros on the CPU.
c10::IValue with_zeros(const c10::IValue& value);
// Appends the tensors of a result: itself, the items of a tuple or list, a number as a tensor of rank 0.
void append_results(const c10::IValue& value, std::vector<at::Tensor>& out);

}  // namespace mlgc_torch
