// See attention_nest.h.
#include "analysis/attention_nest.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/loop_role.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "ops/scalar_ops.h"

namespace mlgc {
namespace {

std::vector<OpRef> loops_of(RegionRef region) {
  std::vector<OpRef> out;
  for (const OpRef op : region.ops())
    if (ForRef::from(op).valid()) out.push_back(op);
  return out;
}

std::vector<OpRef> allocs_of(RegionRef region) {
  std::vector<OpRef> out;
  for (const OpRef op : region.ops())
    if (op.is(LoopOp::Alloc)) out.push_back(op);
  return out;
}

bool is_number(Value v, double number) {
  const LiteralRef literal = v.is_result() ? LiteralRef::from(v.definer()) : LiteralRef();
  return literal.valid() && literal.real() == number && !(number == 0 && std::signbit(*literal.real()));
}

// The form, read from the outside in. Each method says whether its part is there; `wrong_` what is not.
class AttentionForm {
 public:
  explicit AttentionForm(ForRef rows) : scalars_(scalar_ops(rows.op().module().context())) { nest_.rows = rows; }

  Result<AttentionNest, std::string> find() {
    if (!(outline() && clear() && scores() && weights() && sums() && columns() && stores_apart()))
      return Failure{wrong_};
    return nest_;
  }

 private:
  bool refuse(std::string reason) {
    wrong_ = std::move(reason);
    return false;
  }
  bool computes(Value v, ScalarFn fn) const { return v.is_result() && v.definer().opcode() == scalars_.find(fn); }
  [[nodiscard]] IndexPool& pool() const { return nest_.rows.op().module().context().index(); }
  [[nodiscard]] TypePool& types() const { return nest_.rows.op().module().context().types(); }

  // The loop runs over [0, width).
  [[nodiscard]] bool is_over_columns(ForRef loop) const {
    return pool().as_constant(loop.first()) == 0 && pool().as_constant(loop.last()) == nest_.width;
  }
  // The access is of this element, of a buffer of one axis.
  [[nodiscard]] static bool is_at(AccessRef access, Value buffer, IndexExpr place) {
    if (!access.valid() || access.buffer() != buffer || access.checked()) return false;
    const auto at = subscripts_over_values(access.op());
    return at.size() == 1 && at[0] == place;
  }
  [[nodiscard]] IndexExpr in_tile(ForRef loop) const {
    return pool().sub(of_value(loop.index()), over_values(loop.op(), loop.first()));
  }
  [[nodiscard]] bool is_scratch(Value buffer, std::int64_t elements) const {
    const auto dims = types().dims(buffer.type());
    return types().scope(buffer.type()) == Scope::Thread && dims.size() == 1 && pool().as_constant(dims[0]) == elements;
  }
  // Beside loops and memory a region only computes.
  bool is_plain(RegionRef region) {
    for (const OpRef op : region.ops())
      if (!ForRef::from(op).valid() && !op.is(LoopOp::Alloc) && (op.region_count() > 0 || !only_computes(op)))
        return refuse("`" + std::string(op.name()) + "` stands beside its loops");
    return true;
  }

