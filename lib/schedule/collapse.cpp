// collapse: two loops over dense elements become one, over views of their buffers.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "ir/builder.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

// The place of a buffer where views of it stand: after what makes it, or says its sizes, in front of everything that
// uses it.
OpRef first_user_place(Value buffer) {
  if (buffer.is_result()) return buffer.definer().next();
  OpRef place = buffer.argument_of().front();
  const IndexPool& index = buffer.module().context().index();
  for (const OpRef bind : late_sizes(buffer.argument_of().parent_op())) {
    const auto dims = buffer.dims();
    if (std::any_of(dims.begin(), dims.end(),
                    [&](IndexExpr dim) { return index.mentions(dim, BindSizeRef::from(bind).size()); }))
      place = bind.next();
  }
  return place;
}

// The memory of `buffer` with other dims: itself, or a view that stands next to it.
Value view_of(Value buffer, std::span<const IndexExpr> dims) {
  const Value memory = underlying_buffer(buffer);
  Module& module = memory.module();
  TypePool& types = module.context().types();
  const Type type = types.with_dims(memory.type(), dims);
  if (type == memory.type()) return memory;
  OpRef place = first_user_place(memory);
  for (; place.is(LoopOp::BufferView); place = place.next())
    if (BufferViewRef::from(place).of() == memory && place.result().type() == type) return place.result();
  Builder builder(module);
  builder.set_before(place);
  builder.set_location(place.location());
  const Type made[] = {type};
  const Value operands[] = {memory};
  const Value view = builder.create(module.context().opcode(LoopOp::BufferView), operands, {}, made).result();
  if (!memory.name().empty()) view.set_name(std::string(memory.name()) + "_flat");
  return view;
}

// An access whose subscripts `at` (over values) name both indices, and the axes that do.
struct DenseAccess {
  OpRef op;
  std::vector<IndexExpr> at;
  std::size_t outer_axis = 0, inner_axis = 0;
};

bool mentions(const IndexPool& pool, IndexExpr e, Value v) {
  bool found = false;
  pool.for_each_atom(e, [&](AtomId id) {
    const Atom& atom = pool.atom(id);
    found = found || (atom.kind == AtomKind::Opaque && atom.number == v.id().value);
  });
  return found;
}

class Collapse {
 public:
  Collapse(OpRef loop, OpRef inner, Divides divides)
      : pool_(loop.module().context().index()),
        types_(loop.module().context().types()),
        loop_(loop),
        inner_(inner),
        outer_(ForRef::from(loop)),
        within_(ForRef::from(inner)),
        rows_(over_values(loop, outer_.last())),
        columns_(over_values(inner, within_.last())),
        divides_(divides) {}

  TransformResult check() {
    if (pool_.mul(rows_, columns_) == pool_.overflow())
      return refuse<kScheduleBounds>(index_name(outer_), "both loops together exceed 64 bits");
    for (const ForRef& of : {outer_, within_}) {
      if (auto may = expect_plain(of); !may) return may;
      if (pool_.as_constant(of.first()) != 0)
        return refuse<kScheduleBounds>(index_name(of), "the loop does not start at 0");
    }
    if (mentions(pool_, columns_, outer_.index())) return refuse<kScheduleBoundsVary>(index_name(within_));
    if (!passes_on()) return refuse<kScheduleCarriesValues>(index_name(outer_.carried_count() > 0 ? outer_ : within_));
    for (const Value index : {outer_.index(), within_.index()})
      for (const OpRef user : index.users()) {
        const bool known =
            std::any_of(accesses_.begin(), accesses_.end(), [&](const DenseAccess& a) { return a.op == user; });
        if (known || std::find(divided_.begin(), divided_.end(), user) != divided_.end()) continue;
        if (std::find(counted_.begin(), counted_.end(), user) != counted_.end()) continue;
        if (user.is(LoopOp::Apply) && counts_elements(user)) {
          counted_.push_back(user);
          continue;
        }
        auto access = dense(user);
        if (!access && may_divide(user)) {
          divided_.push_back(user);
          continue;
        }
        if (!access) return refuse(access.error());
        accesses_.push_back(std::move(*access));
      }
    const bool are_constants = divides_ != Divides::Nothing && pool_.as_constant(rows_).value_or(-1) >= 0 &&
                               pool_.as_constant(columns_).value_or(-1) >= 0;
    if (accesses_.empty() && !are_constants)
      return refuse<kScheduleBounds>(index_name(outer_), "no access shows that the trip counts are not negative");
    if (divides_ != Divides::Nothing && (!pool_.as_constant(rows_) || pool_.as_constant(columns_).value_or(0) < 1)) {
      const bool inner = pool_.as_constant(rows_).has_value();
      return refuse<kScheduleTripCount>(index_name(inner ? within_ : outer_),
                                        trip_count_text(pool_.as_constant(inner ? columns_ : rows_)),
                                        "a positive constant");
    }
    return {};
  }

