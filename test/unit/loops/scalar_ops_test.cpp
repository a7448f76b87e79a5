// Every scalar function that a formula can hold has a row to be lowered to.
#include "ops/scalar_ops.h"
#include "ops/op_table.h"
#include "support_catch.h"

using namespace mlgc;

TEST_CASE("every scalar function has a row") {
  const auto context = make_context();
  const ScalarOps ops(*context);
  for (std::size_t i = 0; i < kScalarFnCount; ++i) {
    const auto fn = static_cast<ScalarFn>(i);
    INFO(scalar_fn_info(fn).name);
    CHECK(ops.find(fn) != Opcode::Invalid);
  }
  REQUIRE(ops.choice() != Opcode::Invalid);
  CHECK(ops.find(ScalarFn::Add) == context->find_op("add"));
  CHECK(ops.find(ScalarFn::Lt) == context->find_op("lt"));
}
