// See decide_fusion.h.
#include "fusion/decide_fusion.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/backward_slice.h"
#include "analysis/dependences.h"
#include "formula/compose.h"
#include "formula/formula_work.h"
#include "fusion/fusion_edges.h"
#include "fusion/fusion_kernel.h"
#include "fusion/fusion_legality.h"
#include "fusion/fusion_traffic.h"
#include "fusion/join_tiles.h"
#include "fusion/known_values.h"
#include "fusion/typical_sizes.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "support/result.h"

namespace mlgc {

namespace {

// More ops in a row that only move elements are not looked through: deciding stays linear.
constexpr std::uint32_t kLongestChain = 16;

std::size_t first_rank(const FusionGroup& kernel, const std::unordered_map<OpId, std::size_t>& rank) {
  for (const FusionGroup::Member& member : kernel.members)
    if (!member.copy) return rank.at(member.op.id());
  return 0;
}

bool is_operand(const KernelFormula& formula, Value v) {
  return formula.formula().tensor(*formula.find(v)).role == TensorRole::Operand;
}

// Of an edge with an end that is in no kernel.
FusionReason beside_kernels(OpRef consumer, Value read) {
  const bool fusion = consumer.is(GraphOp::Fusion) || (read.is_result() && read.definer().is(GraphOp::Fusion));
  return fusion ? FusionReason::Fusion : FusionReason::NoKernel;
}

// What the members of a group, in program order, read that none of them computes; each value once.
std::vector<Value> values_from_outside(std::span<const FusionGroup::Member> members) {
  std::vector<Value> out;
  std::unordered_set<ValueId> inside, seen;
  for (const FusionGroup::Member& member : members) {
    for (const Value v : member.op.operands())
      if (!inside.contains(v.id()) && seen.insert(v.id()).second) out.push_back(v);
    for (const Value v : member.op.results()) inside.insert(v.id());
  }
  return out;
}

class FusionDecider {
 public:
  FusionDecider(const Module& module, const FusionOptions& options)
      : module_(module),
        context_(module.context()),
        index_(context_.index()),
        pool_(formulas(context_)),
        shared_(context_),
        options_(options),
        dependences_(module),
        legality_(context_, shared_, facts_, options.row_bytes) {}

