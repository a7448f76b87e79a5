// What an op costs: bytes by table, no allocation of its own, and an equal cost at any size.
#include <string>

#include "ir/module.h"
#include "ir_test_ops.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

// A chain of binary ops with one result each.
Module chain(const std::shared_ptr<Context>& context, std::size_t ops) {
  Module module(context);
  module.reserve(ops + 2, ops + 3, ops * 2);
  Builder builder(module);
  const Type f32 = context->types().scalar(Dtype::F32);
  const OpRef func = builder.func("f", {{f32}});
  builder.set_end(func.region());
  const Opcode add = context->find_op("add");
  Value last = func.region().argument(0);
  for (std::size_t i = 0; i < ops; ++i) {
    const Value operands[]{last, func.region().argument(0)};
    last = builder.create(add, operands, {}, {&f32, 1}).result();
  }
  return module;
}

}  // namespace

TEST_CASE("a binary op with one result takes less than 100 bytes") {
  const auto context = test::make_context();
  const std::size_t ops = 20'000;
  const Module module = chain(context, ops);
  const double each = static_cast<double>(module.memory_bytes()) / static_cast<double>(ops);
  WARN("bytes per binary op: " + std::to_string(each));
  CHECK(each < 100.0);
  CHECK(each >= 48 + 16 + 2 * 16);
}

TEST_CASE("creating ops adds nothing to the context") {
  const auto context = test::make_context();
  chain(context, 10);
  const std::size_t types = context->types().size(), attributes = context->attributes().size();
  chain(context, 1000);
  CHECK(context->types().size() == types);
  CHECK(context->attributes().size() == attributes);
}

TEST_CASE("compaction gives the memory of erased ops back") {
  const auto context = test::make_context();
  Module module = chain(context, 2000);
  const OpRef func = module.lookup("f");
  while (func.region().back() != func.region().front()) func.region().back().erase();
  const std::size_t before = module.memory_bytes();
  CHECK(module.dead_op_count() == 1999);
  module.compact();
  CHECK(module.memory_bytes() < before / 20);
  CHECK(module.op_count() == 3);
}
