// See launched_functions.h.
#include "loops/launched_functions.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "fusion/known_values.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loops/lower.h"
#include "loops/lower_nonzero.h"
#include "loops/lower_running.h"
#include "loops/lower_segment.h"
#include "loops/lower_sort.h"
#include "ops/instantiate_op.h"

namespace mlgc::loops {

LaunchedFunctions::LaunchedFunctions(Module& module, FuncRef function, KernelFunctions& kernels, LaunchPlan plan)
    : module_(module), context_(module.context()), function_(function), kernels_(kernels), plan_(std::move(plan)) {}

const LaunchedCall* LaunchedFunctions::call(OpRef op) const {
  const auto found = calls_.find(op.id());
  return found == calls_.end() ? nullptr : &found->second;
}

const LaunchedPositions* LaunchedFunctions::positions(OpRef nonzero) const {
  const auto found = positions_.find(nonzero.id());
  return found == positions_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> LaunchedFunctions::constant(Value v) const {
  const auto found = constants_.find(v.id());
  return found == constants_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

// A range whose size is known is an `arange` of that size. What is said of a size is said by the function, for its
// kernels too.
void LaunchedFunctions::plan_sizes() {
  AttributePool& attributes = context_.attributes();
  Constraints all = function_.constraints();
  for (const OpRef op : plan_.sizes) {
    const Constraints more = constraints_of(op);
    all.insert(all.end(), more.begin(), more.end());
    if (!op.result().has_uses() || !op.is(GraphOp::Range)) continue;
    Builder at(module_);
    at.set_after(op);
    const AttrDict attrs = at.attrs(
        {{"dtype", attributes.dtype(op.result().dtype())}, {"end", attributes.integer(op.result().dims()[0])}});
    const Type type[] = {op.result().type()};
    const OpRef numbers = at.create(context_.find_op("arange"), {}, attrs, type);
    const std::shared_ptr<const Formula> formula = op_formula(numbers, plan_.facts.of(numbers));
    MLGC_ASSERT(formula, "the integers up to a size have no formula");
    Launch launch = launch_of_formula(numbers, *formula);
    launch.results = {op.result()};
    plan_.launches.emplace(op.id(), std::move(launch));
  }
  if (!plan_.sizes.empty()) function_.set_constraints(all);
}

// The elements as a derived weight, whose name is returned.
std::string LaunchedFunctions::derive_constant(OpRef constant) {
  const std::string name = kernels_.unique(std::string(function_.name()) + ".constant" + std::to_string(derived_++));
  const OpRef weight = Builder(module_).weight(name, constant.result().type());
  Builder in_weight(module_, weight.add_region());
  const Value yielded[] = {clone(constant, in_weight).result()};
  in_weight.create(context_.opcode(LoopOp::Yield), yielded, {}, {});
  return name;
}

// Segments yield what their ops compute, each value once and to somebody; constants whose elements differ are weights.
void LaunchedFunctions::simplify_segments() {
  std::vector<OpRef> segments;
  for (const auto& [id, launch] : plan_.launches)
    if (launch.segment.valid()) segments.push_back(launch.segment);
  std::sort(segments.begin(), segments.end(), [](OpRef a, OpRef b) { return a.id() < b.id(); });
  std::unordered_map<ValueId, Value> replaced;
  std::map<Attribute, std::string> weights;  // of constants, by their elements
  for (const OpRef segment : segments) {
    simplify_results(segment, replaced);
    std::vector<OpRef> constants;
    walk(segment, [&](OpRef op) {
      if (op.is(GraphOp::Constant) && !known_value(op, formulas(context_))) constants.push_back(op);
    });
    for (const OpRef op : constants) {
      Builder at(module_);
      at.set_before(op);
      at.set_location(op.location());
      std::string& weight = weights[op.attr("value")];
      if (weight.empty()) weight = derive_constant(op);
      const AttrDict attrs = at.attrs({{"symbol", context_.attributes().symbol(weight)}});
      const OpRef read = at.create(GraphOp::Read, {}, {op.result().type()}, attrs);
      op.result().replace_all_uses_with(read.result());
      op.erase();
    }
    Launch& launch = plan_.launches.at(segment.id());
    for (const Value v : segment.results())
      if (v.has_uses()) launch.results.push_back(v);
    if (launch.results.empty()) plan_.launches.erase(segment.id());
  }
  if (replaced.empty()) return;
  for (auto& [id, launch] : plan_.launches)
    for (Value& operand : launch.operands)
      for (auto by = replaced.find(operand.id()); by != replaced.end(); by = replaced.find(operand.id()))
        operand = by->second;
}

LaunchedPositions LaunchedFunctions::make_positions(OpRef op) {
  const auto count = [&](std::string_view name) { return lower_nonzero_count(module_, op, name); };
  const auto write = [&](std::string_view name) { return lower_nonzero_positions(module_, op, name); };
  LaunchedPositions made;
  made.count = kernels_.make(count, function_, "nonzero_count", op.location());
  if (op.result().has_uses() && op.result().rank() == 2 && op.operand(0).rank() > 0)
    made.write = kernels_.make(write, function_, "nonzero", op.location());
  return made;
}

OpRef LaunchedFunctions::make_function(OpRef op, const Launch& launch) {
  if (launch.like.valid()) {
    const LaunchedCall* first = call(launch.like);
    MLGC_ASSERT(first != nullptr, "a kernel is made for the first of equal ops");
    return first->function;
  }
  const auto lower = [&](std::string_view name) {
    if (launch.kernel) return lower_kernel(module_, *launch.kernel, name, plan_.facts.of(op));
    if (launch.segment.valid()) return lower_segment(module_, launch.segment, name);
    std::vector<std::size_t> results;
    if (op == launch.sort || op == launch.extremum)
      results = {0, 1};
    else
      for (const Value v : op.region().terminator().operands()) results.push_back(v.number());
    if (launch.extremum.valid()) return lower_running_extremum(module_, launch.extremum, results, name);
    return lower_sort(module_, launch.sort, results, name, plan_.for_threads ? SortBy::Merges : SortBy::Digits);
  };
  return kernels_.make(lower, function_, launch.words, op.location());
}

void LaunchedFunctions::make() {
  simplify_segments();
  plan_sizes();
  walk(function_.op(), [&](OpRef op) {
    if (const auto found = plan_.launches.find(op.id()); found != plan_.launches.end()) {
      Launch& launch = found->second;
      const OpRef made = make_function(op, launch);
      calls_.emplace(op.id(), LaunchedCall{made, std::move(launch.operands), std::move(launch.results)});
      return WalkResult::Skip;
    }
    if (op.is(GraphOp::Nonzero)) positions_.emplace(op.id(), make_positions(op));
    if (op.is(GraphOp::Constant) && !known_value(op, formulas(context_)))
      constants_.emplace(op.result().id(), derive_constant(op));
    return WalkResult::Continue;
  });
}

}  // namespace mlgc::loops
