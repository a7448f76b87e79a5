// See choose.h.
#include "rematerialize/choose.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analysis/backward_slice.h"
#include "fusion/decide_fusion.h"
#include "fusion/typical_sizes.h"
#include "ir/function_facts.h"
#include "rematerialize/minimum_cut.h"

namespace mlgc {

namespace {

// Where bytes are what counts, a byte that is kept weighs as much as the time of moving so many.
constexpr double kBytesFirst = 4096;
// Costs are rounded to parts of a byte's time, so that they can be added without rounding.
constexpr double kUnit = 16;

class Chooser {
 public:
  Chooser(const ForwardPart& part, const RecomputeChoice& choice) : part_(part), choice_(choice) {
    choice_.segments = std::min(choice.segments, std::max<std::size_t>(1, part.ops.size()));
    const Facts facts = FunctionFacts().of(part.function.op());
    Context& context = part.function.op().module().context();
    for (const ForwardOp& forward : part.ops)
      for (const Value result : forward.op.results()) {
        const double bytes = typical_size(context.index(), context.storage_bytes(result.type()), facts);
        values_.emplace(result.id(), ForwardValue{static_cast<std::uint32_t>(size_.size()), bytes});
        size_.push_back(bytes);
      }
    for (const Value result : part.function.return_op().operands())
      if (const auto found = values_.find(result.id()); found != values_.end()) found->second.returned = true;
  }

  Recomputed run() {
    Recomputed out;
    if (choice_.what != Recompute::None) {
      if (choice_.what != Recompute::Fast) keep_between_segments();
      cut();
    }
    collect(out);
    return out;
  }

 private:
  struct ForwardValue {
    std::uint32_t number;
    double bytes;
    bool returned = false;
    bool between = false;  // alive between two segments
  };

  // Why op `number` may not be recomputed, if so.
  [[nodiscard]] std::optional<KeptReason> refused(std::size_t number) const {
    const RecomputeKind kind = part_.ops[number].kind;
    if (kind == RecomputeKind::Never) return KeptReason::Never;
    if (kind <= RecomputeKind::Elementwise) return std::nullopt;
    if (choice_.what < (kind == RecomputeKind::Reduction ? Recompute::Reductions : Recompute::All))
      return KeptReason::Level;
    return number >= last_segment_ ? std::optional(KeptReason::LastPart) : std::nullopt;
  }

  [[nodiscard]] double keeping(Value value, const ForwardValue& known) const {
    if (known.returned || known.between) return 0;
    if (choice_.what != Recompute::Fast) return known.bytes * kBytesFirst;
    // Written, unless it is in memory anyway, and read.
    return known.bytes * (part_.written_anyway.contains(value.id()) ? 1 : 2);
  }

  static std::int64_t capacity(double cost) {
    constexpr double kMost = 1e15;  // 1,000 of them fit below kUncuttable, and no sum of true costs gets there
    return static_cast<std::int64_t>(std::llround(std::min(cost * kUnit, kMost)));
  }

  // The source's side: ops that are not recomputed. A node for each op, one for each of its values.
  void cut() {
    const std::size_t source = 0, sink = 1, first_op = 2, first_value = first_op + part_.ops.size();
    MinimumCut graph(first_value + size_.size());
    const auto node_of = [&](Value value) { return first_value + values_.at(value.id()).number; };
    for (std::size_t i = 0; i < part_.ops.size(); ++i) {
      const ForwardOp& forward = part_.ops[i];
      if (forward.kind == RecomputeKind::Given) continue;
      graph.add_edge(source, first_op + i, refused(i) ? MinimumCut::kUncuttable : capacity(forward.cost));
      for (const Value result : forward.op.results())
        graph.add_edge(first_op + i, node_of(result), capacity(keeping(result, values_.at(result.id()))));
      for (const Value operand : values_read(forward.op))
        if (is_made(operand)) graph.add_edge(node_of(operand), first_op + i, MinimumCut::kUncuttable);
    }
    for (const Value value : part_.read)
      if (is_made(value)) graph.add_edge(node_of(value), sink, MinimumCut::kUncuttable);
    const std::vector<bool> stays = graph.source_side(source, sink);
    for (std::size_t i = 0; i < part_.ops.size(); ++i)
      if (part_.ops[i].kind != RecomputeKind::Given && !stays[first_op + i]) beyond_.insert(part_.ops[i].op.id());
  }

