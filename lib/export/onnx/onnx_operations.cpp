// See onnx_notation.h: operations on tensors, and blocks.
#include <algorithm>

#include "export/onnx/onnx_notation.h"

namespace mlgc {

TensorValue OnnxNotation::number(const TensorNumber& value, Dtype dtype, std::size_t rank) {
  TensorValue out{};
  if (const auto* size = std::get_if<IndexExpr>(&value); size != nullptr && !index().as_constant(*size)) {
    out = cast(size_value(*size), dtype);
    if (rank == 0) {
      const TensorValue none = integer_list({});
      out = node("Reshape", {&out, &none}, {}, dtype, {});
    }
  } else if (size != nullptr) {
    out = initializer(Tensor::splat_int(dtype, {}, *index().as_constant(*size)), {});
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    out = initializer(Tensor::splat_int(dtype, {}, *flag ? 1 : 0), {});
  } else {
    out = initializer(Tensor::splat(dtype, {}, std::get<double>(value)), {});
  }
  out.shape.assign(rank, constant(1));
  return out;
}

TensorValue OnnxNotation::positions(std::size_t rank, std::size_t axis, IndexExpr extent) {
  const TensorValue zero = number(constant(0), Dtype::I64, 0), one = number(constant(1), Dtype::I64, 0);
  const TensorValue end = number(extent, Dtype::I64, 0);
  const TensorValue all = node("Range", {&zero, &end, &one}, {}, Dtype::I64, {extent});
  std::vector<IndexExpr> shape(rank, constant(1));
  shape[axis] = extent;
  return reshape(all, std::move(shape));
}

TensorValue OnnxNotation::cast(const TensorValue& value, Dtype dtype) {
  if (value.dtype == dtype) return value;
  TensorValue out = node("Cast", {&value}, {onnx_integer("to", onnx_dtype(dtype))}, dtype, value.shape);
  made(out).rank = made(value).rank;
  return out;
}

TensorValue OnnxNotation::select(const TensorValue& condition, const TensorValue& a, const TensorValue& b) {
  // Engines have no Where of truth values.
  if (a.dtype == Dtype::I1) {
    const TensorValue excluded = call(ScalarFn::Not, {condition}, Dtype::I1);
    return call(ScalarFn::Or,
                {call(ScalarFn::And, {condition, a}, Dtype::I1), call(ScalarFn::And, {excluded, b}, Dtype::I1)},
                Dtype::I1);
  }
  const TensorValue all[] = {condition, a, b};
  TensorValue out = node("Where", {&condition, &a, &b}, {}, a.dtype, common_shape(all));
  made(out).rank = std::max({made(condition).rank, made(a).rank, made(b).rank});
  return out;
}

TensorValue OnnxNotation::expand(const TensorValue& value, std::vector<IndexExpr> shape) {
  const TensorValue sizes = size_list(shape);
  return node("Expand", {&value, &sizes}, {}, value.dtype, std::move(shape));
}

TensorValue OnnxNotation::reshape(const TensorValue& value, std::vector<IndexExpr> shape) {
  if (value.shape == shape) return value;
  // Leading axes of extent 1 are there when they are asked for.
  const std::size_t rank = made(value).rank;
  if (shape.size() >= value.shape.size() && rank <= shape.size() && value.shape.size() >= rank) {
    const std::size_t more = shape.size() - rank, before = value.shape.size() - rank;
    const bool leading = std::all_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(more),
                                     [&](IndexExpr extent) { return extent == constant(1); }) &&
                         std::equal(shape.begin() + static_cast<std::ptrdiff_t>(more), shape.end(),
                                    value.shape.begin() + static_cast<std::ptrdiff_t>(before), value.shape.end());
    if (leading) return {value.name, value.dtype, std::move(shape)};
  }
  return reshaped(value, std::move(shape));
}

TensorValue OnnxNotation::reshaped(const TensorValue& value, std::vector<IndexExpr> shape) {
  const TensorValue sizes = size_list(shape);
  std::vector<OnnxAttribute> attributes;
  // A 0 means an extent of 0, not that of the operand.
  if (std::ranges::any_of(shape, [&](IndexExpr extent) { return index().as_constant(extent).value_or(0) == 0; }))
    attributes.push_back(onnx_integer("allowzero", 1));
  return node("Reshape", {&value, &sizes}, std::move(attributes), value.dtype, std::move(shape));
}

