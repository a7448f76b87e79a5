// What the verifier finds, and that sound modules pass.
#include "verify/verify.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/function.h"
#include "ops/op_table.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct Fixture {
  std::shared_ptr<Context> context = make_context();
  Module module{context};
  Builder builder{module};
  Type vector = context->types().tensor(Dtype::F32, {4});
  Type matrix = context->types().tensor(Dtype::F32, {2, 4});
  OpRef func = builder.func("f", {{vector, vector}});
  Value a = func.region().argument(0), b = func.region().argument(1);
  Fixture() { builder.set_end(func.region()); }

  // The ids of what is found, in the order of the engine.
  std::vector<std::string> found() {
    DiagnosticEngine diagnostics(context->locations());
    verify(module, diagnostics);
    std::vector<std::string> ids;
    for (const Diagnostic& d : diagnostics.sorted()) ids.emplace_back(d.kind->id);
    return ids;
  }
  std::vector<std::string> messages() {
    DiagnosticEngine diagnostics(context->locations());
    verify(module, diagnostics);
    std::vector<std::string> texts;
    for (const Diagnostic& d : diagnostics.sorted()) texts.push_back(d.message());
    return texts;
  }
  bool finds(std::string_view id) {
    const auto ids = found();
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a sound function passes") {
  const OpRef sum = builder.create("add", {a, b}, {vector});
  builder.create("return", {sum.result()}, {});
  CHECK(found().empty());
}

TEST_CASE_METHOD(Fixture, "a result of another type than inferred is found") {
  const OpRef sum = builder.create("add", {a, b}, {matrix});
  builder.create("return", {sum.result()}, {});
  CHECK(finds("result-type-wrong"));
}

TEST_CASE_METHOD(Fixture, "a use before the definition and a missing return are found") {
  const OpRef first = builder.create("neg", {a}, {vector});
  const OpRef second = builder.create("neg", {a}, {vector});
  first.set_operand(0, second.result());
  CHECK(finds("operand-before-definition"));
  CHECK(finds("region-terminator"));
}

TEST_CASE_METHOD(Fixture, "an op inside of the one whose result it uses is found") {
  const Value condition = func.region().add_argument(context->types().tensor(Dtype::I1, {}));
  const OpRef choice = builder.create("if", {condition}, {vector}, {}, 2);
  builder.create("return", {a}, {});
  builder.set_end(choice.region(0));
  builder.create("yield", {choice.result()}, {});
  builder.set_end(choice.region(1));
  builder.create("yield", {a}, {});
  CHECK(messages() == std::vector<std::string>{"no order of these ops defines every value before its use: operand 0 of "
                                               "`yield` is a result of the `if` around it"});
}

TEST_CASE_METHOD(Fixture, "a value of another function, and an op behind the return, are found") {
  builder.create("return", {a}, {});
  builder.create("neg", {a}, {vector});
  CHECK(finds("op-after-terminator"));
  const OpRef other = builder.func("g", {{vector}});
  builder.set_end(other.region());
  builder.create("return", {a}, {});
  CHECK(finds("operand-not-visible"));
}

TEST_CASE_METHOD(Fixture, "attributes are checked by the row") {
  const OpRef sum =
      builder.create("add", {a, b}, {vector}, builder.attrs({{"alpa", context->attributes().integer(2)}}));
  builder.create("return", {sum.result()}, {});
  CHECK(finds("no-such-attribute"));
}

TEST_CASE_METHOD(Fixture, "an unknown symbol, and two symbols of one name, are found") {
  const OpRef read =
      builder.create("read", {}, {vector}, builder.attrs({{"symbol", context->attributes().symbol("w")}}));
  builder.create("return", {read.result()}, {});
  CHECK(finds("unknown-symbol"));
  const OpRef weight = builder.weight("w", vector);
  CHECK(messages() == std::vector<std::string>{"`@w` is used before its definition"});
  weight.move_before(func);
  CHECK(found().empty());
  builder.weight("w", vector);
  CHECK(finds("symbol-twice"));
}

TEST_CASE_METHOD(Fixture, "an update with another type than its state is found") {
  builder.state("s", matrix);
  builder.create("return", {a, b}, {});
  FuncRef(func).set_updates({{{context->strings().intern("s"), std::nullopt}}});
  CHECK(finds("update-type"));
  FuncRef(func).set_updates({{{context->strings().intern("t"), std::nullopt}}});
  CHECK(finds("update-target"));
}

// The parser ends the item before, so no text holds one item in another.
TEST_CASE_METHOD(Fixture, "a state in a function is found") {
  const OpRef state = builder.state("s", vector);
  state.move_before(builder.create("return", {a}, {}));
  CHECK(messages() == std::vector<std::string>{"`state` is allowed in the module only"});
}

// In a text the value would be undefined there.
TEST_CASE_METHOD(Fixture, "a value from outside of an isolated region is found") {
  const OpRef fusion = builder.create("fusion", {a}, {vector}, {}, 1);
  static_cast<void>(fusion.region().add_argument(vector));
  builder.create("return", {fusion.result()}, {});
  builder.set_end(fusion.region());
  const OpRef negated = builder.create("neg", {b}, {vector});
  builder.create("yield", {negated.result()}, {});
  CHECK(messages() == std::vector<std::string>{"operand 0 of `neg` is defined outside of an isolated region"});
}

// The parser gives an op the results that its row infers.
TEST_CASE_METHOD(Fixture, "another number of results than the row has is found") {
  const OpRef negated = builder.create("neg", {a}, {vector, vector});
  builder.create("return", {negated.result()}, {});
  CHECK(messages() == std::vector<std::string>{"`neg` has 1 results, not 2"});
}
