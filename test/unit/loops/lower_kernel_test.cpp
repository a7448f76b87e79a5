// Kernels of fused random programs as loops: they verify, read back, and compute what the fusion computes, bit for bit
// in native precision.
#include <cstring>
#include <map>

#include "check/random_program.h"
#include "fusion/decide_fusion.h"
#include "fusion/form_fusions.h"
#include "ir/walk.h"
#include "loops/lower.h"
#include "loops/lower_module.h"
#include "random_modules.h"
#include "sampled.h"

namespace mlgc {
namespace {

struct KernelCounts {
  std::size_t kernels = 0, rows = 0, shared = 0, results = 0, unbound = 0;
};

bool equal_bits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  // Which NaN it is says nothing.
  return visit_dtype(a.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < a.size(); ++i) {
      const T x = a.data<T>()[static_cast<std::size_t>(i)], y = b.data<T>()[static_cast<std::size_t>(i)];
      if (std::memcmp(&x, &y, sizeof(T)) == 0) continue;
      const auto p = convert_element<double>(x), q = convert_element<double>(y);
      if (p == p || q == q) return false;
    }
    return true;
  });
}

void check_kernel(OpRef fusion, std::span<const Tensor> operands, std::span<const Tensor> results,
                  KernelCounts& counts) {
  FunctionFacts facts;
  const auto kernel = fusion_kernel(fusion, facts.of(fusion));
  REQUIRE(kernel);
  INFO(print_formula(formulas(fusion.module().context()), kernel->formula.formula()));
  Module loops(fusion.module().shared_context());
  const OpRef func = lower_kernel(loops, *kernel, "k", facts.of(fusion));
  INFO(print(loops));
  if (const auto wrong = loops.check_store(); !wrong.empty()) FAIL(wrong.front());
  const std::string text = print(loops);
  const auto outcome = interpret(loops, "k", operands);
  if (!outcome) {
    // A size that no operand has.
    INFO(outcome.error().message());
    const std::string_view kind = outcome.error().kind->id;
    REQUIRE(
        (kind == "unbound-symbol" || kind == "size-not-inferred" || kind == "buffer-size" || kind == "input-shape"));
    ++counts.unbound;
    return;
  }
  REQUIRE(outcome->results.size() == results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    INFO("result " << i);
    CHECK(equal_bits(outcome->results[i], results[i]));
    ++counts.results;
  }
  ++counts.kernels;
  counts.rows += kernel->formula.shape().rows.empty() ? 0 : 1;
  walk(func, [&](OpRef op) { counts.shared += op.is(GraphOp::For) && op.result_count() > 0 ? 1 : 0; });
}

TEST_CASE("kernels of fused random programs compute the same bits as loops") {
  KernelCounts counts;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::shared_ptr<Context> context = make_context();
    Module module = draw_program(context, {.seed = seed, .ops = 30});
    const FusionDecisions decisions = decide_fusion(module, {});
    form_fusions(module, decisions, [](const FusionGroup&) { return true; });
    INFO("seed " << seed);
    for (const FuncRef& function : functions(module)) {
      const auto draws = draw_inputs(function, {.seed = seed, .non_finite = true});
      if (!draws) continue;
      for (const Draw& draw : *draws) {
        std::map<ValueId, Tensor> values;
        for (std::size_t i = 0; i < draw.inputs.size(); ++i)
          values.insert_or_assign(function.body().argument(i).id(), draw.inputs[i]);
        InterpretOptions options{.precision = Precision::Native};
        options.observe = [&](OpRef op, std::span<const Tensor> results) {
          for (std::size_t i = 0; i < results.size(); ++i) values.insert_or_assign(op.result(i).id(), results[i]);
          if (!op.is(GraphOp::Fusion) || results.empty()) return;
          std::vector<Tensor> operands;
          for (const Value v : op.operands()) {
            const auto found = values.find(v.id());
            if (found == values.end()) return;  // the argument of a loop
            operands.push_back(found->second);
          }
          check_kernel(op, operands, results, counts);
        };
        (void)interpret(module, function.name(), draw.inputs, draw.data, options);
      }
    }
  }
  INFO(counts.kernels << " kernels, " << counts.rows << " with rows, " << counts.results << " results, "
                      << counts.unbound << " with sizes that no operand has");
  CHECK(counts.kernels > 1000);
  CHECK(counts.rows > 500);
  CHECK(counts.shared > 100);
  CHECK(counts.unbound < counts.kernels / 10);
}

// Whether a function has no run that ends without an error: its text may be refused then, since it says so.
bool always_fails(Module& module, std::uint64_t seed) {
  for (const FuncRef& function : functions(module)) {
    const auto draws = draw_inputs(function, {.seed = seed});
    if (!draws) continue;
    bool fails = !draws->empty();
    for (const Draw& draw : *draws) fails = fails && !interpret(module, function.name(), draw.inputs, draw.data);
    if (fails) return true;
  }
  return false;
}

TEST_CASE("functions of random programs compute the same bits as host functions that launch kernels") {
  std::size_t lowered = 0, refused = 0, runs = 0, updates = 0;
  std::map<std::string, std::size_t> control;
  for (std::uint64_t seed = 100; seed < 330; seed += test::seed_step(2)) {
    const std::shared_ptr<Context> context = make_context();
    Module module = draw_program(context, {.seed = seed, .ops = 10});
    const Module before = module;
    form_fusions(module, decide_fusion(module, {}), [](const FusionGroup&) { return true; });
    DiagnosticEngine diagnostics(context->locations());
    INFO("seed " << seed);
    if (!lower_to_loops(module, diagnostics)) {
      CHECK(diagnostics.error_count() > 0);
      ++refused;
      continue;
    }
    ++lowered;
    for (const auto& [name, count] : test::ops_by_name(module)) control[name] += count;
    INFO(print(before));
    Module graph = before;
    if (always_fails(graph, seed)) continue;
    test::require_sound(module);
    for (const FuncRef& function : functions(before)) {
      updates += function.updates().size();
      const auto draws = draw_inputs(function, {.seed = seed});
      if (!draws) continue;
      for (const Draw& draw : *draws) {
        const InterpretOptions native{.precision = Precision::Native};
        const auto wanted = interpret(graph, function.name(), draw.inputs, draw.data, native);
        if (!wanted) continue;
        const auto outcome = interpret(module, function.name(), draw.inputs, draw.data, native);
        if (!outcome) FAIL(outcome.error().message());
        REQUIRE(outcome->results.size() == wanted->results.size());
        for (std::size_t i = 0; i < wanted->results.size(); ++i)
          CHECK(equal_bits(outcome->results[i], wanted->results[i]));
        REQUIRE(outcome->updates.size() == wanted->updates.size());
        for (std::size_t i = 0; i < wanted->updates.size(); ++i)
          CHECK(equal_bits(outcome->updates[i].second, wanted->updates[i].second));
        ++runs;
      }
    }
  }
  INFO(lowered << " lowered, " << refused << " refused, " << runs << " runs, " << updates << " updates");
  INFO(control["if"] << " if, " << control["while"] << " while, " << control["for"] << " for, "
                     << control["buffer_view"] << " buffer_view");
  CHECK(lowered > 50);
  CHECK(runs > 150);
  CHECK(updates > 2);
  CHECK(control["while"] > 10);
  CHECK(control["if"] > 10);
  CHECK(control["buffer_view"] > 10);
}

}  // namespace
}  // namespace mlgc
