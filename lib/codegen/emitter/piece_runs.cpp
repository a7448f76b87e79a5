#include "codegen/emitter/piece_runs.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/loop_access.h"
#include "ir/linear_coefficient.h"
#include "ir/walk.h"
#include "loopir/nests.h"
#include "loopir/skew.h"
#include "loopir/subscripts.h"
#include "machine/cuda_threads.h"

namespace mlgc::codegen {
namespace {

// Policy, the same for all GPUs: elements of a run, of which a warp takes half at most. Of shorter ones each warp would
// run both forms.
constexpr std::int64_t kPiecesOfRun = 2 * kWarpThreads;

bool is_made_within(Value v, OpRef loop) {
  const OpRef home = v.is_argument() ? v.argument_of().parent_op() : v.definer();
  return home == loop || home.is_inside(loop);
}

}  // namespace

const PieceRuns::Found* PieceRuns::found(IndexExpr dividend, std::optional<std::int64_t> divisor, ForRef loop) const {
  const auto added = index_.as_constant(index_.sub(dividend, of_value(loop.index())));
  if (!added || !divisor) return nullptr;
  const auto at = std::find_if(found_.begin(), found_.end(),
                               [&](const Found& one) { return one.added == *added && one.divisor == *divisor; });
  return at == found_.end() ? nullptr : &*at;
}

// With quotients in the place of remainders: those of axes that together are one in memory cancel then.
IndexExpr PieceRuns::expanded(IndexExpr e) {
  return index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    const Atom atom = index_.atom(id);
    if (atom.kind != AtomKind::Mod || !index_.as_constant(atom.b)) return std::nullopt;
    const IndexExpr dividend = expanded(atom.a);
    return index_.sub(dividend, index_.mul(index_.floordiv(dividend, atom.b), atom.b));
  });
}

// Of what the access touches in its buffer, in row-major order.
IndexExpr PieceRuns::place(OpRef access) {
  const auto subscripts = subscripts_of(access);
  const auto dims = types_.dims(AccessRef::from(access).buffer().type());
  IndexExpr sum = index_.constant(0);
  for (std::size_t d = 0; d < subscripts.size(); ++d)
    sum = index_.add(index_.mul(sum, over_values(access, resolved(access, dims[d]))),
                     over_values(access, resolved(access, subscripts[d])));
  return expanded(sum);
}

IndexExpr PieceRuns::first_of_pieces(ForRef loop) {
  const IndexExpr first = over_values(loop.op(), resolved(loop.op(), loop.first()));
  const auto skew = skew_of(loop);
  return skew ? expanded(index_.sub(first, over_values(loop.op(), resolved(loop.op(), *skew)))) : first;
}

// Quotients of the index by constants: those that no piece divides, and those that places of loads take.
void PieceRuns::find(ForRef loop) {
  const std::int64_t count = loop.per_lane();
  const IndexExpr first = first_of_pieces(loop);
  LoopAccess shown(context_, writer_.facts.of(loop.op()));
  shown.enter_around(loop.body().front());
  const auto visit = [&](IndexExpr e, bool is_place) {
    index_.for_each_atom(e, [&](AtomId id) {
      const Atom atom = index_.atom(id);
      if (atom.kind != AtomKind::FloorDiv && atom.kind != AtomKind::Mod) return;
      const auto divisor = index_.as_constant(atom.b),
                 added = index_.as_constant(index_.sub(atom.a, of_value(loop.index())));
      if (!divisor || *divisor < 1 || !added || found(atom.a, divisor, loop) != nullptr) return;
      if (!shown.is_known(shown.over_loops(loop.op().module(), atom.a))) return;  // C divides towards 0
      const IndexExpr begin = index_.add(first, index_.constant(*added));
      const bool always = *divisor % count == 0 && index_.as_constant(index_.mod(begin, index_.constant(count))) == 0;
      if (always || (is_place && *divisor >= kPiecesOfRun * count)) found_.push_back({*added, *divisor, always});
    });
  };
  walk(loop.op(), [&](OpRef op) {
    if (op == loop.op()) return;
    for (const IndexExpr e : subscripts_of(op)) visit(over_values(op, resolved(op, e)), false);
    if (op.is(LoopOp::Load) && is_free(op, loop)) visit(place(op), true);
  });
}

