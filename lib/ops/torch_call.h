// `torch.call`: an operator of PyTorch that has no row, by its schema name.
//
//     %y = torch.call %x, %s {arguments = [[2, 3], [3, 1], 0], parameters = ["self", "src", "size", "stride",
//                             "storage_offset"], target = "aten::as_strided_scatter"} : tensor<2x3xf32>
//
// `parameters` names the schema's parameters that first the operands and then the arguments are given to; what is left
// out takes the schema's default. `indices[2]` is item 2 of a list of tensors; items between that no operand is given
// to are None. An argument is a number, a bool, a string, a dtype, a list of numbers or bools, or `none`; sizes may
// stand in it.
//
// It is the one op that computes with complex tensors. A complex number among the arguments is the list of its two
// parts, which no schema takes in a number's place otherwise.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "ir/handles.h"
#include "ops/infer_structural.h"

namespace mlgc {

struct TorchParameter {
  std::string_view name;
  std::optional<std::size_t> item;  // of a list
};
// `self` or `indices[2]`. Nothing when it is neither.
[[nodiscard]] std::optional<TorchParameter> read_torch_parameter(std::string_view text);

// `aten::add.Tensor`.
[[nodiscard]] std::string_view torch_target(OpRef call);

// The types are those that the text states: what the operator computes is for PyTorch to say.
InferredTypes infer_torch_call(const InferContext& in);

}  // namespace mlgc