  FusionDecisions run() {
    for (const FuncRef function : functions(module_)) {
      facts_ = function_facts_.of(function.op());
      viewed_.clear();
      decide(function.body());
    }
    return std::move(decisions_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Kernel {
    std::vector<FusionGroup::Member> members = {};
    KernelFormula formula;
    std::uint32_t depth = 1;
    bool read = false;  // by another kernel, or an op that is none: its depth is settled
    bool alive = true;
    std::size_t op_count = 0;
  };
  // What is known of an op of the region at hand.
  struct OpState {
    enum class Kind : std::uint8_t { Other, Known, Moves, View, Kernel } kind = Kind::Other;
    std::size_t kernel = kNone;
    std::uint32_t depth = 0;
    std::uint32_t after = 0;  // depth of what it must follow without reading it: sizes are bound, memory changes
    std::uint32_t chain = 0;  // Moves: how many in a row
    bool placed = false;      // Moves: it is in a kernel of its own right, too
    // Moves: the operand whose elements the result has, each in its place: a view of it.
    std::optional<std::size_t> viewed;
    const OpFormula* formula = nullptr;
  };
  // A try to have an op in a kernel.
  struct Try {
    KernelFormula formula;
    std::vector<FusionGroup::Member> members = {};  // all of the kernel that it would be
  };

  // --- regions

  void decide(RegionRef region) {
    ops_.clear();
    kernels_.clear();
    edges_.clear();
    moved_edges_.clear();
    views_ = others_ = 0;
    std::vector<RegionRef> inner;
    waits_ = dependences_.of(region).edges;
    std::sort(waits_.begin(), waits_.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const OpRef op : region.ops()) {
      take(op);
      if (op.has_trait(Traits::CapturesRegion))
        for (const RegionRef r : op.regions()) inner.push_back(r);
    }
    place_unread(region);
    join_siblings();
    finish(region);
    for (const RegionRef r : inner) decide(r);
  }

  OpState& state(OpRef op) { return ops_[op.id()]; }
  // The op of this region that defines the value; nothing for arguments and values of outer regions.
  OpState* definer(Value value) {
    if (!value.is_result()) return nullptr;
    const auto found = ops_.find(value.definer().id());
    return found == ops_.end() ? nullptr : &found->second;
  }

  // Of ops that are not kernels: those bind sizes and touch memory. Computed once for each op, in program order.
  std::uint32_t depth_behind(OpRef op) {
    std::uint32_t depth = 0;
    if (op.has_trait(Traits::Terminator)) return depth;
    const RegionDependences& region = dependences_.of(op.parent());
    for (; !waits_.empty() && waits_.back().second == dependences_.number(op); waits_.pop_back()) {
      const OpState& from = ops_.at(region.ops[waits_.back().first]);
      if (from.kind == OpState::Kind::Other) depth = std::max(depth, from.depth);
    }
    return depth;
  }

  void take(OpRef op) {
    OpState made;
    made.after = depth_behind(op);
    if (known_value(op, pool_)) {
      made.kind = OpState::Kind::Known;
      ops_.emplace(op.id(), std::move(made));
      return;
    }
    made.formula = shared_.of(op, facts_);
    if (made.formula == nullptr) {
      need_whole(op);
      made.depth = made.after + 1;
      for (const Value v : values_read(op)) made.depth = std::max(made.depth, depth_of(v) + 1);
      if (!op.has_trait(Traits::Terminator) && !op.is(GraphOp::Read) && !op.is(GraphOp::Constant)) ++others_;
      ops_.emplace(op.id(), std::move(made));
      return;
    }
    if (made.formula->is_movement || legality_.unpacks_for_few_rows(op, *made.formula)) {
      made.kind = OpState::Kind::Moves;
      const auto [view, is_new] = viewed_.try_emplace(made.formula);
      if (is_new && made.formula->is_movement) view->second = viewed_operand(pool_, made.formula->formula, facts_);
      made.viewed = view->second;
      for (const Value v : op.operands())
        if (const OpState* from = definer(v); from != nullptr && moves(*from) && !from->placed)
          made.chain = std::max(made.chain, from->chain + 1);
      const bool long_chain = made.chain >= kLongestChain;
      OpState& taken = ops_.emplace(op.id(), std::move(made)).first->second;
      if (!long_chain) return;
      taken.placed = true;
      place(op);
      return;
    }
    ops_.emplace(op.id(), std::move(made));
    place(op);
  }

  // The depth that everything has that reads the value, unless it is in one of the kernels `inside`: they do not count.
  std::uint32_t depth_of(Value value, std::span<const std::size_t> inside = {}) {
    const OpState* from = definer(value);
    if (from == nullptr) return 0;
    if (from->kernel != kNone)
      return std::find(inside.begin(), inside.end(), from->kernel) == inside.end() ? kernels_[from->kernel].depth : 0;
    if (from->kind == OpState::Kind::Known) return from->after;
    if (!moves(*from)) return from->depth;
    std::uint32_t depth = from->after;
    for (const Value v : value.definer().operands()) depth = std::max(depth, depth_of(v, inside));
    // A view that is read as memory asks for a kernel that moves what it views.
    if (from->viewed) {
      const OpState* base = definer(value.definer().operand(*from->viewed));
      if (base != nullptr && base->kind == OpState::Kind::Moves && !base->viewed && !base->placed) ++depth;
    }
    return depth;
  }
  static bool moves(const OpState& s) { return s.kind == OpState::Kind::Moves || s.kind == OpState::Kind::View; }

  // --- what somebody needs as a whole, in memory

  void need_whole(OpRef reader) {
    for (const Value v : values_read(reader)) {
      whole(v);
      if (OpState* from = definer(v); from != nullptr && from->kernel != kNone) kernels_[from->kernel].read = true;
    }
  }
  void whole(Value value) {
    OpState* from = definer(value);
    if (from == nullptr || from->kind != OpState::Kind::Moves || from->placed) return;
    const OpRef op = value.definer();
    if (from->viewed) {
      from->kind = OpState::Kind::View;
      for (std::size_t i = 0; i < op.operand_count(); ++i) {
        whole(op.operand(i));
        if (OpState* producer = definer(op.operand(i)); producer != nullptr && producer->kernel != kNone)
          kernels_[producer->kernel].read = true;
        note_edge(op, i, FusionReason::View);
      }
      ++views_;
      return;
    }
    from->placed = true;
    place(op);
  }

  // Ops that only move elements and have no uses.
  void place_unread(RegionRef region) {
    for (OpRef op = region.back(); op.valid(); op = op.previous())
      if (ops_.contains(op.id()) && state(op).kind == OpState::Kind::Moves && !moved_edges_.contains(op.id()))
        whole(op.result());
  }

  // --- placing an op

  // The kernels that its operands come from, through what only moves; deepest first.
  void find_candidates(Value value, std::vector<std::size_t>& out) {
    OpState* from = definer(value);
    if (from == nullptr) return;
    if (from->kernel != kNone) {
      if (std::find(out.begin(), out.end(), from->kernel) == out.end()) out.push_back(from->kernel);
      return;
    }
    if (moves(*from))
      for (const Value v : value.definer().operands()) find_candidates(v, out);
  }

  // What a contraction reads through windows, or would divide or choose places for, is moved once, beforehand.
  void move_beforehand(OpRef op) {
    const Formula& formula = state(op).formula->formula;
    for (std::size_t i = 0; i < op.operand_count(); ++i) {
      const OpState* from = definer(op.operand(i));
      // Loops are split at the divisors of what is unpacked.
      if (from == nullptr || from->kind != OpState::Kind::Moves || from->placed || from->formula->unpacks) continue;
      const bool divides = reads_by_division(op, i);
      if (divides) note_edge(op, i, FusionReason::Division);
      if (divides ||
          (reorders(pool_, from->formula->formula.statements[0]) && reads_through_windows(pool_, formula, i)))
        whole(op.operand(i));
    }
  }
  // With what moves the operand as index arithmetic in it, a contraction divides more subscripts than by itself.
  bool reads_by_division(OpRef op, std::size_t operand) {
    const OpFormula& formula = *state(op).formula;
    if (!formula.reuses) return false;
    Try tried{KernelFormula(shared_)};
    bring(tried, op.operand(operand));
    tried.formula.add(op, formula, KernelFormula::As::Computed);
    return tried.formula.bent_subscripts() > formula.bent_subscripts;
  }

  void place(OpRef op) {
    move_beforehand(op);
    std::vector<std::size_t> candidates;
    for (const Value v : op.operands()) find_candidates(v, candidates);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::size_t a, std::size_t b) { return kernels_[a].depth > kernels_[b].depth; });
    std::unordered_map<std::size_t, FusionReason> refused;
    for (const std::size_t candidate : candidates) {
      // Kernels that it reads as well may be fused too, if no path leads between them and this one: they are equally
      // deep, or less deep and without readers so far.
      std::vector<std::size_t> together{candidate};
      for (const std::size_t other : candidates)
        if (other != candidate && (kernels_[other].depth == kernels_[candidate].depth ||
                                   (kernels_[other].depth < kernels_[candidate].depth && !kernels_[other].read)))
          together.push_back(other);
      if (try_place(op, together, refused)) return;
      if (together.size() > 1 && try_place(op, {candidate}, refused)) return;
    }
    Try tried{KernelFormula(shared_)};
    add(tried, op, false);
    // Then kernels of their own move what it reads.
    if (tried.formula.shape().long_subscripts) {
      for (std::size_t i = 0; i < op.operand_count(); ++i) {
        const OpState* from = definer(op.operand(i));
        if (from != nullptr && moves(*from)) note_edge(op, i, FusionReason::Subscripts);
        whole(op.operand(i));
      }
      tried = Try{KernelFormula(shared_)};
      add(tried, op, false);
    }
    std::uint32_t depth = state(op).after;
    for (const Value v : op.operands()) depth = std::max(depth, depth_of(v));
    kernels_.push_back({.formula = KernelFormula(shared_), .depth = depth + 1});
    commit(kernels_.size() - 1, op, std::move(tried));
    note_edges(op, kernels_.size() - 1, refused);
  }
  // Puts the op into one kernel with all of these, of which the first stands for all.
  bool try_place(OpRef op, const std::vector<std::size_t>& together,
                 std::unordered_map<std::size_t, FusionReason>& refused) {
    Kernel& kernel = kernels_[together.front()];
    // What else it reads must not depend on the kernel: by depth, or because the kernel has no readers so far.
    std::uint32_t others = state(op).after;
    for (const Value v : op.operands()) others = std::max(others, depth_of(v, together));
    const bool read = std::any_of(together.begin(), together.end(), [&](std::size_t k) { return kernels_[k].read; });
    if (others >= kernel.depth && read) {
      refused.emplace(together.front(), FusionReason::Cycle);
      return false;
    }
    std::optional<Try> tried = attempt(together, op, refused);
    if (!tried) return false;
    for (std::size_t i = 1; i < together.size(); ++i) give_up(together.front(), together[i]);
    kernel.depth = std::max(kernel.depth, others + 1);
    commit(together.front(), op, std::move(*tried));
    note_edges(op, together.front(), refused);
    return true;
  }

