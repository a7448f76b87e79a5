// Scheduled kernels compute what they computed before: the same bits where the numerics are exact, within the one
// measure of agreement where sums may come together in another order. They verify and read back.
#include "check/random_program.h"
#include "kernel_families.h"
#include "loopir/functions.h"
#include "ops/rewrite_gate.h"
#include "schedule/default_schedule.h"
#include "tensor/compare.h"
#include "thread_cases.h"

namespace mlgc {
namespace {

using test::Family;

ScheduleCounts schedule(Module& module, Numerics numerics) {
  ScheduleCounts counts;
  RewriteGate gate;
  for (const FuncRef& function : functions(module)) {
    if (!is_loop_function(function.op())) continue;
    FunctionFacts facts;
    const ScheduleCounts of = schedule_by_default(function.op(), numerics, facts.of(function.op()), gate);
    counts.collapsed += of.collapsed;
    counts.tiled += of.tiled;
    counts.vectorized += of.vectorized;
    counts.narrowed += of.narrowed;
  }
  return counts;
}

// The same bits, but for the sign of zeros: which of two an extremum is depends on the order.
bool same_numbers(const Tensor& a, const Tensor& b) {
  if (thread_test::same_bits(a, b)) return true;
  if (!is_float(a.dtype()) || a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double x = a.get_double(i), y = b.get_double(i);
    if (x != y && !(x != x && y != y)) return false;
  }
  return true;
}

void check_same(const Outputs& got, const Outputs& wanted) {
  REQUIRE(got.results.size() == wanted.results.size());
  for (std::size_t i = 0; i < wanted.results.size(); ++i) CHECK(same_numbers(got.results[i], wanted.results[i]));
}

TEST_CASE("each kind of kernel keeps its bits in exact numerics, and agrees with the reference in f64 in others") {
  const InterpretOptions native{.precision = Precision::Native};
  for (const Family& family : test::families()) {
    const std::shared_ptr<Context> context = make_context();
    Module graph = test::parse(context, family.text);
    Module plain = graph;
    test::lower(plain);
    Module exact = plain, eager = plain;
    INFO(family.name);
    const ScheduleCounts steps = schedule(exact, Numerics::Exact);
    CHECK(steps.narrowed == 0);
    CHECK(schedule(eager, Numerics::LikeEager).vectorized > 0);
    INFO(print(eager));
    test::require_sound(exact);
    test::require_sound(eager);
    for (const Draw& draw : test::draw_family(family, functions(graph)[0])) {
      INFO(draw.text());
      const auto wanted = interpret(plain, "f", draw.inputs, draw.data, native);
      const auto kept = interpret(exact, "f", draw.inputs, draw.data, native);
      const auto fast = interpret(eager, "f", draw.inputs, draw.data, native);
      REQUIRE(wanted.ok() == kept.ok());
      REQUIRE(wanted.ok() == fast.ok());
      if (!wanted) continue;
      check_same(*kept, *wanted);
      if (draw.kind != DrawKind::Plain) continue;
      const auto reference = interpret(graph, "f", draw.inputs, draw.data, {.precision = Precision::F64});
      REQUIRE(reference);
      for (std::size_t i = 0; i < wanted->results.size(); ++i)
        CHECK(agrees(fast->results[i], reference->results[i]).reason == "");
    }
  }
}

TEST_CASE("kernels of random programs keep their bits when they are scheduled") {
  std::size_t runs = 0, vectorized = 0, collapsed = 0;
  for (std::uint64_t seed = 400; seed < 560; ++seed) {
    const std::shared_ptr<Context> context = make_context();
    Module module = draw_program(context, {.seed = seed, .ops = 6});
    const Module graph = module;
    form_fusions(module, decide_fusion(module, {}), [](const FusionGroup&) { return true; });
    DiagnosticEngine diagnostics(context->locations());
    if (!lower_to_loops(module, diagnostics)) continue;
    Module scheduled = module;
    const ScheduleCounts steps = schedule(scheduled, Numerics::Exact);
    vectorized += steps.vectorized;
    collapsed += steps.collapsed;
    DiagnosticEngine complaints(context->locations());
    if (!verify(module, complaints)) continue;  // a read that is known to lie outside of what it reads
    INFO("seed " << seed << "\n" << print(module) << print(scheduled));
    test::require_sound(scheduled);
    for (const FuncRef& function : functions(graph)) {
      const auto draws = draw_inputs(function, {.seed = seed});
      if (!draws) continue;
      for (const Draw& draw : *draws) {
        const InterpretOptions native{.precision = Precision::Native};
        const auto wanted = interpret(module, function.name(), draw.inputs, draw.data, native);
        const auto got = interpret(scheduled, function.name(), draw.inputs, draw.data, native);
        REQUIRE(wanted.ok() == got.ok());
        if (!wanted) continue;
        check_same(*got, *wanted);
        ++runs;
      }
    }
  }
  INFO(runs << " runs, " << vectorized << " loops with lanes, " << collapsed << " collapsed");
  CHECK(runs > 100);
  CHECK(vectorized > 50);
  CHECK(collapsed > 50);
}

}  // namespace
}  // namespace mlgc
