// Counts operations on floats, nest by nest.
#include "codegen/loop_cost.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "ops/instantiate_op.h"
#include "ops/scalar_ops.h"

namespace mlgc::codegen {
namespace {

class Counter {
 public:
  explicit Counter(Context& context) : context_(context), index_(context.index()), types_(context.types()) {}

  // Nothing where a count depends on data.
  std::optional<IndexExpr> total(OpRef func) {
    IndexExpr sum = index_.constant(0);
    for (const auto& [over, cost] : region(func.region(0))) sum = index_.add(sum, cost);
    return known_ ? std::optional(sum) : std::nullopt;
  }

 private:
  // What an iteration costs, by the loops around it (their indices, sorted) of which all iterations together do: tiles,
  // whose shares differ while their sum is known.
  using Costs = std::map<std::vector<ValueId>, IndexExpr>;
  struct Extent {
    IndexExpr count;
    std::vector<ValueId> over;  // of all iterations of those
  };
  // In terms of symbols and of atoms that stand for values: opaque ones whose number is the value's.
  struct Bounds {
    IndexExpr first, last;
    IndexExpr middle;  // the mean of the index, rounded up, over symbols
  };

  void add(Costs& costs, const std::vector<ValueId>& over, IndexExpr cost) {
    const auto [at, is_new] = costs.emplace(over, cost);
    if (!is_new) at->second = index_.add(at->second, cost);
  }

  Costs region(RegionRef r) {
    Costs out;
    for (const OpRef op : r.ops()) {
      known_ = known_ && !op.is(LoopOp::While);  // who knows how often
      add(out, {}, index_.constant(float_operations(op)));
      if (op.is(LoopOp::For)) {
        for (const auto& [over, cost] : loop(ForRef::from(op))) add(out, over, cost);
        continue;
      }
      for (std::size_t i = 0; i < op.region_count(); ++i)
        for (const auto& [over, cost] : region(op.region(i))) add(out, over, cost);
    }
    return out;
  }

  Costs loop(ForRef loop) {
    const ValueId id = loop.index().id();
    const IndexExpr first = of_values(loop.op(), loop.first()), last = of_values(loop.op(), loop.last());
    const Extent whole = extent(first, last);
    const IndexExpr whole_count = mean(whole.count), usual = mean(index_.sub(last, first));
    const IndexExpr ends = index_.add(mean(first), index_.sub(mean(last), index_.constant(1)));
    bounds_[id] = {first, last, index_.ceildiv(ends, index_.constant(2))};
    Costs out;
    for (const auto& [over, cost] : region(loop.body())) {
      std::vector<ValueId> all;
      std::set_union(over.begin(), over.end(), whole.over.begin(), whole.over.end(), std::back_inserter(all));
      if (const auto own = std::lower_bound(over.begin(), over.end(), id); own != over.end() && *own == id) {
        all.assign(over.begin(), own);
        all.insert(all.end(), own + 1, over.end());
        add(out, all, cost);
      } else if (all.size() == over.size() + whole.over.size()) {
        add(out, all, index_.mul(cost, whole_count));
      } else {
        add(out, over, index_.mul(cost, usual));
      }
    }
    bounds_.erase(id);
    return out;
  }

  // Of [first, last). Where that is [first, min(first + size, end)) and `first` goes on by `size` with the index of a
  // loop around that reaches `end`, it is what all of its iterations have: from where the first begins to `end`.
  Extent extent(IndexExpr first, IndexExpr last) {
    const auto clipped = index_.as_atom(last);
    if (clipped && index_.atom(*clipped).kind == AtomKind::Min) {
      const Atom sides = index_.atom(*clipped);
      for (const auto& [tile_end, end] : {std::pair(sides.a, sides.b), std::pair(sides.b, sides.a)}) {
        const IndexExpr size = index_.sub(tile_end, first);
        const auto tiles = index_.as_constant(size) ? tiles_by(first, end, size) : std::nullopt;
        if (!tiles) continue;
        Extent out = extent(with(first, *tiles, bounds_.at(*tiles).first), end);
        out.over.insert(std::lower_bound(out.over.begin(), out.over.end(), *tiles), *tiles);
        return out;
      }
    }
    return {index_.sub(last, first), {}};
  }
  // The loop with whose index `first` goes on by `size`, up to `end`.
  std::optional<ValueId> tiles_by(IndexExpr first, IndexExpr end, IndexExpr size) {
    for (const auto& [id, tiles] : bounds_) {
      const IndexExpr next = index_.add(value(id), index_.constant(1));
      if (index_.sub(with(first, id, next), first) != size) continue;
      const IndexExpr begin = with(first, id, tiles.first);
      if (index_.sub(tiles.last, tiles.first) == index_.ceildiv(index_.sub(end, begin), size)) return id;
    }
    return std::nullopt;
  }

