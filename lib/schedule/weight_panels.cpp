// See weight_panels.h.
#include "schedule/weight_panels.h"
#include "schedule/derived_weight.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "schedule/along_loop.h"
#include "schedule/contraction.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/reduction_order.h"
#include "schedule/step_taker.h"
#include "support/saturating.h"

namespace mlgc {

using namespace schedule;

namespace {

// Guards arithmetic: a count times the width of a panel and the bytes of an element fits in 64 bits.
constexpr std::int64_t kMostIterations = std::int64_t{1} << 40;

// A loop from 0 on that runs a constant number of times, at least once.
std::optional<std::int64_t> count_from_zero(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  const IndexPool& pool = loop.module().context().index();
  if (pool.as_constant(of.first()) != 0) return std::nullopt;
  const auto count = pool.as_constant(of.last());
  return count && *count > 0 && *count < kMostIterations ? count : std::nullopt;
}

// A load of a weight in a contraction, and the loops that say which element: of these the columns get the lanes.
class Panel {
 public:
  static std::optional<Panel> find(OpRef load) {
    Panel panel(load);
    return panel.find_sum() && panel.find_loops() && panel.is_worth_it() ? std::optional(std::move(panel))
                                                                         : std::nullopt;
  }

  // `y[a, b, j] = x0[16*a + j, b]?0 where a = 3, b = 768, j = 16`: an element of a panel by its place.
  [[nodiscard]] std::string formula() const {
    const IndexPool& pool = load_.module().context().index();
    std::string left, extents, right;
    const auto label = [](std::size_t i) { return "i" + std::to_string(i); };
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      left += (i > 0 ? "," : "") + label(i);
      extents += (i > 0 ? ", " : "") + label(i) + "=" + std::to_string(axes_[i].extent);
    }
    for (const IndexExpr e : subscripts_) {
      std::string sum;
      for (std::size_t t = 0; t < pool.term_count(e); ++t) {
        const Term term = pool.term(e, t);
        if (term.factors.empty()) {
          sum += "+" + std::to_string(term.coefficient);
          continue;
        }
        const auto axis = std::find_if(axes_.begin(), axes_.end(), [&](const Axis& of) {
          return of.index.id().value == pool.atom(term.factors[0]).number;
        });
        const auto times = [&](std::int64_t factor, std::size_t i) {
          sum += "+" + (factor == 1 ? "" : std::to_string(factor) + "*") + label(i);
        };
        times(term.coefficient * (axis->is_panel ? panel_ : 1), static_cast<std::size_t>(axis - axes_.begin()));
        if (axis->is_panel) times(term.coefficient, axes_.size() - 1);
      }
      right += (right.empty() ? "" : ",") + (sum.empty() ? "0" : sum.substr(1));
    }
    return "y[" + left + "] = x0[" + right + "]?0 where " + extents;
  }
  [[nodiscard]] std::vector<IndexExpr> dims() const {
    std::vector<IndexExpr> out;
    for (const Axis& axis : axes_) out.push_back(load_.module().context().index().constant(axis.extent));
    return out;
  }

  // Has the kernel read panels.
  void apply(const Facts& facts) const {
    Module& module = load_.module();
    TypePool& types = module.context().types();
    IndexPool& pool = module.context().index();
    Value buffer = LoadRef::from(load_).buffer();
    const OpRef columns = columns_;
    IndexExpr panel = pool.constant(0);
    if (*count_from_zero(columns) > panel_) {
      const TransformResult tiled = tile(columns, panel_, Tail::Min, facts);
      MLGC_ASSERT(tiled.ok(), "weight panels: a loop of a constant number of iterations was not tiled");
      panel = of_value(ForRef::from(columns.parent_op()).index());
    }
    std::vector<IndexExpr> place;
    for (const Axis& axis : axes_) place.push_back(axis.is_panel ? panel : of_value(axis.index));
    place.back() = pool.sub(of_value(ForRef::from(columns).index()), pool.scale(panel, panel_));
    buffer.set_type(types.with_dims(buffer.type(), dims()));
    std::vector<Value> operands{buffer};
    const Attribute at = brackets(module, operands, place);
    AccessRef::from(load_).set_place(operands, at);
    // The columns are the innermost loop around the sum, so that rows of a tile share what they read.
    OpRef loop = columns;
    while (only_loop_in(loop).valid() && only_loop_in(loop) != sum_ && interchange(loop, facts))
      loop = only_loop_in(loop);
  }

