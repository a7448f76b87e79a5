// Result types of a call of PyTorch as LibTorch itself says them: for operators that there is no row for, so that
// nothing here could infer them.
//
// LibTorch's own kernels take sizes as numbers, so where sizes are symbols the operator is asked at several choices of
// them. A size of a result is then a polynomial in symbols, or the smaller or larger of two sizes of operands,
// that is right at every one of these, more and others than the ones it follows from; where there is none, the call is
// refused. What evaluates a `torch.call` holds each
// result against its type, so that a size which is otherwise somewhere else is an error and no wrong number.
#pragma once

#include <vector>

#include "import/program/convert.h"
#include "plugin/plugin.h"

namespace mlgc::python {

// Of a node whose tensors and integers the scope knows, laid out flat. Error: why not, of
// kNoCallKinds and without location.
[[nodiscard]] Result<std::vector<Type>, Diagnostic> torch_result_types(const TorchPlugin& plugin, const AtenOp& op,
                                                                       program::GraphScope& scope,
                                                                       const program::Node& node);

}  // namespace mlgc::python