  bool outline() {
    const ForRef rows = nest_.rows;
    if (rows.carried_count() > 0) return refuse("it carries values");
    const std::vector<OpRef> loops = loops_of(rows.body()), allocs = allocs_of(rows.body());
    if (loops.size() != 3 || allocs.size() != 1)
      return refuse("it does not hold a loop over tiles of keys between two loops over the sums of a query");
    if (!is_plain(rows.body())) return false;
    clear_ = ForRef::from(loops[0]), nest_.tiles = ForRef::from(loops[1]), nest_.columns = ForRef::from(loops[2]);
    accumulators_ = allocs[0].result();
    const auto dims = types().dims(accumulators_.type());
    const auto width = dims.size() == 1 ? pool().as_constant(dims[0]) : std::nullopt;
    if (!width || *width < 1 || *width > kMostHeadWidth || accumulators_.dtype() != Dtype::F32)
      return refuse("the sums of a query are not 1 to " + std::to_string(kMostHeadWidth) + " of f32");
    nest_.width = *width;
    const auto count = usual_extent(rows);
    if (!count || *count < 1 || *count > kMostQueries)
      return refuse("it does not have 1 to " + std::to_string(kMostQueries) + " queries");
    nest_.tile_rows = *count > kFewestQueries ? kMostQueries : kFewestQueries;
    const ForRef tiles = nest_.tiles;
    if (tiles.kind() != LoopKind::Serial || tiles.carried_count() != 2 || pool().as_constant(tiles.first()) != 0 ||
        !is_number(tiles.initial(0), -HUGE_VAL) || !is_number(tiles.initial(1), 0) || tiles.op().result(0).has_uses())
      return refuse("the loop over tiles of keys does not carry their maximum and sum");
    for (const Value v : tiles.op().operands())
      if (v.scope() == rows.body() && !(v.is_result() && v.definer().is(LoopOp::Literal)))
        return refuse("the number of tiles varies between queries");
    const std::vector<OpRef> inner = loops_of(tiles.body());
    const std::vector<OpRef> scratch = allocs_of(tiles.body());
    if (inner.size() != 3 || scratch.size() != 2 || !is_plain(tiles.body()))
      return refuse("a tile of keys does not have scores, exponentials and sums");
    nest_.scores = ForRef::from(inner[0]), weights_ = ForRef::from(inner[1]),
    nest_.sum_columns = ForRef::from(inner[2]);
    scores_ = scratch[0].result(), probabilities_ = scratch[1].result();
    if (scores_.dtype() != Dtype::F32) std::swap(scores_, probabilities_);
    if (!is_scratch(scores_, kAttentionKeys) || !is_scratch(probabilities_, kAttentionKeys) ||
        scores_.dtype() != Dtype::F32)
      return refuse("a tile does not have " + std::to_string(kAttentionKeys) + " keys");
    return true;
  }

  bool clear() {
    if (clear_.carried_count() > 0 || !is_over_columns(clear_)) return refuse("the sums do not start at 0");
    bool stored = false;
    for (const OpRef op : clear_.body().ops()) {
      const StoreRef store = StoreRef::from(op);
      if (op.is(LoopOp::Literal) || op == clear_.body().terminator()) continue;
      if (!store.valid() || stored || !is_number(store.value(), 0) ||
          !is_at(AccessRef::from(op), accumulators_, of_value(clear_.index())))
        return refuse("the sums do not start at 0");
      stored = true;
    }
    return stored || refuse("the sums do not start at 0");
  }

  // Over [n*t, n*t + n), or as many of these as there are keys.
  bool is_over_tile(ForRef loop) {
    const IndexExpr first = over_values(loop.op(), loop.first()), last = over_values(loop.op(), loop.last());
    return loop.kind() == LoopKind::Serial && first == pool().scale(of_value(nest_.tiles.index()), kAttentionKeys) &&
           last == over_values(nest_.scores.op(), nest_.scores.last());
  }
  bool count_keys() {
    const ForRef loop = nest_.scores;
    const IndexExpr full = pool().add(loop.first(), pool().constant(kAttentionKeys));
    if (loop.last() == full) {
      nest_.counts = nest_.tiles.op();
      nest_.key_count = pool().scale(nest_.tiles.last(), kAttentionKeys);
      return true;
    }
    const auto id = pool().as_atom(loop.last());
    if (!id || pool().atom(*id).kind != AtomKind::Min) return false;
    const Atom atom = pool().atom(*id);
    if (atom.a != full && atom.b != full) return false;
    nest_.counts = loop.op();
    nest_.key_count = atom.a == full ? atom.b : atom.a;
    bool fixed = true;
    pool().for_each_atom(over_values(loop.op(), nest_.key_count), [&](AtomId atom_id) {
      if (pool().atom(atom_id).kind != AtomKind::Opaque) return;
      const Value v(&loop.op().module(), ValueId(pool().atom(atom_id).number));
      const OpRef home = v.is_argument() ? v.argument_of().parent_op() : v.definer();
      fixed = fixed && home != nest_.rows.op() && !home.is_inside(nest_.rows.op());
    });
    return fixed;
  }

