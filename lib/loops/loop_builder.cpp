// See loop_builder.h.
#include "loops/loop_builder.h"

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
  AttributePool& pool = context_.attributes();
  const Attribute spelled = is_float(dtype) ? pool.real(static_cast<double>(value)) : pool.integer(value);
  const AttrDict attrs = builder_.attrs({{"dtype", pool.dtype(dtype)}, {"value", spelled}});
  return builder_.create(LoopOp::Literal, {}, {types_.scalar(dtype)}, attrs).result();
}

Value LoopBuilder::apply(IndexExpr e, const std::vector<Value>& values) {
  std::vector<Value> operands;
  const Type types[] = {i64_};
  const AttrDict attrs = builder_.attrs({{"value", brackets(std::span(&e, 1), values, operands)}});
  return builder_.create(context_.opcode(LoopOp::Apply), operands, attrs, types).result();
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

AttrDict LoopBuilder::places(std::span<const IndexExpr> at, const std::vector<Value>& values,
                             std::vector<Value>& operands, bool checked) {
  AttributePool& pool = context_.attributes();
  const AttrDict attrs = builder_.attrs({{"at", brackets(at, values, operands)}});
  return checked ? pool.with(attrs, context_.strings().intern("checked"), pool.boolean(true)) : attrs;
}

std::vector<IndexExpr> LoopBuilder::alone(std::size_t count) {
  std::vector<IndexExpr> at;
  for (std::size_t i = 0; i < count; ++i) at.push_back(index_.opaque(static_cast<std::uint32_t>(i)));
  return at;
}

Value LoopBuilder::load(Value buffer, const std::vector<Value>& from, bool checked) {
  std::vector<Value> operands{buffer};
  const AttrDict attrs = places(alone(from.size()), from, operands, checked);
  const Type types[] = {types_.scalar(buffer.dtype())};
  return builder_.create(context_.opcode(LoopOp::Load), operands, attrs, types).result();
}

void LoopBuilder::store(Value value, Value buffer, const std::vector<Value>& to, bool checked) {
  store_at(value, buffer, alone(to.size()), to, checked);
}

void LoopBuilder::store_at(Value value, Value buffer, std::span<const IndexExpr> at, const std::vector<Value>& values,
                           bool checked) {
  std::vector<Value> operands{value, buffer};
  const AttrDict attrs = places(at, values, operands, checked);
  builder_.create(context_.opcode(LoopOp::Store), operands, attrs, {});
}

OpRef LoopBuilder::loop(IndexExpr first, IndexExpr last, const std::vector<Value>& values, std::string_view name,
                        const std::vector<Value>& initial, bool parallel) {
  AttributePool& pool = context_.attributes();
  const IndexExpr bounds[] = {first, last};
  std::vector<Value> operands;
  AttrDict attrs = builder_.attrs({{"bounds", brackets(bounds, values, operands)}});
  if (parallel) attrs = pool.with(attrs, context_.strings().intern("kind"), pool.string("parallel"));
  operands.insert(operands.end(), initial.begin(), initial.end());
  const std::vector<Type> types(initial.size(), i64_);
  const OpRef made = builder_.create(context_.opcode(LoopOp::For), operands, attrs, types, 1);
  made.region(0).add_argument(types_.index()).set_name(name);
  for (const Type type : types) made.region(0).add_argument(type);
  builder_.set_end(made.region(0));
  return made;
}

void LoopBuilder::end(OpRef op, const std::vector<Value>& yielded) {
  builder_.create(context_.opcode(LoopOp::Yield), yielded, {}, {});
  builder_.set_after(op);
}

}  // namespace mlgc::loops