  // Adds the op, and copies of what stands between it and the kernel.
  void add(Try& tried, OpRef op, bool align) {
    for (const Value v : op.operands()) bring(tried, v);
    tried.formula.add(op, *state(op).formula, KernelFormula::As::Computed, align);
  }
  void bring(Try& tried, Value value) {
    if (tried.formula.has(value)) return;
    OpState* from = definer(value);
    if (from == nullptr) return;
    const OpRef op = value.definer();
    if (from->kind == OpState::Kind::Known) {
      tried.members.push_back({op, true});
      tried.formula.add_known(value, *known_value(op, pool_));
      return;
    }
    if (!moves(*from) || from->placed) return;
    // What leaves elements in their place is read as memory where there is some, unless the kernel computes it.
    if (from->viewed && in_memory(op.operand(*from->viewed)) && !computes(tried.formula, op.operand(*from->viewed)))
      return;
    for (const Value v : op.operands()) bring(tried, v);
    tried.members.push_back({op, true});
    tried.formula.add(op, *from->formula, KernelFormula::As::Moved);
  }
  // Whether the value is there as a whole, whatever is decided later.
  bool in_memory(Value value) {
    const OpState* from = definer(value);
    if (from == nullptr || from->kernel != kNone || from->kind == OpState::Kind::Other) return true;
    return moves(*from) && from->viewed && in_memory(value.definer().operand(*from->viewed));
  }
  // Whether the value, or what it is moved from, is computed in the kernel.
  bool computes(const KernelFormula& formula, Value value) {
    if (const auto tensor = formula.find(value)) return formula.formula().tensor(*tensor).role != TensorRole::Operand;
    OpState* from = definer(value);
    if (from == nullptr || !moves(*from)) return false;
    for (const Value v : value.definer().operands())
      if (computes(formula, v)) return true;
    return false;
  }

