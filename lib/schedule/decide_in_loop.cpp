// See decide_in_loop.h.
#include "schedule/decide_in_loop.h"

#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/loop_access.h"
#include "ir/builder.h"
#include "ir/walk.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "ops/scalar_ops.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

namespace {

class Decide {
 public:
  Decide(ForRef loop, const Facts& facts)
      : loop_(loop),
        module_(loop.op().module()),
        pool_(module_.context().index()),
        walk_(module_.context(), facts),
        index_(of_value(loop.index())),
        first_(over_values(loop.op(), loop.first())) {}

  void run() {
    walk_.enter_around(loop_.op());
    region(loop_.body());
    choose();
    drop_unread(loop_.body());
  }

 private:
  [[nodiscard]] bool known(IndexExpr of_values) { return walk_.is_known(walk_.over_loops(module_, of_values)); }
  [[nodiscard]] bool negative(IndexExpr of_values) { return known(pool_.sub(pool_.constant(-1), of_values)); }

  void region(RegionRef of) {
    walk_.enter(of);
    for (OpRef op = of.front(), next; op.valid(); op = next) {
      if (!op.is(LoopOp::Guard)) rewrite(op);
      if (op.is(LoopOp::Guard)) {
        next = op.next();
        decide(op);
        continue;
      }
      if (op.is(LoopOp::If)) {
        if (const auto found = outcomes_.find(op.operand(0).id()); found != outcomes_.end()) {
          next = take_arm(op, found->second ? 0 : 1);
          continue;
        }
      }
      next = op.next();
      for (const RegionRef inner : op.regions()) region(inner);
      if (const AccessRef access = AccessRef::from(op); access.valid() && access.checked() &&
                                                        walk_.place(op).place == AccessVerdict::Place::Inside &&
                                                        !walk_.is_never())
        op.remove_attr("checked");
      walk_.pass(op);
    }
    walk_.leave();
  }

  void decide(OpRef guard) {
    std::vector<IndexExpr> open;
    for (const IndexExpr e : subscripts_of(guard)) {
      const IndexExpr at = simpler(over_values(guard, e));
      if (known(at)) continue;
      if (negative(at)) {
        outcomes_[guard.result().id()] = false;
        return;
      }
      open.push_back(at);
    }
    if (open.empty()) {
      outcomes_[guard.result().id()] = true;
      return;
    }
    Builder builder(module_);
    builder.set_location(guard.location());
    builder.set_before(guard);
    std::vector<Value> operands;
    const Attribute conditions = brackets(module_, operands, open);
    const Value made = GuardRef::create(builder, operands, conditions).holds();
    made.set_name(std::string(guard.result().name()));
    guard.result().replace_all_uses_with(made);
    guard.erase();
  }

  // The first op of the arm, or what follows it, which then stands in the place of the branch.
  OpRef take_arm(OpRef branch, std::size_t arm) {
    if (arm >= branch.region_count()) {
      const OpRef behind = branch.next();
      branch.erase();
      return behind;
    }
    const RegionRef chosen = branch.region(arm);
    std::vector<Value> results;
    if (const OpRef end = chosen.terminator(); end.valid()) {
      results.assign(end.operands().begin(), end.operands().end());
      end.erase();
    }
    const OpRef first = chosen.empty() ? branch.next() : chosen.front();
    chosen.splice_before(branch);
    branch.replace_all_uses_with(results);
    branch.erase();
    return first;
  }

  // The expression in which what is known of the sides of minima and the like is said. Questions are asked between the
  // operations on expressions, whose steps are counted (index_expr.h).
  IndexExpr simpler(IndexExpr e) {
    std::vector<AtomId> factors;
    for (std::size_t i = 0; i < pool_.term_count(e); ++i)
      for (const AtomId id : pool_.term(e, i).factors)
        if (pool_.atom(id).kind >= AtomKind::FloorDiv) factors.push_back(id);
    if (factors.empty()) return e;
    std::unordered_map<AtomId, IndexExpr> by;
    for (const AtomId id : factors)
      if (!by.contains(id)) by.emplace(id, decided(pool_.atom(id)));
    const IndexExpr made = pool_.substitute(e, [&](AtomId id) {
      const auto found = by.find(id);
      return found == by.end() ? std::nullopt : std::optional(found->second);
    });
    return made == pool_.overflow() ? e : made;
  }