// The expression in the next iteration of the run.
IndexExpr PieceRuns::next(IndexExpr e, ForRef loop) {
  return index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    const Atom atom = index_.atom(id);
    if (index_.from_atom(id) == of_value(loop.index())) return index_.add(index_.from_atom(id), index_.constant(1));
    if (atom.kind != AtomKind::FloorDiv && atom.kind != AtomKind::Mod) return std::nullopt;
    if (found(atom.a, index_.as_constant(atom.b), loop) == nullptr) return std::nullopt;
    return atom.kind == AtomKind::Mod ? index_.add(index_.from_atom(id), index_.constant(1)) : index_.from_atom(id);
  });
}

std::optional<std::int64_t> PieceRuns::distance_in_run(OpRef access, ForRef loop) {
  const IndexExpr at = place(access);
  return index_.as_constant(index_.sub(next(at, loop), at));
}

std::optional<std::int64_t> PieceRuns::distance(OpRef access, ForRef loop) {
  if (active_) return distance_in_run(access, loop);
  const std::vector<Found> outside = std::exchange(found_, {});
  const auto elements = distance_in_run(access, loop);
  found_ = outside;
  return elements;
}

bool PieceRuns::begins_at_multiple(OpRef access, ForRef loop, std::int64_t elements) {
  const IndexExpr first = first_of_pieces(loop);
  const IndexExpr at = index_.substitute(place(access), [&](AtomId id) -> std::optional<IndexExpr> {
    const Atom atom = index_.atom(id);
    if (index_.from_atom(id) == of_value(loop.index())) return first;
    if (atom.kind != AtomKind::FloorDiv && atom.kind != AtomKind::Mod) return std::nullopt;
    const Found* const run = active_ ? found(atom.a, index_.as_constant(atom.b), loop) : nullptr;
    if (run == nullptr) return std::nullopt;
    return atom.kind == AtomKind::Mod && run->always ? index_.constant(0) : index_.from_atom(id);
  });
  return index_.as_constant(index_.mod(at, index_.constant(elements))) == 0;
}

// Whether the brackets name nothing that the loop computes but its index.
bool PieceRuns::is_free(OpRef op, ForRef loop) const {
  bool free = true;
  for (const IndexExpr e : subscripts_of(op))
    index_.for_each_atom(e, [&](AtomId id) {
      const Atom& atom = index_.atom(id);
      if (atom.kind != AtomKind::Opaque) return;
      const Value v = op.operand(atom.number);
      free = free && (v == loop.index() || !is_made_within(v, loop.op()));
    });
  return free;
}

// Whether the expression, in one run, is the same for all neighbours (Same), or goes one way and changes its sign in
// few pieces only (OneWay).
PieceRuns::Course PieceRuns::course(IndexExpr e, ForRef loop) {
  std::vector<AtomId> steps;  // quotients that grow somewhere in the run
  bool rarely = true;
  index_.for_each_atom(e, [&](AtomId id) {
    const Atom& atom = index_.atom(id);
    if (atom.kind != AtomKind::FloorDiv && atom.kind != AtomKind::Mod) return;
    if (const Found* const run = found(atom.a, index_.as_constant(atom.b), loop)) {
      rarely = rarely && run->divisor >= kPiecesOfRun * loop.per_lane();
    } else if (atom.kind == AtomKind::FloorDiv && index_.as_constant(atom.b) &&
               index_.as_constant(index_.sub(atom.a, of_value(loop.index())))) {
      steps.push_back(id);
    }
  });
  bool up = true, down = true;
  IndexExpr rest = e;
  for (const AtomId id : steps) {
    const auto each = linear_coefficient(index_, e, id);
    if (!each) return Course::Any;
    up = up && *each >= 0, down = down && *each <= 0;
    rest = index_.sub(rest, index_.scale(index_.from_atom(id), *each));
  }
  const auto step = index_.as_constant(index_.sub(next(rest, loop), rest));
  if (!step) return Course::Any;
  if (*step == 0 && steps.empty()) return Course::Same;
  up = up && *step >= 0, down = down && *step <= 0;
  return rarely && (up || down) ? Course::OneWay : Course::Any;
}

