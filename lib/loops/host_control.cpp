// See host_lowering.h: regions of the graph as regions of the host function. A condition is loaded from its buffer.
// What a loop carries has a buffer that the initial value is copied to, and each next one after what reads the one
// before.
#include <algorithm>
#include <array>

#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "loops/host_lowering.h"

namespace mlgc::loops {

// The element of a tensor of rank 0; an index or another scalar.
Value HostLowering::scalar(Value v) {
  if (const auto known = scalars_.find(v.id()); known != scalars_.end()) return known->second;
  const std::array operands{buffers_.of(v)};
  return LoadRef::create(builder_, operands, context_.attributes().subscripts({})).value();
}

// The brackets of an op of the graph; the values in them are appended to `operands` as scalars.
Attribute HostLowering::brackets(OpRef op, std::vector<Value>& operands) {
  // Scalars first: they are ops.
  std::unordered_map<std::uint32_t, Value> scalars;
  for (const IndexExpr e : subscripts_of(op))
    index_.for_each_atom(e, [&](AtomId id) {
      const Atom atom = index_.atom(id);
      if (atom.kind != AtomKind::Opaque || scalars.contains(atom.number)) return;
      Value value = scalar(op.operand(atom.number));
      if (types_.kind(value.type()) == TypeKind::Scalar && value.dtype() != Dtype::I64) {
        const AttrDict to = builder_.attrs({{"dtype", context_.attributes().dtype(Dtype::I64)}});
        value = builder_.create(GraphOp::Cast, {value}, {types_.scalar(Dtype::I64)}, to).result();
      }
      scalars.emplace(atom.number, value);
    });
  SubscriptBuilder builder(context_, operands);
  std::vector<IndexExpr> expressions;
  for (const IndexExpr e : subscripts_of(op))
    expressions.push_back(index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      const Atom atom = index_.atom(id);
      return atom.kind == AtomKind::Opaque ? std::optional(builder.atom(scalars.at(atom.number))) : std::nullopt;
    }));
  return builder.numbered(std::move(expressions));
}

void HostLowering::lower_region(RegionRef region) {
  for (const OpRef op : region.ops())
    if (!op.has_trait(Traits::Terminator)) lower_op(op);
}

void HostLowering::lower_op(OpRef op) {
  builder_.set_location(op.location());
  if (op.is(GraphOp::Nonzero)) return lower_nonzero(op);
  if (op.is(GraphOp::Range) && !functions_.plan().is_known_before_call(function_, op))
    bind_size(op, buffers_.of(op.operand(0)));
  if (const LaunchedCall* call = functions_.call(op)) return lower_call(*call);
  if (op.is(GraphOp::If)) return lower_if(op);
  if (op.is(GraphOp::While)) return lower_while(op);
  if (op.is(GraphOp::For)) return lower_for(op);
  if (op.is(GraphOp::Scan)) return lower_scan(op);
  if (!op.is(LoopOp::Check) && !op.is(LoopOp::Guard) && !op.is(LoopOp::Apply)) return;  // made where it is asked for
  std::vector<Value> operands;
  AttrDict attrs = op.attrs();
  for (const NamedAttribute& entry : context_.attributes().entries(op.attrs()))
    if (context_.attributes().kind(entry.value) == AttributeKind::Subscripts)
      attrs = context_.attributes().with(attrs, entry.name, brackets(op, operands));
  if (op.is(LoopOp::Check)) {
    builder_.create(op.opcode(), operands, attrs, {});
    return;
  }
  const Type types[] = {op.result().type()};
  const Value value = builder_.create(op.opcode(), operands, attrs, types).result();
  scalars_[op.result().id()] = value;
}

void HostLowering::lower_call(const LaunchedCall& call) {
  std::vector<Value> given;
  for (const Value v : call.operands) given.push_back(buffers_.of(v));
  for (const Value v : call.results) given.push_back(buffers_.make(v));
  buffers_.launch(call.function, given);
}

// The first size of the op's result is what the buffer holds, from here on.
void HostLowering::bind_size(OpRef op, Value buffer) {
  const std::string_view size = index_.symbol_name(*index_.as_atom(op.result().dims()[0]));
  BindSizeRef::create(builder_, buffer, size);
}

// What the count finds is kept, so that the positions are written without a second look at the tensor.
void HostLowering::lower_nonzero(OpRef op) {
  const LaunchedPositions& made = *functions_.positions(op);
  const auto formals = made.count.region(0).arguments();
  std::vector<Value> given{buffers_.of(op.operand(0))};
  for (std::size_t i = 1; i < formals.size(); ++i) {
    const Type type = types_.buffer(formals[i].dtype(), formals[i].dims(), Scope::Arena);
    given.push_back(buffers_.allocate(type));
    given.back().set_name(formals[i].name());
  }
  buffers_.launch(made.count, given);
  bind_size(op, given.back());
  if (!op.result().has_uses()) return;
  const Value positions = buffers_.make(op.result());
  if (made.write.valid()) buffers_.launch(made.write, {given[1], given[2], positions});
}