TensorValue OnnxNotation::permute(const TensorValue& value, const std::vector<std::size_t>& order) {
  const TensorValue source = whole(value);
  std::vector<IndexExpr> shape;
  std::vector<std::int64_t> perm;
  for (const std::size_t axis : order) {
    shape.push_back(source.shape[axis]);
    perm.push_back(static_cast<std::int64_t>(axis));
  }
  return node("Transpose", {&source}, {{"perm", std::move(perm)}}, value.dtype, std::move(shape));
}

TensorValue OnnxNotation::index_tuples(std::span<const TensorValue> subscripts, std::vector<IndexExpr> shape) {
  std::vector<IndexExpr> column = shape;
  column.push_back(constant(1));
  TensorValues columns;
  for (const TensorValue& subscript : subscripts) {
    const TensorValue all = subscript.shape == shape ? whole(subscript) : expand(subscript, shape);
    const TensorValue axis = integer_list({-1});
    columns.push_back(node("Unsqueeze", {&all, &axis}, {}, Dtype::I64, column));
  }
  if (columns.size() == 1) return columns[0];
  Inputs inputs;
  for (const TensorValue& one : columns) inputs.push_back(&one);
  shape.push_back(constant(static_cast<std::int64_t>(columns.size())));
  return node("Concat", inputs, {onnx_integer("axis", -1)}, Dtype::I64, std::move(shape));
}

TensorValue OnnxNotation::gather(const TensorValue& operand, std::span<const TensorValue> subscripts,
                                 std::vector<IndexExpr> shape) {
  const TensorValue source = whole(operand), at = index_tuples(subscripts, shape);
  return node("GatherND", {&source, &at}, {}, operand.dtype, std::move(shape));
}

std::optional<TensorValue> OnnxNotation::gather_axis(const TensorValue& operand, std::size_t axis,
                                                     const TensorValue& index) {
  const TensorValue source = whole(operand), at = whole(index);
  std::vector<IndexExpr> shape(source.shape);
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), at.shape.begin(), at.shape.end());
  return node("Gather", {&source, &at}, {onnx_integer("axis", static_cast<std::int64_t>(axis))}, operand.dtype,
              std::move(shape));
}

TensorValue OnnxNotation::scatter(const TensorValue& base, std::span<const TensorValue> subscripts,
                                  const TensorValue& values, WriteOp write) {
  const TensorValue data = whole(base), updates = whole(values), at = index_tuples(subscripts, values.shape);
  std::vector<OnnxAttribute> attributes;
  if (write == WriteOp::Add) attributes.push_back({"reduction", std::string("add")});
  if (write == WriteOp::Mul) attributes.push_back({"reduction", std::string("mul")});
  if (write == WriteOp::Max) attributes.push_back({"reduction", std::string("max")});
  if (write == WriteOp::Min) attributes.push_back({"reduction", std::string("min")});
  return node("ScatterND", {&data, &at, &updates}, std::move(attributes), base.dtype, base.shape);
}

TensorValue OnnxNotation::reduce(Reduction reduction, const TensorValue& value, std::size_t first, Dtype type) {
  TensorValue source = whole(value);
  std::vector<IndexExpr> shape(source.shape.begin(), source.shape.begin() + static_cast<std::ptrdiff_t>(first));
  if (reduction == Reduction::ArgMax || reduction == Reduction::ArgMin) {
    if (source.shape.size() > first + 1) {
      std::vector<IndexExpr> flat = shape;
      IndexExpr all = constant(1);
      for (std::size_t i = first; i < source.shape.size(); ++i) all = index().mul(all, source.shape[i]);
      flat.push_back(all);
      source = reshape(source, std::move(flat));
    }
    return node(reduction == Reduction::ArgMax ? "ArgMax" : "ArgMin", {&source},
                {onnx_integer("axis", static_cast<std::int64_t>(first)), onnx_integer("keepdims", 0)}, Dtype::I64,
                std::move(shape));
  }
  const bool logical = reduction == Reduction::Any || reduction == Reduction::All;
  source = cast(source, logical ? Dtype::I32 : type);
  std::vector<std::int64_t> numbers;
  for (std::size_t i = first; i < value.shape.size(); ++i) numbers.push_back(static_cast<std::int64_t>(i));
  std::string_view op_type = "ReduceSum";
  if (reduction == Reduction::Prod) op_type = "ReduceProd";
  if (reduction == Reduction::Max || reduction == Reduction::Any) op_type = "ReduceMax";
  if (reduction == Reduction::Min || reduction == Reduction::All) op_type = "ReduceMin";
  const TensorValue axes = integer_list(numbers);
  const TensorValue out =
      node(op_type, {&source, &axes}, {onnx_integer("keepdims", 0)}, source.dtype, std::move(shape));
  return logical ? cast(out, Dtype::I1) : out;
}

