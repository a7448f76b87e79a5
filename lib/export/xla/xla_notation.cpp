// See xla_notation.h: inputs and outputs, rows, control flow.
#include "export/xla/xla_notation.h"

#include <utility>

#include "export/xla/xla_rows.h"

namespace mlgc {

XlaNotation::XlaNotation(Context& context, std::string_view notation, bool chlo)
    : GraphNotation(context.index()),
      context_(context),
      notation_(notation),
      chlo_(chlo),
      xla_(context.index(), [this](XlaOp op) { wrote(chlo_ ? xla_op_info(op).stablehlo : xla_op_info(op).hlo); }) {}

TensorValue XlaNotation::named(const TensorValue& value, std::string_view wanted) {
  xla_.name(value, wanted);
  return value;
}

std::optional<TensorValues> XlaNotation::row(const RowCall& call) { return xla_row(xla_, call); }

// Inputs and outputs.
TensorValue XlaNotation::input(std::string_view name, Type type, GraphInputRole role) {
  const TypePool& types = context_.types();
  // Reported by bind_size, which is asked next, where one is symbolic.
  XlaType made{types.dtype(type), {}};
  for (const IndexExpr dim : types.dims(type)) made.shape.push_back(index().as_constant(dim).value_or(0));
  return xla_.input(std::move(made), name, (role == GraphInputRole::Argument ? "" : "@") + std::string(name));
}

void XlaNotation::output(std::string_view name, const TensorValue& value) { xla_.output(name, value); }

void XlaNotation::bind_size(AtomId size, const TensorValue& /*value*/, std::size_t /*axis*/, AffineDim /*affine*/) {
  throw NoForm{std::string(index().symbol_name(size))};
}

TensorValue XlaNotation::constant_value(const TensorConstant& data) {
  const TypePool& types = context_.types();
  XlaType type{types.dtype(data.type), xla_.constants(types.dims(data.type))};
  std::string bytes(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size());
  return xla_.constant(std::move(type), std::move(bytes), data.splat || type.shape.empty());
}

TensorValue XlaNotation::range(const TensorValue& /*end*/, IndexExpr extent) {
  return xla_.iota(Dtype::I64, xla_.constants(std::span(&extent, 1)), 0);
}

TensorValue XlaNotation::nonzero(const TensorValue& /*value*/, IndexExpr /*count*/) {
  throw NoForm{"its shape depends on data"};
}

// Control flow.
TensorValues XlaNotation::branch(const TensorValue& condition, const Block& then, const Block& otherwise,
                                 std::span<const TensorValue> results) {
  std::vector<XlaType> types;
  for (const TensorValue& result : results) types.push_back(xla_.type_of(result));
  return xla_.conditional(
      condition, types, [&] { return then({}); }, [&] { return otherwise({}); });
}

TensorValues XlaNotation::loop(std::span<const TensorValue> initial, const Block& condition, const Block& body) {
  const auto taken = [&](Operands given) {
    TensorValues all = condition(given);
    all.erase(all.begin());
    return all;
  };
  return taken(xla_.while_loop(
      initial, [&](Operands given) { return condition(given)[0]; },
      [&](Operands given) { return body(taken(given)); }));
}

TensorValues XlaNotation::scan(std::span<const TensorValue> carried, std::span<const TensorValue> sequences,
                               bool reverse, const Block& body, std::span<const TensorValue> results) {
  const std::int64_t length = sequences.empty() ? 0 : xla_.type(sequences[0]).shape[0];
  const TensorValue zero = xla_.splat_integer(Dtype::I64, 0, {});
  TensorValues state{zero};
  state.insert(state.end(), carried.begin(), carried.end());
  for (std::size_t i = carried.size(); i < results.size(); ++i)
    state.push_back(xla_.splat(results[i].dtype, 0, xla_.type_of(results[i]).shape));
  const auto starts = [&](const TensorValue& at, std::size_t rank) {
    TensorValues out(rank, zero);
    out[0] = at;
    return out;
  };
  const auto done = [&](Operands given) {
    return xla_.compare("LT", given[0], xla_.splat_integer(Dtype::I64, length, {}));
  };
  const auto step = [&](Operands given) {
    const TensorValue last = xla_.splat_integer(Dtype::I64, length - 1, {});
    const TensorValue at = reverse ? xla_.binary(XlaOp::Subtract, last, given[0]) : given[0];
    TensorValues taken(given.begin() + 1, given.begin() + 1 + static_cast<std::ptrdiff_t>(carried.size()));
    for (const TensorValue& sequence : sequences) {
      XlaType slice = xla_.type(sequence);
      slice.shape[0] = 1;
      TensorValues operands = starts(at, slice.shape.size());
      operands.insert(operands.begin(), sequence);
      const std::vector<std::int64_t> sizes = slice.shape;
      const TensorValue part = xla_.node(XlaOp::DynamicSlice, operands, std::move(slice), {{"sizes", sizes}});
      taken.push_back(xla_.resized(part, {sizes.begin() + 1, sizes.end()}));
    }
    const TensorValues made = body(taken);
    TensorValues next{xla_.binary(XlaOp::Add, given[0], xla_.splat_integer(Dtype::I64, 1, {}))};
    next.insert(next.end(), made.begin(), made.begin() + static_cast<std::ptrdiff_t>(carried.size()));
    for (std::size_t i = carried.size(); i < made.size(); ++i) {
      std::vector<std::int64_t> row = xla_.type(made[i]).shape;
      row.insert(row.begin(), 1);
      const TensorValue& whole = given[1 + i];
      TensorValues operands = starts(at, row.size());
      operands.insert(operands.begin(), {whole, xla_.resized(made[i], row)});
      next.push_back(xla_.node(XlaOp::DynamicUpdateSlice, operands, xla_.type(whole)));
    }
    return next;
  };
  TensorValues out = xla_.while_loop(state, done, step);
  out.erase(out.begin());
  return out;
}

}  // namespace mlgc