  // These kernels as one, with the op. A refusal is noted for each of them.
  std::optional<Try> attempt(const std::vector<std::size_t>& together, OpRef op,
                             std::unordered_map<std::size_t, FusionReason>& refused) {
    const auto refuse = [&](FusionReason reason) {
      for (const std::size_t kernel : together) refused.insert_or_assign(kernel, reason);
      return std::optional<Try>();
    };
    if (options_.factors_in_memory && state(op).formula->contracts) return refuse(FusionReason::Contraction);
    std::size_t count = 0;
    bool scatters = false, reduces = false;
    double rows = 1;
    for (const std::size_t kernel : together) {
      count += kernels_[kernel].op_count;
      scatters |= kernels_[kernel].formula.shape().scatters;
      reduces |= kernels_[kernel].formula.shape().reduces;
      rows = std::max(rows, legality_.rows_of(kernels_[kernel].formula.shape()));
    }
    if (count >= options_.max_ops) return refuse(FusionReason::Limit);
    if (scatters) return refuse(FusionReason::Scatter);
    Try tried{kernels_[together.front()].formula, kernels_[together.front()].members};
    for (std::size_t i = 1; i < together.size(); ++i)
      if (!take_over(tried, kernels_[together[i]], false)) return refuse(FusionReason::Cycle);
    add(tried, op, false);
    if (tried.formula.shape().reduces) {
      std::size_t alone = state(op).formula->bent_subscripts;
      for (const std::size_t kernel : together) alone += kernels_[kernel].formula.bent_subscripts();
      if (tried.formula.bent_subscripts() > alone) return refuse(FusionReason::Division);
    }
    double own = 0;
    for (const Statement& st : state(op).formula->formula.statements)
      own = std::max(own, typical_product(index_, st.labels, facts_));
    const FusionLegality::Member added{op, state(op).formula};
    const std::size_t followed = together.size() == 1 && moves_rows(op) ? contractions_of(together.front()) : 0;
    if (const auto no = legality_.refusal({reduces, rows, followed}, own, tried.formula, &added)) return refuse(*no);
    return tried;
  }

