// rfactor: a reduction becomes those of its tiles, which need not wait for each other, and one over their results.
#include <array>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ops/combine.h"
#include "schedule/loop_edit.h"
#include "schedule/steps.h"

namespace mlgc {

using namespace schedule;

StepResult rfactor(OpRef loop, std::int64_t size, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "rfactor: no loop");
  if (size < 1) return refuse("a tile has at least one iteration");
  if (of.kind() != "serial") return refuse("a loop of kind " + std::string(of.kind()) + " stays");
  if (of.carried_count() == 0) return refuse("the loop carries nothing");
  if (!loop.parent_op().is("func")) return refuse("it stands inside of another op, which can run it in parallel");
  std::vector<CarriedStep> steps;
  for (std::size_t i = 0; i < of.carried_count(); ++i) {
    const auto step = carried_step(of, i);
    if (!step) return refuse("carried value " + std::to_string(i) + " is no reduction: " + step.error());
    steps.push_back(*step);
  }
  if (const auto conflict = find_conflict(of, facts)) return refuse(conflict_text(of, *conflict));

  Module& module = loop.module();
  Context& context = module.context();
  IndexPool& pool = context.index();
  const IndexExpr first = over_values(loop, of.first()), last = over_values(loop, of.last());
  const IndexExpr width = pool.constant(size), tiles = pool.ceildiv(pool.sub(last, first), width);
  bool plain = tiles != pool.overflow();
  pool.for_each_atom(tiles, [&](AtomId id) { plain = plain && pool.atom(id).kind != AtomKind::Opaque; });
  if (!plain) return refuse("the number of tiles is no size");
  const std::string name(of.index().name());
  const Opcode yield = context.find_op("yield");
  Builder builder(module);
  builder.set_before(loop);
  builder.set_location(loop.location());

  // The tiles.
  std::vector<Value> partials;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Type type = context.types().buffer(of.carried(i).dtype(), std::array{tiles}, Scope::Arena);
    partials.push_back(builder.create("alloc", {}, {type}).result());
    partials.back().set_name("partial" + (steps.size() > 1 ? std::to_string(i) : std::string()));
  }
  const IndexExpr zero = pool.constant(0);
  const OpRef outer = new_loop(builder, zero, tiles, fresh_name(loop, name + "_o"), {});
  builder.set_end(outer.region(0));
  std::vector<Value> neutral;
  for (std::size_t i = 0; i < steps.size(); ++i)
    neutral.push_back(neutral_literal(builder, steps[i].fn, of.carried(i).dtype()));
  const OpRef tile = clone(loop, builder);
  const Value number = outer.region(0).argument(0);
  const IndexExpr begin = pool.add(first, pool.scale(of_value(number), size));
  set_loop(tile, begin, pool.min(pool.add(begin, width), last), neutral);
  for (std::size_t i = 0; i < steps.size(); ++i)
    element_of(builder, "store", {tile.result(i), partials[i]}, std::array{of_value(number)});
  builder.create(yield, {}, {}, {});
  set_kind(outer, "parallel");

  // Their results.
  builder.set_before(loop);
  const OpRef rest = new_loop(builder, zero, tiles, fresh_name(loop, name + "_p"), initial_values(of));
  builder.set_end(rest.region(0));
  std::vector<Value> next;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Value carried = rest.region(0).argument(i + 1);
    const IndexExpr at = of_value(rest.region(0).argument(0));
    const Value partial = element_of(builder, "load", {partials[i]}, std::array{at}).result();
    next.push_back(step_like(builder, of, i, steps[i].op, carried, partial));
  }
  builder.create(yield, next, {}, {});
  for (std::size_t i = 0; i < steps.size(); ++i) loop.result(i).replace_all_uses_with(rest.result(i));
  loop.erase();
  return {};
}

}  // namespace mlgc
