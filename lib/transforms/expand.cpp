// expand: takes composites apart, into one op for each statement of their formula.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct Options {
  std::vector<std::string> ops;
};

constexpr std::array kOptions{
    pass_option<&Options::ops>("ops", "names of rows to take apart, composite or not; empty: all composites"),
};
constexpr std::array kCounters{
    PassCounter{"ops-expanded", "ops that were taken apart"},
    PassCounter{"ops-made", "ops that they became"},
};

// A statement of `from` as a formula of its own, and the tensors of `from` that its operands stand for.
std::pair<Formula, std::vector<TensorId>> single(FormulaPool& pool, const Formula& from, const Statement& statement) {
  std::vector<TensorId> operands;
  const auto number = [&](TensorId tensor) {
    const auto it = std::find(operands.begin(), operands.end(), tensor);
    if (it != operands.end()) return TensorId(static_cast<std::size_t>(it - operands.begin()));
    operands.push_back(tensor);
    return TensorId(operands.size() - 1);
  };
  FormulaPool::Rewrite rewrite;
  rewrite.reads = [&](ExprId read, const ReadParts& parts) {
    return pool.read(pool.type(read), number(parts.tensor), parts.subscripts, parts.fill);
  };
  Statement copy = statement;
  copy.body = pool.rewrite(statement.body, rewrite);
  if (statement.guard.valid()) copy.guard = pool.rewrite(statement.guard, rewrite);
  for (IndexExpr& subscript : copy.subscripts) subscript = pool.rewrite(subscript, rewrite);
  if (statement.base.valid()) copy.base = number(statement.base);
  Formula formula;
  formula.letter_names = from.letter_names;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const FormulaTensor& tensor = from.tensor(operands[i]);
    formula.add_tensor({"x" + std::to_string(i), TensorRole::Operand, tensor.dtype, tensor.shape});
  }
  const FormulaTensor& result = from.tensor(statement.result);
  copy.result = formula.add_tensor({"y", TensorRole::Result, result.dtype, result.shape});
  formula.statements.push_back(copy);
  return {std::move(formula), std::move(operands)};
}

// How many ops it became; nothing when it stays.
std::optional<std::size_t> expand(OpRef op, Opcode compute) {
  Context& context = op.module().context();
  FormulaPool& pool = formulas(context);
  std::vector<Type> types;
  for (const Value operand : op.operands()) types.push_back(operand.type());
  const auto formula = instantiate_op(context, op.opcode(), types, op.attrs());
  if (!formula) return std::nullopt;  // it needs facts of its function: the verifier has accepted it, so it stays whole
  std::vector<Value> values(formula->tensors.size());
  for (std::size_t i = 0; i < op.operand_count(); ++i) values[i] = op.operand(i);
  const StringId name = context.strings().intern("formula");
  std::size_t made = 0;
  for (const Statement& statement : formula->statements) {
    const auto [part, reads] = single(pool, *formula, statement);
    std::vector<Value> operands;
    for (const TensorId tensor : reads) operands.push_back(values[tensor.index()]);
    const FormulaTensor& result = formula->tensor(statement.result);
    const Type type = context.types().tensor(result.dtype, result.shape);
    const NamedAttribute text{name, context.attributes().string(print_formula(pool, part))};
    const OpRef step = op.module().create(compute, operands, context.attributes().dict(std::span(&text, 1)),
                                          std::span(&type, 1), op.location());
    step.move_before(op);
    values[statement.result.index()] = step.result();
    ++made;
  }
  const std::vector<TensorId> results = formula->results();
  for (std::size_t i = 0; i < results.size(); ++i) op.result(i).replace_all_uses_with(values[results[i].index()]);
  op.erase();
  return made;
}

PassResult run(Module& module, const Options& options, PassContext& context) {
  Context& ir = module.context();
  const Opcode compute = ir.find_op("compute");
  std::vector<bool> wanted(ir.ops().size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = options.ops.empty() && ir.ops()[i]->tier == Tier::Composite && has_formula(*ir.ops()[i]);
  for (const std::string& name : options.ops) {
    const Opcode opcode = ir.find_op(name);
    if (opcode == Opcode::Invalid || !has_formula(ir.def(opcode)) || opcode == compute) {
      reject_option(context, "ops", "there is no formula of `" + name + "` to take apart");
      return PassResult::Failed;
    }
    wanted[static_cast<std::size_t>(opcode)] = true;
  }
  std::uint64_t expanded = 0, made = 0;
  walk(module, [&](OpRef op) {
    if (!wanted[static_cast<std::size_t>(op.opcode())]) return;
    for (const Value v : op.operands())
      if (!ir.types().is_tensor(v.type())) return;  // scalars and vectors of the loop level
    if (const auto count = expand(op, compute)) {
      ++expanded;
      made += *count;
    }
  });
  context.count("ops-expanded") = expanded;
  context.count("ops-made") = made;
  return PassContext::changed_if(expanded > 0);
}

}  // namespace

constexpr PassDef kExpandPass{
    .name = "expand",
    .summary = "Takes composites apart into one op for each statement of their formula.",
    .description =
        "The new ops are `compute`, which carry their formula as text. What the composite rounds when it "
        "stores a statement's result, the ops round too, so that results are the same bits.",
    .options = kOptions,
    .counters = kCounters,
    .example = {.before = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = exp %x : tensor<4xf32>
  return %0
})",
                .after = R"mlir(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = compute %x {formula = "y[b0] = exp(x0[b0]) over b0 < 4"} : tensor<4xf32>
  return %0
})mlir",
                .options = "ops=exp"},
    .body = pass_body<Options, run>(),
};

}  // namespace mlgc