 private:
  struct Axis {
    Value index;  // of the loop that runs along it; of the last one, the columns
    std::int64_t extent = 0;
    bool is_panel = false;  // its loop runs over panels
  };

  explicit Panel(OpRef load) : load_(load) {}

  bool find_sum() {
    std::vector<OpRef> around;
    for (OpRef at = load_.parent_op(); !at.is(LoopOp::Func); at = at.parent_op()) {
      if (!ForRef::from(at).valid()) return false;  // it is read in a branch
      around.push_back(at);
    }
    // From the inside: loops of the sum, then those around it.
    std::size_t in_sum = 0;
    while (in_sum < around.size() && ForRef::from(around[in_sum]).carried_count() == 1) ++in_sum;
    if (in_sum == 0 || in_sum == around.size()) return false;
    sum_ = around[in_sum - 1];
    const auto last = around.rend() - static_cast<std::ptrdiff_t>(in_sum);
    around_.assign(around.rbegin(), last);
    terms_.assign(last, around.rend());
    for (const OpRef loop : around_)
      if (ForRef::from(loop).carried_count() > 0) return false;
    return is_sum_of_products(ForRef::from(sum_));
  }

  bool reads_along(OpRef loop) const { return varies(varying_values(ForRef::from(loop)), load_); }
  // Other loads of the sum read along it too.
  bool is_shared(OpRef loop) const {
    const auto along = varying_values(ForRef::from(loop));
    const std::vector<OpRef> loads = loads_in(sum_);
    return std::any_of(loads.begin(), loads.end(), [&](OpRef other) { return other != load_ && varies(along, other); });
  }

  bool find_loops() {
    std::int64_t most = 0;
    std::vector<OpRef> kept, terms;
    for (const OpRef loop : around_) {
      if (!reads_along(loop)) continue;
      kept.push_back(loop);
      const auto count = count_from_zero(loop);
      if (!count) return false;
      if (is_shared(loop) || *count < kFewProductColumns || *count < most) continue;
      columns_ = loop;
      most = *count;
    }
    if (!columns_.valid()) return false;
    panel_ = most > kPanelColumns / 2 ? kPanelColumns : kPanelColumns / 2;
    for (const OpRef loop : terms_)
      if (reads_along(loop)) terms.push_back(loop);
    const auto add = [&](OpRef loop) {
      const auto count = count_from_zero(loop);
      axes_.push_back({ForRef::from(loop).index(), count.value_or(0), false});
      return count.has_value();
    };
    for (const OpRef loop : kept)
      if (loop != columns_ && !add(loop)) return false;
    if (panel_ == kPanelColumns && count_of_rows_is_unknown()) panel_ = wide_panel(most, terms);
    axes_.push_back({ForRef::from(columns_).index(), ceil_div(most, panel_), true});
    for (const OpRef loop : terms)
      if (!add(loop)) return false;
    axes_.push_back({ForRef::from(columns_).index(), panel_, false});
    return is_linear();
  }

  // The loop whose iterations become rows of a tile has an unknown trip count.
  bool count_of_rows_is_unknown() const {
    for (std::size_t i = around_.size(); i-- > 0;)
      if (around_[i] != columns_ && shares(around_[i], columns_, sum_)) return !extent(around_[i]);
    return false;
  }
  // The fewer rows a tile has, the more sums of each it takes for them not to wait for one another: as many as a panel
  // has vectors. Threads share panels, so that there are enough of these where the weight is worth it. Elements of 16
  // bits are cast for each tile, which twelve rows of a narrow panel share.
  std::int64_t wide_panel(std::int64_t columns, const std::vector<OpRef>& of_sum) const {
    const auto element = static_cast<std::int64_t>(dtype_info(LoadRef::from(load_).buffer().dtype()).bytes);
    std::int64_t terms = 1;
    for (const OpRef loop : of_sum) terms = saturating_mul(terms, count_from_zero(loop).value_or(0));
    if (element < 4 || terms < kFewestWidePanelTerms) return kPanelColumns;
    const std::int64_t bytes = saturating_mul(terms, element);
    const bool shared = saturating_mul(bytes, columns) > kMostUnsharedWeight;
    const auto filled_up = [&](std::int64_t width) { return ceil_div(columns, width) * width; };
    for (std::int64_t width = kWidestPanel; width > kPanelColumns; width /= 2)
      if ((filled_up(width) - filled_up(kPanelColumns)) * kMostWidePanelWaste <= columns &&
          saturating_mul(bytes, width) <= kNearBytes && (!shared || ceil_div(columns, width) >= kEnoughForThreads))
        return width;
    return kPanelColumns;
  }

