// A schedule goes on without a transform whose result the verifier refuses, and the function is what the others made.
#include "schedule/transform_review.h"
#include "loopir/loop_ops.h"
#include "parsed_module.h"
#include "schedule/loop_edit.h"
#include "schedule/step_taker.h"
#include "verify/verify.h"

namespace mlgc::schedule {
namespace {

constexpr std::string_view kText =
    "func @k(%x: buffer<64x64xf32, argument>, %y: buffer<64x64xf32, argument>) {\n"
    "  for [0, 64] (%i: index) {\n"
    "    for [0, 64] (%j: index) {\n"
    "      %0 = load %x[%i, %j] : f32\n"
    "      store %0, %y[%i, %j]\n"
    "    }\n"
    "  }\n"
    "  return\n"
    "}\n";

// A schedule with transforms that break the function, behind and before good ones.
class Broken : public StepTaker {
 public:
  using StepTaker::StepTaker;

  ScheduleCounts run() {
    IndexPool& pool = func_.module().context().index();
    OpRef i = *find_loop(func_, "i");
    first = take("widen", i, NumericsClass::Exact, counts_.tiled, [&]() -> TransformResult {
      set_loop(i, pool.constant(0), pool.constant(65), {});
      return {};
    });
    why = refused_.kind == &kScheduleResultInvalid ? refused_.message() : "";
    const OpRef j = *find_loop(func_, "j");
    // After this the handle is of a loop that is gone: nothing may touch it.
    second = take("rebuild", j, NumericsClass::Exact, counts_.tiled, [&]() -> TransformResult {
      Builder builder(func_.module());
      builder.set_before(j);
      const OpRef made = new_loop(builder, pool.constant(0), pool.constant(70), "m", {});
      builder.set_end(made.region(0));
      ValueMap map;
      map.set(ForRef::from(j).index(), ForRef::from(made).index());
      clone_ops(j.region(0), builder, map);
      j.erase();
      return {};
    });
    third = take("vectorize", j, NumericsClass::Exact, counts_.vectorized, [&] { return vectorize(j, 16, facts_); });
    if (spoil) set_loop(i, pool.constant(-1), pool.constant(64), {});
    return counts_;
  }
  bool first = false, second = false, third = false, spoil = false;
  std::string why;
};

struct Scheduled {
  std::string text;
  ScheduleCounts counts;
  TransformReview review;
  std::uint64_t recorded = 0;
  bool first = false, second = false, third = false, valid = false;
  std::string why;
};

Scheduled schedule(bool spoil) {
  const test::ParsedModule parsed(kText);
  const OpRef func = parsed.func("k");
  FunctionFacts facts;
  RewriteGate gate;
  Scheduled out;
  out.counts = schedule_reviewed(func, gate, out.review, [&] {
    Broken broken(func, Numerics::LikeEager, facts.of(func), gate, &out.review);
    broken.spoil = spoil;
    const ScheduleCounts counts = broken.run();
    out.first = broken.first, out.second = broken.second, out.third = broken.third, out.why = broken.why;
    return counts;
  });
  out.recorded = gate.count();
  out.text = print(func);
  DiagnosticEngine diagnostics(parsed.context->locations());
  out.valid = verify(parsed.module, diagnostics);
  INFO(render_text(diagnostics));
  CHECK(out.valid);
  return out;
}

TEST_CASE("transforms whose result is refused are undone, and the others stay") {
  const Scheduled done = schedule(false);
  CHECK_FALSE(done.first);
  CHECK_FALSE(done.second);
  CHECK(done.third);
  CHECK(done.recorded == 1);
  CHECK(done.counts.tiled == 0);
  CHECK(done.counts.vectorized == 1);
  REQUIRE(done.review.refusals().size() == 2);
  CHECK(done.review.refusals()[0].text ==
        "widen of %i: subscript 0 of `x` is %i, which is not shown to lie within a size of 64");
  CHECK(done.why == "the verifier refuses the result of the transform: " + done.review.refusals()[0].text);
  CHECK(done.review.refusals()[1].text ==
        "rebuild of %j: subscript 1 of `x` is %m, which is not shown to lie within a size of 64");
  CHECK(done.text.find("for [0, 64] (%j: index) attributes {kind = \"vector\", lanes = 16}") != std::string::npos);
}

TEST_CASE("a schedule that breaks a function beside its transforms leaves it as it was") {
  const Scheduled done = schedule(true);
  CHECK(done.recorded == 0);
  CHECK(done.counts.vectorized == 0);
  REQUIRE(done.review.refusals().size() == 3);
  CHECK(done.review.refusals()[2].text ==
        "the schedule as a whole: subscript 0 of `x` is %i, which is not shown to lie within a size of 64");
  CHECK(done.text.find("vector") == std::string::npos);
  CHECK(done.text.find("for [0, 64] (%i: index) {") != std::string::npos);
}

}  // namespace
}  // namespace mlgc::schedule
