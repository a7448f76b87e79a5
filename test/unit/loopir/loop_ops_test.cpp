// Ops that code speaks of, and views of loop ops.
#include "loopir/loop_ops.h"

#include "ir/builder.h"
#include "ir/function.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "ops/op_table.h"
#include "support_catch.h"
#include "text/parser.h"
#include "text/printer.h"

#include <array>
#include <type_traits>
#include <vector>

using namespace mlgc;

namespace {

// What a view can ask its definition: a constant where the definition has it, else no constant at all.
struct Probe : LoopOpView<Probe, LoopOp::Store> {
  template <auto Name>
  static constexpr bool kHasOperand =
      requires { typename std::integral_constant<std::size_t, operand_number(Name())>; };
  template <auto Name, AttributeKind Kind>
  static constexpr bool kHasAttribute =
      requires { typename std::integral_constant<bool, attribute_definition(Name(), Kind).required>; };
};
static_assert(Probe::kHasOperand<[] { return "buffer"; }>);
static_assert(!Probe::kHasOperand<[] { return "bufer"; }>);
static_assert(Probe::kHasAttribute<[] { return "checked"; }, AttributeKind::Bool>);
static_assert(!Probe::kHasAttribute<[] { return "checked"; }, AttributeKind::Int>);
static_assert(!Probe::kHasAttribute<[] { return "chekced"; }, AttributeKind::Bool>);

constexpr std::string_view kText = R"(func @f(%x: buffer<4xf32, argument>, %y: buffer<4xf32, argument>) {
  for [0, 4] (%i: index) {
    %0 = load %x[%i] : f32
    store %0, %y[%i]
  }
  return
}
)";

struct Loop {
  Loop() : context(make_context()), module(context) {
    const SourceFile& file = context->locations().add_source("loop.mlir", std::string(kText));
    DiagnosticEngine diagnostics(context->locations());
    auto parsed = parse_module(context, file, diagnostics);
    REQUIRE(parsed.has_value());
    module = std::move(*parsed);
    loop = ForRef::from(module.lookup("f").region(0).front());
    load = LoadRef::from(loop.body().front());
    store = StoreRef::from(load.op().next());
  }
  std::shared_ptr<Context> context;
  Module module;
  ForRef loop;
  LoadRef load;
  StoreRef store;
};

}  // namespace

TEST_CASE("each op that code speaks of is one row of the table") {
  const auto context = make_context();
  for (std::size_t i = 1; i < kGraphOpCount; ++i) {
    INFO("GraphOp " << i);
    const Opcode opcode = context->opcode(static_cast<GraphOp>(i));
    REQUIRE(opcode != Opcode::Invalid);
    CHECK(context->def(opcode).graph_op == static_cast<GraphOp>(i));
  }
  for (std::size_t i = 1; i < kLoopOpCount; ++i) {
    INFO("LoopOp " << i);
    const Opcode opcode = context->opcode(static_cast<LoopOp>(i));
    REQUIRE(opcode != Opcode::Invalid);
    CHECK(context->def(opcode).loop_op == static_cast<LoopOp>(i));
  }
}

TEST_CASE("every definition of the loop level states its op") {
  for (const OpDef& definition : kLoopOpDefinitions) {
    INFO(definition.name);
    CHECK(definition.loop_op != LoopOp::Scalar);
  }
}

TEST_CASE("views read operands by the names of the definition") {
  const Loop at;
  const OpRef func = at.module.lookup("f");
  const Value x = func.region(0).argument(0), y = func.region(0).argument(1);
  REQUIRE(at.load.valid());
  REQUIRE(at.store.valid());
  CHECK(at.load.buffer() == x);
  CHECK(at.store.buffer() == y);
  CHECK(at.store.value() == at.load.value());
  CHECK(loaded_buffer(at.load.op()) == x);
  CHECK(stored_buffer(at.store.op()) == y);
  CHECK_FALSE(loaded_buffer(at.store.op()).valid());
  CHECK_FALSE(stored_buffer(OpRef()).valid());
  CHECK_FALSE(StoreRef::from(at.load.op()).valid());
  CHECK_FALSE(LoadRef::from(OpRef()).valid());
  const AccessRef access = AccessRef::from(at.store.op());
  CHECK(access.is_store());
  CHECK(access.buffer() == y);
  CHECK_FALSE(access.checked());
  CHECK(written_arguments(func) == std::vector<bool>{false, true});
}

