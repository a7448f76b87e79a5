// Reads scalar meanings off the ground formulas of rows at rank 0.
#include "ops/scalar_ops.h"

#include <memory>
#include <vector>

#include "ops/instantiate_op.h"
#include "ops/op_services.h"

namespace mlgc {

Result<std::optional<ExprId>, Diagnostic> scalar_value(Context& context, Opcode opcode, std::span<const Type> operands,
                                                       AttrDict attrs) {
  using Answer = std::optional<ExprId>;
  if (!has_formula(context.def(opcode))) return Answer();
  Result<Formula, Diagnostic> formula = instantiate_op(context, opcode, operands, attrs);
  if (!formula) return Failure{std::move(formula.error())};
  // A chain of statements becomes one expression: each read of a temporary is what its statement computes.
  FormulaPool& pool = formulas(context);
  std::vector<ExprId> values(formula->tensors.size());
  for (const Statement& st : formula->statements) {
    if (!st.labels.empty() || st.guard.valid() || st.base.valid() || st.write != WriteOp::Set) return Answer();
    FormulaPool::Rewrite inline_temporaries;
    inline_temporaries.reads = [&](ExprId, const ReadParts& parts) {
      const ExprId known = values[parts.tensor.index()];
      return known.valid() ? known
                           : pool.read(formula->tensor(parts.tensor).dtype, parts.tensor, parts.subscripts, parts.fill);
    };
    values[st.result.index()] = pool.rewrite(st.body, inline_temporaries);
  }
  const std::vector<TensorId> results = formula->results();
  if (results.size() != 1) return Answer();
  const ExprId value = values[results[0].index()];
  bool loops = false;
  pool.visit(value, [&](ExprId e) { loops = loops || pool.node(e).kind == NodeKind::Reduce; });
  return loops ? Answer() : Answer(value);
}

namespace {

bool is_operand(const FormulaPool& pool, ExprId e, std::size_t number) {
  return pool.node(e).kind == NodeKind::Read && pool.read_of(e).tensor.index() == number;
}

bool has_plain_signature(const OpDef& def) {
  for (const OperandDef& operand : def.operands)
    if (operand.variadic) return false;
  for (const AttrDef& attr : def.attrs)
    if (attr.required) return false;
  return has_formula(def) && !def.operands.empty() && def.operands.size() <= 3;
}

}  // namespace

ScalarOps::ScalarOps(Context& context) {
  functions_.fill(Opcode::Invalid);
  FormulaPool& pool = formulas(context);
  TypePool& types = context.types();
  for (const OpDef* def : context.ops()) {
    if (!has_plain_signature(*def)) continue;
    const Opcode opcode = context.opcode(*def);
    const std::size_t count = def->operands.size();
    for (const Dtype dtype : {Dtype::F32, Dtype::I64, Dtype::I1}) {
      std::vector<Type> operands(count, types.scalar(dtype));
      if (count == 3) operands[0] = types.scalar(Dtype::I1);
      const auto value = scalar_value(context, opcode, operands, {});
      if (!value || !*value) continue;
      const ExprNode& node = pool.node(**value);
      if (node.kind != NodeKind::Call && node.kind != NodeKind::Select) continue;
      const std::vector<ExprId> arguments = pool.arguments(**value);
      bool plain = arguments.size() == count;
      for (std::size_t i = 0; plain && i < count; ++i) plain = is_operand(pool, arguments[i], i);
      if (!plain) continue;
      Opcode& slot = node.kind == NodeKind::Select ? choice_ : functions_[node.fn];
      if (slot == Opcode::Invalid) slot = opcode;
    }
  }
}

const ScalarOps& scalar_ops(Context& context) {
  std::shared_ptr<const ScalarOps>& known = op_services(context).scalar_ops;
  if (!known) known = std::make_shared<const ScalarOps>(context);
  return *known;
}

std::optional<std::int64_t> scalar_cost(Context& context, Opcode opcode, std::span<const Type> operands,
                                        AttrDict attrs) {
  const auto value = scalar_value(context, opcode, operands, attrs);
  if (!value.ok() || !value.value()) return std::nullopt;
  const FormulaPool& pool = formulas(context);
  std::int64_t cost = 0;
  pool.visit(**value, [&](ExprId e) {
    if (pool.node(e).kind == NodeKind::Call) cost += scalar_fn_info(pool.fn(e)).cost;
    if (pool.node(e).kind == NodeKind::Select) ++cost;
  });
  return cost;
}

}  // namespace mlgc
