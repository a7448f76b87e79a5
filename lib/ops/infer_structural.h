// Result types of rows without a formula, from attributes, symbols and regions.
#pragma once

#include <vector>

#include "diag/diagnostic.h"
#include "ir/type.h"
#include "support/result.h"

namespace mlgc {

class InferContext;
using InferredTypes = Result<std::vector<Type>, Diagnostic>;

InferredTypes infer_constant(const InferContext& in);
InferredTypes infer_dim(const InferContext& in);
// The next need InferContext::op(): a symbol of its module, or its regions.
InferredTypes infer_read(const InferContext& in);
InferredTypes infer_call(const InferContext& in);     // the callee's sizes are matched with the operands'
InferredTypes infer_if(const InferContext& in);       // what the first region yields
InferredTypes infer_carried(const InferContext& in);  // the operands' types
InferredTypes infer_scan(const InferContext& in);
InferredTypes infer_fusion(const InferContext& in);  // what the region yields

}  // namespace mlgc
