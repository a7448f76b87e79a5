// See permute_axes.h.
#include "schedule/permute_axes.h"

#include <algorithm>
#include <optional>
#include <span>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "schedule/derived_weight.h"
#include "schedule/loop_edit.h"
#include "schedule/step_taker.h"

namespace mlgc {

using namespace schedule;

namespace {

constexpr std::string_view kRelaid = ".relaid";
// The name is one that variant() made, and so says nothing about axes.
bool is_relaid(std::string_view name) { return name.find(kRelaid) != std::string_view::npos; }

template <class T>
std::vector<T> in_order(std::span<const T> old, const AxisOrder& order) {
  std::vector<T> out;
  for (const std::size_t axis : order) out.push_back(old[axis]);
  return out;
}

void permute_type(Value buffer, const AxisOrder& order) {
  buffer.set_type(buffer.module().context().types().with_dims(buffer.type(), in_order(buffer.dims(), order)));
}

std::string name_or(Value v, std::string_view otherwise) {
  return v.name().empty() ? std::string(otherwise) : "`" + std::string(v.name()) + "`";
}

// The operand is the buffer of a load or a store.
bool is_accessed(const Use& use) {
  const AccessRef access = AccessRef::from(use.owner());
  return access.valid() && use == access.buffer_use();
}

// Why kernels, on which the buffer is launched, do more than load and store its elements.
std::optional<std::string> kernels_do_more(const Use& launched) {
  const OpRef user = launched.owner();
  const OpRef kernel = user.is(LoopOp::Launch) ? LaunchRef::from(user).callee() : OpRef();
  if (!kernel.valid() || is_host_function(kernel)) return "`" + std::string(user.name()) + "` uses it";
  for (const Use inner : kernel.region(0).argument(launched.operand_number()).uses())
    if (!is_accessed(inner))
      return "`@" + std::string(kernel.symbol()) + "` does more than load and store its elements";
  return std::nullopt;
}

void permute_access(OpRef op, const AxisOrder& order) {
  const std::vector<IndexExpr> subscripts = subscripts_over_values(op);
  const std::vector<IndexExpr> permuted = in_order(std::span<const IndexExpr>(subscripts), order);
  std::vector<Value> operands(op.operands().begin(), op.operands().end());
  operands.resize(op.is(LoopOp::Load) ? 1 : 2);
  const Attribute at = brackets(op.module(), operands, permuted);
  AccessRef::from(op).set_place(operands, at);
  // What goes past the caches does so by lines.
  if (const auto store = StoreRef::from(op); store.valid()) store.remove_stream();
}

// The axes of a view that each axis of the buffer is split into. Nothing: it is another view.
std::optional<std::vector<std::vector<std::size_t>>> parts_of_axes(Value buffer, Value view) {
  IndexPool& pool = buffer.module().context().index();
  const auto dims = view.dims();
  std::vector<std::vector<std::size_t>> out;
  std::size_t next = 0;
  for (const IndexExpr whole : buffer.dims()) {
    out.emplace_back();
    for (IndexExpr part = pool.constant(1); part != whole; part = pool.mul(part, dims[next++])) {
      if (next == dims.size()) return std::nullopt;
      out.back().push_back(next);
    }
  }
  for (; next < dims.size() && !out.empty(); ++next) {
    if (pool.as_constant(dims[next]) != 1) return std::nullopt;
    out.back().push_back(next);
  }
  return next == dims.size() ? std::optional(out) : std::nullopt;
}

std::vector<Value> views_of(Value buffer) {
  std::vector<Value> out;
  for (const OpRef user : buffer.users())
    if (user.is(LoopOp::BufferView)) out.push_back(user.result());
  return out;
}

// Why a view cannot follow the buffer.
std::optional<std::string> view_stays(Value buffer, Value view) {
  if (!parts_of_axes(buffer, view)) return name_or(view, "a buffer") + " is a view of it";
  for (const Use use : view.uses()) {
    if (is_accessed(use)) continue;
    if (const auto reason = kernels_do_more(use)) return reason;
  }
  return std::nullopt;
}

// The loops around an op of which each holds nothing but the next one, from the outside.
std::vector<OpRef> nest_around(OpRef op) {
  OpRef top = op;
  while (!top.parent_op().is(LoopOp::Func)) top = top.parent_op();
  std::vector<OpRef> out;
  while (ForRef::from(top).valid()) {
    out.push_back(top);
    const OpRef inner = top.region(0).front();
    if (inner.next().valid() && !inner.next().is(LoopOp::Yield)) break;
    top = inner;
  }
  return out;
}

// The first axis that the loop runs along, if its index alone says where.
std::optional<std::size_t> axis_of(OpRef store, OpRef loop) {
  const auto subscripts = subscripts_of(store);
  for (std::size_t axis = 0; axis < subscripts.size(); ++axis)
    if (over_values(store, subscripts[axis]) == of_value(ForRef::from(loop).index())) return axis;
  return std::nullopt;
}

// Interchanges loops that are in another order than the axes that they iterate over, as far as they may.
void follow_axes(OpRef store) {
  FunctionFacts facts;
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<OpRef> nest = nest_around(store);
    for (std::size_t i = 0; i + 1 < nest.size() && !changed; ++i) {
      const auto outer = axis_of(store, nest[i]), inner = axis_of(store, nest[i + 1]);
      if (outer && inner && *outer > *inner) changed = interchange(nest[i], facts.of(store)).ok();
    }
  }
}

}  // namespace

