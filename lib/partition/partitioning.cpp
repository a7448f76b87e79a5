// See partitioning.h.
#include "partition/partitioning.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "ir/function.h"
#include "ir/walk.h"
#include "partition/convex_segments.h"

namespace mlgc {

namespace {

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

class Partitioner {
 public:
  Partitioner(const Module& module, const Registry& registry, const Dependences& dependences,
              const PartitionOptions& options)
      : module_(module),
        context_(module.context()),
        registry_(registry),
        dependences_(dependences),
        options_(options),
        updated_(updated_symbols(module)),
        states_(module.op_id_bound(), State::Uncounted),
        counts_(module.op_id_bound()),
        order_(module.op_id_bound()),
        bad_(module.region_id_bound()),
        segment_of_(module.op_id_bound(), kNoSegment) {}

  Partitioning run() {
    for (const FuncRef function : functions(module_)) {
      decide(function.op());
      partition(function.body());
    }
    finish();
    return std::move(partitioning_);
  }

 private:
  enum class State : std::uint8_t { Uncounted, Supported, Other };

  // --- Which ops are supported, from the inside out.

  void decide(OpRef function) {
    walk(function, [&](OpRef op) {
      order_[op.id().index()] = next_++;
      return op.has_trait(Traits::IsolatedRegion) && op != function ? WalkResult::Skip : WalkResult::Continue;
    });
    walk<WalkOrder::Post>(function, [&](OpRef op) {
      if (op == function || in_isolated(op, function)) return;
      if (uncounted(op)) {
        if (reads_changing(op)) note_bad(op);
        return;
      }
      std::size_t& count = counts_[op.id().index()];
      if (op.is(GraphOp::Segment)) {
        existing(op);
        note_bad(op);
        return;
      }
      count = 1;
      if (op.has_trait(Traits::CapturesRegion))
        for (const RegionRef region : op.regions())
          for (const OpRef inner : region.ops()) count += counts_[inner.id().index()];
      const Registry::Decision decision = decide(op, false);
      states_[op.id().index()] = decision.supported ? State::Supported : State::Other;
      if (!decision.supported) note_bad(op);
    });
  }

  // What stands in `fusion` or `segment` is not looked at by itself.
  static bool in_isolated(OpRef op, OpRef function) {
    for (OpRef at = op.parent_op(); at != function; at = at.parent_op())
      if (at.has_trait(Traits::IsolatedRegion)) return true;
    return false;
  }
  [[nodiscard]] bool uncounted(OpRef op) const {
    return op.has_trait(Traits::Terminator) || (op.def().tier == Tier::Structural && op.def().operands.empty() &&
                                                op.region_count() == 0 && op.result_count() != 0);
  }
  // A read whose value is another one at the next call: it stays outside of segments.
  [[nodiscard]] bool reads_changing(OpRef op) const {
    return op.is(GraphOp::Read) && !is_constant_value(op.result(), updated_);
  }
  void note_bad(OpRef op) {
    OpRef& first = bad_[op.parent().id().index()];
    if (!first.valid()) first = op;
  }

  // The rules, and what no rule can change.
  Registry::Decision decide(OpRef op, bool explain) const {
    const auto no = [&](ReasonCode code, std::string text) {
      return Registry::Decision{nullptr, false, {code, std::move(text)}};
    };
    if (const std::string_view never = never_in_segment(op.def()); !never.empty())
      return no(ReasonCode::Intrinsic, std::string(never));
    if (op.results_unused())
      return no(ReasonCode::Intrinsic,
                op.result_count() == 0 ? "it has no results" : "its results have no uses: `dce` removes it");
    const auto no_tensor = [&](Value v) { return !context_.types().is_tensor(v.type()); };
    for (const Value v : op.operands())
      if (no_tensor(v)) return no(ReasonCode::Intrinsic, "it does not work on tensors alone");
    for (const Value v : op.results())
      if (no_tensor(v)) return no(ReasonCode::Intrinsic, "it does not work on tensors alone");
    Registry::Decision decision = registry_.decide(op, updated_, explain);
    if (!decision.supported || op.region_count() == 0) return decision;
    if (const OpRef inner = unsupported_inside(op); inner.valid())
      return {decision.rule,
              false,
              {ReasonCode::Inside, explain ? "inside it " + described(inner) + " is not supported" : std::string()}};
    return decision;
  }

  [[nodiscard]] OpRef unsupported_inside(OpRef op) const {
    if (op.has_trait(Traits::CapturesRegion)) {
      for (const RegionRef region : op.regions())
        if (bad_[region.id().index()].valid()) return bad_[region.id().index()];
      return {};
    }
    OpRef found;
    walk(op, [&](OpRef inner) {
      if (inner == op || (uncounted(inner) && !reads_changing(inner)) || decide(inner, false).supported)
        return WalkResult::Continue;
      found = inner;
      return WalkResult::Stop;
    });
    return found;
  }

  [[nodiscard]] std::string described(OpRef op) const {
    return "`" + std::string(op.name()) + "` (" + place_text(context_.locations(), op.location()) + ")";
  }

