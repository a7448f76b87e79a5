// Private to lib/schedule: how often loops run, and how large buffers are, at the sizes that a prediction is for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "schedule/predict.h"

namespace mlgc::schedule {

// Loops are asked from the outside in.
class LoopSizes {
 public:
  LoopSizes(IndexPool& pool, const PredictedSizes& sizes) : pool_(pool), sizes_(sizes) {}

  [[nodiscard]] double size(IndexExpr e) { return static_cast<double>(value(e, {}).value_or(sizes_.assumed)); }
  // The index of a loop around is taken as the one in the middle.
  [[nodiscard]] double iterations(ForRef loop) {
    const auto first = value(loop.first(), loop.op()), last = value(loop.last(), loop.op());
    const std::int64_t count =
        first && last ? std::max<std::int64_t>(0, *last - *first) : usual_extent(loop).value_or(sizes_.assumed);
    middle_[loop.index().id()] = first.value_or(0) + std::max<std::int64_t>(0, count - 1) / 2;
    return static_cast<double>(count);
  }
  [[nodiscard]] double assumed_size() const { return static_cast<double>(sizes_.assumed); }
  // Symbols that were supposed, in the order of their names.
  [[nodiscard]] std::vector<std::string> assumed() const { return {assumed_.begin(), assumed_.end()}; }

 private:
  std::optional<std::int64_t> value(IndexExpr e, OpRef op) {
    return pool_.evaluate(e, [&](AtomId id) -> std::optional<std::int64_t> {
      const Atom& atom = pool_.atom(id);
      if (atom.kind == AtomKind::Symbol) {
        const auto found = sizes_.known.find(pool_.symbol_name(id));
        if (found != sizes_.known.end()) return found->second;
        assumed_.emplace(pool_.symbol_name(id));
        return sizes_.assumed;
      }
      if (atom.kind != AtomKind::Opaque || !op.valid()) return std::nullopt;
      const auto known = middle_.find(op.operand(atom.number).id());
      return known == middle_.end() ? std::nullopt : std::optional(known->second);
    });
  }

  IndexPool& pool_;
  const PredictedSizes& sizes_;
  std::unordered_map<ValueId, std::int64_t> middle_;  // of indices
  std::set<std::string, std::less<>> assumed_;
};

}  // namespace mlgc::schedule
