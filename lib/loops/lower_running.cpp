// See lower_running.h.
#include "loops/lower_running.h"

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "loopir/loop_ops.h"
#include "loops/loop_builder.h"
#include "loops/lower_sort.h"
#include "support/saturating.h"

namespace mlgc {

namespace {

// The dim along which the op runs.
std::size_t axis_of(OpRef op) {
  Context& context = op.module().context();
  const auto rank = static_cast<std::int64_t>(context.types().rank(op.operand(0).type()));
  const std::int64_t dim = context.attributes().as_int64(op.attr("dim")).value_or(0);
  return static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
}

// Columns of which each is a thread's: fewer leave most of a device without work.
constexpr std::int64_t kManyColumns = 4096;

class RunningExtremum {
 public:
  RunningExtremum(Module& module, OpRef op)
      : context_(module.context()),
        index_(context_.index()),
        types_(context_.types()),
        op_(op),
        ops_(module),
        stored_(types_.dtype(op.operand(0).type())),
        held_(stored_ == Dtype::F16 || stored_ == Dtype::BF16 ? Dtype::F32 : stored_) {}

  OpRef run(std::span<const std::size_t> results, std::string_view name) {
    const Type type = op_.operand(0).type();
    const std::vector<IndexExpr> dims(types_.dims(type).begin(), types_.dims(type).end());
    std::vector<Type> arguments{types_.buffer(stored_, dims, Scope::Argument)};
    for (const std::size_t r : results)
      arguments.push_back(types_.buffer(op_.result(r).dtype(), op_.result(r).dims(), Scope::Argument));
    const OpRef func = ops_.builder().func(name, arguments);
    const RegionRef body = func.region(0);
    x_ = body.argument(0);
    x_.set_name("x");
    for (std::size_t i = 0; i < results.size(); ++i) {
      targets_.push_back({body.argument(i + 1), results[i]});
      body.argument(i + 1).set_name(results[i] == 0 ? "values" : "indices");
    }
    ops_.builder().set_end(body);
    std::vector<OpRef> rows;
    axis_ = axis_of(op_);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      row_.emplace_back();
      if (d == axis_) continue;
      rows.push_back(ops_.loop(index_.constant(0), dims[d], {}, "b" + std::to_string(d), {}, true));
      row_.back() = rows.back().region(0).argument(0);
    }
    count_ = dims[axis_];
    if (axis_ + 1 == dims.size())
      write_row();
    else
      write_column();
    for (std::size_t r = rows.size(); r-- > 0;) ops_.end(rows[r]);
    ops_.builder().create(LoopOp::Return, {}, {});
    return func;
  }