std::string print_order(const AxisOrder& order) {
  std::string out = "[";
  for (const std::size_t axis : order) out += (out.size() > 1 ? ", " : "") + std::to_string(axis);
  return out + "]";
}

std::vector<BufferLaunch> launches_on(Value buffer) {
  std::vector<BufferLaunch> out;
  for (const OpRef user : buffer.users()) {
    if (!user.is(LoopOp::Launch)) continue;
    BufferLaunch& found = out.emplace_back(user, std::vector<std::size_t>());
    for (std::size_t i = 0; i < user.operand_count(); ++i)
      if (user.operand(i) == buffer) found.arguments.push_back(i);
  }
  return out;
}

TransformResult may_permute_axes(Value buffer, Views views) {
  const TypePool& types = buffer.module().context().types();
  const auto no = [&](std::string_view reason) {
    return refuse<kLayoutRefused>(name_or(buffer, "the buffer"), reason);
  };
  if (!buffer.is_result() || !buffer.definer().is(LoopOp::Alloc) || types.scope(buffer.type()) != Scope::Arena)
    return no("the host function does not allocate it in the arena");
  if (buffer.definer().operand_count() > 0) return no("it lies in the memory of another buffer");
  if (types.layout(buffer.type()).valid()) return no("its type states one");
  for (const Use use : buffer.uses()) {
    const OpRef user = use.owner();
    if (is_accessed(use)) continue;
    if (user.is(LoopOp::BufferView)) {
      if (views == Views::Keep) return no(name_or(user.result(), "a buffer") + " is a view of it");
      if (const auto reason = view_stays(buffer, user.result())) return no(*reason);
      continue;
    }
    if (user.is(LoopOp::Alloc)) return no(name_or(user.result(), "a buffer") + " lies in its memory");
    if (const auto reason = kernels_do_more(use)) return no(*reason);
  }
  return {};
}

void permute_argument(OpRef kernel, std::size_t argument, const AxisOrder& order) {
  const Value buffer = kernel.region(0).argument(argument);
  permute_type(buffer, order);
  std::vector<OpRef> stores;
  walk(kernel, [&](OpRef op) {
    const bool load = op.is(LoopOp::Load);
    if (!load && !op.is(LoopOp::Store)) return;
    if (op.operand(load ? 0 : 1) != buffer) return;
    permute_access(op, order);
    if (!load) stores.push_back(op);
  });
  for (const OpRef store : stores) {
    const std::vector<OpRef> nest = nest_around(store);
    if (!nest.empty() && !is_scheduled(nest[0])) follow_axes(store);
  }
}

AxisPermuter::AxisPermuter(Module& module) : module_(module), hasher_(module) {
  for (const FuncRef& function : functions(module)) {
    if (!is_loop_function(function.op())) continue;
    if (!is_host_function(function.op()))
      kernels_.emplace(hasher_.op_hash(function.op(), {.symbol_name = false}), function.op().id());
  }
  for (const auto& [kernel, launches] : launches_by_kernel(module)) launches_[kernel] = launches.size();
}

std::string AxisPermuter::unique(std::string name) const {
  while (module_.lookup(name).valid()) name += "_";
  return name;
}