  void apply() {
    for (const DenseAccess& access : accesses_) rewrite(access);
    for (const OpRef op : divided_) divide(op);
    for (const OpRef number : counted_) count(number);
    const bool parallel = outer_.kind() == LoopKind::Parallel && within_.kind() == LoopKind::Parallel;
    const std::string name = std::string(outer_.index().name()) + "_" + std::string(within_.index().name());
    const OpRef yield = inner_.region(0).terminator(), end = loop_.region(0).terminator();
    for (std::size_t c = 0; c < within_.carried_count(); ++c) {
      within_.carried(c).replace_all_uses_with(outer_.carried(c));
      end.set_operand(c, yield.operand(c));
    }
    if (yield.valid()) yield.erase();
    move_strategy(inner_, loop_);
    inner_.region(0).splice_before(inner_);
    inner_.erase();
    set_loop(loop_, pool_.constant(0), pool_.mul(rows_, columns_), initial_values(outer_));
    ForRef::from(loop_).set_kind(parallel ? LoopKind::Parallel : LoopKind::Serial);
    if (name != "_") outer_.index().set_name(fresh_name(loop_, name));
  }

 private:
  // The inner loop starts from what the outer one carries, which becomes what the inner one gives.
  [[nodiscard]] bool passes_on() const {
    const std::size_t count = outer_.carried_count();
    if (within_.carried_count() != count) return false;
    const OpRef end = loop_.region(0).terminator();
    for (std::size_t c = 0; c < count; ++c)
      if (within_.initial(c) != outer_.carried(c) || !outer_.carried(c).has_one_use() ||
          end.operand(c) != inner_.result(c) || !inner_.result(c).has_one_use())
        return false;
    return true;
  }

