// Planning, buffers and the driver as a whole; regions and control flow are in lower_control.cpp.
#include "loops/lower_driver.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "fusion/known_values.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loops/lower.h"
#include "loops/lower_nonzero.h"
#include "loops/lower_running.h"
#include "loops/lower_segment.h"
#include "loops/lower_sort.h"
#include "ops/instantiate_op.h"
#include "ops/stated_gradient.h"

namespace mlgc::loops {

DriverLowering::DriverLowering(Module& module, FuncRef function, KernelFunctions& kernels)
    : module_(module),
      context_(module.context()),
      index_(context_.index()),
      types_(context_.types()),
      function_(function),
      kernels_(kernels),
      builder_(module) {}

// ---------------------------------------------------------------------------------------------------- planning

std::vector<NotLowered> DriverLowering::plan() {
  for (const Value v : function_.arguments()) {
    if (!types_.is_tensor(v.type())) {
      miss(function_.op(), "its argument `" + std::string(v.name()) + "` is no tensor");
      return std::move(missing_);
    }
    if (is_complex(v.dtype())) miss(function_.op(), "its argument `" + std::string(v.name()) + "` is complex");
  }
  plan_region(function_.body());
  if (function_.arguments().empty() && function_.return_op().operand_count() == 0)
    miss(function_.op(), "it has neither arguments nor results");
  return std::move(missing_);
}

void DriverLowering::plan_region(RegionRef region) {
  for (const OpRef op : region.ops()) plan_op(op);
}

// A call that stands here was left by `inline`, or that was not run.
std::string DriverLowering::why_call(OpRef call) const {
  const FuncRef callee = find_function(module_, *context_.attributes().as_symbol(call.attr("callee")));
  return callee.constraints().empty()
             ? "`inline` takes calls away, with which -O2 and each level begin, up to `max-ops`"
             : "`inline` takes calls away, where `where " + print(callee.constraints(), index_) +
                   "` of what is called follows, or the function may say it: here the call may not run";
}

void DriverLowering::plan_op(OpRef op) {
  for (const Value v : op.results())
    if (types_.is_tensor(v.type()) && is_complex(v.dtype())) return miss(op, "a result of it is complex");
  if (op.has_trait(Traits::Terminator) || op.is(GraphOp::Read) || op.is(GraphOp::Constant) ||
      known_value(op, formulas(context_)))
    return;
  if (op.is(GraphOp::If) || op.is(GraphOp::While) || op.is(GraphOp::For) || op.is(GraphOp::Scan)) {
    for (const Value v : op.results())
      if (!types_.is_tensor(v.type())) return miss(op, "a result of it is no tensor");
    if (op.is(GraphOp::Scan)) {
      const auto carried = static_cast<std::size_t>(*context_.attributes().as_int64(op.attr("carried")));
      for (std::size_t i = carried + 1; i < op.operand_count(); ++i)
        if (index_.equal(op.operand(i).dims()[0], op.operand(carried).dims()[0], facts_.of(op)) != Truth::Yes)
          return miss(op, "nothing shows that its sequences have the same length");
    }
    for (const RegionRef region : op.regions()) plan_region(region);
    return;
  }
  if (op.is(GraphOp::Range) || op.is(GraphOp::Nonzero)) {
    sizes_.push_back(op);
    return;
  }
  if (op.is(LoopOp::Check) || op.is(LoopOp::Guard) || op.is(LoopOp::Apply)) return;
  if (op.is(GraphOp::Call)) return miss(op, why_call(op));
  if (op.is(GraphOp::Segment)) return plan_segment(op);
  // What nobody reads is not computed.
  if (op.is(GraphOp::Fusion) && op.result_count() == 0) return;
  if (!plan_launch(op))
    miss(op, op.is(GraphOp::Fusion)  ? "an op inside of it is no formula on tensors"
             : has_formula(op.def()) ? "it reads or makes what is no tensor"
                                     : "it is no formula");
}

// What the kernel of an op follows from, but for names, which are those of the first of equal kernels, and places:
// equal for ops of the function that are launched alike. Nothing for ops inside of which there are regions, or values
// from outside.
std::optional<std::vector<std::uint32_t>> DriverLowering::words_of(OpRef op) const {
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

bool DriverLowering::plan_launch(OpRef op, bool shared) {
  // An operand that is given twice is one of the kernel.
  std::vector<Value> operands;
  for (const Value v : op.operands())
    if (op.is(GraphOp::Fusion) || std::find(operands.begin(), operands.end(), v) == operands.end())
      operands.push_back(v);
  std::vector<Value> results(op.results().begin(), op.results().end());
  std::optional<std::vector<std::uint32_t>> words_of_op = shared ? words_of(op) : std::nullopt;
  if (const auto known = words_of_op ? planned_.find(*words_of_op) : planned_.end(); known != planned_.end()) {
    launches_.emplace(op.id(),
                      Launch{.operands = std::move(operands), .results = std::move(results), .like = known->second});
    return true;
  }
  const Facts& facts = facts_.of(op);
  FormulaPool& pool = formulas(context_);
  std::optional<FusionKernel> kernel;
  std::string words;
  const OpRef sort = sorting_op(op, facts), extremum = running_extremum_op(op);
  if (sort.valid() || extremum.valid()) {
    words = (sort.valid() ? sort : extremum).name();
  } else if (op.is(GraphOp::Fusion)) {
    kernel = fusion_kernel(op, facts);
    for (const OpRef inner : op.region().ops())
      if (!inner.has_trait(Traits::Terminator) && !known_value(inner, pool))
        words += (words.empty() ? "" : "_") + std::string(inner.name());
  } else if (const std::shared_ptr<const Formula> formula = op_formula(op, facts)) {
    if (is_movement(pool, *formula))
      if (const auto viewed = viewed_operand(pool, *formula, facts)) {
        views_.emplace(op.id(), *viewed);
        return true;
      }
    kernel = FusionKernel{KernelFormula(context_), {}};
    for (const Value v : op.operands()) (void)kernel->formula.add_operand(v);
    kernel->formula.add(op, *formula, KernelFormula::As::Computed);
    kernel->results = kernel->formula.set_results(results);
    words = op.name();
  }
  if (!kernel && !sort.valid() && !extremum.valid()) return false;
  if (words_of_op) planned_.emplace(*std::move(words_of_op), op);
  launches_.emplace(op.id(), Launch{.kernel = std::move(kernel),
                                    .sort = sort,
                                    .extremum = extremum,
                                    .operands = std::move(operands),
                                    .results = std::move(results),
                                    .words = std::move(words)});
  return true;
}

// What its target computes is launched as a whole; what nobody reads is not computed.
void DriverLowering::plan_segment(OpRef op) {
  if (!changed_) changed_ = changed_symbols(module_);
  if (std::string why = why_not_external(op, *changed_); !why.empty()) return miss(op, std::move(why));
  Launch made;
  made.segment = op;
  made.operands.assign(op.operands().begin(), op.operands().end());
  made.words = segment_words(op);
  launches_.emplace(op.id(), std::move(made));
}

// The integers up to the value of an input: the size is known when the call begins, and everything is planned for it.
// In a loop or an arm the op may never run, and what it says of the value need not hold.
bool DriverLowering::is_known_before_call(OpRef range) const {
  if (!range.is(GraphOp::Range) || range.parent() != function_.body()) return false;
  Value end = range.operand(0);
  while (end.is_result() && views_.contains(end.definer().id()))
    end = end.definer().operand(views_.at(end.definer().id()));
  return end.is_argument() && end.argument_of() == function_.body();
}

// A range whose size is known is an `arange` of that size. What is said of a size is said by the function, for its
// kernels too.
void DriverLowering::lower_sizes() {
  AttributePool& attributes = context_.attributes();
  Constraints all = function_.constraints();
  for (const OpRef op : sizes_) {
    const Constraints more = constraints_of(op);
    all.insert(all.end(), more.begin(), more.end());
    if (!op.result().has_uses() || !op.is(GraphOp::Range)) continue;
    Builder at(module_);
    at.set_after(op);
    const AttrDict attrs = at.attrs(
        {{"dtype", attributes.dtype(op.result().dtype())}, {"end", attributes.integer(op.result().dims()[0])}});
    const Type type[] = {op.result().type()};
    const OpRef numbers = at.create(context_.find_op("arange"), {}, attrs, type);
    const bool planned = plan_launch(numbers, false);
    MLGC_ASSERT(planned, "the integers up to a size have no formula");
    auto launch = launches_.extract(numbers.id());
    launch.key() = op.id();
    launch.mapped().results = {op.result()};
    launches_.insert(std::move(launch));
  }
  if (!sizes_.empty()) function_.set_constraints(all);
}

// The elements as a derived weight, whose name is returned.
std::string DriverLowering::derive_constant(OpRef constant) {
  const std::string name = kernels_.unique(std::string(function_.name()) + ".constant" + std::to_string(derived_++));
  const OpRef weight = builder_.weight(name, constant.result().type());
  Builder in_weight(module_, weight.add_region());
  const Value yielded[] = {clone(constant, in_weight).result()};
  in_weight.create(context_.opcode(LoopOp::Yield), yielded, {}, {});
  return name;
}

// Segments yield what their ops compute, each value once and to somebody; constants whose elements differ are weights.
void DriverLowering::simplify_segments() {
  std::vector<OpRef> segments;
  for (const auto& [id, launch] : launches_)
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
    Launch& launch = launches_.at(segment.id());
    for (const Value v : segment.results())
      if (v.has_uses()) launch.results.push_back(v);
    if (launch.results.empty()) launches_.erase(segment.id());
  }
  if (replaced.empty()) return;
  for (auto& [id, launch] : launches_)
    for (Value& operand : launch.operands)
      for (auto by = replaced.find(operand.id()); by != replaced.end(); by = replaced.find(operand.id()))
        operand = by->second;
}

DriverLowering::Positions DriverLowering::make_positions(OpRef op) {
  const auto count = [&](std::string_view name) { return lower_nonzero_count(module_, op, name); };
  const auto write = [&](std::string_view name) { return lower_nonzero_positions(module_, op, name); };
  Positions made;
  made.count = kernels_.make(count, function_, "nonzero_count", op.location());
  if (op.result().has_uses() && op.result().rank() == 2 && op.operand(0).rank() > 0)
    made.write = kernels_.make(write, function_, "nonzero", op.location());
  return made;
}

OpRef DriverLowering::make_kernel(OpRef op, const Launch& launch) {
  if (launch.like.valid()) {
    const OpRef made = launches_.at(launch.like.id()).function;
    MLGC_ASSERT(made.valid(), "a kernel is made for the first of equal ops");
    return made;
  }
  const auto lower = [&](std::string_view name) {
    if (launch.kernel) return lower_kernel(module_, *launch.kernel, name, facts_.of(op));
    if (launch.segment.valid()) return lower_segment(module_, launch.segment, name);
    std::vector<std::size_t> results;
    if (op == launch.sort || op == launch.extremum)
      results = {0, 1};
    else
      for (const Value v : op.region().terminator().operands()) results.push_back(v.number());
    if (launch.extremum.valid()) return lower_running_extremum(module_, launch.extremum, results, name);
    return lower_sort(module_, launch.sort, results, name);
  };
  return kernels_.make(lower, function_, launch.words, op.location());
}

// ---------------------------------------------------------------------------------------------------- buffers

Value DriverLowering::view(Value of, Value like, Builder& at) {
  const Type type = types_.buffer(of.dtype(), like.dims(), types_.scope(of.type()));
  return at.create(LoopOp::BufferView, {of}, {type}).result();
}

// The buffer of a value: what computes it was lowered, or it is a weight, known, or a view, for which an op is made
// where the value stands in the graph.
Value DriverLowering::buffer(Value v) {
  if (const auto found = buffers_.find(v.id()); found != buffers_.end()) return found->second;
  MLGC_ASSERT(v.is_result(), "an argument without a buffer");
  const OpRef op = v.definer();
  // In the innermost open region at its end, in others before what is being filled there.
  Builder at = builder_;
  for (std::size_t depth = 0; depth < open_.size(); ++depth)
    if (open_[depth].region == op.parent() && depth + 1 < open_.size()) at.set_before(open_[depth].within);
  at.set_location(op.location());
  Value made;
  if (const auto viewed = views_.find(op.id()); viewed != views_.end()) {
    made = view(buffer(op.operand(viewed->second)), v, at);
  } else if (known_value(op, formulas(context_))) {
    made = at.create(LoopOp::Alloc, {}, {buffer_type(v, Scope::Arena)}).result();
    launch(kernels_.copy(v, function_, facts_.of(op)), {made}, at);
  } else {
    AttributePool& attributes = context_.attributes();
    const auto constant = constants_.find(v.id());
    MLGC_ASSERT(constant != constants_.end() || op.is(GraphOp::Read), "a value is used before it is computed");
    const std::string_view symbol =
        constant != constants_.end() ? std::string_view(constant->second) : *attributes.as_symbol(op.attr("symbol"));
    made = DataRef::create(at, symbol, buffer_type(v, Scope::Weight)).buffer();
  }
  if (!v.name().empty()) made.set_name(v.name());
  buffers_[v.id()] = made;
  return made;
}

// Of a value that is computed next.
Value DriverLowering::make_buffer(Value v) {
  Value made;
  if (const auto target = targets_.find(v.id()); target != targets_.end()) {
    // A view is made here, where the sizes of the value are known.
    const auto wanted = v.dims(), there = target->second.dims();
    const bool same = std::equal(wanted.begin(), wanted.end(), there.begin(), there.end());
    made = same ? target->second : view(target->second, v, builder_);
  } else {
    made = builder_.create(LoopOp::Alloc, {}, {buffer_type(v, Scope::Arena)}).result();
    if (!v.name().empty()) made.set_name(v.name());
  }
  buffers_[v.id()] = made;
  return made;
}

// Has the value written to the buffer as soon as it is computed, if that is in the region, which was not begun, and
// nobody else asked for it. Precondition: nothing in the region reads the buffer.
bool DriverLowering::write_to(Value v, Value target, RegionRef region) {
  if (!v.is_result() || v.definer().parent() != region || targets_.contains(v.id()) || buffers_.contains(v.id()))
    return false;
  const OpRef op = v.definer();
  if (const auto viewed = views_.find(op.id()); viewed != views_.end()) {
    const Value of = op.operand(viewed->second);
    if (!of.is_result() || of.definer().parent() != region || views_.contains(of.definer().id()) ||
        targets_.contains(of.id()))
      return false;
    if (!writes_result(of.definer())) return false;
    targets_[of.id()] = target;
    buffers_[v.id()] = target;
    return true;
  }
  if (!writes_result(op)) return false;
  targets_[v.id()] = target;
  return true;
}

// Whether lowering the op writes what its result is, into a buffer that it asks for.
bool DriverLowering::writes_result(OpRef op) const {
  return launches_.contains(op.id()) || positions_.contains(op.id()) || op.region_count() > 0;
}

void DriverLowering::launch(OpRef kernel, const std::vector<Value>& given, Builder& at) {
  // Kernel and driver have the same symbols.
  std::vector<std::pair<AtomId, IndexExpr>> sizes;
  const auto [known, is_new] = sizes_of_kernels_.try_emplace(kernel.id());
  if (is_new) known->second = symbols_without_dim(kernel);
  for (const AtomId symbol : known->second) sizes.emplace_back(symbol, index_.from_atom(symbol));
  LaunchRef::create(at, kernel.symbol(), given, sizes);
}

void DriverLowering::copy(Value v, Value target) {
  const OpRef kernel = kernels_.copy(v, function_, facts_.of(function_.op()));
  std::vector<Value> given;
  if (kernel.region(0).argument_count() == 2) given.push_back(buffer(v));
  given.push_back(target);
  launch(kernel, given, builder_);
}

// ---------------------------------------------------------------------------------------------------- the driver

// As evaluation names the function's results, as far as names are free: an argument that is given back has its own.
std::vector<std::string> DriverLowering::names_of_returned() const {
  std::set<std::string, std::less<>> taken;
  for (const Value v : function_.arguments()) taken.emplace(v.name());
  std::vector<std::string> names;
  const std::size_t stated = context_.attributes().as_string_list(function_.op().attr("result_names")).size();
  for (const Value v : function_.return_op().operands()) {
    const std::size_t i = names.size();
    std::string name = i < stated ? result_name(function_, i) : v.is_result() ? std::string(v.name()) : std::string();
    const bool free = !name.empty() && taken.insert(name).second;
    names.push_back(free ? std::move(name) : std::string());
  }
  return names;
}

// Names the driver's arguments, notes whose buffers they are, and answers those of results and new states.
std::vector<Value> DriverLowering::bind_arguments(RegionRef body, std::vector<std::string> names) {
  std::size_t next = 0;
  std::set<std::string, std::less<>> taken(names.begin(), names.end());
  for (const Value v : function_.arguments()) {
    taken.emplace(v.name());
    buffers_[v.id()] = body.argument(next);
    body.argument(next++).set_name(v.name());
  }
  std::vector<Value> outputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Value out = body.argument(next++);
    outputs.push_back(out);
    if (names[i].empty()) {
      names[i] = "result" + std::to_string(i);
      while (!taken.insert(names[i]).second) names[i] += "_";
    }
    out.set_name(names[i]);
  }
  return outputs;
}