  std::size_t contractions_of(std::size_t kernel) const { return kernels_[kernel].formula.shape().contractions; }
  // Whether the op only says where rows of its operand are stored, which nobody else wants: a kernel that computes them
  // stores them there, however many contractions that takes.
  bool moves_rows(OpRef op) {
    return options_.factors_in_memory && op.operand_count() > 0 && op.operand(0).has_one_use() &&
           permutes_rows(pool_, state(op).formula->formula);
  }

  void commit(std::size_t number, OpRef op, Try tried) {
    Kernel& kernel = kernels_[number];
    kernel.members = std::move(tried.members);
    for (const FusionGroup::Member& member : kernel.members)
      if (member.copy && !moved_edges_.contains(member.op.id())) note_copied(member.op);
    kernel.members.push_back({op, false});
    ++kernel.op_count;
    kernel.formula = std::move(tried.formula);
    OpState& s = state(op);
    s.kind = OpState::Kind::Kernel;
    s.kernel = number;
    for (const Value v : op.operands()) settle(v, number);
  }
  void note_copied(OpRef copied) {
    moved_edges_.insert(copied.id());
    if (state(copied).kind == OpState::Kind::Known) return;
    for (std::size_t i = 0; i < copied.operand_count(); ++i) note_edge(copied, i, FusionReason::Movement);
  }
  // What a kernel reads from elsewhere is in memory from now on.
  void settle(Value value, std::size_t number) {
    OpState* from = definer(value);
    if (from == nullptr || from->kind == OpState::Kind::Known) return;
    if (from->kernel != kNone) {
      if (from->kernel != number) kernels_[from->kernel].read = true;
      return;
    }
    if (!moves(*from)) return;
    const OpRef op = value.definer();
    const bool copied = std::any_of(kernels_[number].members.begin(), kernels_[number].members.end(),
                                    [&](const FusionGroup::Member& m) { return m.copy && m.op == op; });
    if (!copied) return whole(value);
    for (const Value v : op.operands()) settle(v, number);
  }

  // --- siblings

