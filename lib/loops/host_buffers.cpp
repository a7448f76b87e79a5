// See host_buffers.h.
#include "loops/host_buffers.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fusion/known_values.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "ops/instantiate_op.h"

namespace mlgc::loops {

Value HostBuffers::view(Value of, Value like, Builder& at) {
  const Type type = types_.buffer(of.dtype(), like.dims(), types_.scope(of.type()));
  return at.create(LoopOp::BufferView, {of}, {type}).result();
}

Value HostBuffers::of(Value v) {
  if (const auto found = buffers_.find(v.id()); found != buffers_.end()) return found->second;
  MLGC_ASSERT(v.is_result(), "an argument without a buffer");
  const OpRef op = v.definer();
  // In the innermost open region at its end, in others before what is being filled there.
  Builder at = builder_;
  for (std::size_t depth = 0; depth < open_.size(); ++depth)
    if (open_[depth].region == op.parent() && depth + 1 < open_.size()) at.set_before(open_[depth].within);
  at.set_location(op.location());
  Context& context = builder_.context();
  Value made;
  if (const Value viewed = functions_.plan().viewed(v); viewed.valid()) {
    made = view(of(viewed), v, at);
  } else if (known_value(op, formulas(context))) {
    made = at.create(LoopOp::Alloc, {}, {type(v, Scope::Arena)}).result();
    launch(functions_.copy(v), {made}, at);
  } else {
    const std::optional<std::string_view> constant = functions_.constant(v);
    MLGC_ASSERT(constant || op.is(GraphOp::Read), "a value is used before it is computed");
    const std::string_view symbol = constant ? *constant : *context.attributes().as_symbol(op.attr("symbol"));
    made = DataRef::create(at, symbol, type(v, Scope::Weight)).buffer();
  }
  if (!v.name().empty()) made.set_name(v.name());
  buffers_[v.id()] = made;
  return made;
}

Value HostBuffers::of_computed(Value v) {
  return buffers_.contains(v.id()) || functions_.plan().viewed(v).valid() ? of(v) : Value();
}

Value HostBuffers::make(Value v) {
  Value made;
  if (const auto target = targets_.find(v.id()); target != targets_.end()) {
    // A view is made here, where the sizes of the value are known.
    const auto wanted = v.dims(), there = target->second.dims();
    const bool same = std::equal(wanted.begin(), wanted.end(), there.begin(), there.end());
    made = same ? target->second : view(target->second, v, builder_);
  } else {
    made = allocate(type(v, Scope::Arena));
    if (!v.name().empty()) made.set_name(v.name());
  }
  buffers_[v.id()] = made;
  return made;
}

bool HostBuffers::write_to(Value v, Value target, RegionRef region) {
  const auto computed_here = [&](Value of) { return of.is_result() && of.definer().parent() == region; };
  if (!computed_here(v) || targets_.contains(v.id()) || buffers_.contains(v.id())) return false;
  const LaunchPlan& plan = functions_.plan();
  if (const Value of = plan.viewed(v); of.valid()) {
    if (!computed_here(of) || plan.viewed(of).valid() || targets_.contains(of.id())) return false;
    if (!writes_result(of.definer())) return false;
    targets_[of.id()] = target;
    buffers_[v.id()] = target;
    return true;
  }
  if (!writes_result(v.definer())) return false;
  targets_[v.id()] = target;
  return true;
}

// Whether lowering the op writes what its result is, into a buffer that it asks for.
bool HostBuffers::writes_result(OpRef op) const {
  return functions_.call(op) != nullptr || functions_.positions(op) != nullptr || op.region_count() > 0;
}

void HostBuffers::launch(OpRef kernel, const std::vector<Value>& given, Builder& at) {
  // Kernel and host function have the same symbols.
  std::vector<std::pair<AtomId, IndexExpr>> sizes;
  const auto [known, is_new] = sizes_of_kernels_.try_emplace(kernel.id());
  if (is_new) known->second = symbols_without_dim(kernel);
  for (const AtomId symbol : known->second) sizes.emplace_back(symbol, builder_.context().index().from_atom(symbol));
  LaunchRef::create(at, kernel.symbol(), given, sizes);
}

void HostBuffers::copy(Value v, Value target) {
  const OpRef kernel = functions_.copy(v);
  std::vector<Value> given;
  if (kernel.region(0).argument_count() == 2) given.push_back(of(v));
  given.push_back(target);
  launch(kernel, given);
}

}  // namespace mlgc::loops
