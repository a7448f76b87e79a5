// See op_chain.h.
#include "import/program/op_chain.h"

#include <algorithm>
#include <array>

namespace mlgc::program {

OpChain::OpChain(NodeScope& scope) : scope_(scope) {}

OpRef OpChain::several(std::string_view op, std::span<const Value> operands, const Attrs& attrs) {
  if (scope_.failed()) return {};
  MLGC_ASSERT(std::ranges::all_of(operands, [](const Value& x) { return x.valid(); }), "an operand is missing");
  return scope_.emit(op, operands, attrs);
}

Value OpChain::call(std::string_view op, std::initializer_list<Value> operands, const Attrs& attrs) {
  const OpRef made = several(op, std::span(operands.begin(), operands.size()), attrs);
  return made.valid() ? made.result() : Value();
}

Value OpChain::view(Value x, Dims dims) {
  if (scope_.failed() || std::ranges::equal(x.dims(), dims)) return x;
  return call("view", {x}, {{"shape", sizes(dims)}});
}

Value OpChain::expand(Value x, Dims dims) {
  if (scope_.failed() || std::ranges::equal(x.dims(), dims)) return x;
  return call("expand", {x}, {{"size", sizes(dims)}});
}

Value OpChain::cast(Value x, Dtype dtype) { return scope_.failed() ? Value() : scope_.cast(x, dtype); }

Value OpChain::flat(Value x) { return view(x, std::array{count(dims(x))}); }

Value OpChain::with_axis(Value x) { return scope_.failed() || x.rank() > 0 ? x : view(x, std::array{size(1)}); }

Value OpChain::along(Value line, std::size_t axis, std::size_t rank) {
  if (scope_.failed()) return {};
  std::vector<IndexExpr> shape(rank, size(1));
  shape.at(axis) = line.dims()[0];
  return view(line, shape);
}

Value OpChain::full(Dims dims, std::int64_t value, Dtype dtype) {
  AttributePool& attributes = scope_.context().attributes();
  return call("full", {},
              {{"size", sizes(dims)}, {"value", attributes.integer(value)}, {"dtype", attributes.dtype(dtype)}});
}

Value OpChain::full(Dims dims, double value, Dtype dtype) {
  AttributePool& attributes = scope_.context().attributes();
  return call("full", {},
              {{"size", sizes(dims)}, {"value", attributes.real(value)}, {"dtype", attributes.dtype(dtype)}});
}

Value OpChain::positions(Dims dims) {
  AttributePool& attributes = scope_.context().attributes();
  const Value line =
      call("arange", {}, {{"end", attributes.integer(count(dims))}, {"dtype", attributes.dtype(Dtype::I64)}});
  return view(line, dims);
}

Value OpChain::slice(Value x, std::size_t axis, IndexExpr start, IndexExpr end) {
  AttributePool& attributes = scope_.context().attributes();
  return call("slice", {x},
              {{"dim", integer(static_cast<std::int64_t>(axis))},
               {"start", attributes.integer(start)},
               {"end", attributes.integer(end)}});
}

Value OpChain::cat(std::span<const Value> parts, std::size_t axis) {
  if (parts.size() == 1) return parts[0];
  const OpRef made = several("cat", parts, {{"dim", integer(static_cast<std::int64_t>(axis))}});
  return made.valid() ? made.result() : Value();
}

IndexExpr OpChain::size(std::int64_t value) { return scope_.context().index().constant(value); }

IndexExpr OpChain::count(Dims dims) {
  IndexExpr product = size(1);
  for (const IndexExpr dim : dims) product = scope_.context().index().mul(product, dim);
  return product;
}

Attribute OpChain::integer(std::int64_t value) { return scope_.context().attributes().integer(value); }
Attribute OpChain::list(std::initializer_list<std::int64_t> values) {
  return list(std::span(values.begin(), values.size()));
}
Attribute OpChain::list(std::span<const std::int64_t> values) { return scope_.context().attributes().int_list(values); }
Attribute OpChain::sizes(Dims dims) { return scope_.context().attributes().int_list(dims); }
Attribute OpChain::flag(bool value) { return scope_.context().attributes().boolean(value); }

std::vector<IndexExpr> OpChain::dims(Value x) {
  return x.valid() ? std::vector<IndexExpr>(x.dims().begin(), x.dims().end()) : std::vector<IndexExpr>();
}

Value OpChain::places_among_set(Value mask) {
  const Value ordinals = call("cumsum", {flat(cast(mask, Dtype::I64))}, {{"dim", integer(0)}});
  return call("maximum", {call("sub", {ordinals}, {{"other", integer(1)}})}, {{"other", integer(0)}});
}

Value OpChain::count_set(Value mask) { return call("sum", {cast(mask, Dtype::I64)}); }

// The value is the only operand, so conditions name it as the opaque atom 0.
void OpChain::check(std::span<const Value> operands, std::span<const IndexExpr> conditions, std::string_view message) {
  AttributePool& attributes = scope_.context().attributes();
  (void)several("check", operands,
                {{"conditions", attributes.subscripts(conditions)}, {"message", attributes.string(message)}});
}
void OpChain::check_equal(Value value, IndexExpr size, std::string_view message) {
  IndexPool& pool = scope_.context().index();
  const IndexExpr given = pool.opaque(0);
  check(std::array{value}, std::array{pool.sub(given, size), pool.sub(size, given)}, message);
}
void OpChain::check_at_most(Value value, IndexExpr size, std::string_view message) {
  IndexPool& pool = scope_.context().index();
  check(std::array{value}, std::array{pool.sub(size, pool.opaque(0))}, message);
}

void OpChain::result(std::size_t i, Value value) {
  if (scope_.failed() || !scope_.used(i)) return;
  const Type type = scope_.recorded(i);
  const TypePool& types = scope_.context().types();
  if (scope_.failed()) return;
  const Value given = view(cast(value, types.dtype(type)), types.dims(type));
  if (!scope_.failed()) scope_.result(i, given);
}

}  // namespace mlgc::program