  // Subscripts are sums of multiples of the indices, each of a loop that has an axis.
  bool is_linear() {
    const IndexPool& pool = load_.module().context().index();
    for (const IndexExpr e : subscripts_of(load_)) {
      subscripts_.push_back(over_values(load_, e));
      for (std::size_t t = 0; t < pool.term_count(subscripts_.back()); ++t) {
        const Term term = pool.term(subscripts_.back(), t);
        if (term.factors.empty()) continue;
        const Atom& atom = pool.atom(term.factors[0]);
        const auto is_index = [&](const Axis& axis) { return axis.index.id().value == atom.number; };
        if (term.factors.size() != 1 || atom.kind != AtomKind::Opaque ||
            std::none_of(axes_.begin(), axes_.end(), is_index))
          return false;
      }
    }
    return !LoadRef::from(load_).checked();
  }

  // What rows read lies where sums of multiples of indices say: it can be copied with a border, or as it is.
  bool rows_are_linear() const {
    const IndexPool& pool = load_.module().context().index();
    for (const OpRef other : loads_in(sum_))
      for (const IndexExpr e : subscripts_of(other)) {
        bool linear = true;
        pool.for_each_atom(e, [&](AtomId id) { linear = linear && pool.atom(id).kind <= AtomKind::Opaque; });
        if (!linear) return false;
      }
    return true;
  }

  // Many rows share what lanes read, and there is not much more of it than of the weight.
  bool is_worth_it() const {
    std::int64_t rows = 1;
    for (const OpRef loop : around_)
      if (!reads_along(loop) && shares(loop, columns_, sum_))
        rows = saturating_mul(rows, extent(loop).value_or(kFewestPanelRows));
    std::int64_t elements = 1, weight = 1;
    for (const Axis& axis : axes_) elements = saturating_mul(elements, axis.extent);
    const IndexPool& pool = load_.module().context().index();
    for (const IndexExpr dim : LoadRef::from(load_).buffer().dims())
      weight = saturating_mul(weight, pool.as_constant(dim).value_or(0));
    return rows >= kFewestPanelRows && rows_are_linear() && !suits_rows(rows) &&
           elements - weight <= weight / kMostPanelWaste;
  }

  // Lanes over the rows would read contiguous elements, of planes that the k-loop strides over: as they are is best.
  bool suits_rows(std::int64_t rows) const {
    const OpRef innermost = around_.back();
    if (columns_ == innermost) return false;
    if (!is_nest(columns_, innermost)) return true;
    if (rows < kFewestRowLanes) return false;
    const ForRef along_rows = ForRef::from(innermost), along_terms = ForRef::from(terms_.back());
    const auto by_rows = varying_values(along_rows), by_terms = varying_values(along_terms);
    for (const OpRef other : loads_in(sum_))
      if (other != load_ && varies(by_rows, other))
        return other.parent_op() == terms_.back() && along(other, along_rows, by_rows) == Along::Next &&
               along(other, along_terms, by_terms) != Along::Next;
    return false;
  }

  OpRef load_, sum_, columns_;
  std::vector<OpRef> around_, terms_;  // loops around the sum, and of it, from the outside
  std::int64_t panel_ = kPanelColumns;
  std::vector<Axis> axes_;
  std::vector<IndexExpr> subscripts_;
};

// The load that alone uses the buffer; an invalid handle where something else does.
OpRef only_load(Value buffer) {
  const OpRef user = buffer.has_one_use() ? (*buffer.uses().begin()).owner() : OpRef();
  return user.valid() && user.is(LoopOp::Load) ? user : OpRef();
}

// Quotients in the subscripts of sums are indices of loops of their own from then on, as panels need them.
void split_quotients_of_sums(OpRef kernel, const Facts& facts, RewriteGate& gate) {
  for (const OpRef nest : loops_in(kernel.region(0)))
    if (!sums_in(nest).empty())
      for (const OpRef loop : loops_of(nest))
        if (const auto size = divisor_in_subscripts(loop); size && gate.may_rewrite("split-quotients", loop.location()))
          (void)split_quotients(loop, *size, facts);
}

class PanelMaker {
 public:
  PanelMaker(Module& module, RewriteGate& gate) : module_(module), gate_(gate) {}

