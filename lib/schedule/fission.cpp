// fission: what an iteration does becomes loops of its own, one after the other. A loop that holds a contraction
// which iterations share is one of them, and so is what stands between two of these; or each loop is one, with what
// stands after it.
//
//     for (%i) { %s = alloc; for (%j) { sum; store %s[%j] }  softmax of %s  for (%f) { sum over %s } }
// becomes
//     %s = alloc  for (%i) { for (%j) { sum; store %s[%i, %j] } }  for (%i_2) { softmax }  for (%i_3) { for (%f) … }
#include "schedule/fission.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/in_place.h"
#include "analysis/loop_access.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "support/saturating.h"

namespace mlgc {

using namespace schedule;

namespace {

class Fission {
 public:
  Fission(OpRef loop, FissionInto into, FissionAxis axis)
      : module_(loop.module()), loop_(loop), of_(ForRef::from(loop)), into_(into), axis_(axis) {}

  TransformResult check() {
    if (auto may = expect_plain(of_); !may) return may;
    if (auto may = expect_no_carried(of_); !may) return may;
    if (auto may = expect_no_lanes_around(loop_); !may) return may;
    // Iterations come to their second part in another order than they end.
    if (ProgramEnds().may_end(loop_)) return refuse<kScheduleMayAbort>("the loop over `%" + name() + "`");
    IndexPool& pool = module_.context().index();
    const IndexExpr extent = pool.sub(over_values(loop_, of_.last()), over_values(loop_, of_.first()));
    const auto count = usual_extent(of_);
    if (!count && !is_plain_size(pool, extent)) return refuse<kScheduleTripCountNotASize>(name());
    size_ = count ? pool.constant(std::max<std::int64_t>(*count, 0)) : pool.max(extent, pool.constant(0));
    if (auto may = group_ops(); !may) return may;
    if (groups_ < 2) return refuse<kScheduleNothingToDo>("separate", "the loop holds a single nest");
    find_shared();
    return {};
  }

  [[nodiscard]] std::int64_t bytes(std::int64_t usual) const {
    const IndexPool& pool = module_.context().index();
    std::int64_t out = 0;
    const auto add = [&](Value v, std::span<const IndexExpr> dims) {
      auto own = static_cast<std::int64_t>(dtype_info(v.dtype()).bytes);
      for (const IndexExpr dim : dims) own = saturating_mul(own, pool.as_constant(dim).value_or(usual));
      out = saturating_add(out, own);
    };
    for (const OpRef alloc : shared_) add(alloc.result(), alloc.result().dims());
    for (const Value v : passed_) add(v, {});
    return out;
  }

  void run() {
    for (const OpRef alloc : shared_) expand(alloc);
    for (const Value v : passed_) pass(v);
    const bool in_loop = is_in_loop();
    const LoopKind kind = in_loop ? LoopKind::Serial : of_.kind();
    const std::string first = name();
    std::vector<OpRef> made;
    for (std::size_t g = 0; g < groups_; ++g) {
      Builder builder(module_);
      builder.set_before(loop_);
      builder.set_location(loop_.location());
      const ForRef piece = loop_like(builder, of_, "");
      if (kind == LoopKind::Parallel) piece.set_kind(kind);
      made.push_back(piece.op());
      ValueMap map;
      map.set(of_.index(), piece.index());
      builder.set_end(piece.body());
      for (const OpRef op : of_.body().ops())
        if (const auto at = group_.find(op.id()); at != group_.end() && at->second == g) make(op, builder, map);
      builder.create(module_.context().opcode(LoopOp::Yield), {}, {}, {});
      if (into_ == FissionInto::EachLoop) sink_numbers(piece);
    }
    loop_.erase();
    for (std::size_t g = 0; g < made.size(); ++g) {
      const Value index = ForRef::from(made[g]).index();
      index.set_name("");
      index.set_name(fresh_name(made[g], first + (g == 0 ? "" : "_" + std::to_string(g + 1))));
    }
  }

 private:
  [[nodiscard]] std::string name() const { return std::string(index_name(of_)); }
  [[nodiscard]] bool is_in_loop() const {
    for (OpRef at = loop_.parent_op(); at.valid(); at = at.parent_op())
      if (ForRef::from(at).valid()) return true;
    return false;
  }
  // The op of the body in which the op stands, or which it is.
  [[nodiscard]] OpRef in_body(OpRef op) const {
    while (op.valid() && op.parent() != of_.body()) op = op.parent_op();
    return op;
  }
  template <class Visit>
  void each_read(OpRef op, const Visit& visit) const {
    walk(op, [&](OpRef inner) {
      for (const Value v : inner.operands())
        if (v.is_result() && v.scope() == of_.body()) visit(v);
    });
  }