  void join_siblings() {
    // Kernels by depth and by what they read; of each pair that reads the same, the later one tries to join the
    // earlier.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> first;  // (depth, value) -> kernel
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      if (!kernels_[k].alive) continue;
      std::vector<ValueId> reads;
      for (const FusionGroup::Member& member : kernels_[k].members)
        for (const Value v : member.op.operands())
          if (kernels_[k].formula.has(v) && is_operand(kernels_[k].formula, v) && v.rank() > 0) reads.push_back(v.id());
      for (const ValueId read : reads) {
        const auto [at, fresh] = first.try_emplace({kernels_[k].depth, read.value}, k);
        if (fresh || at->second == k) continue;
        if (kernels_[at->second].alive && merge(at->second, k)) break;
        if (kernels_[at->second].op_count + kernels_[k].op_count > options_.max_ops) at->second = k;
      }
    }
  }
  bool merge(std::size_t into, std::size_t from) {
    Kernel &a = kernels_[into], &b = kernels_[from];
    const KernelShape &first = a.formula.shape(), &second = b.formula.shape();
    if (first.contractions > 0 || second.contractions > 0 || first.scatters || second.scatters) return false;
    if (a.op_count + b.op_count > options_.max_ops) return false;
    Try tried{a.formula, a.members};
    if (!take_over(tried, b, true)) return false;
    const double rows = std::min(legality_.rows_of(first), legality_.rows_of(second));
    if (legality_.rows_of(tried.formula.shape()) < rows ||
        legality_.refusal({first.reduces || second.reduces, legality_.rows_of(first)}, legality_.rows_of(second),
                          tried.formula))
      return false;
    give_up(into, from);
    a.members = std::move(tried.members);
    a.formula = std::move(tried.formula);
    return true;
  }
  // Adds everything that another kernel has.
  bool take_over(Try& tried, const Kernel& other, bool align) {
    for (const FusionGroup::Member& member : other.members) {
      const Value result = member.op.result();
      if (member.copy && tried.formula.has(result)) {
        if (is_operand(tried.formula, result)) return false;  // there as memory, and needed as index arithmetic
        continue;
      }
      if (!member.copy)
        tried.formula.add(member.op, *state(member.op).formula, KernelFormula::As::Computed, align);
      else if (const auto known = known_value(member.op, pool_))
        tried.formula.add_known(result, *known);
      else
        tried.formula.add(member.op, *state(member.op).formula, KernelFormula::As::Moved);
      tried.members.push_back(member);
    }
    return true;
  }
  void give_up(std::size_t into, std::size_t from) {
    Kernel &a = kernels_[into], &b = kernels_[from];
    for (const FusionGroup::Member& member : b.members)
      if (!member.copy) state(member.op).kernel = into;
    a.op_count += b.op_count;
    a.read = a.read || b.read;
    a.depth = std::max(a.depth, b.depth);
    b.alive = false;
    b.members.clear();
  }

  // --- edges and results

  void note_edge(OpRef consumer, std::size_t operand, FusionReason reason) {
    edges_.note(consumer, operand, reason, index_.constant(0));
  }
  void note_edges(OpRef op, std::size_t kernel, const std::unordered_map<std::size_t, FusionReason>& refused) {
    for (std::size_t i = 0; i < op.operand_count(); ++i) {
      const OpState* from = definer(op.operand(i));
      if (from == nullptr) continue;
      if (from->kind == OpState::Kind::Other) {
        note_edge(op, i, beside_kernels(op, op.operand(i)));
      } else if (from->kind == OpState::Kind::View || from->kind == OpState::Kind::Moves) {
        note_edge(op, i, from->kind == OpState::Kind::View ? FusionReason::View : FusionReason::Movement);
      } else if (from->kernel == kernel) {
        note_edge(op, i, together(op, i));
      } else {
        const auto reason = refused.find(from->kernel);
        note_edge(op, i, reason == refused.end() ? FusionReason::Cycle : reason->second);
      }
    }
  }
  FusionReason together(OpRef op, std::size_t operand) {
    const OpState* from = definer(op.operand(operand));
    if (state(op).formula->reduced[operand]) return FusionReason::Reduced;
    return kernels_[from->kernel].formula.shape().contractions > 0 ? FusionReason::Epilogue : FusionReason::Element;
  }

