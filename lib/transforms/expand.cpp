// expand: takes composites apart, into one op for each statement of their formula.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "diag/kinds_pass.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "ops/formula_steps.h"
#include "ops/instantiate_op.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct ExpandOptions {
  std::vector<std::string> ops;
};

constexpr std::array kExpandOptions{
    pass_option<&ExpandOptions::ops>("ops", "names of ops to expand, composite or not; empty: all composites"),
};
constexpr std::array kExpandCounters{
    PassCounter{"ops-expanded", "ops that were expanded"},
    PassCounter{"ops-made", "ops that they became"},
    PassCounter{"ops-left", "ops that stayed whole; a note says why"},
};

// How many ops it became; why it stays.
Result<std::size_t> expand(OpRef op, const Facts& facts) {
  Context& context = op.module().context();
  std::vector<Type> types;
  for (const Value operand : op.operands()) types.push_back(operand.type());
  // Scalars and vectors of the loop level.
  if (!std::all_of(types.begin(), types.end(), [&](Type type) { return context.types().is_tensor(type); }))
    return Failure{std::string("an operand is not a tensor")};
  const auto formula = instantiate_op(context, op.opcode(), types, op.attrs(), facts);
  if (!formula) return Failure{formula.error().message()};
  std::vector<Value> operands;
  for (const Value operand : op.operands()) operands.push_back(operand);
  // A result keeps the type that the text gives it: equal, where the function says so.
  std::vector<Type> result_types;
  for (const Value result : op.results()) result_types.push_back(result.type());
  Builder builder(op.module());
  builder.set_before(op);
  builder.set_location(op.location());
  op.replace_all_uses_with(emit(builder, formula_steps(context, *formula, StepNames::Compute), operands, result_types));
  op.erase();
  return formula->statements.size();
}

PassResult run(Module& module, const ExpandOptions& options, PassContext& context) {
  Context& ir = module.context();
  const Opcode compute = ir.opcode(GraphOp::Compute);
  std::vector<bool> wanted(ir.ops().size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = options.ops.empty() && ir.ops()[i]->tier == Tier::Composite && has_formula(*ir.ops()[i]);
  for (const std::string& name : options.ops) {
    const Opcode opcode = ir.find_op(name);
    if (opcode == Opcode::Invalid || !has_formula(ir.def(opcode)) || opcode == compute) {
      reject_option(context, "ops", "`" + name + "` has no formula to expand");
      return PassResult::Failed;
    }
    wanted[static_cast<std::size_t>(opcode)] = true;
  }
  std::uint64_t expanded = 0, made = 0, left = 0;
  FunctionFacts facts;
  walk(module, [&](OpRef op) {
    if (!wanted[static_cast<std::size_t>(op.opcode())] || !context.gate().open()) return;
    const Location at = op.location();
    const auto count = expand(op, facts.of(op));
    if (!count) {
      ++left;
      context.diagnostics().emit(diagnose<kNotExpanded>(op.location(), op.name(), count.error()));
      return;
    }
    context.gate().record("expand-op", at);
    ++expanded;
    made += *count;
  });
  context.count("ops-expanded") = expanded;
  context.count("ops-made") = made;
  context.count("ops-left") = left;
  return PassContext::changed_if(expanded > 0);
}

}  // namespace

constexpr PassDef kExpandPass{
    .name = "expand",
    .summary = "Expands composites into one op for each statement of their formula.",
    .description =
        "The new ops are `compute`, which carry their formula as text. What the composite rounds when it "
        "stores a statement's result, the ops round too, so that results are the same bits.",
    .options = kExpandOptions,
    .counters = kExpandCounters,
    .example = {.before = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = exp %x : tensor<4xf32>
  return %0
})",
                .after = R"mlir(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = compute %x {formula = "y[b0] = exp(x0[b0]) over b0 < 4"} : tensor<4xf32>
  return %0
})mlir",
                .options = "ops=exp"},
    .body = pass_body<ExpandOptions, run>(),
};

}  // namespace mlgc