  void existing(OpRef op) {
    PartitionSegment segment;
    segment.existing = op;
    for (const Value v : op.operands()) segment.inputs.push_back(v);
    for (const Value v : op.results()) segment.outputs.push_back(v);
    const bool ours = context_.attributes().as_string(op.attr("target")) == registry_.target;
    walk(op, [&](OpRef inner) {
      if (inner == op) return;
      if (uncounted(inner)) {
        if (!inner.has_trait(Traits::Terminator)) segment.copies.push_back(inner);
        return;
      }
      ++segment.op_count;
      if (!ours || inner.results_unused()) return;
      Registry::Decision decision = decide(inner, true);
      if (decision.supported)
        add_cost(segment, decision);
      else
        partitioning_.misplaced.push_back({inner, decision.rule, std::move(decision.reason)});
    });
    counts_[op.id().index()] = segment.op_count;
    partitioning_.segments.push_back(std::move(segment));
  }

  static void add_cost(PartitionSegment& segment, const Registry::Decision& decision) {
    if (decision.rule->cost) segment.cost = segment.cost.value_or(0) + *decision.rule->cost;
  }

  // --- Segments, region by region.

  void partition(RegionRef first) {
    std::vector<RegionRef> open{first};
    while (!open.empty()) {
      const RegionRef region = open.back();
      open.pop_back();
      partition_region(region);
      for (const OpRef op : region.ops())
        if (op.has_trait(Traits::CapturesRegion) && segment_of_[op.id().index()] == kNoSegment)
          for (const RegionRef inner : op.regions()) open.push_back(inner);
    }
  }

  void partition_region(RegionRef region) {
    const RegionDependences& dependences = dependences_.of(region);
    SegmentGraph graph;
    graph.edges = dependences.edges;
    for (const OpId id : dependences.ops)
      graph.nodes.push_back(states_[id.index()] == State::Supported ? SegmentNode::Supported
                            : uncounted(module_.op(id))             ? SegmentNode::Free
                                                                    : SegmentNode::Other);
    const Segmentation found = find_segments(graph);
    partitioning_.untried += found.untried;
    std::vector<std::size_t> sizes(found.count);
    for (std::size_t i = 0; i < dependences.ops.size(); ++i)
      if (found.segment_of[i] != kNoSegment) sizes[found.segment_of[i]] += counts_[dependences.ops[i].index()];

    std::vector<std::size_t> number_of(found.count, kDissolved);
    for (std::size_t i = 0; i < dependences.ops.size(); ++i) {
      const std::uint32_t segment = found.segment_of[i];
      if (segment == kNoSegment) continue;
      const OpId id = dependences.ops[i];
      if (sizes[segment] < options_.min_ops) {
        small_.emplace(id, Small{sizes[segment], OpRef(), OpRef()});
        if (number_of[segment] == kDissolved) ++partitioning_.too_small;
        number_of[segment] = kCounted;
        continue;
      }
      if (number_of[segment] == kDissolved) {
        number_of[segment] = partitioning_.segments.size();
        partitioning_.segments.emplace_back().op_count = sizes[segment];
      }
      segment_of_[id.index()] = static_cast<std::uint32_t>(number_of[segment]);
      partitioning_.segments[number_of[segment]].ops.push_back(module_.op(id));
    }
    for (const SegmentCut& cut : found.cuts) {
      const OpRef witness = cut.witness == kNoSegment ? OpRef() : module_.op(dependences.ops[cut.witness]);
      if (number_of[cut.from] < kCounted && number_of[cut.to] < kCounted)
        partitioning_.apart.push_back({number_of[cut.from], number_of[cut.to], witness});
    }
    if (!options_.explain) return;
    // Of a segment that was too small, one neighbour that it could not be joined to.
    std::vector<const SegmentCut*> cut_of(found.count);
    for (const SegmentCut& cut : found.cuts)
      for (const std::uint32_t segment : {cut.from, cut.to})
        if (cut_of[segment] == nullptr && cut.witness != kNoSegment) cut_of[segment] = &cut;
    std::vector<OpRef> first_of(found.count);
    for (std::size_t i = dependences.ops.size(); i-- > 0;)
      if (found.segment_of[i] != kNoSegment) first_of[found.segment_of[i]] = module_.op(dependences.ops[i]);
    for (std::size_t i = 0; i < dependences.ops.size(); ++i) {
      const auto small = small_.find(dependences.ops[i]);
      if (small == small_.end() || cut_of[found.segment_of[i]] == nullptr) continue;
      const SegmentCut& cut = *cut_of[found.segment_of[i]];
      small->second.neighbour = first_of[cut.from == found.segment_of[i] ? cut.to : cut.from];
      small->second.witness = module_.op(dependences.ops[cut.witness]);
    }
  }

  // --- What crosses boundaries, and reports.

