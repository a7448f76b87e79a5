// Choices made by trying candidates, without a command line: what is recomputed under a limit of memory, and which
// strategy is fastest for each kernel.
#include <algorithm>

#include "diag/kinds_grad.h"
#include "execution/module_data.h"
#include "execution/program.h"
#include "transforms/levels.h"
#include "tuning/choose_recompute.h"
#include "tuning/tune_kernels.h"

namespace mlgc {
namespace {

const test::NoCache no_cache;

// A chain whose values are worth keeping for backward.
const std::string kDeep = R"(module {
  weight @w0 : tensor<64x64xf32>
  weight @w1 : tensor<64x64xf32>
  weight @w2 : tensor<64x64xf32>
  func @deep(%x: tensor<[B]x64xf32>) -> tensor<f32> {
    %w0 = read @w0
    %m0 = matmul %x, %w0
    %h0 = gelu %m0
    %w1 = read @w1
    %m1 = matmul %h0, %w1
    %h1 = gelu %m1
    %w2 = read @w2
    %m2 = matmul %h1, %w2
    %h2 = gelu %m2
    %loss = mean %h2 {dim = [0, 1]}
    return %loss
  }
}
)";

// With its gradients.
Module derived() {
  Module module = test::loaded("deep.mlir", kDeep);
  DiagnosticEngine diagnostics(module.context().locations());
  const bool ok = run_pipeline(module, "grad{function=deep},canonicalize,cse,dce", diagnostics);
  INFO(render_text(diagnostics));
  REQUIRE(ok);
  return module;
}

RecomputeRequest request_of(const Module& module) {
  RecomputeRequest request;
  request.function = functions(module).front().name();
  request.results = 1;
  request.sizes["B"] = 1024;
  return request;
}

}  // namespace

TEST_CASE("the cheapest choice whose plan meets a limit is taken, and the limit is stated") {
  const Module module = derived();
  const RecomputeRequest request = request_of(module);
  DiagnosticEngine diagnostics(module.context().locations());
  const auto free = choose_recompute(module, request, {.asked = {}, .limit = {}, .explain = true}, diagnostics);
  INFO(render_text(diagnostics));
  REQUIRE(free.has_value());
  CHECK(free->choice.what == Recompute::None);
  CHECK_FALSE(free->limit.has_value());
  REQUIRE(free->report.has_value());
  const std::vector<RecomputeReport::Choice>& choices = free->report->choices;
  REQUIRE(choices.size() > 1);
  const auto peak = [](const RecomputeReport::Choice& choice) { return choice.peak.value_or(INT64_MAX); };
  const std::int64_t all = peak(choices[free->report->chosen]);
  const std::int64_t least = std::ranges::min(choices, {}, peak).peak.value();
  REQUIRE(least < all);

  const auto limited = choose_recompute(module, request, {.asked = {}, .limit = least, .explain = true}, diagnostics);
  INFO(render_text(diagnostics));
  REQUIRE(limited.has_value());
  CHECK(limited->choice.what != Recompute::None);
  CHECK(peak(limited->report->choices[limited->report->chosen]) <= least);
  REQUIRE(limited->limit.has_value());

  Module finished = module;
  REQUIRE(run_pipeline(finished, rematerialize_step(request, limited->choice), diagnostics));
  state_limit(module, finished, request, *limited->limit);
  const auto stated = stated_memory_limit(find_function(finished, request.function));
  REQUIRE(stated.has_value());
  CHECK(stated->bytes == limited->limit->bytes);
  CHECK(stated->sizes.at("B") == 1024);
}

TEST_CASE("a limit that no choice meets is refused with the least there is") {
  const Module module = derived();
  DiagnosticEngine diagnostics(module.context().locations());
  CHECK_FALSE(choose_recompute(module, request_of(module), {.asked = {}, .limit = 1}, diagnostics).has_value());
  REQUIRE(diagnostics.sorted().size() == 1);
  const Diagnostic refused = diagnostics.sorted()[0];
  CHECK(refused.kind == &kMemoryLimit);
  CHECK_THAT(refused.message(), Catch::Matchers::Contains(" (recompute="));
  CHECK_THAT(refused.remedy(), Catch::Matchers::StartsWith("allow it, with a limit of "));
  DiagnosticEngine by_flags(module.context().locations());
  RecomputeOptions options{.asked = {}, .limit = 1};
  options.words.choice = [](const RecomputeChoice&) { return "--one"; };
  options.words.limit = [](std::int64_t) { return "--two"; };
  CHECK_FALSE(choose_recompute(module, request_of(module), options, by_flags).has_value());
  CHECK_THAT(by_flags.sorted()[0].message(), Catch::Matchers::Contains(" (--one)"));
  CHECK_THAT(by_flags.sorted()[0].remedy(), Catch::Matchers::StartsWith("allow it, with --two"));
}

TEST_CASE("a choice that is asked for is taken as it is") {
  const Module module = derived();
  DiagnosticEngine diagnostics(module.context().locations());
  const RecomputeChoice asked{Recompute::Cheap, 1};
  const auto decision = choose_recompute(module, request_of(module), {.asked = asked}, diagnostics);
  REQUIRE(decision.has_value());
  CHECK(decision->choice == asked);
}

TEST_CASE("candidates of each kernel are timed, and the decisions name the fastest") {
  Module module = test::sample("mlp.mlir");
  DiagnosticEngine diagnostics(module.context().locations());
  const auto call = bind_timed_call(module, "", {.inputs = {}, .dims = {{"B", 64}}, .random_seed = 1}, diagnostics);
  REQUIRE(call.has_value());
  CHECK(call->function == "forward");
  const auto data = load_data(module, {.weights = "", .random_seed = 1}, {}, {}, diagnostics);
  REQUIRE(data.has_value());
  TuneOptions options;
  options.timing.vector_bytes = 16;
  options.sizes["B"] = 64;
  options.candidates = 2;
  options.rounds = 1;
  options.seconds = 0.01;
  bool lowered = optimise(module, diagnostics);
  lowered = lowered && lower_unscheduled(*targets().front(), module, Numerics::LikeEager, diagnostics);
  REQUIRE(lowered);
  const auto report = tune_kernels(module, *data, *call, options, diagnostics);
  INFO(render_text(diagnostics));
  REQUIRE(report.has_value());
  REQUIRE(!report->kernels.empty());
  for (const TunedKernel& kernel : report->kernels) {
    CHECK(kernel.candidates.size() <= options.candidates);
    CHECK(kernel.candidates.front().measured > 0);
    CHECK(kernel.best < kernel.candidates.size());
  }
  CHECK(report->before > 0);
  const schedule::Decisions decisions = decisions_of(*report);
  CHECK(decisions.kernels.size() == report->kernels.size());
  CHECK(decisions.sizes.at("B") == 64);
}

}  // namespace mlgc