  // Numbers cost no memory: what only computes them, from the index and from what the loop does not write, is done in
  // each loop that needs it.
  TransformResult group_ops() {
    std::unordered_set<ValueId> written;
    walk(loop_, [&](OpRef op) { for_each_written(op, [&](Value v) { written.insert(v.id()); }); });
    bool open = false;
    for (const OpRef op : of_.body().ops()) {
      if (op == of_.body().terminator()) break;
      if (loop_role(op) == LoopRole::Allocates) {
        if (module_.context().types().scope(op.result().type()) != Scope::Thread || AllocRef::from(op).memory().valid())
          return refuse<kScheduleBuffer>(op.result().name(), "it is not scratch of an iteration");
        for (const OpRef user : op.result().users())
          if (!accesses(user, op.result()) && !(axis_ == FissionAxis::First && is_view_of_row(user)))
            return refuse<kScheduleBuffer>(op.result().name(), "it is not only loaded and stored");
        for (const IndexExpr dim : op.result().dims())
          if (!is_size(module_.context().index(), dim))
            return refuse<kScheduleBuffer>(op.result().name(), "its size depends on values in the loop");
        continue;
      }
      if (is_view_of_row(op)) continue;
      if (loop_role(op) == LoopRole::Names || loop_role(op) == LoopRole::Runs)
        return refuse<kScheduleUnsupportedOp>(name(), op.name(), "moved to a loop of its own");
      bool again = op.region_count() == 0 && only_computes(op);
      if (loaded_buffer(op).valid()) again = again && !written.contains(underlying_buffer(loaded_buffer(op)).id());
      each_read(op, [&](Value v) { again = again && again_.contains(v.definer().id()); });
      if (again) {
        again_.insert(op.id());
        continue;
      }
      if (into_ == FissionInto::EachLoop) {  // what follows a loop is in its group
        const bool is_loop = !loops_of(op).empty();
        if (is_loop && open) ++last_;
        open = open || is_loop;
        group_[op.id()] = last_;
        groups_ = last_ + 1;
        continue;
      }
      if (holds_shared_product(op, loop_)) {
        group_[op.id()] = open ? ++last_ : last_;
        groups_ = last_ + 1;
        ++last_;
        open = false;
        continue;
      }
      open = true;
      group_[op.id()] = last_;
      groups_ = last_ + 1;
    }
    return {};
  }
  static bool is_alloc(OpRef op) { return loop_role(op) == LoopRole::Allocates; }
  static bool accesses(OpRef op, Value buffer) {
    const AccessRef access = AccessRef::from(op);
    return access.valid() && access.buffer() == buffer;
  }
  // A view of scratch of an iteration that is only loaded and stored.
  [[nodiscard]] bool is_view_of_row(OpRef op) const {
    const BufferViewRef view = BufferViewRef::from(op);
    if (!view.valid() || op.parent() != of_.body() || !view.of().is_result() || !is_alloc(view.of().definer()) ||
        view.of().definer().parent() != of_.body())
      return false;
    const auto users = view.view().users();
    return std::all_of(users.begin(), users.end(), [&](OpRef user) { return accesses(user, view.view()); });
  }

  // What one loop leaves for another one.
  void find_shared() {
    for (const OpRef op : of_.body().ops()) {
      if (op == of_.body().terminator()) break;
      const auto own = group_.find(op.id());
      for (const Value v : op.results()) {
        std::unordered_set<std::size_t> in;
        const auto note = [&](OpRef user) {
          if (const auto group = group_.find(in_body(user).id()); group != group_.end()) in.insert(group->second);
        };
        for (const OpRef user : v.users()) {
          note(user);
          if (is_view_of_row(user))
            for (const OpRef through : user.result().users()) note(through);
        }
        if (is_alloc(op) && in.size() > 1) shared_.push_back(op);
        if (own == group_.end()) continue;
        in.erase(own->second);
        if (!in.empty()) passed_.push_back(v);
      }
    }
  }

  [[nodiscard]] IndexExpr place() const {
    IndexPool& pool = module_.context().index();
    return pool.sub(of_value(of_.index()), over_values(loop_, of_.first()));
  }
  Value scratch(Value like, std::span<const IndexExpr> dims) {
    std::vector<IndexExpr> shape(dims.begin(), dims.end());
    shape.insert(axis_ == FissionAxis::First ? shape.begin() : shape.end(), size_);
    Builder builder(module_);
    builder.set_before(loop_);
    builder.set_location(loop_.location());
    const Scope scope = is_in_loop() ? Scope::Thread : Scope::Arena;
    const Value made =
        builder.create(LoopOp::Alloc, {}, {module_.context().types().buffer(like.dtype(), shape, scope)}).result();
    made.set_name(like.name().empty() ? "row" : std::string(like.name()));
    return made;
  }

