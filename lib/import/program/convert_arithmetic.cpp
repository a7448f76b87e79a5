// Elementwise operators and constants whose call does not look like a row's.
#include <array>

#include "import/program/convert.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

// Operators that give their operand, whatever memory it stands in.
void convert_identity(NodeScope& scope) {
  if (const Value x = scope.tensor(scope.arguments()[0].name); x.valid()) scope.result(0, x);
}

void convert_cast(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (!x.valid()) return;
  const std::optional<Dtype> dtype = scope.dtype("dtype");
  scope.result(0, dtype ? scope.cast(x, *dtype) : x);
}

void convert_cast_like(NodeScope& scope) {
  const Value x = scope.tensor("self"), other = scope.tensor("other");
  if (!scope.failed()) scope.result(0, scope.cast(x, other.dtype()));
}

// Both operands as values of one dtype, promoted; numbers become constants.
std::array<Value, 2> promoted(NodeScope& scope, std::string_view a, std::string_view b) {
  Promotion promotion;
  std::array<Value, 2> values;
  const std::array names{a, b};
  for (std::size_t i = 0; i < 2; ++i) {
    if (scope.is_tensor(names[i])) {
      values[i] = scope.tensor(names[i]);
      if (values[i].valid()) promotion.add_tensor(values[i]);
    } else {
      promotion.add_number(scope.argument(names[i]));
    }
  }
  for (std::size_t i = 0; i < 2 && !scope.failed(); ++i)
    values[i] = values[i].valid() ? scope.cast(values[i], promotion.result())
                                  : scope.scalar(promotion.result(), scope.argument(names[i]));
  return values;
}

void convert_rsub(NodeScope& scope) {
  const auto [x, other] = promoted(scope, "self", "other");
  if (scope.failed()) return;
  Value subtrahend = x;
  if (const Argument& alpha = scope.argument("alpha"); alpha.is(Kind::Float) || alpha.ints.at(0) != IntArg{"", 1})
    subtrahend = scope.emit_one("mul", {x}, {{"other", scope.number(alpha)}});
  if (!scope.failed()) scope.result(0, scope.emit_one("sub", {other, subtrahend}));
}

void convert_div_mode(NodeScope& scope) {
  const auto [a, b] = promoted(scope, "self", "other");
  if (scope.failed()) return;
  const std::string& mode = scope.argument("rounding_mode").text;
  const std::string_view op = mode == "floor" ? "floor_divide" : mode == "trunc" ? "trunc_divide" : "div";
  scope.result(0, scope.emit_one(op, {a, b}));
}

void convert_where(NodeScope& scope) {
  const Value condition = scope.tensor("condition");
  const auto [a, b] = promoted(scope, "self", "other");
  if (!scope.failed()) scope.result(0, scope.emit_one("where", {condition, a, b}));
}

void convert_masked_fill(NodeScope& scope) {
  const Value x = scope.tensor("self"), mask = scope.tensor("mask"), value = scope.tensor("value");
  if (!scope.failed()) scope.result(0, scope.emit_one("where", {mask, scope.cast(value, x.dtype()), x}));
}

void clamp_one_side(NodeScope& scope, std::string_view side) {
  const Value x = scope.tensor("self");
  if (!scope.failed()) scope.result(0, scope.emit_one("clamp", {x}, {{side, scope.number(scope.argument(side))}}));
}
void convert_clamp_min(NodeScope& scope) { clamp_one_side(scope, "min"); }
void convert_clamp_max(NodeScope& scope) { clamp_one_side(scope, "max"); }

// Bounds that are tensors; the upper one wins.
void convert_clamp_tensor(NodeScope& scope) {
  Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const Dtype dtype = scope.context().types().dtype(type);
  const auto limit = [&](std::string_view op, std::string_view bound) {
    if (scope.failed() || !scope.is_tensor(bound)) return;
    x = scope.emit_one(op, {scope.cast(x, dtype), scope.cast(scope.tensor(bound), dtype)});
  };
  limit("maximum", "min");
  limit("minimum", "max");
  if (!scope.failed()) scope.result(0, x);
}

// One weight for all, or one for each channel.
void convert_prelu(NodeScope& scope) {
  const Value x = scope.tensor("self");
  Value weight = scope.tensor("weight");
  if (scope.failed()) return;
  if (x.rank() != 1 || weight.rank() != 1) {
    std::vector<IndexExpr> dims(x.rank(), scope.context().index().constant(1));
    if (x.rank() > 1 && weight.rank() == 1) dims[1] = weight.dims()[0];
    weight = scope.emit_one("view", {weight}, {{"shape", scope.context().attributes().int_list(dims)}});
  }
  if (!scope.failed()) scope.result(0, scope.emit_one("prelu", {x, weight}));
}

// One half of an axis, scaled by the sigmoid of the other.
void convert_glu(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  AttributePool& attributes = scope.context().attributes();
  const std::int64_t axis = scope.axis(scope.constant("dim"), x.rank());
  if (scope.failed()) return;
  const IndexExpr half = scope.context().types().dims(type)[static_cast<std::size_t>(axis)];
  const auto piece = [&](IndexExpr start, IndexExpr end) {
    return scope.emit_one(
        "slice", {x},
        {{"dim", attributes.integer(axis)}, {"start", attributes.integer(start)}, {"end", attributes.integer(end)}});
  };
  IndexPool& pool = scope.context().index();
  const Value first = piece(pool.constant(0), half), second = piece(half, pool.add(half, half));
  const Value y = scope.emit_one("mul", {first, scope.emit_one("sigmoid", {second})});
  if (!scope.failed()) scope.result(0, y);
}

