// What is lowered passes the verifier without exception: accesses that are not `checked` are shown to stay inside of
// their buffers, parallel loops to keep their iterations apart, with static and with symbolic sizes.
#include "loops/lower.h"
#include "ops/example.h"
#include "ops/op_table.h"
#include "thread_cases.h"
#include "verify/verify.h"

using namespace mlgc;
using namespace mlgc::thread_test;

namespace {

// Empty when nothing is found.
std::string verified(const std::shared_ptr<Context>& context, const Formula& formula) {
  Module module(context);
  (void)lower_formula(module, formula, "f");
  DiagnosticEngine diagnostics(context->locations());
  if (verify(module, diagnostics)) return {};
  return diagnostics.sorted()[0].message() + "\n" + print(module);
}

// Sizes of the example as symbols, one name for each size, where the op still makes sense; constants elsewhere.
std::optional<Formula> instantiated(Context& context, const OpDef& def, bool symbolic) {
  const auto example = parse_example(context, def.example);
  if (!example) return std::nullopt;
  std::vector<Type> types;
  for (const auto& operand : example->operands) {
    std::vector<IndexExpr> dims;
    if (operand)
      for (const std::int64_t d : operand->shape())
        dims.push_back(symbolic && d > 1 ? context.index().symbol("S" + std::to_string(d))
                                         : context.index().constant(d));
    types.push_back(operand ? context.types().tensor(operand->dtype(), dims) : Type{});
  }
  auto formula = instantiate_op(context, context.find_op(def.name), types, example->attrs);
  if (!formula) return std::nullopt;
  return std::move(*formula);
}

}  // namespace

TEST_CASE("the examples of all formula rows are verified when they are lowered") {
  int lowered = 0, symbolic_too = 0;
  for (const OpDef* def : op_table()) {
    if (!has_formula(*def)) continue;
    for (const bool symbolic : {false, true}) {
      const auto context = make_context();
      const auto formula = instantiated(*context, *def, symbolic);
      if (!formula) continue;
      INFO(def->name << (symbolic ? ", symbolic" : ""));
      CHECK(verified(context, *formula) == "");
      (symbolic ? symbolic_too : lowered)++;
    }
  }
  CHECK(lowered >= 190);
  CHECK(symbolic_too >= 100);
}

TEST_CASE("the thread's formulas and their gradients are verified when they are lowered") {
  const auto context = make_context();
  for (const Case& c : cases()) {
    const Formula formula = formula_of(*context, c);
    INFO(c.name);
    CHECK(verified(context, formula) == "");
    for (const bool invert : {true, false}) CHECK(verified(context, gradient_of(*context, formula, invert)) == "");
  }
}
