// See launch_plan.h.
#include "loops/launch_plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "fusion/known_values.h"
#include "loopir/functions.h"
#include "loops/lower_running.h"
#include "loops/lower_segment.h"
#include "loops/lower_sort.h"
#include "ops/instantiate_op.h"

namespace mlgc::loops {

namespace {

// What the kernel of an op follows from, but for names, which are those of the first of equal kernels, and places:
// equal for ops of the function that are launched alike. Nothing for ops inside of which there are regions, or values
// from outside.
std::optional<std::vector<std::uint32_t>> words_of(OpRef op) {
  std::vector<std::uint32_t> out;
  std::unordered_map<ValueId, std::uint32_t> numbers;
  const auto number = [&](Value v) {
    const auto [at, is_new] = numbers.try_emplace(v.id(), static_cast<std::uint32_t>(numbers.size()));
    out.push_back(at->second);
    if (is_new) out.push_back(v.type().id);
    return is_new;
  };
  const auto note = [&](OpRef at) {
    out.push_back(static_cast<std::uint32_t>(at.opcode()));
    out.push_back(at.attrs().id);
    out.push_back(static_cast<std::uint32_t>(at.operand_count()));
    bool inside = true;
    for (const Value v : at.operands()) inside = !number(v) && inside;
    out.push_back(static_cast<std::uint32_t>(at.result_count()));
    for (const Value v : at.results()) (void)number(v);
    return inside;
  };
  (void)note(op);
  if (op.region_count() > 1) return std::nullopt;
  if (op.region_count() == 0) return out;
  for (const Value v : op.region().arguments()) (void)number(v);
  for (const OpRef inner : op.region().ops())
    if (inner.region_count() > 0 || !note(inner)) return std::nullopt;
  return out;
}

// An operand that is given twice is one of the kernel; one of a fusion has an argument of its own.
std::vector<Value> buffers_read(OpRef op) {
  std::vector<Value> out;
  for (const Value v : op.operands())
    if (op.is(GraphOp::Fusion) || std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
  return out;
}

// All results of an op by its formula.
FusionKernel computed(OpRef op, const Formula& formula) {
  FusionKernel kernel{KernelFormula(op.module().context()), {}};
  for (const Value v : op.operands()) (void)kernel.formula.add_operand(v);
  kernel.formula.add(op, formula, KernelFormula::As::Computed);
  const std::vector<Value> results(op.results().begin(), op.results().end());
  kernel.results = kernel.formula.set_results(results);
  return kernel;
}

class LaunchPlanner {
 public:
  LaunchPlanner(Module& module, FuncRef function, bool for_threads)
      : module_(module),
        context_(module.context()),
        index_(context_.index()),
        types_(context_.types()),
        function_(function) {
    planned_.for_threads = for_threads;
  }

  LaunchPlan run() {
    for (const Value v : function_.arguments()) {
      if (!types_.is_tensor(v.type())) {
        miss(function_.op(), "its argument `" + std::string(v.name()) + "` is not a tensor");
        return std::move(planned_);
      }
      if (is_complex(v.dtype())) miss(function_.op(), "its argument `" + std::string(v.name()) + "` is complex");
    }
    plan_region(function_.body());
    if (function_.arguments().empty() && function_.return_op().operand_count() == 0)
      miss(function_.op(), "it has neither arguments nor results");
    return std::move(planned_);
  }

 private:
  void miss(OpRef op, std::string reason) { planned_.missing.push_back({op, std::move(reason)}); }

  void plan_region(RegionRef region) {
    for (const OpRef op : region.ops()) plan_op(op);
  }

  // A call that stands here was left by `inline`, or that was not run.
  std::string why_call(OpRef call) const {
    const FuncRef callee = find_function(module_, *context_.attributes().as_symbol(call.attr("callee")));
    return callee.constraints().empty()
               ? "`inline` takes calls away, with which -O2 and each level begin, up to `max-ops`"
               : "`inline` takes calls away, where `where " + print(callee.constraints(), index_) +
                     "` of what is called follows, or the function may say it: here the call may not run";
  }

  void plan_op(OpRef op) {
    for (const Value v : op.results())
      if (types_.is_tensor(v.type()) && is_complex(v.dtype())) return miss(op, "a result of it is complex");
    if (op.has_trait(Traits::Terminator) || op.is(GraphOp::Read) || op.is(GraphOp::Constant) ||
        known_value(op, formulas(context_)))
      return;
    if (op.is(GraphOp::If) || op.is(GraphOp::While) || op.is(GraphOp::For) || op.is(GraphOp::Scan)) {
      for (const Value v : op.results())
        if (!types_.is_tensor(v.type())) return miss(op, "a result of it is not a tensor");
      if (op.is(GraphOp::Scan)) {
        const auto carried = static_cast<std::size_t>(*context_.attributes().as_int64(op.attr("carried")));
        for (std::size_t i = carried + 1; i < op.operand_count(); ++i)
          if (index_.equal(op.operand(i).dims()[0], op.operand(carried).dims()[0], planned_.facts.of(op)) != Truth::Yes)
            return miss(op, "its sequences are not known to have the same length");
      }
      for (const RegionRef region : op.regions()) plan_region(region);
      return;
    }
    if (op.is(GraphOp::Range) || op.is(GraphOp::Nonzero)) {
      planned_.sizes.push_back(op);
      return;
    }
    if (op.is(LoopOp::Check) || op.is(LoopOp::Guard) || op.is(LoopOp::Apply)) return;
    if (op.is(GraphOp::Call)) return miss(op, why_call(op));
    if (op.is(GraphOp::Segment)) return plan_segment(op);
    // Dead code is not computed.
    if (op.is(GraphOp::Fusion) && op.result_count() == 0) return;
    if (!plan_launch(op))
      miss(op, op.is(GraphOp::Fusion)  ? "an op inside of it is no formula on tensors, or its ops move elements so "
                                         "often that a subscript is too long"
               : has_formula(op.def()) ? "it reads or makes a value that is not a tensor"
                                       : "it is no formula");
  }

  bool plan_launch(OpRef op) {
    std::optional<std::vector<std::uint32_t>> words = words_of(op);
    const auto known = words ? first_.find(*words) : first_.end();
    std::optional<Launch> made;
    if (known != first_.end()) {
      made = Launch{.like = known->second};
    } else {
      made = new_launch(op);
      if (!made) return planned_.views.contains(op.id());
      if (words) first_.emplace(*std::move(words), op);
    }
    made->operands = buffers_read(op);
    made->results.assign(op.results().begin(), op.results().end());
    planned_.launches.emplace(op.id(), *std::move(made));
    return true;
  }

  // Without operands and results. Nothing for an op without a lowering, and for a view, which is noted.
  std::optional<Launch> new_launch(OpRef op) {
    const Facts& facts = planned_.facts.of(op);
    FormulaPool& pool = formulas(context_);
    const OpRef sort = sorting_op(op, facts);
    const OpRef extremum = running_extremum_op(op, planned_.for_threads);
    if (sort.valid() || extremum.valid())
      return Launch{.sort = sort, .extremum = extremum, .words = std::string((sort.valid() ? sort : extremum).name())};
    if (op.is(GraphOp::Fusion)) {
      std::optional<FusionKernel> kernel = fusion_kernel(op, facts);
      if (!kernel) return std::nullopt;
      std::string words;
      for (const OpRef inner : op.region().ops())
        if (!inner.has_trait(Traits::Terminator) && !known_value(inner, pool))
          words += (words.empty() ? "" : "_") + std::string(inner.name());
      return Launch{.kernel = std::move(kernel), .words = std::move(words)};
    }
    const std::shared_ptr<const Formula> formula = op_formula(op, facts);
    if (!formula) return std::nullopt;
    if (is_movement(pool, *formula))
      if (const auto viewed = viewed_operand(pool, *formula, facts)) {
        planned_.views.emplace(op.id(), *viewed);
        return std::nullopt;
      }
    return Launch{.kernel = computed(op, *formula), .words = std::string(op.name())};
  }

  // What its target computes is launched as a whole; dead code is not computed.
  void plan_segment(OpRef op) {
    if (!changed_) changed_ = changed_symbols(module_);
    if (std::string why = why_not_external(op, *changed_); !why.empty()) return miss(op, std::move(why));
    Launch made;
    made.segment = op;
    made.operands.assign(op.operands().begin(), op.operands().end());
    made.words = segment_words(op);
    planned_.launches.emplace(op.id(), std::move(made));
  }

  Module& module_;
  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  FuncRef function_;
  LaunchPlan planned_;
  std::map<std::vector<std::uint32_t>, OpRef> first_;  // by words_of(): the first op that is launched
  std::optional<ChangedSymbols> changed_;              // once a segment asks
};

}  // namespace

Launch launch_of_formula(OpRef op, const Formula& formula) {
  return {.kernel = computed(op, formula),
          .operands = buffers_read(op),
          .results = std::vector<Value>(op.results().begin(), op.results().end()),
          .words = std::string(op.name())};
}

Value LaunchPlan::viewed(Value v) const {
  if (!v.is_result()) return {};
  const auto found = views.find(v.definer().id());
  return found == views.end() ? Value() : v.definer().operand(found->second);
}

bool LaunchPlan::is_known_before_call(FuncRef function, OpRef range) const {
  if (!range.is(GraphOp::Range) || range.parent() != function.body()) return false;
  Value end = range.operand(0);
  for (Value of = viewed(end); of.valid(); of = viewed(end)) end = of;
  return end.is_argument() && end.argument_of() == function.body();
}

LaunchPlan plan_launches(Module& module, FuncRef function, bool for_threads) {
  return LaunchPlanner(module, function, for_threads).run();
}

}  // namespace mlgc::loops