  // Memory of an iteration becomes a row of memory of all of them, and so do views of it.
  void expand(OpRef alloc) {
    const Value made = scratch(alloc.result(), alloc.result().dims());
    std::vector<OpRef> views;
    for (const OpRef user : alloc.result().users())
      if (is_view_of_row(user)) views.push_back(user);
    for (const OpRef view : views) {
      std::vector<IndexExpr> shape{size_};
      shape.insert(shape.end(), view.result().dims().begin(), view.result().dims().end());
      Builder builder(module_);
      builder.set_before(loop_);
      builder.set_location(view.location());
      const Type type =
          module_.context().types().buffer(view.result().dtype(), shape, module_.context().types().scope(made.type()));
      const Value all = builder.create(LoopOp::BufferView, {made}, {type}).result();
      all.set_name(std::string(view.result().name()));
      move_accesses(view.result(), all);
      view.erase();
    }
    move_accesses(alloc.result(), made);
    alloc.erase();
  }
  void move_accesses(Value from, Value made) {
    std::vector<OpRef> users;
    for (const OpRef user : from.users()) users.push_back(user);
    for (const OpRef user : users) {
      std::vector<IndexExpr> at = subscripts_over_values(user);
      at.insert(axis_ == FissionAxis::First ? at.begin() : at.end(), place());
      set_element(user, made, at);
    }
  }

  // A value that another loop reads goes through memory.
  void pass(Value v) {
    const std::size_t own = group_.at(v.definer().id());
    const Value memory = scratch(v, {});
    Builder builder(module_);
    builder.set_after(v.definer());
    builder.set_location(v.definer().location());
    store_of(builder, v, memory, std::array{place()});
    group_[builder.before().previous().id()] = own;
    const Value loaded = load_of(builder, memory, std::array{place()});
    again_.insert(loaded.definer().id());
    std::vector<Use> uses;
    for (const Use use : v.uses()) uses.push_back(use);
    for (const Use& use : uses) {
      const auto group = group_.find(in_body(use.owner()).id());
      if (group != group_.end() && group->second != own) use.set(loaded);
    }
  }

  // Where a loop that is made holds one that carries nothing, with the numbers that this reads, they go into it: the
  // loops are then perfectly nested.
  static void sink_numbers(ForRef piece) {
    std::vector<OpRef> numbers;
    OpRef inner;
    for (const OpRef op : piece.body().ops()) {
      if (op == piece.body().terminator()) break;
      if (inner.valid()) return;
      if (ForRef::from(op).valid())
        inner = op;
      else
        numbers.push_back(op);
    }
    // Its bounds may read some.
    if (!inner.valid() || ForRef::from(inner).carried_count() > 0 || !inner.operands().empty()) return;
    for (const OpRef op : std::views::reverse(numbers)) op.move_before(ForRef::from(inner).body().front());
  }

  // The op in a loop that is made, after what it needs and is not there yet.
  void make(OpRef op, Builder& builder, ValueMap& map) {
    each_read(op, [&](Value v) {
      if (map.find(v).valid()) return;
      if (is_alloc(v.definer()) || is_view_of_row(v.definer()) || again_.contains(v.definer().id()))
        make(v.definer(), builder, map);
    });
    clone(op, builder, map);
  }

  Module& module_;
  OpRef loop_;
  ForRef of_;
  FissionInto into_;
  FissionAxis axis_;
  IndexExpr size_;
  std::unordered_map<OpId, std::size_t> group_;  // ops of the body, by the loop that they go to
  std::unordered_set<OpId> again_;               // those that are done wherever they are needed
  std::size_t groups_ = 0, last_ = 0;
  std::vector<OpRef> shared_;  // memory that several of the loops touch
  std::vector<Value> passed_;  // likewise values
};

}  // namespace

namespace schedule {

bool holds_shared_product(OpRef op, OpRef rows) {
  const ForRef loop = ForRef::from(op);
  if (!loop.valid() || (loop.carried_count() > 0 && is_sum_of_products(loop))) return false;
  const std::vector<OpRef> sums = sums_in(op);
  return std::any_of(sums.begin(), sums.end(), [&](OpRef sum) { return shares(rows, loops_around(sum).front(), sum); });
}

Result<std::int64_t, Diagnostic> bytes_between(OpRef rows, std::int64_t usual) {
  Fission step(rows, FissionInto::SharedProducts, FissionAxis::First);
  if (const TransformResult may = step.check(); !may) return refuse(may.error());
  return step.bytes(usual);
}

}  // namespace schedule

TransformResult fission(OpRef loop, const Facts& facts, FissionInto into, FissionAxis axis) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "fission: no loop");
  Fission step(loop, into, axis);
  if (auto may = step.check(); !may) return may;
  if (const auto conflict = find_conflict(of, facts)) return refuse(of, *conflict);
  step.run();
  return {};
}

}  // namespace mlgc