  bool scores() {
    const ForRef loop = nest_.scores;
    if (!count_keys() || !is_over_tile(loop) || loop.carried_count() != 1 || loop.initial(0) != nest_.tiles.carried(0))
      return refuse("the scores are not those of a tile of keys, with their maximum");
    const std::vector<OpRef> inner = loops_of(loop.body());
    if (inner.size() != 1) return refuse("a score is not that of one product");
    nest_.terms = ForRef::from(inner[0]);
    for (const OpRef op : loop.body().ops()) {
      if (op == inner[0] || op == loop.body().terminator()) continue;
      if (is_at(AccessRef::from(op), scores_, in_tile(loop)) && op.is(LoopOp::Store)) {
        nest_.score = StoreRef::from(op).value();
        continue;
      }
      const AccessRef access = AccessRef::from(op);
      if (op.region_count() > 0 || !only_computes(op) || (access.valid() && access.checked()))
        return refuse("`" + std::string(op.name()) + "` stands beside a score");
      if (access.valid() && types().scope(access.buffer().type()) == Scope::Thread)
        return refuse("a score is computed from scratch");
      for (const Value v : op.operands())
        if (v.scope() == nest_.tiles.body()) return refuse("a score is computed from what a tile has");
    }
    if (!nest_.score.valid()) return refuse("the scores are not stored");
    const Value next = loop.body().terminator().operand(0);
    if (!computes(next, ScalarFn::Max) || !next.has_one_use() ||
        !reads_both(next.definer(), nest_.score, loop.carried(0)) || !loop.carried(0).has_one_use())
      return refuse("the loop over scores does not carry their maximum");
    auto factors = matrix_factors(nest_.rows, loop, nest_.terms);
    if (!factors) return refuse(factors.error());
    if (factors->wide) return refuse("the sum is carried in f64");
    if (factors->left.load.result().dtype() == Dtype::F32) return refuse("queries and keys are of f32");
    if (factors->left.is_gathered || factors->right.is_gathered) return refuse("queries or keys are not strided");
    nest_.queries = factors->left, nest_.keys = factors->right;
    if (!nest_.queries.by_terms || !nest_.keys.by_terms)
      return refuse("neighbouring terms of queries and keys are not neighbours in memory");
    const auto count = pool().as_constant(pool().sub(nest_.terms.last(), nest_.terms.first()));
    if (pool().as_constant(nest_.terms.first()) != 0 || !count || *count < 1 || *count > kMostHeadWidth)
      return refuse("a score does not have 1 to " + std::to_string(kMostHeadWidth) + " terms");
    nest_.terms_count = *count;
    nest_.seen = pool().constant(0);
    if (const auto causal = causal_score(nest_.score, nest_.rows.index(), loop.index()))
      nest_.score = causal->score, nest_.seen = causal->seen, nest_.is_causal = true;
    return true;
  }
  static bool reads_both(OpRef op, Value a, Value b) {
    return (op.operand(0) == a && op.operand(1) == b) || (op.operand(0) == b && op.operand(1) == a);
  }