 private:
  std::vector<Value> at(Value place) const {
    std::vector<Value> out = row_;
    out[axis_] = place;
    return out;
  }
  [[nodiscard]] Value as(Value v, Dtype dtype) { return v.dtype() == dtype ? v : ops_.cast(v, dtype); }
  Value element_at(Value i) { return as(ops_.load(x_, at(i)), held_); }
  // Whether an element takes the place of the extremum so far.
  Value takes(Value v, Value best) {
    const bool largest = op_.is(GraphOp::Cummax);
    const Value reaches = ops_.scalar("le", {largest ? best : v, largest ? v : best}, ops_.i1());
    if (!is_float(held_)) return reaches;
    return ops_.scalar("logical_or", {reaches, ops_.scalar("isnan", {v}, ops_.i1())}, ops_.i1());
  }
  void give(Value best, Value place, Value i) {
    for (const auto& [to, result] : targets_) ops_.store(result == 0 ? as(best, stored_) : place, to, at(i));
  }
  // What every element takes the place of.
  Value worst() {
    const bool largest = op_.is(GraphOp::Cummax);
    const auto [least, most] = extreme_integers(held_);
    const double infinity = std::numeric_limits<double>::infinity();
    return LiteralRef::create(ops_.builder(), held_, largest ? -infinity : infinity, largest ? least : most)
        .op()
        .result();
  }
  // One element after the other: neighbouring columns have neighbouring elements.
  void write_column() {
    const OpRef each = ops_.loop(index_.constant(0), count_, {}, "i", {worst(), ops_.number(0)}, false);
    take_each(each);
  }
  // Takes the element of each iteration, and leaves what is carried then.
  void take_each(OpRef each) {
    const RegionRef one = each.region(0);
    const Value i = one.argument(0), v = element_at(i), here = ops_.apply(index_.opaque(0), {i});
    const Value taken = takes(v, one.argument(1));
    const Value now = ops_.choose(taken, v, one.argument(1)), now_at = ops_.choose(taken, here, one.argument(2));
    give(now, now_at, i);
    ops_.end(each, {now, now_at});
  }
  void write_row() {
    const IndexExpr width = index_.constant(kTestedElements);
    const OpRef blocks =
        ops_.loop(index_.constant(0), index_.ceildiv(count_, width), {}, "block", {worst(), ops_.number(0)}, false);
    const Value block = blocks.region(0).argument(0), best = blocks.region(0).argument(1),
                place = blocks.region(0).argument(2);
    const IndexExpr from = index_.mul(width, index_.opaque(0));
    const auto elements = [&](const std::vector<Value>& carried) {
      return ops_.loop(from, index_.min(index_.add(from, width), count_), {block}, "i", carried, false);
    };
    const OpRef any = elements({ops_.literal(Dtype::I1, 0)});
    const RegionRef test = any.region(0);
    ops_.end(any,
             {ops_.scalar("logical_or", {takes(element_at(test.argument(0)), best), test.argument(1)}, ops_.i1())});

    Builder& builder = ops_.builder();
    const Type carried[] = {best.type(), ops_.i64()};
    const OpRef branch = builder.create(context_.opcode(LoopOp::If), std::array{any.result(0)}, {}, carried, 2);
    builder.set_end(branch.region(0));
    const OpRef each = elements({best, place});
    take_each(each);
    builder.create(context_.opcode(LoopOp::Yield), std::array{each.result(0), each.result(1)}, {}, {});
    builder.set_end(branch.region(1));
    const OpRef fill = elements({});
    give(best, place, fill.region(0).argument(0));
    ops_.end(fill);
    ops_.end(branch, {best, place});
    ops_.end(blocks, {branch.result(0), branch.result(1)});
  }

  struct Target {
    Value to;
    std::size_t result;
  };

  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  OpRef op_;
  loops::LoopBuilder ops_;
  Dtype stored_, held_;  // of elements in memory and here
  std::size_t axis_ = 0;
  IndexExpr count_;
  Value x_;
  std::vector<Target> targets_;
  std::vector<Value> row_;  // indices of the rows, by dim; none for the one along which it runs
};

}  // namespace

OpRef running_extremum_op(OpRef op, bool for_threads) {
  const OpRef found = lone_op(op);
  if (!found.valid() || !(found.is(GraphOp::Cummax) || found.is(GraphOp::Cummin))) return {};
  Context& context = op.module().context();
  const Type type = found.operand(0).type();
  if (!context.types().is_tensor(type) || context.types().rank(type) == 0) return {};
  if (context.types().dtype(type) == Dtype::I1 || !context.attributes().as_int64(found.attr("dim"))) return {};
  const bool is_row = axis_of(found) + 1 == context.types().rank(type);
  if (!for_threads) return is_row ? found : OpRef();
  std::int64_t columns = 1;
  const auto dims = context.types().dims(type);
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (d != axis_of(found)) columns = saturating_mul(columns, context.index().as_constant(dims[d]).value_or(1));
  return is_row || columns < kManyColumns ? OpRef() : found;
}

OpRef lower_running_extremum(Module& module, OpRef op, std::span<const std::size_t> results, std::string_view name) {
  return RunningExtremum(module, op).run(results, name);
}

}  // namespace mlgc