  void finish(RegionRef region) {
    // Who needs what from elsewhere.
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < kernels_.size(); ++k)
      if (kernels_[k].alive) kept.push_back(k);
    std::vector<FusionGroup> groups(kept.size());
    std::unordered_set<ValueId> needed;
    std::unordered_map<OpId, std::size_t> rank;
    std::size_t next = 0;
    for (const OpRef op : region.ops()) rank[op.id()] = next++;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      Kernel& kernel = kernels_[kept[i]];
      FusionGroup& out = groups[i];
      out.members = kernel.members;
      std::stable_sort(out.members.begin(), out.members.end(),
                       [&](const auto& a, const auto& b) { return rank[a.op.id()] < rank[b.op.id()]; });
      out.inputs = values_from_outside(out.members);
      for (const Value v : out.inputs) needed.insert(v.id());
      out.shape = kernel.formula.shape();
      out.operations = formula_operations(pool_, kernel.formula.formula());
    }
    for (const OpRef op : region.ops()) {
      const OpState* s = ops_.contains(op.id()) ? &state(op) : nullptr;
      if (s != nullptr &&
          (s->kind == OpState::Kind::Kernel || s->kind == OpState::Kind::Moves || s->kind == OpState::Kind::Known))
        continue;
      walk(op, [&](OpRef inner) {
        for (const Value v : inner.operands()) needed.insert(v.id());
      });
    }
    for (FusionGroup& out : groups) {
      out.bytes = index_.constant(0);
      for (const Value v : out.inputs) out.bytes = index_.add(out.bytes, bytes(v));
      for (const FusionGroup::Member& member : out.members) {
        if (member.copy) continue;
        for (const Value v : member.op.results())
          if (needed.contains(v.id())) {
            out.outputs.push_back(v);
            out.bytes = index_.add(out.bytes, bytes(v));
          }
      }
    }
    std::stable_sort(groups.begin(), groups.end(), [&](const FusionGroup& a, const FusionGroup& b) {
      return first_rank(a, rank) < first_rank(b, rank);
    });
    FusionTraffic traffic(context_, groups);
    FusionRegion here{.region = region, .views = views_, .others = others_, .bytes_alone = index_.constant(0)};
    here.first_kernel = decisions_.kernels.size();
    here.kernel_count = groups.size();
    here.first_edge = decisions_.edges.size();
    for (FusionGroup& out : groups) decisions_.kernels.push_back(std::move(out));
    // Edges to ops that are not kernels and from outside, then all in program order.
    for (const OpRef op : region.ops()) {
      if (op.has_trait(Traits::Terminator)) continue;
      for (std::size_t i = 0; i < op.operand_count(); ++i) {
        const Value v = op.operand(i);
        if (v.is_result() && !(v.definer().parent() == region))
          note_edge(op, i, FusionReason::Region);
        else if (state(op).kind == OpState::Kind::Other)
          note_edge(op, i, beside_kernels(op, v));
        const FusionEdge* edge = edges_.find(op, i);
        if (edge == nullptr) continue;
        decisions_.edges.push_back(*edge);
        weigh(decisions_.edges.back(), traffic);
      }
      count_alone(op, here);
    }
    here.edge_count = decisions_.edges.size() - here.first_edge;
    if (here.kernel_count + here.edge_count + here.views + here.others > 0) decisions_.regions.push_back(here);
  }
  void weigh(FusionEdge& edge, FusionTraffic& traffic) {
    if (state(edge.consumer).viewed) return;  // a view reads nothing, and its elements are those of what it views
    edge.bytes = index_.add(edge.bytes, traffic.bytes_of(edge, viewed(edge.consumer.operand(edge.operand))));
  }
  Value viewed(Value value) {
    for (const OpState* from = definer(value); from != nullptr && from->viewed; from = definer(value))
      value = value.definer().operand(*from->viewed);
    return value;
  }
  void count_alone(OpRef op, FusionRegion& region) {
    const OpState& s = state(op);
    if (s.kind != OpState::Kind::Kernel && (s.kind != OpState::Kind::Moves || s.viewed)) return;
    ++region.kernels_alone;
    std::vector<Value> touched;
    for (const Value v : op.operands())
      if (std::find(touched.begin(), touched.end(), v) == touched.end()) touched.push_back(v);
    for (const Value v : op.results())
      if (v.has_uses()) touched.push_back(v);
    for (const Value v : touched) region.bytes_alone = index_.add(region.bytes_alone, bytes(v));
  }
  IndexExpr bytes(Value v) { return context_.storage_bytes(v.type()); }

  const Module& module_;
  Context& context_;
  IndexPool& index_;
  FormulaPool& pool_;
  KernelFormulas shared_;
  std::unordered_map<const OpFormula*, std::optional<std::size_t>> viewed_;  // viewed_operand() in this function
  FusionOptions options_;
  Dependences dependences_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      waits_;  // edges of the region to ops that are not yet taken, last first
  FunctionFacts function_facts_;
  Facts facts_;
  FusionLegality legality_;  // under these facts
  std::unordered_map<OpId, OpState> ops_;
  std::vector<Kernel> kernels_;
  FusionEdges edges_;                     // of the region
  std::unordered_set<OpId> moved_edges_;  // copied ops whose edges are noted
  std::size_t views_ = 0, others_ = 0;
  FusionDecisions decisions_;
};

}  // namespace

FusionDecisions decide_fusion(const Module& module, const FusionOptions& options) {
  return join_tiles(module, options, FusionDecider(module, options).run());
}

}  // namespace mlgc