  // 0 where the maximum is -inf, else the maximum.
  bool is_shift(Value v) const {
    if (!v.is_result() || v.definer().opcode() != scalars_.choice()) return false;
    const OpRef choice = v.definer();
    const Value maximum = nest_.scores.op().result(0);
    if (!computes(choice.operand(0), ScalarFn::Eq) || !is_number(choice.operand(1), 0) || choice.operand(2) != maximum)
      return false;
    const OpRef test = choice.operand(0).definer();
    return (test.operand(0) == maximum && is_number(test.operand(1), -HUGE_VAL)) ||
           (test.operand(1) == maximum && is_number(test.operand(0), -HUGE_VAL));
  }
  // exp(v - shift)
  bool is_exponential(Value e, Value v) {
    if (!computes(e, ScalarFn::Exp) || e.dtype() != Dtype::F32) return false;
    const Value difference = e.definer().operand(0);
    if (!computes(difference, ScalarFn::Sub) || difference.definer().operand(0) != v) return false;
    const Value shift = difference.definer().operand(1);
    if (!shift_.valid() && is_shift(shift)) shift_ = shift;
    return shift_.valid() && shift == shift_;
  }
  bool weights() {
    const ForRef loop = weights_;
    if (!is_over_tile(loop) || loop.carried_count() != 1) return refuse("exponentials are not those of a tile");
    const Value start = loop.initial(0);
    if (!computes(start, ScalarFn::Mul) || start.dtype() != Dtype::F32) return refuse("the sum is not scaled");
    const OpRef scaling = start.definer();
    const std::size_t by = scaling.operand(0) == nest_.tiles.carried(1) ? 1 : 0;
    if (scaling.operand(1 - by) != nest_.tiles.carried(1) ||
        !is_exponential(scaling.operand(by), nest_.tiles.carried(0)))
      return refuse("the sum is not scaled by the change of the maximum");
    scale_ = scaling.operand(by);
    const OpRef yield = loop.body().terminator();
    const Value next = yield.operand(0);
    if (!computes(next, ScalarFn::Add)) return refuse("exponentials are not added");
    const std::size_t added = next.definer().operand(0) == loop.carried(0) ? 1 : 0;
    const Value exponential = next.definer().operand(added);
    if (next.definer().operand(1 - added) != loop.carried(0)) return refuse("exponentials are not added");
    std::size_t loads = 0, stores = 0;
    for (const OpRef op : loop.body().ops()) {
      if (op.is(LoopOp::Load)) {
        if (!is_at(AccessRef::from(op), scores_, in_tile(loop)) || !is_exponential(exponential, op.result()))
          return refuse("exponentials are not those of the scores");
        ++loads;
      } else if (op.is(LoopOp::Store)) {
        const Value stored = StoreRef::from(op).value();
        if (!is_at(AccessRef::from(op), probabilities_, in_tile(loop)) || !stored.is_result() ||
            !stored.definer().is(GraphOp::Cast) || stored.definer().operand(0) != exponential)
          return refuse("exponentials are not stored");
        ++stores;
      } else if (op.region_count() > 0) {
        return refuse("exponentials are not those of the scores");
      }
    }
    const OpRef end = nest_.tiles.body().terminator();
    if (loads != 1 || stores != 1) return refuse("exponentials are not those of the scores");
    return (end.operand(0) == nest_.scores.op().result(0) && end.operand(1) == loop.op().result(0)) ||
           refuse("the loop over tiles of keys does not carry their maximum and sum");
  }

  bool sums() {
    const ForRef loop = nest_.sum_columns;
    const std::vector<OpRef> inner = loops_of(loop.body());
    if (loop.kind() != LoopKind::Serial || loop.carried_count() > 0 || !is_over_columns(loop) || inner.size() != 1)
      return refuse("the second product is not one sum a column");
    nest_.sum_terms = ForRef::from(inner[0]);
    if (!is_over_tile(nest_.sum_terms)) return refuse("the second product is not over the keys of a tile");
    auto product = multiplied_in(nest_.sum_terms);
    if (!product) return refuse(product.error());
    if (!begins_at_zero(nest_.sum_terms)) return refuse("it does not start at 0");
    if (product->factors[0].guard.valid() || product->factors[1].guard.valid())
      return refuse("a factor is under a guard");
    OpRef left = product->factors[0].load, right = product->factors[1].load;
    if (LoadRef::from(left).buffer() != probabilities_) std::swap(left, right);
    if (product->wide || !is_at(AccessRef::from(left), probabilities_, in_tile(nest_.sum_terms)))
      return refuse("the second product is not of the exponentials");
    if (right.result().dtype() != nest_.queries.load.result().dtype())
      return refuse("queries and values have two dtypes");
    if (LoadRef::from(right).checked() || types().scope(LoadRef::from(right).buffer().type()) == Scope::Thread)
      return refuse("a factor is in scratch, or at a place from data");
    auto values = strided_factor(right, nest_.rows, loop, nest_.sum_terms);
    if (!values) return refuse(values.error());
    if (!places_free_of_rows(right)) return refuse("queries do not share the values");
    nest_.values = *values;
    if (nest_.values.by_terms) return refuse("neighbouring columns of a value are not neighbours in memory");
    return is_update(loop) || refuse("the sums of a query are not scaled and added to");
  }
  bool places_free_of_rows(OpRef load) const {
    bool free = true;
    for (const IndexExpr e : subscripts_over_values(load))
      pool().for_each_atom(e, [&](AtomId id) { free = free && pool().from_atom(id) != of_value(nest_.rows.index()); });
    return free;
  }
  bool is_update(ForRef loop) const {
    OpRef load, store;
    for (const OpRef op : loop.body().ops()) {
      if (!op.is(LoopOp::Load) && !op.is(LoopOp::Store)) continue;
      OpRef& found = op.is(LoopOp::Load) ? load : store;
      if (found.valid() || !is_at(AccessRef::from(op), accumulators_, of_value(loop.index()))) return false;
      found = op;
    }
    if (!load.valid() || !store.valid()) return false;
    const Value sum = StoreRef::from(store).value();
    if (!computes(sum, ScalarFn::Add)) return false;
    const std::size_t added = sum.definer().operand(0) == nest_.sum_terms.op().result(0) ? 0 : 1;
    const Value scaled = sum.definer().operand(1 - added);
    return sum.definer().operand(added) == nest_.sum_terms.op().result(0) && computes(scaled, ScalarFn::Mul) &&
           reads_both(scaled.definer(), load.result(), scale_);
  }

