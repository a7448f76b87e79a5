// Gives the arguments of a bound call the values of a run.
#include "aten/row_call.h"

#include <type_traits>
#include <utility>

#include "aten/row_binding.h"

namespace mlgc {
namespace {

class RunValues {
 public:
  explicit RunValues(const OpRun& run) : run_(run), index_(run.op.module().context().index()) {}

  [[nodiscard]] AtenValue of(const BoundArgument& argument) const {
    return std::visit([&](const auto& value) { return of(value, argument.parameter->kind); }, argument.value);
  }

 private:
  template <class Same>
  static AtenValue of(const Same& value, mlgc_torch_kind /*kind*/) {
    return value;
  }
  [[nodiscard]] AtenValue of(BoundOperand operand, mlgc_torch_kind /*kind*/) const {
    return run_.operands[operand.number];
  }
  [[nodiscard]] AtenValue of(const BoundOperands& operands, mlgc_torch_kind /*kind*/) const {
    std::vector<std::optional<Tensor>> out;
    for (const auto& number : operands) out.push_back(number ? std::optional(run_.operands[*number]) : std::nullopt);
    return out;
  }
  [[nodiscard]] AtenValue of(IndexExpr size, mlgc_torch_kind kind) const {
    if (kind == MLGC_TORCH_FLOAT) return static_cast<double>(whole(size));
    return whole(size);
  }
  [[nodiscard]] AtenValue of(const std::vector<IndexExpr>& sizes, mlgc_torch_kind /*kind*/) const {
    std::vector<std::int64_t> out;
    for (const IndexExpr size : sizes) out.push_back(whole(size));
    return out;
  }

  [[nodiscard]] std::int64_t whole(IndexExpr size) const {
    const auto value = index_.as_constant(size);
    MLGC_ASSERT(value.has_value(), "an attribute of a run is not a constant");
    return *value;
  }

  const OpRun& run_;
  const IndexPool& index_;
};

}  // namespace

Result<AtenCall> aten_call(const TorchPlugin& plugin, const OpRun& run) {
  auto bound = bind_row(plugin, {run.op.module().context(), run.op.def(), run.operands.size(), run.attributes});
  if (!bound) return Failure{bound.error()};
  AtenCall call{bound->op.name(), bound->op, {}};
  const RunValues values(run);
  for (const BoundArgument& argument : bound->arguments)
    call.arguments.push_back({argument.parameter->name, values.of(argument)});
  return call;
}

}  // namespace mlgc
