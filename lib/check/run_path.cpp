// See run_path.h.
#include "check/run_path.h"

#include <algorithm>
#include <iterator>

#include "text/printer.h"

namespace mlgc {
namespace {

// ` then`, of an op with several regions.
std::string region_name(RegionRef region) {
  const OpRef op = region.parent_op();
  if (op.is(GraphOp::While)) return region.number() == 0 ? " condition" : " body";
  if (op.is(GraphOp::If)) return region.number() == 0 ? " then" : " else";
  return "";
}

}  // namespace

bool repeats(OpRef op) { return op.is(GraphOp::For) || op.is(GraphOp::While) || op.is(GraphOp::Scan); }

RunPath::RunPath(const Module& module) {
  for (auto& [text, value] : printed_names(module)) names_.emplace(value.id(), "%" + text);
}

// Regions of symbols are entered from anywhere: by a call, or where a derived weight is read. One weight is computed
// after the other.
void RunPath::enter(RegionRef region) {
  const OpRef op = region.parent_op();
  std::int64_t number = 0;
  if (!op.has_trait(Traits::Symbol)) {
    while (levels_.back().region != op.parent()) levels_.pop_back();
    number = levels_.back().entered[region.id()]++;
  } else if (!op.is(GraphOp::Func)) {
    const auto symbol = std::find_if(levels_.rbegin(), levels_.rend(), [](const Level& level) {
      return level.region.parent_op().has_trait(Traits::Symbol);
    });
    if (symbol != levels_.rend() && !symbol->region.parent_op().is(GraphOp::Func))
      levels_.erase(std::prev(symbol.base()), levels_.end());
  }
  levels_.push_back({region, number, {}});
}

void RunPath::leave_to(OpRef op) {
  while (levels_.back().region != op.parent()) levels_.pop_back();
  for (const RegionRef region : op.regions()) levels_.back().entered.erase(region.id());
}

std::string RunPath::text(const Level& level) const {
  const OpRef op = level.region.parent_op();
  if (op.has_trait(Traits::Symbol)) return "@" + std::string(op.symbol());
  std::string text(op.name());
  if (op.result_count() > 0) text += " " + name(op.result(0));
  text += region_name(level.region);
  return repeats(op) ? text + "[" + std::to_string(level.number) + "]" : text;
}

std::string RunPath::text() const {
  std::string out;
  for (std::size_t i = 1; i < levels_.size(); ++i) out += (i == 1 ? " in " : ", ") + text(levels_[i]);
  return out;
}

}  // namespace mlgc
