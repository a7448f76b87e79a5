// Numbers of operands in brackets.
#include "loopir/subscripts.h"

#include <algorithm>
#include <string>

namespace mlgc {

std::span<const IndexExpr> subscripts_of(OpRef op) {
  const AttributePool& pool = op.module().context().attributes();
  for (const NamedAttribute& entry : pool.entries(op.attrs()))
    if (pool.kind(entry.value) == AttributeKind::Subscripts) return pool.as_int_list(entry.value);
  return {};
}

IndexExpr of_value(Value v) { return v.module().context().index().opaque(v.id().value); }

IndexExpr over_values(OpRef op, IndexExpr e) {
  IndexPool& pool = op.module().context().index();
  return pool.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    if (pool.atom(id).kind != AtomKind::Opaque) return std::nullopt;
    return of_value(op.operand(pool.atom(id).number));
  });
}

std::vector<IndexExpr> subscripts_over_values(OpRef access) {
  std::vector<IndexExpr> out;
  for (const IndexExpr e : subscripts_of(access)) out.push_back(over_values(access, e));
  return out;
}

IndexExpr SubscriptBuilder::atom(Value value) {
  std::size_t number = first_;
  while (number < operands_->size() && (*operands_)[number] != value) ++number;
  if (number == operands_->size()) operands_->push_back(value);
  return context_->index().opaque(static_cast<std::uint32_t>(number));
}

Attribute SubscriptBuilder::numbered(std::vector<IndexExpr> expressions) {
  IndexPool& pool = context_->index();
  // Expressions print in the order of names: a mark after each name leads back to the operand.
  constexpr char kMark = '\x01';
  std::vector<std::size_t> order;  // old numbers by new number
  for (const IndexExpr e : expressions) {
    const std::string text = pool.print(e, [&](AtomId id) {
      const std::size_t number = pool.atom(id).number;
      const std::string_view name = (*operands_)[number].name();
      return "%" + (name.empty() ? "0" : std::string(name)) + kMark + std::to_string(number) + kMark;
    });
    for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at + 1)) {
      const std::size_t end = text.find(kMark, at + 1);
      const std::size_t number = std::stoul(text.substr(at + 1, end - at - 1));
      if (std::find(order.begin(), order.end(), number) == order.end()) order.push_back(number);
      at = end;
    }
  }
  const std::vector<Value> old = *operands_;
  for (std::size_t i = 0; i < order.size(); ++i) (*operands_)[first_ + i] = old[order[i]];
  operands_->resize(first_ + order.size());  // what cancelled out of the expressions is no operand
  for (IndexExpr& e : expressions)
    e = pool.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      if (pool.atom(id).kind != AtomKind::Opaque) return std::nullopt;
      const auto place = std::find(order.begin(), order.end(), pool.atom(id).number);
      return pool.opaque(static_cast<std::uint32_t>(first_ + static_cast<std::size_t>(place - order.begin())));
    });
  return context_->attributes().subscripts(expressions);
}

namespace {

// The operands that the brackets name stand together: from the first one on, how many. None: at the end.
std::pair<std::size_t, std::size_t> subscript_operands(OpRef op) {
  const IndexPool& pool = op.module().context().index();
  std::size_t begin = op.operand_count(), end = 0;
  for (const IndexExpr e : subscripts_of(op))
    pool.for_each_atom(e, [&](AtomId id) {
      if (pool.atom(id).kind != AtomKind::Opaque) return;
      begin = std::min<std::size_t>(begin, pool.atom(id).number);
      end = std::max<std::size_t>(end, pool.atom(id).number + 1);
    });
  return {begin, std::max(end, begin) - begin};
}

}  // namespace

bool is_in_subscripts(const Use& use) {
  const auto [begin, count] = subscript_operands(use.owner());
  return use.operand_number() - begin < count;
}

void replace_in_subscripts(OpRef op, Value value, IndexExpr by, OpRef owner) {
  Context& context = op.module().context();
  IndexPool& pool = context.index();
  const std::vector<Value> before(op.operands().begin(), op.operands().end());
  const auto [begin, count] = subscript_operands(op);
  const auto first = before.begin() + static_cast<std::ptrdiff_t>(begin);
  std::vector<Value> operands(before.begin(), first);
  SubscriptBuilder builder(context, operands);
  const auto over_values = [&](OpRef of, IndexExpr e, const auto& translate) {
    return pool.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      if (pool.atom(id).kind != AtomKind::Opaque) return std::nullopt;
      return translate(of.operand(pool.atom(id).number));
    });
  };
  std::vector<IndexExpr> expressions;
  for (const IndexExpr e : subscripts_of(op))
    expressions.push_back(over_values(op, e, [&](Value v) {
      return v == value ? over_values(owner, by, [&](Value outer) { return builder.atom(outer); }) : builder.atom(v);
    }));
  const Attribute brackets = builder.numbered(std::move(expressions));
  operands.insert(operands.end(), first + static_cast<std::ptrdiff_t>(count), before.end());
  for (const NamedAttribute& entry : context.attributes().entries(op.attrs()))
    if (context.attributes().kind(entry.value) == AttributeKind::Subscripts) {
      op.set_attr(context.strings().text(entry.name), brackets);
      break;
    }
  op.set_operands(operands);
}

}  // namespace mlgc