// Whether the guard chooses among contiguous loads.
bool PieceRuns::pays(OpRef guard, ForRef loop) {
  const auto is_load = [&](OpRef op) {
    return op.is(LoopOp::Load) && is_free(op, loop) && !AccessRef::from(op).checked() && distance_in_run(op, loop) == 1;
  };
  for (const OpRef user : guard.result().users()) {
    if (user.is(LoopOp::If) && user.result_count() > 0 &&
        !walk(user, [&](OpRef op) { return is_load(op) ? WalkResult::Stop : WalkResult::Continue; }))
      return true;
    if (user.name() == "where")
      for (const Value side : user.operands())
        if (side.is_result() && is_load(side.definer())) return true;
  }
  return false;
}

// Guards whose expressions are the same for all neighbours, or go one way and so have one sign from the first to the
// last of them if these two have.
void PieceRuns::find_guards(ForRef loop) {
  walk(loop.op(), [&](OpRef op) {
    if (!op.is(LoopOp::Guard) || !is_free(op, loop) || !pays(op, loop)) return;
    std::vector<std::pair<OpRef, IndexExpr>> tested;
    for (const IndexExpr e : subscripts_of(op)) {
      const Course of = course(expanded(over_values(op, resolved(op, e))), loop);
      if (of == Course::Any) return;
      if (of == Course::OneWay) tested.emplace_back(op, e);
    }
    guards_.push_back(op);
    tested_.insert(tested_.end(), tested.begin(), tested.end());
  });
}

SourceText PieceRuns::begin(ForRef loop, const SourceText& first, const std::string& type) {
  found_.clear(), guards_.clear(), tested_.clear(), runs_.clear(), rests_.clear();
  type_ = type;
  const bool has_loops = !walk(loop.op(), [&](OpRef op) {
    return op != loop.op() && ForRef::from(op).valid() ? WalkResult::Stop : WalkResult::Continue;
  });
  if (has_loops) return {};
  find(loop);
  // Tests that make no load a piece are not worth it.
  const bool gains = !walk(loop.op(), [&](OpRef op) {
    const bool contiguous = op.is(LoopOp::Load) && is_free(op, loop) && distance_in_run(op, loop) == 1;
    return contiguous ? WalkResult::Stop : WalkResult::Continue;
  });
  if (!gains) std::erase_if(found_, [](const Found& run) { return !run.always; });
  find_guards(loop);
  const ValueText index = writer_.names.at(loop.index().id());
  writer_.names[loop.index().id()] = {first, 1};
  const bool narrow = writer_.narrow.contains(loop.index().id());
  SourceText condition;
  const auto both = [&](const SourceText& more) { condition += (condition.empty() ? "" : " && ") + more; };
  for (const Found& run : found_) {
    const SourceText quotient = fresh(first.str() + "_quotient"), rest = fresh(first.str() + "_rest");
    const std::string head = hooks_.unused() + "const " + type + " ";
    const SourceText dividend =
        run.added == 0 ? first
                       : (first + (run.added < 0 ? " - " : " + ") + std::to_string(std::abs(run.added))).bracketed();
    const auto divided = [&](const char* by) {
      return narrow ? writer_.grid->narrow_signed(dividend + by + writer_.grid->narrow_literal(run.divisor))
                    : dividend + by + std::to_string(run.divisor);
    };
    line(head + quotient + " = " + divided(" / ") + ";");
    line(head + rest + " = " + divided(" % ") + ";");
    rests_.push_back(rest);
    runs_.push_back({loop.index().id(), run.added, run.divisor, quotient, rest});
    if (!run.always) both(rest + " <= " + std::to_string(run.divisor - loop.per_lane()));
  }
  std::vector<SourceText> known;
  const std::string last = " + " + std::to_string(loop.per_lane() - 1);
  for (const auto& [guard, e] : tested_) {
    writer_.runs = runs_;
    const SourceText at_first = indices_.index(guard, e).text;
    for (std::size_t i = 0; i < rests_.size(); ++i) writer_.runs[i].remainder = rests_[i] + last;
    writer_.names[loop.index().id()] = {first + last, 1};
    const SourceText at_last = indices_.index(guard, e).text;
    writer_.names[loop.index().id()] = {first, 1};
    const SourceText same = "(" + at_first + " >= 0) == (" + at_last + " >= 0)";
    if (std::find(known.begin(), known.end(), same) != known.end()) continue;
    known.push_back(same);
    both(same.bracketed());
  }
  writer_.runs.clear();
  writer_.names[loop.index().id()] = index;
  return condition;
}

