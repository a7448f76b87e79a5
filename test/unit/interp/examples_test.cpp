// Every formula row's example gives what it says, and is among the documented features of the row.
#include "interp/evaluate_formula.h"
#include "ops/example.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "support_catch.h"
#include "tensor/compare.h"
#include "tensor/print.h"

using namespace mlgc;

namespace {

std::string check_example(Context& context, const OpDef& def) {
  auto example = parse_example(context, def.example);
  if (!example) return example.error();
  if (example->op != def.name) return "the example is of another op";
  std::vector<Type> types;
  std::vector<Tensor> operands;
  for (const auto& operand : example->operands) {
    std::vector<IndexExpr> dims;
    if (operand)
      for (std::int64_t d : operand->shape()) dims.push_back(context.index().constant(d));
    types.push_back(operand ? context.types().tensor(operand->dtype(), dims) : Type{});
  }
  const Opcode opcode = context.find_op(def.name);
  auto formula = instantiate_op(context, opcode, types, example->attrs);
  if (!formula) return formula.error().message();
  if (auto problem = check_formula(formulas(context), *formula)) return *problem;
  for (std::size_t i = 0; i < formula->operand_count(); ++i)
    operands.push_back(i < example->operands.size() && example->operands[i] ? *example->operands[i]
                                                                            : Tensor::zeros(Dtype::F32, {}));
  EvaluateOptions judge;
  judge.precision = Precision::Judge;
  auto expected = evaluate(formulas(context), *formula, operands, judge);
  auto got = evaluate(formulas(context), *formula, operands);
  if (!expected) return expected.error().message();
  if (!got) return got.error().message();
  if (got->size() != example->results.size()) return "another number of results: " + std::to_string(got->size());
  for (std::size_t i = 0; i < got->size(); ++i) {
    const Difference stated = agrees(example->results[i], (*expected)[i], nullptr, {.elementwise_edge = true});
    if (!stated.agrees)
      return render_text(stated, "the stated result") + "\n" + print_formula(formulas(context), *formula);
    const Difference own = agrees((*got)[i], (*expected)[i], nullptr, {.elementwise_edge = true});
    if (!own.agrees) return render_text(own, "the result");
  }
  return {};
}

}  // namespace

TEST_CASE("every formula row's example gives what it says") {
  auto context = make_context();
  for (const OpDef* def : op_table()) {
    if (!has_formula(*def)) continue;
    INFO(def->name << ": " << def->example);
    CHECK(check_example(*context, *def) == "");
  }
}
