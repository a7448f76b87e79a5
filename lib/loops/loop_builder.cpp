// See loop_builder.h.
#include "loops/loop_builder.h"

#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"

namespace mlgc::loops {

LoopBuilder::LoopBuilder(Module& module)
    : context_(module.context()),
      index_(context_.index()),
      types_(context_.types()),
      builder_(module),
      i64_(types_.scalar(Dtype::I64)),
      i1_(types_.scalar(Dtype::I1)) {}

Value LoopBuilder::named(std::string_view op, std::initializer_list<Value> operands, Type type, std::string_view name) {
  const Value made = builder_.create(op, operands, {type}).result();
  made.set_name(name);
  return made;
}

Value LoopBuilder::scalar(std::string_view op, std::initializer_list<Value> operands, Type type) {
  return builder_.create(op, operands, {type}).result();
}

Value LoopBuilder::cast(Value v, Dtype to) {
  const AttrDict attrs = builder_.attrs({{"dtype", context_.attributes().dtype(to)}});
  return builder_.create(GraphOp::Cast, {v}, {types_.scalar(to)}, attrs).result();
}

Value LoopBuilder::literal(Dtype dtype, std::int64_t value) {
  return LiteralRef::create(builder_, dtype, static_cast<double>(value), value).op().result();
}

Value LoopBuilder::apply(IndexExpr e, const std::vector<Value>& values) {
  std::vector<Value> operands;
  const Attribute value = brackets(std::span(&e, 1), values, operands);
  return ApplyRef::create(builder_, operands, value).op().result();
}

Attribute LoopBuilder::brackets(std::span<const IndexExpr> expressions, const std::vector<Value>& values,
                                std::vector<Value>& operands) {
  SubscriptBuilder builder(context_, operands);
  std::vector<IndexExpr> over;
  for (const IndexExpr e : expressions)
    over.push_back(index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      const Atom atom = index_.atom(id);
      return atom.kind == AtomKind::Opaque ? std::optional(builder.atom(values[atom.number])) : std::nullopt;
    }));
  return builder.numbered(std::move(over));
}

std::vector<IndexExpr> LoopBuilder::alone(std::size_t count) {
  std::vector<IndexExpr> at;
  for (std::size_t i = 0; i < count; ++i) at.push_back(index_.opaque(static_cast<std::uint32_t>(i)));
  return at;
}

void LoopBuilder::check(IndexExpr condition, std::string_view message) {
  std::vector<Value> operands;
  const Attribute conditions = brackets(std::span(&condition, 1), {}, operands);
  CheckRef::create(builder_, operands, conditions, message);
}

Value LoopBuilder::load(Value buffer, const std::vector<Value>& from, bool checked) {
  return load_at(buffer, alone(from.size()), from, checked);
}

Value LoopBuilder::load_at(Value buffer, std::span<const IndexExpr> at, const std::vector<Value>& values,
                           bool checked) {
  std::vector<Value> operands{buffer};
  const Attribute place = brackets(at, values, operands);
  return LoadRef::create(builder_, operands, place, checked).value();
}

void LoopBuilder::store(Value value, Value buffer, const std::vector<Value>& to, bool checked) {
  store_at(value, buffer, alone(to.size()), to, checked);
}

void LoopBuilder::store_at(Value value, Value buffer, std::span<const IndexExpr> at, const std::vector<Value>& values,
                           bool checked) {
  std::vector<Value> operands{value, buffer};
  const Attribute place = brackets(at, values, operands);
  StoreRef::create(builder_, operands, place, checked);
}

OpRef LoopBuilder::loop(IndexExpr first, IndexExpr last, const std::vector<Value>& values, std::string_view name,
                        const std::vector<Value>& initial, bool parallel) {
  const IndexExpr ends[] = {first, last};
  std::vector<Value> operands;
  const Attribute bounds = brackets(ends, values, operands);
  const ForRef made = ForRef::create(builder_, std::move(operands), bounds, initial, name);
  if (parallel) made.set_kind(LoopKind::Parallel);
  builder_.set_end(made.body());
  return made.op();
}

void LoopBuilder::end(OpRef op, const std::vector<Value>& yielded) {
  builder_.create(context_.opcode(LoopOp::Yield), yielded, {}, {});
  builder_.set_after(op);
}

}  // namespace mlgc::loops