  void finish() {
    sort_segments();
    for (std::size_t i = 0; i < partitioning_.segments.size(); ++i)
      if (!partitioning_.segments[i].existing.valid())
        boundary(partitioning_.segments[i], static_cast<std::uint32_t>(i));
    for (const FuncRef function : functions(module_))
      for (const OpRef op : function.body().ops()) partitioning_.op_count += total(op);
    for (const PartitionSegment& segment : partitioning_.segments) partitioning_.inside_count += segment.op_count;
    if (!options_.explain) return;
    for (const FuncRef function : functions(module_))
      walk(function.op(), [&](OpRef op) {
        if (op == function.op() || uncounted(op)) return WalkResult::Continue;
        if (segment_of_[op.id().index()] != kNoSegment || op.is(GraphOp::Segment)) return WalkResult::Skip;
        partitioning_.outside.push_back(outside(op));
        return op.has_trait(Traits::CapturesRegion) ? WalkResult::Continue : WalkResult::Skip;
      });
  }

  [[nodiscard]] std::size_t total(OpRef op) const { return counts_[op.id().index()]; }

  OutsideOp outside(OpRef op) const {
    Registry::Decision decision = decide(op, true);
    if (!decision.supported) return {op, decision.rule, std::move(decision.reason)};
    const Small& small = small_.at(op.id());
    std::string text = "its segment would have " + counted(small.size, "op");
    if (small.neighbour.valid())
      text += "; with " + described(small.neighbour) + " it would make a cycle through " + described(small.witness);
    return {op, nullptr, {ReasonCode::BelowMinOps, std::move(text)}};
  }

  // Segments are numbered by their first ops in the program, whatever region was looked at first.
  void sort_segments() {
    const auto first = [&](const PartitionSegment& s) {
      return order_[(s.existing.valid() ? s.existing : s.ops.front()).id().index()];
    };
    std::vector<std::size_t> order(partitioning_.segments.size()), place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return first(partitioning_.segments[a]) < first(partitioning_.segments[b]);
    });
    std::vector<PartitionSegment> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted.push_back(std::move(partitioning_.segments[order[i]]));
      for (const OpRef op : sorted.back().ops) segment_of_[op.id().index()] = static_cast<std::uint32_t>(i);
    }
    partitioning_.segments = std::move(sorted);
    for (SegmentsApart& apart : partitioning_.apart) apart = {place[apart.from], place[apart.to], apart.witness};
    std::sort(partitioning_.apart.begin(), partitioning_.apart.end(),
              [](const SegmentsApart& a, const SegmentsApart& b) {
                return std::pair(a.from, a.to) < std::pair(b.from, b.to);
              });
  }

  // The number of the segment whose op `op` is, or stands in.
  [[nodiscard]] std::uint32_t segment_around(OpRef op, RegionRef region) const {
    while (op.valid() && !(op.parent() == region)) op = op.parent_op();
    return op.valid() ? segment_of_[op.id().index()] : kNoSegment;
  }

  void boundary(PartitionSegment& segment, std::uint32_t number) {
    const RegionRef region = segment.ops.front().parent();
    std::unordered_set<ValueId> seen;
    for (const OpRef op : segment.ops) {
      const auto& rule = registry_.decide(op, updated_, false);
      if (rule.rule != nullptr) add_cost(segment, rule);
      walk(op, [&](OpRef inner) {
        if (inner != op && !uncounted(inner)) {
          const auto& inside = registry_.decide(inner, updated_, false);
          if (inside.rule != nullptr) add_cost(segment, inside);
        }
        for (const Value v : inner.operands()) {
          if (defined_in(v, op) || !seen.insert(v.id()).second) continue;
          if (v.is_result() && uncounted(v.definer()) && !reads_changing(v.definer()))
            segment.copies.push_back(v.definer());
          else if (!v.is_result() || segment_around(v.definer(), region) != number)
            segment.inputs.push_back(v);
        }
      });
      for (const Value result : op.results()) {
        bool read_outside = false;
        for (const Use use : result.uses())
          if (segment_around(use.owner(), region) != number) {
            read_outside = true;
            break;
          }
        if (read_outside) segment.outputs.push_back(result);
      }
    }
  }
  // In one of the op's regions, at any depth.
  static bool defined_in(Value v, OpRef op) {
    for (RegionRef at = v.scope(); at.valid(); at = at.parent_op().parent())
      if (at.parent_op() == op) return true;
    return false;
  }

  struct Small {
    std::size_t size;
    OpRef neighbour, witness;
  };
  static constexpr std::size_t kDissolved = static_cast<std::size_t>(-1), kCounted = kDissolved - 1;

  const Module& module_;
  Context& context_;
  const Registry& registry_;
  const Dependences& dependences_;
  PartitionOptions options_;
  UpdatedSymbols updated_;
  std::vector<State> states_;
  std::vector<std::size_t> counts_;        // by op: with what is inside; 0: costs nothing
  std::vector<std::uint32_t> order_;       // by op: in program order
  std::vector<OpRef> bad_;                 // by region: the first op that keeps the op around out of segments
  std::vector<std::uint32_t> segment_of_;  // by op, of those that stand directly in a region
  std::unordered_map<OpId, Small> small_;
  std::uint32_t next_ = 0;
  Partitioning partitioning_;
};

}  // namespace

Partitioning partition_ops(const Module& module, const Registry& registry, const Dependences& dependences,
                           const PartitionOptions& options) {
  return Partitioner(module, registry, dependences, options).run();
}

}  // namespace mlgc
