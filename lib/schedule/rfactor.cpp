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

namespace {

Value literal_of(Builder& builder, Dtype dtype, NeutralElement neutral) {
  AttributePool& attributes = builder.context().attributes();
  const Attribute value = is_float(dtype) ? attributes.real(neutral.real) : attributes.integer(neutral.integer);
  const AttrDict attrs = builder.attrs({{"value", value}, {"dtype", attributes.dtype(dtype)}});
  return builder.create("literal", {}, {builder.context().types().scalar(dtype)}, attrs).result();
}

OpRef new_loop(Builder& builder, Opcode opcode, IndexExpr last, const std::string& name,
               const std::vector<Value>& initial) {
  Module& module = builder.module();
  std::vector<Value> operands;
  std::vector<Type> types;
  const AttrDict attrs =
      builder.attrs({{"bounds", brackets(module, operands, std::array{module.context().index().constant(0), last})}});
  for (const Value v : initial) {
    operands.push_back(v);
    types.push_back(v.type());
  }
  const OpRef made = builder.create(opcode, operands, attrs, types, 1);
  made.region(0).add_argument(module.context().types().index()).set_name(name);
  for (const Type t : types) (void)made.region(0).add_argument(t);
  return made;
}

// load or store; `operands` are those before the brackets.
OpRef element_of(Builder& builder, std::string_view op, std::vector<Value> operands, Value index,
                 std::span<const Type> results) {
  const AttrDict attrs = builder.attrs({{"at", brackets(builder.module(), operands, std::array{of_value(index)})}});
  return builder.create(builder.context().find_op(op), operands, attrs, results);
}

}  // namespace

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
  const OpRef outer = new_loop(builder, loop.opcode(), tiles, fresh_name(loop, name + "_o"), {});
  builder.set_end(outer.region(0));
  std::vector<Value> neutral;
  for (std::size_t i = 0; i < steps.size(); ++i)
    neutral.push_back(literal_of(builder, of.carried(i).dtype(), neutral_element(steps[i].fn, of.carried(i).dtype())));
  const OpRef tile = clone(loop, builder);
  const Value number = outer.region(0).argument(0);
  const IndexExpr begin = pool.add(first, pool.scale(of_value(number), size));
  set_loop(tile, begin, pool.min(pool.add(begin, width), last), neutral);
  for (std::size_t i = 0; i < steps.size(); ++i)
    element_of(builder, "store", {tile.result(i), partials[i]}, number, {});
  builder.create(yield, {}, {}, {});
  set_kind(outer, "parallel");

  // Their results.
  builder.set_before(loop);
  const OpRef rest = new_loop(builder, loop.opcode(), tiles, fresh_name(loop, name + "_p"), initial_values(of));
  builder.set_end(rest.region(0));
  std::vector<Value> next;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Value carried = rest.region(0).argument(i + 1);
    const Type element[] = {carried.type()};
    const Value partial = element_of(builder, "load", {partials[i]}, rest.region(0).argument(0), element).result();
    const bool carried_first = steps[i].op.operand(0) == of.carried(i);
    const Value operands[] = {carried_first ? carried : partial, carried_first ? partial : carried};
    next.push_back(builder.create(steps[i].op.opcode(), operands, steps[i].op.attrs(), element).result());
  }
  builder.create(yield, next, {}, {});
  for (std::size_t i = 0; i < steps.size(); ++i) loop.result(i).replace_all_uses_with(rest.result(i));
  loop.erase();
  return {};
}

}  // namespace mlgc