std::vector<OpRef> PieceRuns::enter(ForRef loop, const SourceText& first) {
  active_ = true;
  writer_.runs = runs_;
  const ValueText index = writer_.names.at(loop.index().id());
  writer_.names[loop.index().id()] = {first, 1};
  for (const OpRef guard : guards_) declare(guard.result(), indices_.all_not_negative(guard));
  writer_.names[loop.index().id()] = index;
  return guards_;
}

void PieceRuns::at(const SourceText& neighbour) {
  for (std::size_t i = 0; active_ && i < rests_.size(); ++i) {
    writer_.runs[i].remainder = fresh(rests_[i].str() + "_of");
    line(hooks_.unused() + "const " + type_ + " " + writer_.runs[i].remainder + " = " + rests_[i] + " + " + neighbour +
         ";");
  }
}

void PieceRuns::at_first() { writer_.runs = runs_; }

void PieceRuns::leave() {
  active_ = false;
  writer_.runs.clear();
}

bool PieceRuns::is_alike(Value condition) const {
  return condition.is_result() && std::find(guards_.begin(), guards_.end(), condition.definer()) != guards_.end();
}

std::vector<OpRef> PieceRuns::loads_in_arms(ForRef loop) const {
  std::vector<OpRef> out;
  if (!active_) return out;
  walk(loop.op(), [&](OpRef op) {
    if (!op.is(LoopOp::Load) || op.parent() == loop.body() || !is_free(op, loop)) return;
    for (OpRef at = op.parent_op(); at != loop.op(); at = at.parent_op())
      if (!at.is(LoopOp::If) || at.result_count() == 0 || !is_alike(at.operand(0))) return;
    if (!AccessRef::from(op).checked()) out.push_back(op);
  });
  return out;
}

SourceText PieceRuns::wanted_where(OpRef load, ForRef loop) const {
  SourceText out;
  if (!active_) return out;
  const auto both = [&](const Value condition, bool holds) {
    out = (holds ? "" : "!") + text_of(condition).text.as_operand() + (out.empty() ? "" : " && ") + out;
  };
  // A choice that takes nothing else of the load.
  for (Value v = load.result(); v.has_one_use();) {
    const OpRef user = (*v.uses().begin()).owner();
    if (user.name() != "where" || user.operand(0) == v || !is_alike(user.operand(0))) break;
    both(user.operand(0), user.operand(1) == v);
    v = user.result();
  }
  for (OpRef op = load; op.parent() != loop.body(); op = op.parent_op())
    both(op.parent_op().operand(0), op.parent() == op.parent_op().region(0));
  return out;
}

}  // namespace mlgc::codegen
