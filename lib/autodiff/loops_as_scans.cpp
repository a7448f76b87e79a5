// See loops_as_scans.h.
#include "autodiff/loops_as_scans.h"

#include <unordered_set>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"

namespace mlgc {

namespace {

class LoopsAsScans {
 public:
  LoopsAsScans(OpRef function, FreshSizes& sizes)
      : function_(function), module_(function.module()), context_(module_.context()), sizes_(sizes) {}

  void run() {
    // From the outside in: what is copied with an outer loop is converted afterwards, each copy for itself.
    for (std::vector<OpRef> loops = outermost(); !loops.empty(); loops = outermost())
      for (const OpRef loop : loops) {
        if (loop.is(GraphOp::For))
          convert_for(loop);
        else
          convert_while(loop);
      }
  }

 private:
  // Loops that are to be converted and stand in none that is.
  std::vector<OpRef> outermost() {
    std::vector<OpRef> loops;
    walk(function_, [&](OpRef op) {
      if (done_.contains(op.id())) return WalkResult::Skip;
      if ((!op.is(GraphOp::For) && !op.is(GraphOp::While)) || !carries_floats(op)) return WalkResult::Continue;
      loops.push_back(op);
      return WalkResult::Skip;
    });
    return loops;
  }

  [[nodiscard]] bool carries_floats(OpRef loop) const {
    for (const Value result : loop.results())
      if (context_.types().is_tensor(result.type()) && is_float(result.dtype())) return true;
    return false;
  }

  void convert_for(OpRef loop) {
    if (loop.region(0).argument(0).has_uses()) {
      done_.insert(loop.id());
      return;
    }
    const auto bounds = context_.attributes().as_int_list(loop.attr("bounds"));
    Builder builder(module_);
    builder.set_before(loop);
    builder.set_location(loop.location());
    IndexPool& index = context_.index();
    const IndexExpr count = index.max(index.sub(bounds[1], bounds[0]), index.constant(0));
    const AttrDict attrs = builder.attrs(
        {{"end", context_.attributes().integer(count)}, {"dtype", context_.attributes().dtype(Dtype::I64)}});
    const Type type = context_.types().tensor(Dtype::I64, std::span(&count, 1));
    const Value positions = builder.create("arange", {}, {type}, attrs).result();
    std::vector<Value> initial;
    for (const Value operand : loop.operands()) initial.push_back(operand);
    const OpRef scan = make_scan(builder, initial, positions);
    const RegionRef from = loop.region(0);
    for (std::size_t i = 0; i < initial.size(); ++i)
      from.argument(i + 1).replace_all_uses_with(scan.region(0).argument(i));
    from.splice_to_end(scan.region(0));
    replace(loop, scan);
  }

  // A scan without a body over positions.
  OpRef make_scan(Builder& builder, const std::vector<Value>& initial, Value positions) {
    std::vector<Value> operands = initial;
    operands.push_back(positions);
    std::vector<Type> types;
    for (const Value value : initial) types.push_back(value.type());
    const AttrDict attrs =
        builder.attrs({{"carried", context_.attributes().integer(static_cast<std::int64_t>(initial.size()))}});
    const OpRef scan = builder.create(context_.opcode(GraphOp::Scan), operands, attrs, types, 1);
    for (const Type type : types) (void)scan.region(0).add_argument(type);
    (void)scan.region(0).add_argument(context_.types().tensor(Dtype::I64, std::span<const IndexExpr>()));
    return scan;
  }

  static void replace(OpRef loop, OpRef by) {
    for (std::size_t i = 0; i < loop.result_count(); ++i) loop.result(i).replace_all_uses_with(by.result(i));
    loop.erase();
  }

  void convert_while(OpRef loop) {
    Builder builder(module_);
    builder.set_before(loop);
    builder.set_location(loop.location());
    const Value count = counted(loop, builder);
    const IndexExpr size = sizes_.fresh("steps");
    const Type type = context_.types().tensor(Dtype::I64, std::span(&size, 1));
    const Value positions = builder.create(GraphOp::Range, {count}, {type}).result();

    std::vector<Value> initial;
    for (const Value operand : loop.operands()) initial.push_back(operand);
    const OpRef scan = make_scan(builder, initial, positions);
    // One step: what the condition region makes of the carried values, then the body.
    Builder inside(module_, scan.region(0));
    ValueMap step;
    for (std::size_t i = 0; i < initial.size(); ++i) step.set(loop.region(0).argument(i), scan.region(0).argument(i));
    const std::vector<Value> handed_on = past_condition(loop, inside, step);
    for (std::size_t i = 0; i < handed_on.size(); ++i) step.set(loop.region(1).argument(i), handed_on[i]);
    sizes_.copy(loop.region(1), inside, step);

    ValueMap last;
    for (std::size_t i = 0; i < initial.size(); ++i) last.set(loop.region(0).argument(i), scan.result(i));
    const std::vector<Value> results = past_condition(loop, builder, last);
    for (std::size_t i = 0; i < results.size(); ++i) loop.result(i).replace_all_uses_with(results[i]);
    loop.erase();
  }

  // A copy of the condition region, and what it hands on.
  std::vector<Value> past_condition(OpRef loop, Builder& builder, ValueMap& map) {
    sizes_.copy(loop.region(0), builder, map, true);
    const OpRef condition = loop.region(0).terminator();
    std::vector<Value> out;
    for (std::size_t i = 1; i < condition.operand_count(); ++i) {
      const Value copy = map.find(condition.operand(i));
      out.push_back(copy.valid() ? copy : condition.operand(i));
    }
    return out;
  }

  // The number of times that the body runs: from a copy of the loop that counts.
  Value counted(OpRef loop, Builder& builder) {
    const Type counter = context_.types().tensor(Dtype::I64, std::span<const IndexExpr>());
    std::vector<Value> initial;
    std::vector<Type> types;
    for (const Value operand : loop.operands()) initial.push_back(operand);
    for (const Value result : loop.results()) types.push_back(result.type());
    const Attribute none = context_.attributes().tensor(Tensor::scalar<std::int64_t>(0));
    initial.push_back(builder.create(GraphOp::Constant, {}, {counter}, builder.attrs({{"value", none}})).result());
    types.push_back(counter);
    const OpRef copy = builder.create(loop.opcode(), initial, loop.attrs(), types, 2);
    for (std::size_t side = 0; side < 2; ++side) {
      const RegionRef from = loop.region(side), to = copy.region(side);
      Builder inside(module_, to);
      inside.set_location(loop.location());
      ValueMap map;
      for (const Value argument : from.arguments()) map.set(argument, to.add_argument(argument.type()));
      Value count = to.add_argument(counter);
      sizes_.copy(from, inside, map);
      const OpRef end = to.terminator();
      if (side == 1) {
        inside.set_before(end);
        const AttrDict one = inside.attrs({{"other", context_.attributes().integer(std::int64_t{1})}});
        count = inside.create(GraphOp::Add, {count}, {counter}, one).result();
      }
      std::vector<Value> values;
      for (const Value value : end.operands()) values.push_back(value);
      values.push_back(count);
      end.set_operands(values);
    }
    done_.insert(copy.id());
    return copy.result(copy.result_count() - 1);
  }

  OpRef function_;
  Module& module_;
  Context& context_;
  FreshSizes& sizes_;
  std::unordered_set<OpId> done_;  // loops that stay: those that only count, and those that were refused
};

}  // namespace

void loops_as_scans(OpRef function, FreshSizes& sizes) { LoopsAsScans(function, sizes).run(); }

}  // namespace mlgc
