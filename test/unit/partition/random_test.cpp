// Random programs and random registries: what `partition` makes verifies, computes the same bits, survives -O2, and is
// taken apart again.
#include <map>
#include <random>

#include "../transforms/program.h"
#include "check/draw_inputs.h"
#include "check/random_program.h"
#include "interp/interpret_module.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "analysis/isolate.h"
#include "partition/form_segments.h"
#include "partition/plan.h"
#include "transforms/pipelines.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

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

// As the driver infers: types that depend on data are stated.
Inferred infer(OpRef op, std::span<const Type> given, std::vector<Type>& types, DiagnosticEngine& diagnostics) {
  if (!has_inference(op.def())) return Inferred::Unknown;
  FunctionFacts facts;
  auto inferred = infer_types(op, facts.of(op), given);
  if (!inferred) {
    Diagnostic diagnostic = inferred.error();
    diagnostic.at = op.location();
    diagnostics.emit(diagnostic);
    return Inferred::Failed;
  }
  types = std::move(inferred).value();
  return Inferred::Yes;
}

std::map<std::string, std::size_t> ops_by_name(const Module& module) {
  std::map<std::string, std::size_t> out;
  walk(module, [&](OpRef op) { ++out[std::string(op.name())]; });
  return out;
}

void require_sound(const Module& module) {
  DiagnosticEngine diagnostics(module.context().locations());
  const bool sound = verify(module, diagnostics);
  INFO(render_text(diagnostics));
  INFO(print(module));
  REQUIRE(module.check_store().empty());
  REQUIRE(sound);
  // The text is that of the same program.
  const std::string text = print(module);
  const SourceFile& file = module.context().locations().add_source("again.mlir", text);
  const auto again = parse_module(module.shared_context(), file, diagnostics, {.infer = infer});
  INFO(render_text(diagnostics));
  REQUIRE(again);
  REQUIRE(print(*again) == text);
}

std::string outcome(Module& module, std::string_view function, const Draw& draw) {
  const auto outputs = interpret(module, function, draw.inputs, draw.data, {.precision = Precision::Native});
  if (!outputs) return "fails";
  std::string out;
  const auto add = [&](const Tensor& t) {
    for (const std::int64_t d : t.shape()) out += std::to_string(d) + "x";
    out += std::string(dtype_info(t.dtype()).name) + ":";
    const auto bytes = t.bytes();
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  for (const Tensor& t : outputs->results) add(t);
  for (const auto& t : outputs->updates) add(t.second);
  return out;
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
    const PartitionPlan plan = plan_partition(module, registry, dependences, options);
    REQUIRE(plan.untried == 0);
    apart += plan.apart.size();
    if (options.explain) {
      std::size_t outside = 0;
      for (const OutsideOp& at : plan.outside) {
        CHECK_FALSE(at.reason.text.empty());
        ++outside;
      }
      CHECK(outside == plan.op_count - plan.inside_count);
      CHECK_FALSE(partitioned_regions(module, plan, dependences).empty());
    }
    std::size_t inside = 0;
    const std::size_t formed =
        form_segments(module, plan, dependences, "t", [&](const PlannedSegment& s) { return s.op_count > 0; });
    CHECK(formed == plan.segments.size());
    segments += formed;
    require_sound(module);
    walk(module, [&](OpRef op) {
      if (!op.is("segment")) return;
      if (!op.parent_op().is("func")) ++nested;
      for (const OpRef inner : op.region().ops()) {
        CHECK_FALSE(inner.is("segment"));
        if (!inner.has_trait(Traits::Terminator) && never_in_segment(inner.def()).empty()) ++inside;
      }
    });
    CHECK(inside <= plan.inside_count);

    // A second time changes nothing.
    const Dependences anew(module);
    const PartitionPlan second = plan_partition(module, registry, anew, options);
    CHECK(second.segments.size() == plan.segments.size());
    CHECK(second.misplaced.empty());
    CHECK(second.inside_count == plan.inside_count);
    CHECK(second.op_count == plan.op_count);

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
      if (op.is("segment")) formed_segments.push_back(op);
    });
    for (const OpRef op : formed_segments) dissolve_isolated(op);
    require_sound(back);
    // But for reads, constants and sizes, of which each segment has its own.
    auto was = ops_by_name(before), is = ops_by_name(back);
    for (const char* copied : {"read", "constant", "dim"}) {
      was.erase(copied);
      is.erase(copied);
    }
    CHECK(was == is);

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
