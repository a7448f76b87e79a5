// Random programs and random registries: what `partition` makes verifies, computes the same bits, survives -O2, and is
// taken apart again.
#include <array>
#include <random>

#include "analysis/isolate.h"
#include "check/draw_inputs.h"
#include "check/random_program.h"
#include "ir/walk.h"
#include "partition/form_segments.h"
#include "partition/partitioning.h"
#include "random_modules.h"
#include "transforms/pipelines.h"

namespace mlgc {
namespace {

using test::ops_by_name_but;
using test::outcome;
using test::require_sound;

// About a half of all rows, and some conditions.
Registry draw_registry(Context& context, std::mt19937_64& random) {
  Registry registry;
  registry.target = "t";
  const auto rule = [&](std::size_t percent) {
    RegistryRule out;
    for (std::size_t i = 0; i < context.ops().size(); ++i)
      if (never_in_segment(*context.ops()[i]).empty() && random() % 100 < percent)
        out.ops.push_back(static_cast<Opcode>(i));
    return out;
  };
  RegistryRule refused = rule(15);
  refused.supported = false;
  if (random() % 2 == 0) refused.max_rank = 1;
  registry.rules.push_back(std::move(refused));
  RegistryRule floats = rule(40);
  floats.dtypes = DtypeSet{0x3C0};
  registry.rules.push_back(std::move(floats));
  registry.rules.push_back(rule(20 + random() % 81));
  registry.index(context.ops().size());
  return registry;
}

TEST_CASE("partitioned random programs verify and compute the same bits, before and behind -O2, and come back") {
  std::size_t segments = 0, runs = 0, nested = 0, apart = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::shared_ptr<Context> context = make_context();
    Module module = draw_program(context, {.seed = seed, .ops = 40});
    Module before = module;
    std::mt19937_64 random(seed);
    const Registry registry = draw_registry(*context, random);
    const PartitionOptions options{.min_ops = 1 + seed % 3, .explain = seed % 2 == 0};
    INFO("seed " << seed);
    const Dependences dependences(module);
    const Partitioning partitioning = partition_ops(module, registry, dependences, options);
    REQUIRE(partitioning.untried == 0);
    apart += partitioning.apart.size();
    if (options.explain) {
      std::size_t outside = 0;
      for (const OutsideOp& at : partitioning.outside) {
        CHECK_FALSE(at.reason.text.empty());
        ++outside;
      }
      CHECK(outside == partitioning.op_count - partitioning.inside_count);
      CHECK_FALSE(partitioned_regions(module, partitioning, dependences).empty());
    }
    std::size_t inside = 0;
    const std::size_t formed = form_segments(module, partitioning, dependences, "t",
                                             [&](const PartitionSegment& s) { return s.op_count > 0; });
    CHECK(formed == partitioning.segments.size());
    segments += formed;
    require_sound(module);
    walk(module, [&](OpRef op) {
      if (!op.is(GraphOp::Segment)) return;
      if (!op.parent_op().is(GraphOp::Func)) ++nested;
      for (const OpRef inner : op.region().ops()) {
        CHECK_FALSE(inner.is(GraphOp::Segment));
        if (!inner.has_trait(Traits::Terminator) && never_in_segment(inner.def()).empty()) ++inside;
      }
    });
    CHECK(inside <= partitioning.inside_count);

    // A second time changes nothing.
    const Dependences anew(module);
    const Partitioning second = partition_ops(module, registry, anew, options);
    CHECK(second.segments.size() == partitioning.segments.size());
    CHECK(second.misplaced.empty());
    CHECK(second.inside_count == partitioning.inside_count);
    CHECK(second.op_count == partitioning.op_count);

    Module optimised = module;
    DiagnosticEngine diagnostics(context->locations());
    auto levels = parse_pipeline(find_pipeline("O2")->text, all_passes());
    REQUIRE(levels.ok());
    PassManager manager(*context, {.check_changed = true, .numerics = Numerics::Exact, .verify = verify});
    const bool ran = manager.run(optimised, *levels, diagnostics);
    INFO(render_text(diagnostics));
    REQUIRE(ran);

    Module back = module;
    std::vector<OpRef> formed_segments;
    walk(back, [&](OpRef op) {
      if (op.is(GraphOp::Segment)) formed_segments.push_back(op);
    });
    for (const OpRef op : formed_segments) dissolve_isolated(op);
    require_sound(back);
    // But for reads, constants and sizes, of which each segment has its own.
    constexpr std::array kCopied{"read", "constant", "dim"};
    CHECK(ops_by_name_but(before, kCopied) == ops_by_name_but(back, kCopied));

    for (const FuncRef& function : functions(before)) {
      const auto draws = draw_inputs(function, {.seed = seed, .non_finite = true});
      if (!draws) continue;
      for (const Draw& draw : *draws) {
        const std::string wanted = outcome(before, function.name(), draw);
        INFO(print(before));
        INFO(print(module));
        REQUIRE(outcome(module, function.name(), draw) == wanted);
        REQUIRE(outcome(back, function.name(), draw) == wanted);
        if (wanted != "fails") REQUIRE(outcome(optimised, function.name(), draw) != "fails");
        ++runs;
      }
    }
  }
  // The test would say nothing if little was drawn.
  CHECK(segments > 200);
  CHECK(nested > 20);
  CHECK(apart > 0);
  CHECK(runs > 200);
}

}  // namespace
}  // namespace mlgc