void DriverLowering::run() {
  const OpRef old = function_.op(), end = function_.return_op();
  const std::vector<std::string> names = names_of_returned();
  simplify_segments();
  const std::vector<Value> returned(end.operands().begin(), end.operands().end());
  lower_sizes();
  // Kernels and weights stand before the driver, in the order of the program.
  walk(old, [&](OpRef op) {
    if (const auto found = launches_.find(op.id()); found != launches_.end()) {
      Launch& made = found->second;
      made.function = make_kernel(op, made);
      return WalkResult::Skip;
    }
    if (op.is(GraphOp::Nonzero)) positions_.emplace(op.id(), make_positions(op));
    if (op.is(GraphOp::Constant) && !known_value(op, formulas(context_)))
      constants_.emplace(op.result().id(), derive_constant(op));
    return WalkResult::Continue;
  });

  std::vector<Type> types;
  for (const Value v : function_.arguments()) types.push_back(buffer_type(v, Scope::Argument));
  for (const Value v : returned) types.push_back(buffer_type(v, Scope::Argument));
  const OpRef func = builder_.func(std::string(function_.name()) + ".driver", types);
  func.set_location(old.location());
  const std::vector<Value> outputs = bind_arguments(func.region(0), names);
  builder_.set_end(func.region(0));
  builder_.set_location(old.location());
  kernels_.stand_before(func);
  open_.push_back({function_.body(), OpRef()});
  for (const OpRef op : sizes_) {
    if (!is_known_before_call(op)) continue;
    builder_.set_location(op.location());
    bind_size(op, buffer(op.operand(0)));
  }
  // The first return of what is computed here is the buffer that its kernel writes.
  std::vector<bool> written(returned.size());
  for (std::size_t i = 0; i < returned.size(); ++i) written[i] = write_to(returned[i], outputs[i], function_.body());
  lower_region(function_.body());
  builder_.set_location(old.location());
  for (std::size_t i = 0; i < returned.size(); ++i)
    if (!written[i]) copy(returned[i], outputs[i]);
  // The return names the new states.
  const std::vector<Value> states(outputs.begin() + static_cast<std::ptrdiff_t>(function_.result_count()),
                                  outputs.end());
  builder_.create(context_.opcode(LoopOp::Return), states, {}, {});
  AttributePool& pool = context_.attributes();
  const AttrDict attrs = pool.with(old.attrs(), context_.strings().intern("results"),
                                   pool.integer(static_cast<std::int64_t>(function_.result_count())));
  old.erase();
  func.set_attrs(attrs);
  // It is stated of values; there are none any more.
  remove_stated_gradient(FuncRef(func));
}

}  // namespace mlgc::loops