std::optional<TensorValue> OnnxNotation::product(const TensorValue& a, const TensorValue& b, Dtype type) {
  const auto matrix = [&](const TensorValue& value) { return made(value).rank >= 2 ? value : whole(value); };
  const TensorValue left = matrix(a), right = matrix(b);
  TensorValue out = node("MatMul", {&left, &right}, {}, type, {left.shape[0], left.shape[1], right.shape[2]});
  made(out).rank = std::max(made(left).rank, made(right).rank);
  return out;
}

TensorValue OnnxNotation::range(const TensorValue& end, IndexExpr extent) {
  const TensorValue zero = number(constant(0), Dtype::I64, 0), one = number(constant(1), Dtype::I64, 0);
  return node("Range", {&zero, &end, &one}, {}, Dtype::I64, {extent});
}

TensorValue OnnxNotation::nonzero(const TensorValue& value, IndexExpr count) {
  const TensorValue source = whole(value);
  const IndexExpr rank = constant(static_cast<std::int64_t>(value.shape.size()));
  return permute(node("NonZero", {&source}, {}, Dtype::I64, {rank, count}), {1, 0});
}

// Blocks.
std::shared_ptr<OnnxGraph> OnnxNotation::subgraph(std::string_view name, const TensorValues& inputs,
                                                  const std::function<TensorValues()>& block) {
  scopes_.emplace_back();
  scopes_.back().graph.name = name;
  for (const TensorValue& input : inputs) {
    made(input).is_fixed = true;
    made(input).depth = scopes_.size();
    scopes_.back().graph.inputs.push_back(info(input));
  }
  for (const TensorValue& value : block()) (void)as_output(value);
  auto graph = std::make_shared<OnnxGraph>(std::move(scopes_.back().graph));
  scopes_.pop_back();
  return graph;
}

TensorValues OnnxNotation::branch(const TensorValue& condition, const Block& then, const Block& otherwise,
                                  std::span<const TensorValue> results) {
  std::shared_ptr<OnnxGraph> first = subgraph("then", {}, [&] { return then({}); });
  std::shared_ptr<OnnxGraph> second = subgraph("else", {}, [&] { return otherwise({}); });
  const TensorValue flag = whole(condition);
  return node("If", {&flag}, {{"then_branch", std::move(first)}, {"else_branch", std::move(second)}},
              TensorValues(results.begin(), results.end()));
}

// The condition gives what the body and the results see: first of the initial values, then of what each step gives.
TensorValues OnnxNotation::loop(std::span<const TensorValue> initial, const Block& condition, const Block& body) {
  const TensorValues start = condition(initial);
  TensorValues inputs{make(Dtype::I64, {}, "step"), make(Dtype::I1, {}, "goes_on")}, carried, given;
  for (std::size_t i = 1; i < start.size(); ++i) {
    given.push_back(whole(start[i]));
    carried.push_back(make(start[i].dtype, start[i].shape));
    inputs.push_back(carried.back());
  }
  std::shared_ptr<OnnxGraph> graph = subgraph("body", inputs, [&] { return condition(body(carried)); });
  const TensorValue goes_on = whole(start[0]);
  Inputs operands{nullptr, &goes_on};
  for (const TensorValue& value : given) operands.push_back(&value);
  return node("Loop", operands, {{"body", std::move(graph)}}, given);
}

TensorValues OnnxNotation::scan(std::span<const TensorValue> carried, std::span<const TensorValue> sequences,
                                bool reverse, const Block& body, std::span<const TensorValue> results) {
  TensorValues given, inputs;
  for (const TensorValue& value : carried) {
    given.push_back(whole(value));
    inputs.push_back(make(value.dtype, value.shape));
  }
  for (const TensorValue& value : sequences) {
    given.push_back(whole(value));
    inputs.push_back(make(value.dtype, {value.shape.begin() + 1, value.shape.end()}));
  }
  std::shared_ptr<OnnxGraph> graph = subgraph("body", inputs, [&] { return body(inputs); });
  std::vector<OnnxAttribute> attributes{{"body", std::move(graph)},
                                        onnx_integer("num_scan_inputs", static_cast<std::int64_t>(sequences.size()))};
  if (reverse) {
    attributes.push_back({"scan_input_directions", std::vector<std::int64_t>(sequences.size(), 1)});
    attributes.push_back({"scan_output_directions", std::vector<std::int64_t>(results.size() - carried.size(), 1)});
  }
  Inputs operands;
  for (const TensorValue& value : given) operands.push_back(&value);
  return node("Scan", operands, std::move(attributes), TensorValues(results.begin(), results.end()));
}

}  // namespace mlgc