// Python's operators on tensors.
void convert_python_operator(NodeScope& scope) {
  const std::string_view name = scope.target();
  const std::string_view op = name.starts_with("aten.__and__")  ? "bitwise_and"
                              : name.starts_with("aten.__or__") ? "bitwise_or"
                                                                : "bitwise_xor";
  convert_by_row(scope, scope.context().def(scope.context().find_op(op)));
}

// A tensor of the recorded type, all of whose elements are one number.
void splat(NodeScope& scope, const Argument& number) {
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const TypePool& types = scope.context().types();
  AttributePool& attributes = scope.context().attributes();
  const Value y = types.rank(type) == 0 ? scope.scalar(types.dtype(type), number)
                                        : scope.emit_one("full", {},
                                                         {{"size", attributes.int_list(types.dims(type))},
                                                          {"value", scope.number(number)},
                                                          {"dtype", attributes.dtype(types.dtype(type))}});
  if (!scope.failed()) scope.result(0, y);
}
Argument integer_argument(std::int64_t value) {
  Argument number;
  number.kind = Kind::Int;
  number.ints.push_back({"", value});
  return number;
}
// Of memory as it was found, zeros are one case.
void convert_zeros(NodeScope& scope) { splat(scope, integer_argument(0)); }
void convert_ones(NodeScope& scope) { splat(scope, integer_argument(1)); }
void convert_full(NodeScope& scope) { splat(scope, scope.argument("fill_value")); }
void convert_fill(NodeScope& scope) { splat(scope, scope.argument("value")); }
void convert_scalar_tensor(NodeScope& scope) { splat(scope, scope.argument("s")); }

constexpr Converter kArithmeticConverters[] = {
    {"aten.alias.default", convert_identity},
    {"aten.clone.default", convert_identity},
    {"aten.contiguous.default", convert_identity},
    {"aten.detach_.default", convert_identity},
    {"aten.lift_fresh_copy.default", convert_identity},
    {"aten._to_copy.default", convert_cast},
    {"aten.to.dtype", convert_cast},
    {"aten.to.dtype_layout", convert_cast},
    {"aten.to.device", convert_cast},
    {"aten.to.other", convert_cast_like},
    {"aten.rsub.Scalar", convert_rsub},
    {"aten.rsub.Tensor", convert_rsub},
    {"aten.div.Tensor_mode", convert_div_mode},
    {"aten.div.Scalar_mode", convert_div_mode},
    {"aten.where.self", convert_where},
    {"aten.where.Scalar", convert_where},
    {"aten.where.ScalarOther", convert_where},
    {"aten.where.ScalarSelf", convert_where},
    {"aten.masked_fill.Tensor", convert_masked_fill},
    {"aten.__and__.Tensor", convert_python_operator},
    {"aten.__or__.Tensor", convert_python_operator},
    {"aten.__xor__.Tensor", convert_python_operator},
    {"aten.__and__.Scalar", convert_python_operator},
    {"aten.__or__.Scalar", convert_python_operator},
    {"aten.__xor__.Scalar", convert_python_operator},
    {"aten.clamp_min.default", convert_clamp_min},
    {"aten.clamp_max.default", convert_clamp_max},
    {"aten.clamp.Tensor", convert_clamp_tensor},
    {"aten.clip.Tensor", convert_clamp_tensor},
    {"aten.prelu.default", convert_prelu},
    {"aten.glu.default", convert_glu},
    {"aten.divide.Tensor_mode", convert_div_mode},
    {"aten.divide.Scalar_mode", convert_div_mode},
    {"aten.alias_copy.default", convert_identity},
    {"aten.detach_copy.default", convert_identity},
    {"aten.resolve_conj.default", convert_identity},
    {"aten.resolve_neg.default", convert_identity},
    {"aten.positive.default", convert_identity},
    {"aten.conj.default", convert_identity},
    {"aten.conj_physical.default", convert_identity},
    {"aten.real.default", convert_identity},
    {"aten.pin_memory.default", convert_identity},
    {"aten.to_dense.default", convert_cast},
    {"aten.zeros.default", convert_zeros},
    {"aten._efficientzerotensor.default", convert_zeros},
    {"aten.zero.default", convert_zeros},
    {"aten.zeros_like.default", convert_zeros},
    {"aten.new_zeros.default", convert_zeros},
    {"aten.empty.memory_format", convert_zeros},
    {"aten.empty_like.default", convert_zeros},
    {"aten.empty_permuted.default", convert_zeros},
    {"aten.empty_strided.default", convert_zeros},
    {"aten.new_empty.default", convert_zeros},
    {"aten.new_empty_strided.default", convert_zeros},
    {"aten.ones.default", convert_ones},
    {"aten.ones_like.default", convert_ones},
    {"aten.new_ones.default", convert_ones},
    {"aten.fill.Scalar", convert_fill},
    {"aten.full.default", convert_full},
    {"aten.full_like.default", convert_full},
    {"aten.new_full.default", convert_full},
    {"aten.scalar_tensor.default", convert_scalar_tensor},
};

}  // namespace

std::span<const Converter> arithmetic_converters() { return kArithmeticConverters; }

}  // namespace mlgc::program