  WeightPanelCounts run() {
    const auto launches = launches_by_kernel(module_);
    for (const FuncRef& function : functions(module_)) {
      const OpRef kernel = function.op();
      const auto found = launches.find(kernel.id());
      if (!is_loop_function(kernel) || is_host_function(kernel) || found == launches.end()) continue;
      bool scheduled = false;
      for (const OpRef nest : loops_in(kernel.region(0))) scheduled = scheduled || is_scheduled(nest);
      if (!scheduled) visit(kernel, found->second);
    }
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const auto [kernel, of_kernel] = left_[i];
      visit(kernel, of_kernel);
    }
    return counts_;
  }

 private:
  void visit(OpRef kernel, std::vector<OpRef> launches) {
    bool any = false;
    split_quotients_of_sums(kernel, facts_.of(kernel), gate_);
    for (std::size_t i = 0; i < kernel.region(0).argument_count(); ++i) {
      const OpRef load = only_load(kernel.region(0).argument(i));
      if (!load.valid() || !Panel::find(load)) continue;
      std::vector<OpRef> of_weights;
      for (const OpRef launch : launches)
        if (constant_weight(launch.operand(i)).valid()) of_weights.push_back(launch);
      if (of_weights.empty() || !gate_.may_rewrite("weight-panels", load.location())) continue;
      if (of_weights.size() < launches.size()) {
        std::vector<OpRef> others;
        for (const OpRef launch : launches)
          if (!constant_weight(launch.operand(i)).valid()) others.push_back(launch);
        left_.emplace_back(kernel, std::move(others));
        kernel = copy_for(of_weights, kernel);
        launches = of_weights;
      }
      const auto panel = Panel::find(only_load(kernel.region(0).argument(i)));
      const std::string formula = panel->formula();
      const std::vector<IndexExpr> dims = panel->dims();
      panel->apply(facts_.of(kernel));
      for (const OpRef launch : launches) give_panels(launch, i, formula, dims);
      any = true;
    }
    if (any) ++counts_.kernels;
  }

  // Others pass on what is no weight: they keep the kernel.
  OpRef copy_for(const std::vector<OpRef>& launches, OpRef kernel) {
    std::string name = std::string(kernel.symbol()) + ".panels";
    while (module_.lookup(name).valid()) name += "_";
    const OpRef made = clone_function(kernel, module_, name);
    made.move_before(kernel);
    for (const OpRef launch : launches) LaunchRef::from(launch).set_callee(made.symbol());
    return made;
  }

  void give_panels(OpRef launch, std::size_t operand, const std::string& formula, const std::vector<IndexExpr>& dims) {
    const OpRef data = launch.operand(operand).definer();
    const OpRef weight = constant_weight(launch.operand(operand));
    const std::string name = derived(weight, formula, dims);
    Builder builder(module_);
    builder.set_before(data);
    builder.set_location(data.location());
    const Value buffer =
        DataRef::create(builder, name, module_.context().types().with_dims(data.result().type(), dims)).buffer();
    if (!data.result().name().empty()) buffer.set_name(std::string(data.result().name()) + "_panels");
    launch.set_operand(operand, buffer);
    if (data.results_unused()) data.erase();
  }

  // The weight in panels, made once for all that read it so.
  std::string derived(OpRef weight, const std::string& formula, const std::vector<IndexExpr>& dims) {
    std::string& name = made_[{weight.id(), formula}];
    if (!name.empty()) return name;
    name = derive_weight(weight, ".panels", formula, dims).symbol();
    ++counts_.weights;
    return name;
  }

  Module& module_;
  RewriteGate& gate_;
  FunctionFacts facts_;
  std::vector<std::pair<OpRef, std::vector<OpRef>>> left_;  // kernels with launches that were not looked at as a whole
  std::map<std::pair<OpId, std::string>, std::string> made_;  // names, by weight and formula
  WeightPanelCounts counts_;
};

}  // namespace

WeightPanelCounts make_weight_panels(Module& module, RewriteGate& gate) { return PanelMaker(module, gate).run(); }

void read_panels(OpRef kernel, std::span<const std::size_t> weights, const Facts& facts) {
  RewriteGate open;
  split_quotients_of_sums(kernel, facts, open);
  for (const std::size_t argument : weights) {
    const OpRef load = only_load(kernel.region(0).argument(argument));
    if (!load.valid()) continue;
    if (const auto panel = Panel::find(load)) panel->apply(facts);
  }
}

}  // namespace mlgc
