// Nothing differs between a module and itself, and something does exactly when structural hashes do; what is matched is
// matched both ways.
#include "inspect/module_difference.h"

#include "check/random_program.h"
#include "inspect/difference_report.h"
#include "ir/structural_hash.h"
#include "ir/walk.h"
#include "ops/op_table.h"
#include "pass/pass_manager.h"
#include "pass/statistics.h"
#include "support_catch.h"
#include "text/printer.h"
#include "transforms/all_passes.h"
#include "transforms/pipelines.h"

namespace mlgc {
namespace {

void check_difference(const Module& before, const Module& after, bool same) {
  const ModuleMatching matching(before, after);
  const ModuleDifference difference = find_difference(before, after, matching);
  INFO(difference_text(before, after, matching, difference, {"before", "after"}));
  CHECK(difference.any() == !same);
  std::size_t pairs = 0;
  walk(before, [&](OpRef op) {
    const OpRef other = matching.partner(op);
    if (!other.valid()) return;
    ++pairs;
    CHECK(matching.partner(other) == op);
  });
  walk(after, [&](OpRef op) { pairs -= matching.partner(op).valid() ? 1 : 0; });
  CHECK(pairs == 0);
  const DifferenceCounts& counts = difference.counts;
  std::size_t both = counts.same;
  for (const ItemDifference& item : difference.items)
    for (const OpDifference& op : item.ops) both += !op.added() && !op.removed() ? 1 : 0;
  CHECK(both + counts.removed == count_all(before));
  CHECK(both + counts.added == count_all(after));
}

TEST_CASE("differences of random programs and of what passes make of them") {
  const auto pipeline = parse_pipeline(find_pipeline("O2")->text, all_passes());
  REQUIRE(pipeline);
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    const auto context = make_context();
    const Module before = draw_program(context, {.seed = seed, .ops = 30});
    check_difference(before, Module(before), true);
    Module after(before);
    DiagnosticEngine diagnostics(context->locations());
    REQUIRE(PassManager(*context).run(after, *pipeline, diagnostics));
    const bool same = structural_hash(before) == structural_hash(after);
    check_difference(before, after, same);
    check_difference(after, before, same);
    check_difference(before, draw_program(context, {.seed = seed + 1000, .ops = 30}), false);
  }
}

}  // namespace
}  // namespace mlgc