// Goes on in a region of an op that was made for the region of the graph, and after that op in the end.
void HostLowering::inside(RegionRef graph, OpRef made, std::size_t region, const std::function<void()>& fill) {
  buffers_.enter(graph, made);
  builder_.set_end(made.region(region));
  fill();
  buffers_.leave();
  builder_.set_after(made);
}

void HostLowering::lower_if(OpRef op) {
  const Value condition = scalar(op.operand(0));
  std::vector<Value> results;
  for (const Value v : op.results()) results.push_back(buffers_.make(v));
  const OpRef made = builder_.create(LoopOp::If, {condition}, {}, {}, op.region_count());
  for (std::size_t r = 0; r < op.region_count(); ++r)
    inside(op.region(r), made, r, [&] {
      const OpRef end = op.region(r).terminator();
      std::vector<bool> written;
      for (std::size_t i = 0; i < results.size(); ++i)
        written.push_back(buffers_.write_to(end.operand(i), results[i], op.region(r)));
      lower_region(op.region(r));
      for (std::size_t i = 0; i < results.size(); ++i)
        if (!written[i]) buffers_.copy(end.operand(i), results[i]);
      builder_.create(LoopOp::Yield, {}, {});
    });
}

// A buffer for each carried value, which holds the initial one: that of the result.
std::vector<Value> HostLowering::start_carried(std::span<const Value> initial, std::span<const Value> results) {
  std::vector<Value> carried;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    carried.push_back(buffers_.make(results[i]));
    buffers_.copy(initial[i], carried.back());
  }
  return carried;
}

// What goes round, at the end of a region that was lowered. Where one of them is the carried value of another, or a
// view of it, that is saved before anything is overwritten.
void HostLowering::carry(std::span<const Value> next, std::span<const Value> into) {
  std::vector<std::optional<Value>> saved(next.size());
  std::vector<bool> there(next.size());
  std::vector<Value> memory;
  for (const Value v : into) memory.push_back(underlying_buffer(v));
  for (std::size_t i = 0; i < next.size(); ++i) {
    const Value computed = buffers_.of_computed(next[i]);
    const Value from = computed.valid() ? underlying_buffer(computed) : Value();
    there[i] = computed.valid() && from == memory[i];
    if (!computed.valid() || there[i] || std::find(memory.begin(), memory.end(), from) == memory.end()) continue;
    saved[i] = buffers_.allocate(buffers_.type(next[i], Scope::Arena));
    buffers_.copy(next[i], *saved[i]);
  }
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (there[i]) continue;
    if (saved[i])
      buffers_.copy_buffer(next[i], *saved[i], into[i]);
    else
      buffers_.copy(next[i], into[i]);
  }
}

// A value that the first region passes on unchanged has one buffer; another one has a second, from which the second
// region and the results read.
void HostLowering::lower_while(OpRef op) {
  const RegionRef before = op.region(0), body = op.region(1);
  const OpRef condition = before.terminator();
  std::vector<Value> in, out;
  std::vector<bool> same;
  for (std::size_t i = 0; i < op.operand_count(); ++i) {
    same.push_back(condition.operand(i + 1) == before.argument(i));
    out.push_back(buffers_.make(op.result(i)));
    in.push_back(same[i] ? out[i] : buffers_.allocate(buffers_.type(op.result(i), Scope::Arena)));
    buffers_.copy(op.operand(i), in[i]);
    buffers_.set(before.argument(i), in[i]);
    buffers_.set(body.argument(i), out[i]);
  }
  const OpRef made = builder_.create(LoopOp::While, {}, {}, {}, 2);
  inside(before, made, 0, [&] {
    std::vector<bool> written;
    for (std::size_t i = 0; i < out.size(); ++i)
      written.push_back(same[i] || buffers_.write_to(condition.operand(i + 1), out[i], before));
    lower_region(before);
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!written[i]) buffers_.copy(condition.operand(i + 1), out[i]);
    builder_.create(LoopOp::Condition, {scalar(condition.operand(0))}, {});
  });
  inside(body, made, 1, [&] {
    lower_region(body);
    const OpRef end = body.terminator();
    const std::vector<Value> next(end.operands().begin(), end.operands().end());
    carry(next, in);
    builder_.create(LoopOp::Yield, {}, {});
  });
}

OpRef HostLowering::make_for(Attribute bounds, const std::vector<Value>& operands, std::string_view index) {
  return ForRef::create(builder_, operands, bounds, {}, index).op();
}