  IndexExpr value(ValueId id) { return index_.opaque(id.value); }
  IndexExpr with(IndexExpr e, ValueId id, IndexExpr by) {
    const auto atom = index_.as_atom(value(id));
    return index_.substitute(e, [&](AtomId at) { return at == atom ? std::optional(by) : std::nullopt; });
  }
  IndexExpr of_values(OpRef op, IndexExpr e) {
    return index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      const Atom atom = index_.atom(id);
      return atom.kind == AtomKind::Opaque ? std::optional(value(op.operand(atom.number).id())) : std::nullopt;
    });
  }
  // With the mean of each index in its place.
  IndexExpr mean(IndexExpr e) {
    return index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      const Atom atom = index_.atom(id);
      if (atom.kind != AtomKind::Opaque) return std::nullopt;
      const auto found = bounds_.find(ValueId(atom.number));
      known_ = known_ && found != bounds_.end();
      return found == bounds_.end() ? index_.constant(0) : found->second.middle;
    });
  }

  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  bool known_ = true;
  std::map<ValueId, Bounds> bounds_;  // of the loops around, by their indices
};

}  // namespace

std::int64_t float_operations(OpRef op) {
  Context& context = op.module().context();
  TypePool& types = context.types();
  if (FmaRef::from(op).valid()) return scalar_fn_info(ScalarFn::Mul).cost + scalar_fn_info(ScalarFn::Add).cost;
  if (op.result_count() != 1 || types.kind(op.result().type()) != TypeKind::Scalar || op.region_count() > 0 ||
      op.operand_count() == 0)
    return 0;
  std::vector<Type> given;
  for (const Value v : op.operands()) {
    if (types.kind(v.type()) == TypeKind::Buffer) return 0;
    given.push_back(types.kind(v.type()) == TypeKind::Index ? types.scalar(Dtype::I64) : v.type());
  }
  const auto value = scalar_value(context, op.opcode(), given, op.attrs());
  if (!value.ok() || !value.value()) return 0;
  const FormulaPool& pool = formulas(context);
  std::int64_t cost = 0;
  pool.visit(**value, [&](ExprId e) {
    const ExprNode& node = pool.node(e);
    const bool real = node.kind == NodeKind::Call ? is_float(pool.type(pool.arguments(e)[0])) : is_float(node.type);
    if (!real) return;
    if (node.kind == NodeKind::Call) cost += scalar_fn_info(pool.fn(e)).cost;
    if (node.kind == NodeKind::Select) ++cost;
  });
  return cost;
}

std::string LoopCost::print(const IndexPool& pool) const {
  return pool.print(read_bytes) + " bytes read, " + pool.print(written_bytes) + " written, " +
         (flops ? pool.print(*flops) : "an unknown number of") + " FLOPs";
}

LoopCost loop_cost(OpRef func) {
  Context& context = func.module().context();
  IndexPool& index = context.index();
  LoopCost out{index.constant(0), index.constant(0), std::nullopt};
  const std::vector<bool> written = written_arguments(func);
  std::vector<bool> read(written.size(), false);
  walk(func, [&](OpRef op) {
    const Value buffer = loaded_buffer(op);
    if (buffer.valid() && buffer.is_argument() && buffer.argument_of() == func.region(0)) read[buffer.number()] = true;
  });
  for (std::size_t i = 0; i < written.size(); ++i) {
    const IndexExpr bytes = context.storage_bytes(func.region(0).argument(i).type());
    if (read[i]) out.read_bytes = index.add(out.read_bytes, bytes);
    if (written[i]) out.written_bytes = index.add(out.written_bytes, bytes);
  }
  out.flops = Counter(context).total(func);
  return out;
}

}  // namespace mlgc::codegen