  [[nodiscard]] bool is_made(Value value) const {
    if (!value.is_result()) return false;
    const auto found = part_.number_of.find(value.definer().id());
    return found != part_.number_of.end() && part_.ops[found->second].kind != RecomputeKind::Given;
  }

  // Segments have about as many bytes that backward reads; each ends where, near that point, least is alive.
  void keep_between_segments() {
    const std::size_t count = part_.ops.size();
    std::vector<double> read(count + 1), alive(count + 1);  // at i: in front of op i
    for (const Value value : part_.read)
      if (is_made(value)) read[part_.number_of.at(value.definer().id()) + 1] += values_.at(value.id()).bytes;
    std::vector<std::size_t> last(size_.size(), 0);
    for (std::size_t i = 0; i < count; ++i)
      for (const Value operand : values_read(part_.ops[i].op))
        if (is_made(operand)) last[values_.at(operand.id()).number] = i;
    for (std::size_t i = 0; i < count; ++i) {
      read[i + 1] += read[i];
      if (part_.ops[i].kind == RecomputeKind::Given) continue;
      for (const Value result : part_.ops[i].op.results()) {
        const ForwardValue& value = values_.at(result.id());
        if (last[value.number] <= i) continue;
        alive[i + 1] += value.bytes;
        alive[last[value.number] + 1] -= value.bytes;
      }
    }
    for (std::size_t i = 1; i <= count; ++i) alive[i] += alive[i - 1];
    std::vector<std::size_t> ends;
    const auto position = [&](double bytes) {
      return static_cast<std::size_t>(std::lower_bound(read.begin(), read.end(), bytes) - read.begin());
    };
    const double part = read[count] / static_cast<double>(choice_.segments);
    for (std::size_t k = 1; k < choice_.segments; ++k) {
      const double middle = part * static_cast<double>(k);
      const std::size_t begin = position(middle - part / 2), end = std::min(position(middle + part / 2), count);
      if (begin >= end) continue;
      ends.push_back(static_cast<std::size_t>(std::min_element(alive.begin() + static_cast<std::ptrdiff_t>(begin),
                                                               alive.begin() + static_cast<std::ptrdiff_t>(end)) -
                                              alive.begin()));
      last_segment_ = ends.back();
    }
    for (std::size_t i = 0; i < count; ++i)
      for (const Value result : part_.ops[i].op.results()) {
        ForwardValue& value = values_.at(result.id());
        const auto end = std::upper_bound(ends.begin(), ends.end(), i);
        value.between = end != ends.end() && *end <= last[value.number];
      }
  }

  // What is asked for, beginning with backward: either side of the cut has more.
  void collect(Recomputed& out) const {
    std::vector<Value> open(part_.read.rbegin(), part_.read.rend());
    std::unordered_set<ValueId> seen;
    while (!open.empty()) {
      const Value value = open.back();
      open.pop_back();
      if (!is_made(value) || !seen.insert(value.id()).second) continue;
      if (!beyond_.contains(value.definer().id())) {
        const auto why = refused(part_.number_of.at(value.definer().id()));
        const ForwardValue& known = values_.at(value.id());
        out.kept.push_back({value, known.returned  ? KeptReason::Result
                                   : why           ? *why
                                   : known.between ? KeptReason::Segment
                                                   : KeptReason::Cheaper});
        continue;
      }
      if (!out.ops.insert(value.definer().id()).second) continue;
      for (const Value operand : values_read(value.definer())) open.push_back(operand);
    }
  }

  const ForwardPart& part_;
  RecomputeChoice choice_;
  std::unordered_map<ValueId, ForwardValue> values_;
  std::vector<double> size_;                                 // by value's number
  std::size_t last_segment_ = static_cast<std::size_t>(-1);  // its first op
  std::unordered_set<OpId> beyond_;                          // the cut: recomputed, where needed
};

}  // namespace

std::string_view recompute_name(Recompute what) { return kRecomputeNames[static_cast<std::size_t>(what)]; }

std::optional<Recompute> find_recompute(std::string_view name) {
  const auto* const found = std::find(kRecomputeNames.begin(), kRecomputeNames.end(), name);
  if (found == kRecomputeNames.end()) return std::nullopt;
  return static_cast<Recompute>(found - kRecomputeNames.begin());
}

std::string recompute_names() {
  std::string names;
  for (const std::string_view name : kRecomputeNames) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

Recomputed choose_recomputed(const ForwardPart& part, const RecomputeChoice& choice) {
  return Chooser(part, choice).run();
}

}  // namespace mlgc