  IndexExpr decided(Atom atom) {
    const IndexExpr a = simpler(atom.a), b = simpler(atom.b);
    if (atom.kind == AtomKind::Min || atom.kind == AtomKind::Max) {
      const bool least = atom.kind == AtomKind::Min;
      if (known(pool_.sub(a, b))) return least ? b : a;
      if (known(pool_.sub(b, a))) return least ? a : b;
      return least ? pool_.min(a, b) : pool_.max(a, b);
    }
    const IndexExpr at_first = pool_.substitute(
        a, [&](AtomId x) { return pool_.from_atom(x) == index_ ? std::optional(first_) : std::nullopt; });
    const IndexExpr one = pool_.constant(1);
    for (const IndexExpr k : {pool_.floordiv(at_first, b), pool_.constant(0), one, pool_.constant(-1)}) {
      if (!is_plain(k)) continue;
      const IndexExpr rest = pool_.sub(a, pool_.mul(k, b));
      if (known(rest) && known(pool_.sub(pool_.sub(b, one), rest))) return atom.kind == AtomKind::FloorDiv ? k : rest;
    }
    return atom.kind == AtomKind::FloorDiv ? pool_.floordiv(a, b) : pool_.mod(a, b);
  }
  // Without a quotient of its own, which would be no simpler.
  [[nodiscard]] bool is_plain(IndexExpr e) {
    bool plain = e != pool_.overflow();
    pool_.for_each_atom(e, [&](AtomId id) { plain = plain && pool_.atom(id).kind < AtomKind::FloorDiv; });
    return plain;
  }

  void rewrite(OpRef op) {
    std::vector<IndexExpr> expressions;
    bool changed = false;
    for (const IndexExpr e : subscripts_of(op)) {
      const IndexExpr old = over_values(op, e);
      expressions.push_back(simpler(old));
      changed = changed || expressions.back() != old;
    }
    if (!changed) return;
    if (const ForRef loop = ForRef::from(op); loop.valid()) {
      set_loop(op, expressions[0], expressions[1], initial_values(loop));
      return;
    }
    if (const AccessRef access = AccessRef::from(op); access.valid()) {
      std::vector<Value> operands{access.buffer()};
      if (access.is_store()) operands.insert(operands.begin(), access.value());
      const Attribute at = brackets(module_, operands, expressions);
      access.set_place(operands, at);
      return;
    }
    if (!op.is(LoopOp::Apply) && !op.is(LoopOp::Check)) return;
    std::vector<Value> operands;
    const Attribute made = brackets(module_, operands, expressions);
    const AttributePool& attributes = module_.context().attributes();
    for (const NamedAttribute& entry : attributes.entries(op.attrs()))
      if (attributes.kind(entry.value) == AttributeKind::Subscripts) {
        op.set_attr(module_.context().strings().text(entry.name), made);
        break;
      }
    op.set_operands(operands);
  }

  // A loop that leaves nothing but its results.
  [[nodiscard]] static bool is_needless(OpRef loop) {
    return walk(loop, [](OpRef op) {
      const AccessRef access = AccessRef::from(op);
      const bool plain = only_computes(op) && !op.is(LoopOp::While) && !(access.valid() && access.checked());
      return plain ? WalkResult::Continue : WalkResult::Stop;
    });
  }

  // From the last op to the first, so that what only unread ops read goes too. A guard that is decided, and is read by
  // more than branches, is a number.
  void drop_unread(RegionRef of) {
    for (OpRef op = of.back(), before; op.valid(); op = before) {
      for (const RegionRef inner : op.regions()) drop_unread(inner);
      before = op.previous();
      if (op.is(LoopOp::Guard) && !op.results_unused()) {
        const auto found = outcomes_.find(op.result().id());
        if (found == outcomes_.end()) continue;
        Builder builder(module_);
        builder.set_location(op.location());
        builder.set_before(op);
        op.result().replace_all_uses_with(
            LiteralRef::create(builder, Dtype::I1, 0.0, found->second ? 1 : 0).op().result());
      }
      if (op.result_count() == 0 || !op.results_unused()) continue;
      if (ForRef::from(op).valid() ? !is_needless(op) : !only_computes(op) || op.region_count() > 0) continue;
      if (const AccessRef access = AccessRef::from(op); access.valid() && access.checked()) continue;
      op.erase();
    }
  }

  // What a guard that is decided chooses between is one of the two.
  void choose() {
    const Opcode choice = scalar_ops(module_.context()).choice();
    std::vector<OpRef> choices;
    walk(loop_.op(), [&](OpRef op) {
      if (op.opcode() == choice && outcomes_.contains(op.operand(0).id())) choices.push_back(op);
    });
    for (const OpRef op : choices) {
      const Value chosen = op.operand(outcomes_.at(op.operand(0).id()) ? 1 : 2);
      if (chosen.type() != op.result().type()) continue;
      op.result().replace_all_uses_with(chosen);
      op.erase();
    }
  }

  ForRef loop_;
  Module& module_;
  IndexPool& pool_;
  LoopAccess walk_;
  IndexExpr index_, first_;
  std::unordered_map<ValueId, bool> outcomes_;
};

}  // namespace

void decide_in_loop(ForRef loop, const Facts& facts) { Decide(loop, facts).run(); }

}  // namespace mlgc::schedule
