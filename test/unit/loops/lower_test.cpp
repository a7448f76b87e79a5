// Loop functions compute what their formulas say: bit for bit in native precision, within rounding against the
// reference in f64.
#include "loops/lower.h"
#include "interp/interpret_module.h"
#include "ir/structural_hash.h"
#include "ir/walk.h"
#include "tensor/compare.h"
#include "thread_cases.h"

using namespace mlgc;
using namespace mlgc::thread_test;

namespace {

struct Counts {
  int outputs = 0;
  int elements = 0;
};

void check_loops(const std::shared_ptr<Context>& context, const Case& c, const Formula& formula, Counts& counts) {
  Module module(context);
  (void)lower_formula(module, formula, "f");
  REQUIRE(module.check_store().empty());
  // What is run is what the text says.
  const std::string text = print(module);
  Module read = read_text(context, text);
  CHECK(print(read) == text);
  CHECK(structural_hash(read) == structural_hash(module));
  for (const Sizes& sizes : c.sizes) {
    for (const Values kind : {Values::Plain, Values::Edge}) {
      const std::vector<Tensor> inputs = inputs_of(*context, c, formula, sizes, kind);
      const std::vector<Tensor> expected = evaluate_all(*context, formula, inputs, Precision::Native);
      const std::vector<Tensor> reference = evaluate_all(*context, formula, inputs, Precision::F64);
      auto actual = interpret(read, "f", inputs);
      if (!actual) FAIL(c.name << ": " << actual.error().message());
      REQUIRE(actual->results.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO(c.name << " result " << i);
        CHECK(same_bits(actual->results[i], expected[i]));
        if (kind == Values::Plain) CHECK(agrees(actual->results[i], reference[i]).reason == "");
        ++counts.outputs;
        counts.elements += static_cast<int>(expected[i].size());
      }
    }
  }
}

}  // namespace

TEST_CASE("six formulas as loops") {
  const auto context = make_context();
  Counts counts;
  for (const Case& c : cases()) check_loops(context, c, formula_of(*context, c), counts);
  CHECK(counts.outputs >= 50);
  INFO(counts.outputs << " outputs, " << counts.elements << " elements");
  CHECK(counts.elements > 900);
}

TEST_CASE("gradients of six formulas as loops, pulled and pushed") {
  const auto context = make_context();
  Counts counts;
  for (const bool invert : {true, false})
    for (const Case& c : cases())
      check_loops(context, c, gradient_of(*context, formula_of(*context, c), invert), counts);
  INFO(counts.outputs << " outputs, " << counts.elements << " elements");
  CHECK(counts.elements > 900);
}

TEST_CASE("the types of lowered ops are those that their rows infer") {
  const auto context = make_context();
  Module module(context);
  for (const Case& c : cases()) (void)lower_formula(module, formula_of(*context, c), c.name);
  int ops = 0;
  walk(module, [&](OpRef op) {
    if (!has_inference(op.def()) || op.result_count() == 0) return;
    INFO(op.name());
    const auto types = infer_types(op);
    if (!types) FAIL(types.error().message());
    REQUIRE(types->size() == op.result_count());
    for (std::size_t i = 0; i < types->size(); ++i) CHECK((*types)[i] == op.result(i).type());
    ++ops;
  });
  CHECK(ops > 80);
}