void HostLowering::lower_for(OpRef op) {
  const ForRef loop = ForRef::from(op);
  std::vector<Value> initial, carried, operands;
  for (std::size_t i = 0; i < loop.carried_count(); ++i) initial.push_back(loop.initial(i));
  const std::vector<Value> results(op.results().begin(), op.results().end());
  const Attribute bounds = brackets(op, operands);
  carried = start_carried(initial, results);
  for (std::size_t i = 0; i < carried.size(); ++i) buffers_.set(loop.carried(i), carried[i]);
  const OpRef made = make_for(bounds, operands, loop.index().name());
  scalars_[loop.index().id()] = made.region(0).argument(0);
  inside(loop.body(), made, 0, [&] {
    lower_region(loop.body());
    const OpRef end = loop.body().terminator();
    const std::vector<Value> next(end.operands().begin(), end.operands().end());
    carry(next, carried);
    builder_.create(LoopOp::Yield, {}, {});
  });
}

// Between a buffer and a row along axis 0 of another one, element by element.
void HostLowering::copy_row(Value from, Value to, bool from_row, Value index, IndexExpr row) {
  const std::vector<IndexExpr> dims((from_row ? to : from).dims().begin(), (from_row ? to : from).dims().end());
  std::vector<Value> labels;
  for (const IndexExpr dim : dims) {
    const IndexExpr bounds[] = {index_.constant(0), dim};
    const OpRef made = make_for(context_.attributes().subscripts(bounds), {}, "d" + std::to_string(labels.size()));
    labels.push_back(made.region(0).argument(0));
    builder_.set_end(made.region(0));
  }
  // The row's number is an expression over one value, the index.
  const auto at = [&](bool in_row, std::vector<Value>& operands) {
    SubscriptBuilder builder(context_, operands);
    std::vector<IndexExpr> subscripts;
    if (in_row)
      subscripts.push_back(index_.substitute(row, [&](AtomId id) -> std::optional<IndexExpr> {
        return index_.atom(id).kind == AtomKind::Opaque ? std::optional(builder.atom(index)) : std::nullopt;
      }));
    for (const Value label : labels) subscripts.push_back(builder.atom(label));
    return builder.numbered(std::move(subscripts));
  };
  std::vector<Value> source{from};
  const Attribute place = at(from_row, source);
  std::vector<Value> target{LoadRef::create(builder_, source, place).value(), to};
  const Attribute target_place = at(!from_row, target);
  StoreRef::create(builder_, target, target_place);
  for (std::size_t d = 0; d < labels.size(); ++d) {
    builder_.create(LoopOp::Yield, {}, {});
    builder_.set_after(builder_.region().parent_op());
  }
}

void HostLowering::lower_scan(OpRef op) {
  const RegionRef body = op.region(0);
  const auto count = static_cast<std::size_t>(*context_.attributes().as_int64(op.attr("carried")));
  const bool reverse = context_.attributes().as_bool(op.attr("reverse")).value_or(false);
  const std::vector<Value> operands(op.operands().begin(), op.operands().end());
  const std::vector<Value> results(op.results().begin(), op.results().end());
  const std::vector<Value> carried = start_carried(std::span(operands).first(count), std::span(results).first(count));
  for (std::size_t i = 0; i < count; ++i) buffers_.set(body.argument(i), carried[i]);
  std::vector<Value> stacked, sequences;
  for (std::size_t i = count; i < results.size(); ++i) stacked.push_back(buffers_.make(results[i]));
  for (std::size_t i = count; i < operands.size(); ++i) sequences.push_back(buffers_.of(operands[i]));
  const IndexExpr length = operands[count].dims()[0];
  const IndexExpr bounds[] = {index_.constant(0), length};
  const OpRef made = make_for(context_.attributes().subscripts(bounds), {}, "step");
  const Value step = made.region(0).argument(0);
  const IndexExpr at = index_.opaque(0);
  const IndexExpr row = reverse ? index_.sub(index_.sub(length, index_.constant(1)), at) : at;
  inside(body, made, 0, [&] {
    for (std::size_t i = 0; i < sequences.size(); ++i)
      copy_row(sequences[i], buffers_.make(body.argument(count + i)), true, step, row);
    lower_region(body);
    const OpRef end = body.terminator();
    const std::vector<Value> next(end.operands().begin(), end.operands().end());
    for (std::size_t i = 0; i < stacked.size(); ++i)
      copy_row(buffers_.of(next[count + i]), stacked[i], false, step, row);
    carry(std::span(next).first(count), carried);
    builder_.create(LoopOp::Yield, {}, {});
  });
}

}  // namespace mlgc::loops
