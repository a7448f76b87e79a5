// Every formula row's example gives what it says, and is among the documented features of the row. So do examples of
// dtypes and edges that rows once had wrong.
#include "interp/evaluate_formula.h"
#include "ops/example.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "support_catch.h"
#include "tensor/compare.h"
#include "tensor/print.h"

using namespace mlgc;

namespace {

std::string check_example(Context& context, const OpDef& def, std::string_view text) {
  auto example = parse_example(context, text);
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
  EvaluateOptions in_f64;
  in_f64.precision = Precision::F64;
  auto expected = evaluate(formulas(context), *formula, operands, in_f64);
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
    CHECK(check_example(*context, *def, def->example) == "");
  }
}

TEST_CASE("rows keep dtypes and edges where a formula is tempted to lose them") {
  constexpr std::string_view kExamples[] = {
      // i1 is kept, and a factor of it is a truth value.
      "add([true, false], [true, false]) == [true, false]",
      "add([false, true], [true, true]) {alpha = 2} == [true, true]",
      "tril([[true, true], [true, true]]) == [[true, false], [true, true]]",
      "triu([[true, true], [true, true]]) == [[true, true], [false, true]]",
      // Sums of products keep the operands' dtype and wrap.
      "matmul([[100, 100]]:i8, [[1], [1]]:i8) == [[-56]]:i8",
      "linear([1, 2]:i32, [[3, 4]]:i32, [10]:i32) == [21]:i32",
      "addmm([1]:i16, [[2]]:i16, [[3]]:i16) == [[7]]:i16",
      "baddbmm([1]:ui8, [[[2]]]:ui8, [[[200]]]:ui8) == [[[145]]]:ui8",
      "einsum([1, 2]:i32, [3, 4]:i32) {equation = \"i,i->\"} == 11:i32",
      "conv1d([[[1, 2]]]:i32, [[[1, 1]]]:i32, [5]:i32) == [[[8]]]:i32",
      // ... but the sum of one operand is i64, as that of `sum`, also where nothing is left to sum.
      "einsum([1, 2]:i32) {equation = \"i->\"} == 3",
      "sum(5:i32) == 5",
      "prod(true) == 1",
      "any(2.5) == true",
      "all(0:i8) == false",
      // 16-bit floats are not rounded between the statements of a composite.
      "var([1000.0, 1001.0, 1003.0]:f16) == 2.333984375:f16",
      "linalg_vector_norm([300.0, 400.0]:f16) == 500.0:f16",
      // Roots are those of sqrt, not of pow.
      "pow([-inf, 4.0]) {other = 0.5} == [nan, 2.0]",
      "pow([-inf, 4.0]) {other = -0.5} == [nan, 0.5]",
      "repeat_interleave([1, 2]) {repeats = 0, dim = 0} == []:i64",
  };
  auto context = make_context();
  for (const std::string_view text : kExamples) {
    INFO(text);
    const OpDef& def = context->def(context->find_op(text.substr(0, text.find('('))));
    CHECK(check_example(*context, def, text) == "");
  }
}