TEST_CASE("the kind of a loop is one of the row's choices, and what only vector loops have goes with it") {
  const Loop at;
  CHECK(at.loop.kind() == LoopKind::Serial);
  for (std::size_t i = 0; i < kLoopKindCount; ++i) {
    const auto kind = static_cast<LoopKind>(i);
    at.loop.set_kind(kind);
    CHECK(at.loop.kind() == kind);
    CHECK(at.loop.op().attr("kind").valid() == (kind != LoopKind::Serial));
  }
  at.loop.set_kind(LoopKind::Vector);
  at.loop.set_lanes(8);
  at.loop.set_combine(std::vector<std::string_view>{"add"});
  CHECK(at.loop.lanes() == 8);
  CHECK(at.loop.combine() == std::vector<std::string_view>{"add"});
  at.loop.set_kind(LoopKind::Parallel);
  CHECK(at.loop.lanes() == 0);
  CHECK(at.loop.combine().empty());
}

TEST_CASE("an fma has its operands in the order of the row") {
  const Loop at;
  Builder builder(at.store.op().module());
  builder.set_before(at.store.op());
  const Value x = at.load.value();
  const FmaRef inner = FmaRef::create(builder, x, x, x);
  const FmaRef fma = FmaRef::create(builder, x, inner.op().result(), x);
  REQUIRE(fma.valid());
  CHECK(fma.left() == x);
  CHECK(fma.right() == inner.op().result());
  CHECK(fma.addend() == x);
  CHECK_FALSE(FmaRef::from(at.load.op()).valid());
  const std::string text = print(at.module.lookup("f"));
  CHECK(text.find("%1 = fma %0, %0, %0 : f32\n    %2 = fma %0, %1, %0 : f32\n") != std::string::npos);
}

TEST_CASE("a store streams at all sizes, or from so many bytes on") {
  const Loop at;
  CHECK_FALSE(at.store.streams());
  at.store.set_stream(std::nullopt);
  CHECK(at.store.streams());
  CHECK_FALSE(at.store.stream_where());
  const IndexExpr bytes = at.context->index().scale(at.context->index().symbol("N"), 4);
  at.store.set_stream(bytes);
  CHECK(at.store.stream_where() == bytes);
  at.store.remove_stream();
  CHECK_FALSE(at.store.streams());
  CHECK(print(at.module.lookup("f")).find("hint") == std::string::npos);
}

TEST_CASE("views make ops as the text has them") {
  const Loop at;
  Module& module = at.loop.op().module();
  Context& context = *at.context;
  const OpRef func = module.lookup("f");
  Builder builder(module);
  builder.set_before(at.loop.op());
  const IndexExpr ends[] = {context.index().constant(1), context.index().constant(4)};
  const Value start = LiteralRef::create(builder, Dtype::F32, 0.5, 1).op().result();
  const ForRef loop = ForRef::create(builder, {}, context.attributes().subscripts(ends), std::array{start}, "k");
  builder.set_end(loop.body());
  const auto place = [&](std::vector<Value>& operands) {
    SubscriptBuilder brackets(context, operands);
    return brackets.numbered({brackets.atom(loop.index())});
  };
  std::vector<Value> none, from{func.region(0).argument(0)};
  const Attribute conditions = place(none);
  CheckRef::create(builder, none, conditions, "it lies inside");
  const Value holds = GuardRef::create(builder, none, conditions).holds();
  const Value number = ApplyRef::create(builder, none, conditions).op().result();
  const Attribute read = place(from);
  const LoadRef load = LoadRef::create(builder, from, read, true);
  std::vector<Value> to{load.value(), func.region(0).argument(1)};
  const Attribute written = place(to);
  const StoreRef store = StoreRef::create(builder, to, written);
  builder.create(LoopOp::Yield, {loop.carried(0)}, {});
  CHECK(holds.dtype() == Dtype::I1);
  CHECK(number.dtype() == Dtype::I64);
  CHECK(LiteralRef::create(builder, Dtype::I64, 0.5, 1).integer() == 1);
  CHECK(print(func).find(R"(  %0 = literal {dtype = f32, value = 0.5} : f32
  %1 = for [1, 4] (%k: index, %2 = %0) {
    check [%k] {message = "it lies inside"}
    %3 = guard [%k] : i1
    %4 = apply [%k] : i64
    %5 = load %x[%k] {checked = true} : f32
    store %5, %y[%k]
    yield %2
)") != std::string::npos);

  // Another place leaves what else an access states.
  store.set_stream(std::nullopt);
  std::vector<Value> other{load.value(), func.region(0).argument(1)};
  const IndexExpr first[] = {context.index().constant(0)};
  AccessRef::from(store.op()).set_place(other, context.attributes().subscripts(first));
  CHECK(store.streams());
  CHECK(print(func).find("    store %5, %y[0] {hint = \"stream\"}\n") != std::string::npos);
  loop.set_bounds({}, context.attributes().subscripts(std::array{first[0], ends[0]}), std::array{start});
  CHECK(loop.last() == ends[0]);
}