  bool columns() {
    const ForRef loop = nest_.columns;
    if (loop.kind() != LoopKind::Vector || loop.carried_count() > 0 || !is_over_columns(loop))
      return refuse("what follows from the sums is no vector loop that carries nothing");
    std::optional<std::string> wrong;
    walk(loop.op(), [&](OpRef op) {
      if (op == loop.op()) return;
      if (op.is(LoopOp::For) || op.is(LoopOp::While) || op.is(LoopOp::Alloc) || op.is(LoopOp::Launch) ||
          op.is(LoopOp::BufferView))
        wrong = "`" + std::string(op.name()) + "` stands in what follows from the sums";
      const AccessRef access = AccessRef::from(op);
      if (!access.valid() || types().scope(access.buffer().type()) != Scope::Thread) return;
      if (nest_.result.valid() || op.is(LoopOp::Store) || !is_at(access, accumulators_, of_value(loop.index())))
        wrong = "what follows from the sums reads other ones";
      else
        nest_.result = op;
    });
    if (wrong) return refuse(*wrong);
    return nest_.result.valid() || refuse("nothing follows from the sums");
  }

  bool stores_apart() {
    std::vector<Value> read;
    walk(nest_.tiles.op(), [&](OpRef op) {
      if (const Value v = loaded_buffer(op); v.valid() && types().scope(v.type()) != Scope::Thread) read.push_back(v);
    });
    bool apart = true;
    walk(nest_.rows.op(), [&](OpRef op) {
      const Value stored = stored_buffer(op);
      if (!stored.valid()) return;
      apart = apart && std::none_of(read.begin(), read.end(),
                                    [&](Value v) { return underlying_buffer(v) == underlying_buffer(stored); });
    });
    return apart || refuse("it stores to what the scores or sums read");
  }

  const ScalarOps& scalars_;
  AttentionNest nest_;
  ForRef clear_, weights_;
  Value accumulators_, scores_, probabilities_, shift_, scale_;
  std::string wrong_;
};

}  // namespace

std::optional<CausalScore> causal_score(Value score, Value query, Value key) {
  Context& context = query.module().context();
  IndexPool& pool = context.index();
  if (!score.is_result() || score.definer().opcode() != scalar_ops(context).choice()) return std::nullopt;
  const OpRef choice = score.definer();
  if (!is_number(choice.operand(2), -HUGE_VAL) || !choice.operand(0).is_result()) return std::nullopt;
  const OpRef test = choice.operand(0).definer();
  if (!test.is(LoopOp::Guard) || subscripts_of(test).size() != 1) return std::nullopt;
  const IndexExpr holds = over_values(test, subscripts_of(test)[0]);
  const IndexExpr seen = pool.add(holds, pool.sub(of_value(key), of_value(query)));
  bool over_sizes = seen != pool.overflow();
  pool.for_each_atom(seen, [&](AtomId id) { over_sizes = over_sizes && pool.atom(id).kind != AtomKind::Opaque; });
  if (!over_sizes) return std::nullopt;
  return CausalScore{choice.operand(1), seen};
}

bool looks_like_attention(ForRef rows) { return loops_of(rows.body()).size() > 1; }

Result<AttentionNest, std::string> attention_nest(ForRef rows) { return AttentionForm(rows).find(); }

std::optional<std::string> why_no_matrix_loop(ForRef rows) {
  if (looks_like_attention(rows)) {
    const auto nest = attention_nest(rows);
    return nest ? std::nullopt : std::optional(nest.error());
  }
  const auto nest = matrix_nest(rows);
  return nest ? std::nullopt : std::optional(nest.error());
}

}  // namespace mlgc