// The kernel with the arguments permuted: one that is there, or a new one in front of it.
OpRef AxisPermuter::variant(OpRef kernel, const std::vector<std::size_t>& arguments, const AxisOrder& order) {
  const std::string name(kernel.symbol());
  const OpRef made = clone_function(kernel, module_, unique(is_relaid(name) ? name : name + std::string(kRelaid)));
  for (const std::size_t argument : arguments) permute_argument(made, argument, order);
  const std::uint64_t hash = hasher_.op_hash(made, {.symbol_name = false});
  const auto [first, last] = kernels_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const OpRef other = module_.op(known->second);
    if (other.erased() || !same_structure(other, made)) continue;
    made.erase();
    return other;
  }
  made.move_before(kernel);
  kernels_.emplace(hash, made.id());
  return made;
}

TransformResult AxisPermuter::permute(Value buffer, const AxisOrder& order, Views views) {
  if (TransformResult may = may_permute_axes(buffer, views); !may) return may;
  for (const Value view : views_of(buffer)) {
    const auto parts = parts_of_axes(buffer, view);
    MLGC_ASSERT(parts, "a view that does not follow");
    AxisOrder of_view;
    for (const std::size_t axis : order) of_view.insert(of_view.end(), (*parts)[axis].begin(), (*parts)[axis].end());
    permute_launches(view, of_view);
  }
  permute_launches(buffer, order);
  return {};
}

TransformResult AxisPermuter::permute_weight(Value data, const AxisOrder& order) {
  const auto no = [&](std::string_view reason) { return refuse<kLayoutRefused>(name_or(data, "the buffer"), reason); };
  IndexPool& pool = module_.context().index();
  const OpRef weight = constant_weight(data);
  if (!weight.valid()) return no("it is not a weight that no call changes");
  std::string left, right, extents;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto count = pool.as_constant(data.dims()[order[i]]);
    if (!count) return no("its sizes are not constant");
    const std::size_t at = static_cast<std::size_t>(std::find(order.begin(), order.end(), i) - order.begin());
    left += (i > 0 ? ",i" : "i") + std::to_string(i);
    right += (i > 0 ? ",i" : "i") + std::to_string(at);
    extents += (i > 0 ? ", i" : "i") + std::to_string(i) + "=" + std::to_string(*count);
  }
  for (const Use use : data.uses())
    if (const auto reason = kernels_do_more(use)) return no(*reason);
  permute_launches(data, order);
  const OpRef derived =
      derive_weight(weight, ".relaid", "y[" + left + "] = x0[" + right + "] where " + extents, data.dims());
  Builder builder(module_);
  builder.set_before(data.definer());
  builder.set_location(data.definer().location());
  const Value made = DataRef::create(builder, derived.symbol(), data.type()).buffer();
  if (!data.name().empty()) made.set_name(std::string(data.name()) + "_relaid");
  const OpRef old = data.definer();
  data.replace_all_uses_with(made);
  old.erase();
  return {};
}

void AxisPermuter::permute_launches(Value buffer, const AxisOrder& order) {
  struct Change {
    OpRef kernel, form;
    std::vector<std::size_t> arguments;
    bool is_new = false;
    std::vector<OpRef> launches;
  };
  std::vector<Change> changes;
  for (BufferLaunch& on : launches_on(buffer)) {
    const OpRef kernel = LaunchRef::from(on.launch).callee();
    auto change = std::find_if(changes.begin(), changes.end(),
                               [&](const Change& c) { return c.kernel == kernel && c.arguments == on.arguments; });
    if (change == changes.end()) {
      const OpRef form = variant(kernel, on.arguments, order);
      change = changes.insert(changes.end(), {kernel, form, on.arguments, !launches_.contains(form.id()), {}});
    }
    change->launches.push_back(on.launch);
    ++launches_[change->form.id()];
    --launches_[kernel.id()];
  }
  // A new form takes the name of another one that is no longer launched. That of a kernel stands for its axes as
  // they were, which the types need not tell.
  AttributePool& attributes = module_.context().attributes();
  for (const Change& change : changes) {
    const bool is_left = change.kernel.erased() || launches_[change.kernel.id()] > 0;
    if (is_left && change.is_new) ++copied_;
    if (!is_left) {
      const std::string name(change.kernel.symbol());
      change.kernel.erase();
      if (change.is_new && is_relaid(name)) change.form.set_attr("sym_name", attributes.string(name));
    }
    for (const OpRef launch : change.launches) LaunchRef::from(launch).set_callee(change.form.symbol());
  }
  std::vector<OpRef> accesses;
  for (const Use use : buffer.uses())
    if (is_accessed(use)) accesses.push_back(use.owner());
  for (const OpRef op : accesses) permute_access(op, order);
  permute_type(buffer, order);
}

}  // namespace mlgc
