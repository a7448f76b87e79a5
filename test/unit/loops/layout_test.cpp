// Buffers whose axes are put into another order, at random, hold the same elements: host functions of random programs
// give the same bits, verify, and read back as they print. So do programs for which the pass chose an order, and their
// schedules in exact numerics.
#include "check/random_program.h"
#include "interp/interpret_module.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "kernel_families.h"
#include "loopir/functions.h"
#include "schedule/choose_layouts.h"
#include "schedule/default_schedule.h"
#include "schedule/permute_axes.h"
#include "thread_cases.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace mlgc {
namespace {

// What the arena holds of the module's host functions, of more than one axis.
std::vector<Value> buffers_of(Module& module) {
  std::vector<Value> out;
  for (const FuncRef& function : functions(module))
    if (is_host_function(function.op()))
      walk(function.op(), [&](OpRef op) {
        if (op.is(LoopOp::Alloc) && op.result().rank() > 1) out.push_back(op.result());
      });
  return out;
}

// Nothing where the program is one that is not lowered, or known to read outside of what it reads.
std::optional<Module> lowered_program(const std::shared_ptr<Context>& context, std::uint64_t seed, Module& graph) {
  Module module = draw_program(context, {.seed = seed, .ops = 6});
  graph = module;
  form_fusions(module, decide_fusion(module, {}), [](const FusionGroup&) { return true; });
  DiagnosticEngine diagnostics(context->locations());
  if (!lower_to_loops(module, diagnostics) || !verify(module, diagnostics)) return std::nullopt;
  return module;
}

// How often both ran.
std::size_t check_same(const Module& graph, Module& before, Module& after, std::uint64_t seed) {
  std::size_t runs = 0;
  const InterpretOptions native{.precision = Precision::Native};
  for (const FuncRef& function : functions(graph)) {
    const auto draws = draw_inputs(function, {.seed = seed});
    if (!draws) continue;
    for (const Draw& draw : *draws) {
      const auto wanted = interpret(before, function.name(), draw.inputs, draw.data, native);
      const auto got = interpret(after, function.name(), draw.inputs, draw.data, native);
      REQUIRE(wanted.ok() == got.ok());
      if (!wanted) continue;
      REQUIRE(wanted->results.size() == got->results.size());
      for (std::size_t i = 0; i < wanted->results.size(); ++i)
        REQUIRE(thread_test::same_bits(got->results[i], wanted->results[i]));
      ++runs;
    }
  }
  return runs;
}

TEST_CASE("random orders of axes keep what random programs compute") {
  std::size_t runs = 0, changed = 0, copied = 0;
  for (std::uint64_t seed = 7000; seed < 7160; ++seed) {
    const auto context = make_context();
    Module graph(context);
    auto before = lowered_program(context, seed, graph);
    if (!before) continue;
    Module after = *before;
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    AxisPermuter permuter(after);
    std::size_t here = 0;
    for (const Value buffer : buffers_of(after)) {
      AxisOrder order(buffer.rank());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::shuffle(order.begin(), order.end(), random);
      const std::string text = print(after);
      if (permuter.permute(buffer, order)) {
        ++here;
        continue;
      }
      CHECK(print(after) == text);
    }
    INFO("seed " << seed << "\n" << print(*before) << print(after));
    REQUIRE(after.check_store().empty());
    test::require_sound(after);
    if (here > 0) runs += check_same(graph, *before, after, seed);
    changed += here;
    copied += permuter.copied();
  }
  INFO(runs << " runs, " << changed << " buffers changed, " << copied << " kernels copied");
  CHECK(runs > 100);
  CHECK(changed > 100);
  CHECK(copied > 0);
}

// Rows that another kernel reads along their columns; of fewer elements the fusion makes one kernel.
constexpr std::string_view kTurned[]{
    R"(func @f(%z: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = constant {value = dense<0.00390625> : tensor<16x16xf32>}
  %v = matmul %z, %z
  %1 = einsum %0, %v {equation = "ab,cb->ac"}
  %2 = einsum %0, %v {equation = "ab,ac->cb"}
  %3 = add %1, %0
  %d = add %3, %2
  return %d
})"};

TEST_CASE("what the pass chooses keeps what is computed, scheduled too") {
  for (const std::string_view text : kTurned) {
    const auto context = make_context();
    const Module graph = test::parse(context, std::string(text));
    Module before = graph;
    test::lower(before);
    Module after = before;
    RewriteGate gate;
    CHECK(choose_layouts(after, MemoryFormat::Contiguous, Numerics::LikeEager, gate).changed == 1);
    CHECK(choose_layouts(after, MemoryFormat::Contiguous, Numerics::LikeEager, gate).changed == 0);
    for (const FuncRef& function : functions(after)) {
      FunctionFacts facts;
      (void)schedule_by_default(function.op(), Numerics::Exact, facts.of(function.op()), gate);
    }
    INFO(print(before) << print(after));
    test::require_sound(after);
    CHECK(check_same(graph, before, after, 1) > 0);
  }
}

}  // namespace
}  // namespace mlgc