  Result<DenseAccess, Diagnostic> dense(OpRef op) {
    const AccessRef touched = AccessRef::from(op);
    if (!touched.valid()) {
      const auto operands = op.operands();
      const bool outer = std::find(operands.begin(), operands.end(), outer_.index()) != operands.end();
      return refuse<kScheduleIndexUse>(op.name(), index_name(outer ? outer_ : within_));
    }
    const Value buffer = touched.buffer();
    if (allocated_inside(op)) return refuse<kScheduleBuffer>(buffer.name(), "it is allocated in the loop");
    if (types_.scope(buffer.type()) == Scope::Register || types_.layout(buffer.type()) != StringId())
      return refuse<kScheduleBuffer>(buffer.name(), "it is not row-major memory");
    DenseAccess access{op, {}, 0, 0};
    const IndexExpr p = of_value(outer_.index()), q = of_value(within_.index());
    std::optional<std::size_t> outer_axis, inner_axis;
    for (const IndexExpr e : subscripts_of(op)) {
      const IndexExpr at = over_values(op, e);
      if (at == p && !outer_axis)
        outer_axis = access.at.size();
      else if (at == q && !inner_axis)
        inner_axis = access.at.size();
      else if (mentions(pool_, at, outer_.index()) || mentions(pool_, at, within_.index()))
        return refuse_apart(buffer);
      access.at.push_back(at);
    }
    if (!outer_axis || !inner_axis || *inner_axis < *outer_axis) return refuse_apart(buffer);
    const std::span<const IndexExpr> dims = buffer.dims();
    if (dims[*outer_axis] != rows_ || dims[*inner_axis] != columns_) return refuse_apart(buffer);
    for (std::size_t d = *outer_axis + 1; d < *inner_axis; ++d)
      if (pool_.as_constant(dims[d]) != 1) return refuse_apart(buffer);
    access.outer_axis = *outer_axis;
    access.inner_axis = *inner_axis;
    return access;
  }
  [[nodiscard]] bool allocated_inside(OpRef access) const {
    const RegionRef home = underlying_buffer(AccessRef::from(access).buffer()).scope();
    return home == loop_.region(0) || home.parent_op().is_inside(loop_);
  }
  // A number that grows with the place of an element in rows of columns: of the new index it is a multiple.
  [[nodiscard]] bool counts_elements(OpRef apply) const {
    const IndexExpr e = over_values(apply, ApplyRef::from(apply).value());
    const auto each = coefficient_of(e, within_.index());
    if (!each) return false;
    const IndexExpr rest = pool_.sub(e, pool_.scale(place(), *each));
    return rest != pool_.overflow() && !mentions(pool_, rest, outer_.index()) &&
           !mentions(pool_, rest, within_.index());
  }
  [[nodiscard]] IndexExpr place() const {
    return pool_.add(pool_.mul(of_value(outer_.index()), columns_), of_value(within_.index()));
  }
  void count(OpRef apply) {
    const IndexExpr e = over_values(apply, ApplyRef::from(apply).value());
    const std::int64_t each = *coefficient_of(e, within_.index());
    const IndexExpr rest = pool_.sub(e, pool_.scale(place(), each));
    Builder builder(apply.module());
    builder.set_before(apply);
    builder.set_location(apply.location());
    std::vector<Value> operands;
    const IndexExpr made[] = {pool_.add(rest, pool_.scale(of_value(outer_.index()), each))};
    const Attribute number = brackets(apply.module(), operands, made);
    const Value value = ApplyRef::create(builder, operands, number).op().result();
    value.set_name(std::string(apply.result().name()));
    apply.result().replace_all_uses_with(value);
    apply.erase();
  }
  // Whether the op may say where it is by quotients and remainders of the new index.
  [[nodiscard]] bool may_divide(OpRef op) const {
    if (divides_ == Divides::Nothing) return false;
    if (op.is(LoopOp::Load))
      return !allocated_inside(op) && types_.scope(AccessRef::from(op).buffer().type()) != Scope::Register;
    if (divides_ != Divides::Brackets || (!op.is(LoopOp::Guard) && !op.is(LoopOp::Apply))) return false;
    return true;
  }
  // The brackets of the op with the indices of both loops as they follow from the new one, which is the outer one's
  // value.
  void divide(OpRef op) {
    const IndexExpr outer = of_value(outer_.index()), inner = of_value(within_.index());
    std::vector<IndexExpr> at;
    for (const IndexExpr e : subscripts_of(op))
      at.push_back(pool_.substitute(over_values(op, e), [&](AtomId id) -> std::optional<IndexExpr> {
        if (pool_.from_atom(id) == outer) return pool_.floordiv(outer, columns_);
        if (pool_.from_atom(id) == inner) return pool_.mod(outer, columns_);
        return std::nullopt;
      }));
    std::vector<Value> operands;
    if (op.is(LoopOp::Load)) operands.push_back(AccessRef::from(op).buffer());
    const Attribute subscripts = brackets(op.module(), operands, at);
    if (op.is(LoopOp::Load)) return AccessRef::from(op).set_place(operands, subscripts);
    Builder builder(op.module());
    builder.set_before(op);
    builder.set_location(op.location());
    const Value value = op.is(LoopOp::Guard) ? GuardRef::create(builder, operands, subscripts).op().result()
                                             : ApplyRef::create(builder, operands, subscripts).op().result();
    if (!op.result().name().empty()) value.set_name(std::string(op.result().name()));
    op.result().replace_all_uses_with(value);
    op.erase();
  }
  [[nodiscard]] Failure<Diagnostic> refuse_apart(Value buffer) const {
    return refuse<kScheduleNotContiguous>(buffer.name(), index_name(outer_), index_name(within_));
  }

  void rewrite(const DenseAccess& access) {
    const OpRef op = access.op;
    const AccessRef touched = AccessRef::from(op);
    const Value buffer = touched.buffer();
    std::vector<IndexExpr> dims, at;
    for (std::size_t d = 0; d < access.at.size(); ++d) {
      if (d > access.outer_axis && d <= access.inner_axis) continue;
      dims.push_back(d == access.outer_axis ? pool_.mul(rows_, columns_) : buffer.dims()[d]);
      at.push_back(access.at[d]);
    }
    const Value view = view_of(buffer, dims);
    std::vector<Value> operands;
    if (touched.is_store()) operands.push_back(touched.value());
    operands.push_back(view);
    const Attribute subscripts = brackets(op.module(), operands, at);
    touched.set_place(operands, subscripts);
    if (buffer.is_result() && buffer.definer().is(LoopOp::BufferView) && !buffer.has_uses()) buffer.definer().erase();
  }

  IndexPool& pool_;
  TypePool& types_;
  OpRef loop_, inner_;
  ForRef outer_, within_;
  IndexExpr rows_, columns_;  // the extents, over values
  Divides divides_;
  std::vector<DenseAccess> accesses_;
  std::vector<OpRef> divided_;  // what says where it is by quotients and remainders of the new index
  std::vector<OpRef> counted_;  // numbers that say which element it is
};

}  // namespace

TransformResult collapse(OpRef loop, Divides divides) {
  const ForRef outer = ForRef::from(loop);
  MLGC_ASSERT(outer.valid(), "collapse: no loop");
  if (auto may = expect_perfectly_nested(outer); !may) return may;
  Collapse step(loop, outer.body().front(), divides);
  if (auto sound = step.check(); !sound) return sound;
  step.apply();
  return {};
}

}  // namespace mlgc
