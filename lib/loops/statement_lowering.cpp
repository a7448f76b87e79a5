// See statement_lowering.h.
#include "loops/statement_lowering.h"

#include <vector>

#include "loopir/loop_ops.h"
#include "ops/instantiate_op.h"

namespace mlgc::loops {

OpRef declare_function(Builder& builder, const Formula& formula, std::string_view name,
                       std::span<const TensorId> arguments, TensorBuffers& tensors) {
  std::vector<Type> types;
  for (const TensorId id : arguments)
    types.push_back(
        builder.context().types().buffer(formula.tensor(id).dtype, formula.tensor(id).shape, Scope::Argument));
  const OpRef func = builder.func(name, types);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Value argument = func.region(0).argument(i);
    tensors.set_buffer(arguments[i], argument);
    argument.set_name(formula.tensor(arguments[i]).name);
  }
  builder.set_end(func.region(0));
  return func;
}

StatementLowering::StatementLowering(Module& module, const Formula& formula, const Facts& facts)
    : formula_(formula),
      builder_(module),
      tensors_(formula.tensors.size()),
      ops_(builder_),
      expressions_(builder_, formula, facts, tensors_),
      next_label_(static_cast<std::uint32_t>(formula.label_names.size())) {}

// The result starts as a copy of the base, or as zero.
void StatementLowering::initialise(const Statement& st) {
  IndexPool& index = builder_.context().index();
  const FormulaTensor& target = formula_.tensor(st.result);
  std::vector<AtomId> labels;
  std::vector<IndexExpr> at;
  for (const IndexExpr extent : target.shape) {
    const IndexExpr label = index.index_label(next_label_++, extent);
    labels.push_back(*index.as_atom(label));
    at.push_back(label);
  }
  expressions_.nest(labels, {}, true, {}, [&](const Values&) -> Values {
    const Value first = st.base.valid() ? expressions_.load(st.base, at, false) : ops_.constant(target.dtype, 0, 0);
    expressions_.store(first, st.result, at, false);
    return {};
  });
}

void StatementLowering::write(const Statement& st) {
  const FormulaTensor& target = formula_.tensor(st.result);
  Value value = expressions_.emit(st.body);
  const bool checked = !expressions_.is_inside(st.result, st.subscripts);
  if (st.write != WriteOp::Set) {
    const Value old = ops_.cast(expressions_.load(st.result, st.subscripts, checked), held(target.dtype));
    value = ops_.cast(value, held(target.dtype));
    switch (st.write) {
      case WriteOp::Add: value = ops_.apply(ScalarFn::Add, {old, value}, target.dtype); break;
      case WriteOp::Mul: value = ops_.apply(ScalarFn::Mul, {old, value}, target.dtype); break;
      // The order of operands decides between equal values: what is there stays.
      case WriteOp::Max: value = ops_.apply(ScalarFn::Max, {value, old}, target.dtype); break;
      case WriteOp::Min: value = ops_.apply(ScalarFn::Min, {value, old}, target.dtype); break;
      case WriteOp::Set: break;
    }
  }
  expressions_.store(ops_.cast(value, target.dtype), st.result, st.subscripts, checked && st.write == WriteOp::Set);
}

void StatementLowering::statement(const Statement& st) {
  if (!st.pull || st.guard.valid() || st.base.valid()) initialise(st);
  const FormulaPool& pool = formulas(builder_.context());
  const bool never =
      st.guard.valid() && pool.node(st.guard).kind == NodeKind::Literal && pool.literal_integer(st.guard) == 0;
  if (never) return;
  expressions_.nest(st.labels, st.guard, st.pull, {}, [&](const Values&) -> Values {
    write(st);
    return {};
  });
}

OpRef StatementLowering::run(std::string_view name, std::span<const TensorId> arguments) {
  const OpRef func = declare_function(builder_, formula_, name, arguments, tensors_);
  for (const Statement& st : formula_.statements) {
    const FormulaTensor& target = formula_.tensor(st.result);
    if (target.role == TensorRole::Temporary) {
      const Type type = builder_.context().types().buffer(target.dtype, target.shape, Scope::Arena);
      const Value buffer = builder_.create(LoopOp::Alloc, {}, {type}).result();
      buffer.set_name(target.name);
      tensors_.set_buffer(st.result, buffer);
    }
    expressions_.in_scope([&] { statement(st); });
  }
  builder_.create(LoopOp::Return, {}, {});
  return func;
}

}  // namespace mlgc::loops
