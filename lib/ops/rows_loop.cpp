// The types of the loop level's results, and its rows as the op table wants them.
#include "ops/rows_loop.h"

#include <algorithm>

#include "diag/kinds_ops.h"
#include "loopir/loop_op_definitions.h"
#include "loopir/subscripts.h"
#include "ops/infer_structural.h"
#include "ops/instantiate_op.h"
#include "ops/row_check.h"

namespace mlgc {

InferredTypes infer_load(const InferContext& in) {
  TypePool& types = in.context().types();
  return std::vector<Type>{types.scalar(types.dtype(in.operands()[0]))};
}
InferredTypes infer_store(const InferContext& in) {
  TypePool& types = in.context().types();
  const Type value = in.operands()[0], element = types.scalar(types.dtype(in.operands()[1]));
  if (value != element)
    return Failure{diagnose<kDtypeMismatch>({}, in.def().name, types.print(value), types.print(element))};
  return std::vector<Type>();
}
InferredTypes infer_apply(const InferContext& in) { return std::vector<Type>{in.context().types().scalar(Dtype::I64)}; }
InferredTypes infer_guard(const InferContext& in) { return std::vector<Type>{in.context().types().scalar(Dtype::I1)}; }
InferredTypes infer_literal(const InferContext& in) {
  return std::vector<Type>{in.context().types().scalar(*in.context().attributes().as_dtype(in.attr("dtype")))};
}
InferredTypes infer_fma(const InferContext& in) {
  TypePool& types = in.context().types();
  const Type only = types.scalar(Dtype::F32);
  for (const Type operand : in.operands())
    if (operand != only) return Failure{diagnose<kDtypeUnsupported>({}, in.def().name, types.print(operand))};
  return std::vector<Type>{only};
}
InferredTypes infer_bits(const InferContext& in) {
  TypePool& types = in.context().types();
  const Type of = in.operands()[0];
  if (of == types.scalar(Dtype::F32)) return std::vector<Type>{types.scalar(Dtype::I32)};
  if (of == types.scalar(Dtype::F64)) return std::vector<Type>{types.scalar(Dtype::I64)};
  return Failure{diagnose<kDtypeUnsupported>({}, in.def().name, types.print(of))};
}
// Results have the types of what they start as; values of the bounds are operands before those.
InferredTypes infer_for(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_for: no op");
  const std::size_t bounds = subscripts_of(in.op()).size();
  if (bounds != 2 && bounds != 3)
    return Failure{diagnose<kAttributeValue>({}, "bounds", "for", "write the first index and the one after the last")};
  if (in.op().region_count() == 0) return std::vector<Type>();
  const std::size_t given = in.op().region(0).argument_count();
  const std::size_t carried = std::min(given - std::min<std::size_t>(given, 1), in.operands().size());
  const auto initial = in.operands().last(carried);
  std::vector<Type> arguments{in.context().types().index()};
  arguments.insert(arguments.end(), initial.begin(), initial.end());
  if (auto wrong = check_region_arguments(in, 0, arguments)) return Failure{std::move(*wrong)};
  if (auto wrong = check_region_yield(in, 0, initial)) return Failure{std::move(*wrong)};
  return std::vector<Type>(initial.begin(), initial.end());
}

// Its region computes on tensors what its operands hold: those that it reads, then those that it writes.
InferredTypes infer_external(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_external: no op");
  if (in.op().region_count() == 0) return std::vector<Type>();
  TypePool& types = in.context().types();
  std::vector<Type> tensors;
  for (const Type type : in.operands()) tensors.push_back(types.tensor(types.dtype(type), types.dims(type)));
  const std::span<const Type> all(tensors);
  const std::size_t read = std::min(in.op().region(0).argument_count(), all.size());
  if (auto wrong = check_region_arguments(in, 0, all.first(read))) return Failure{std::move(*wrong)};
  if (auto wrong = check_region_yield(in, 0, all.subspan(read))) return Failure{std::move(*wrong)};
  return std::vector<Type>();
}

namespace {
constexpr auto kLoopFamily = family<kLoopOpDefinitions>();

}  // namespace

std::span<const OpDef* const> loop_rows() { return kLoopFamily; }

}  // namespace mlgc
