// Operators of the exporter's higher levels that are a few of our ops, or one with other arguments.
#include <array>

#include "diag/kinds_import.h"
#include "import/program/convert.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

void convert_type_as(NodeScope& scope) {
  const Value x = scope.tensor("self"), other = scope.tensor("other");
  if (!scope.failed()) scope.result(0, scope.cast(x, other.dtype()));
}

// One element everywhere, in the dtype of what is filled.
void convert_fill_with_tensor(NodeScope& scope) {
  const Value x = scope.tensor("self"), value = scope.tensor("value");
  if (scope.failed()) return;
  const Value element = scope.cast(value, x.dtype());
  if (scope.failed()) return;
  const Value y =
      x.rank() == 0 ? element
                    : scope.emit_one("expand", {element}, {{"size", scope.context().attributes().int_list(x.dims())}});
  if (!scope.failed()) scope.result(0, y);
}

// ATen names the columns of a square matrix only where they are given.
void convert_eye(NodeScope& scope) {
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const TypePool& types = scope.context().types();
  AttributePool& attributes = scope.context().attributes();
  const auto dims = types.dims(type);
  if (dims.size() != 2) return scope.refuse<kOperandAxes>("its result", dims.size(), "a matrix");
  const Value y = scope.emit_one("eye", {},
                                 {{"n", attributes.integer(dims[0])},
                                  {"m", attributes.integer(dims[1])},
                                  {"dtype", attributes.dtype(types.dtype(type))}});
  if (!scope.failed()) scope.result(0, y);
}

// Each takes three ops; PyTorch's own limit is the length of the axis.
constexpr std::int64_t kMaxDifferences = 1000;

// Differences of neighbours along an axis, n times; of booleans, whether they differ.
void convert_diff(NodeScope& scope) {
  std::vector<Value> parts;
  for (const std::string_view name : {"prepend", "self", "append"})
    if (scope.is_tensor(name)) parts.push_back(scope.tensor(name));
  const Value x = scope.tensor("self");
  const std::int64_t times = scope.constant("n");
  if (scope.failed()) return;
  if (x.rank() == 0) return scope.refuse<kOperandAxes>("its operand", 0, "at least one");
  if (times < 0 || times > kMaxDifferences)
    return scope.refuse<kUnsupportedArgument>("n", std::to_string(times), "0 to " + std::to_string(kMaxDifferences));
  const std::int64_t axis = scope.axis(scope.constant("dim"), x.rank());
  AttributePool& attributes = scope.context().attributes();
  const Attribute dim = attributes.integer(axis);
  Value y = x;
  if (parts.size() > 1) {
    const OpRef joined = scope.emit("cat", parts, {{"dim", dim}});
    if (!scope.failed()) y = joined.result();
  }
  for (std::int64_t i = 0; i < times && !scope.failed(); ++i) {
    const IndexExpr size = y.dims()[static_cast<std::size_t>(axis)];
    const IndexExpr last = scope.context().index().add(size, scope.context().index().constant(-1));
    const Value next = scope.emit_one(
        "slice", {y},
        {{"dim", dim}, {"start", attributes.integer(std::int64_t{1})}, {"end", attributes.integer(size)}});
    const Value here = scope.emit_one(
        "slice", {y},
        {{"dim", dim}, {"start", attributes.integer(std::int64_t{0})}, {"end", attributes.integer(last)}});
    y = scope.emit_one(x.dtype() == Dtype::I1 ? "logical_xor" : "sub", {next, here});
  }
  if (!scope.failed()) scope.result(0, y);
}

// Grids of coordinates: each operand varies along an axis of its own; `xy` swaps the first two.
void convert_meshgrid(NodeScope& scope) {
  const std::vector<Value> operands = scope.tensors("tensors");
  // Without the word rows come first, with a warning of PyTorch that this will change.
  const bool columns_first =
      scope.target() == "aten.meshgrid.indexing" && scope.argument("indexing").text == "xy" && operands.size() >= 2;
  AttributePool& attributes = scope.context().attributes();
  for (std::size_t i = 0; i < operands.size() && !scope.failed(); ++i) {
    const Type type = scope.recorded(i);
    if (scope.failed()) return;
    const auto size = scope.context().types().dims(type);
    if (size.size() != operands.size())
      return scope.refuse<kCountsDiffer>(size.size(), "axes of a grid", operands.size(), "operands");
    std::vector<IndexExpr> shape(size.size(), scope.context().index().constant(1));
    const std::size_t axis = columns_first && i < 2 ? 1 - i : i;
    shape.at(axis) = size[axis];
    const Value line = scope.emit_one("view", {operands[i]}, {{"shape", attributes.int_list(shape)}});
    const Value grid = scope.emit_one("expand", {line}, {{"size", attributes.int_list(size)}});
    if (!scope.failed()) scope.result(i, grid);
  }
}

// The windows of a cell are a product of windows of each axis, so means may be taken in two steps: over the last two
// axes, then over the one before them.
void convert_adaptive_avg_pool3d(NodeScope& scope) {
  Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  const std::vector<IndexExpr> size = scope.integers("output_size");
  if (scope.failed()) return;
  IndexPool& pool = scope.context().index();
  AttributePool& attributes = scope.context().attributes();
  const auto viewed = [&](const std::vector<IndexExpr>& shape) {
    x = scope.emit_one("view", {x}, {{"shape", attributes.int_list(shape)}});
  };
  const auto pooled = [&](IndexExpr rows, IndexExpr columns) {
    const std::array parts{rows, columns};
    x = scope.emit_one("adaptive_avg_pool2d", {x}, {{"output_size", attributes.int_list(parts)}});
  };
  if (x.rank() < 3) return scope.refuse<kOperandAxes>("its operand", x.rank(), "at least three");
  if (size.size() != 3) return scope.refuse<kCountsDiffer>(size.size(), "sizes", 3, "axes");
  const auto dims = x.dims();
  const std::size_t outer = dims.size() - 3;
  IndexExpr volumes = pool.constant(1);
  for (std::size_t i = 0; i < outer; ++i) volumes = pool.mul(volumes, dims[i]);
  const IndexExpr depth = dims[outer];
  viewed({volumes, depth, dims[outer + 1], dims[outer + 2]});
  if (scope.failed()) return;
  pooled(size.at(1), size.at(2));
  if (scope.failed()) return;
  const IndexExpr plane = pool.mul(size.at(1), size.at(2));
  viewed({volumes, depth, plane});
  if (scope.failed()) return;
  pooled(size.at(0), plane);
  if (scope.failed()) return;
  const auto result = scope.context().types().dims(type);
  viewed({result.begin(), result.end()});
  if (!scope.failed()) scope.result(0, x);
}

// As one row of an image.
void convert_adaptive_avg_pool1d(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  const std::vector<IndexExpr> size = scope.integers("output_size");
  if (scope.failed()) return;
  AttributePool& attributes = scope.context().attributes();
  if (x.rank() < 1) return scope.refuse<kOperandAxes>("its operand", x.rank(), "at least one");
  if (size.size() != 1) return scope.refuse<kCountsDiffer>(size.size(), "sizes", 1, "axes");
  std::vector<IndexExpr> rows(x.dims().begin(), x.dims().end());
  rows.insert(rows.end() - 1, scope.context().index().constant(1));
  const std::array parts{scope.context().index().constant(1), size.at(0)};
  Value y = scope.emit_one("view", {x}, {{"shape", attributes.int_list(rows)}});
  if (scope.failed()) return;
  y = scope.emit_one("adaptive_avg_pool2d", {y}, {{"output_size", attributes.int_list(parts)}});
  if (scope.failed()) return;
  y = scope.emit_one("view", {y}, {{"shape", attributes.int_list(scope.context().types().dims(type))}});
  if (!scope.failed()) scope.result(0, y);
}

// A weight in the direction of v and of length g, for each slice along an axis.
void convert_weight_norm(NodeScope& scope) {
  const Value v = scope.tensor("v"), g = scope.tensor("g");
  if (scope.failed()) return;
  // -1 is no last axis here: the whole weight has one length.
  const std::int64_t given = scope.constant("dim");
  const std::int64_t axis = given == -1 ? -1 : scope.axis(given, v.rank());
  AttributePool& attributes = scope.context().attributes();
  std::vector<std::int64_t> others;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(v.rank()); ++i)
    if (i != axis) others.push_back(i);
  const Value length = scope.emit_one("linalg_vector_norm", {v},
                                      {{"dim", attributes.int_list(others)}, {"keepdim", attributes.boolean(true)}});
  if (scope.failed()) return;
  const Value scale = scope.emit_one("div", {g, length});
  if (scope.failed()) return;
  const Value weight = scope.emit_one("mul", {v, scale});
  if (!scope.failed()) scope.result(0, weight);
}

// Windows of one axis of an image as a last axis: `kernel` elements, `dilation` apart, of each window.
Value windows(NodeScope& scope, Value x, std::int64_t axis, std::int64_t kernel, std::int64_t dilation,
              std::int64_t step) {
  AttributePool& attributes = scope.context().attributes();
  const auto integer = [&](std::int64_t value) { return attributes.integer(value); };
  const Value wide = scope.emit_one(
      "unfold", {x},
      {{"dimension", integer(axis)}, {"size", integer((kernel - 1) * dilation + 1)}, {"step", integer(step)}});
  if (scope.failed() || dilation == 1) return wide;
  return scope.emit_one("slice", {wide},
                        {{"dim", integer(static_cast<std::int64_t>(wide.rank()) - 1)}, {"step", integer(dilation)}});
}

// One number for both axes of an image, or one for each; constants only.
std::array<std::int64_t, 2> pair(NodeScope& scope, std::string_view name) {
  std::array<std::int64_t, 2> values{};
  const std::vector<IndexExpr> given = scope.integers(name);
  for (std::size_t i = 0; i < 2 && !scope.failed(); ++i) {
    const auto value = scope.context().index().as_constant(given.at(given.size() == 1 ? 0 : i));
    if (!value) scope.refuse<kArgumentNotConstant>("argument `" + std::string(name) + "`", "sizes");
    values[i] = value.value_or(1);
  }
  return values;
}

struct Blocks {
  explicit Blocks(NodeScope& scope)
      : kernel(pair(scope, "kernel_size")),
        dilation(pair(scope, "dilation")),
        padding(pair(scope, "padding")),
        step(pair(scope, "stride")) {}
  std::array<std::int64_t, 2> kernel, dilation, padding, step;
};

// The blocks that a convolution would see, as columns.
void convert_im2col(NodeScope& scope) {
  Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const Blocks blocks(scope);
  if (scope.failed()) return;
  const auto& [kernel, dilation, padding, step] = blocks;
  AttributePool& attributes = scope.context().attributes();
  if (padding != std::array<std::int64_t, 2>{}) {
    const std::array pads{padding[1], padding[1], padding[0], padding[0]};
    x = scope.emit_one("pad", {x}, {{"pad", attributes.int_list(pads)}});
  }
  if (scope.failed()) return;
  const auto rows = static_cast<std::int64_t>(x.rank()) - 2;
  for (const std::size_t i : {0U, 1U}) {
    x = windows(scope, x, rows + static_cast<std::int64_t>(i), kernel[i], dilation[i], step[i]);
    if (scope.failed()) return;
  }
  std::vector<std::int64_t> order;
  for (std::int64_t axis = 0; axis < rows; ++axis) order.push_back(axis);
  for (const std::int64_t axis : {rows + 2, rows + 3, rows, rows + 1}) order.push_back(axis);
  x = scope.emit_one("permute", {x}, {{"dims", attributes.int_list(order)}});
  if (scope.failed()) return;
  const Value y = scope.emit_one("view", {x}, {{"shape", attributes.int_list(scope.context().types().dims(type))}});
  if (!scope.failed()) scope.result(0, y);
}

// Sums blocks where they overlap: each column is put back where im2col took it from.
void convert_col2im(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  const std::array<std::int64_t, 2> size = pair(scope, "output_size");
  const Blocks blocks(scope);
  if (scope.failed()) return;
  const auto& [kernel, dilation, padding, step] = blocks;
  IndexPool& pool = scope.context().index();
  AttributePool& attributes = scope.context().attributes();
  const auto result = scope.context().types().dims(type);
  const std::size_t rows = result.size() - 2;
  const auto viewed = [&](Value value, const std::vector<IndexExpr>& shape) {
    return scope.emit_one("view", {value}, {{"shape", attributes.int_list(shape)}});
  };
  // Positions of the elements of every block along an axis, one block a column.
  const auto places = [&](std::size_t i, std::int64_t count, bool first) {
    const auto line = [&](std::int64_t end, std::int64_t factor, std::size_t axis) {
      std::vector<IndexExpr> shape(4, pool.constant(1));
      shape[axis] = pool.constant(end);
      const Value numbers = scope.emit_one("arange", {},
                                           {{"end", attributes.integer(end * factor)},
                                            {"step", attributes.integer(factor)},
                                            {"dtype", attributes.dtype(Dtype::I64)}});
      return scope.failed() ? numbers : viewed(numbers, shape);
    };
    const Value inside = line(kernel[i], dilation[i], first ? 0 : 2);
    const Value start = line(count, step[i], first ? 1 : 3);
    return scope.emit_one("add", {inside, start});
  };
  std::array<std::int64_t, 2> counts{}, padded{};
  for (const std::size_t i : {0U, 1U}) {
    padded[i] = size[i] + 2 * padding[i];
    counts[i] = (padded[i] - dilation[i] * (kernel[i] - 1) - 1) / step[i] + 1;
  }
  std::vector<IndexExpr> split(result.begin(), result.end() - 2), whole = split;
  for (const std::int64_t extent : {kernel[0], kernel[1], counts[0], counts[1]}) split.push_back(pool.constant(extent));
  for (const std::int64_t extent : padded) whole.push_back(pool.constant(extent));
  std::vector<std::int64_t> order;
  for (std::size_t axis = 0; axis < rows; ++axis) order.push_back(static_cast<std::int64_t>(axis));
  const auto at = static_cast<std::int64_t>(rows);
  order.insert(order.end(), {at, at + 2, at + 1, at + 3});
  Value values = viewed(x, split);
  if (scope.failed()) return;
  values = scope.emit_one("permute", {values}, {{"dims", attributes.int_list(order)}});
  const Value zeros = scope.emit_one("full", {},
                                     {{"size", attributes.int_list(whole)},
                                      {"value", attributes.integer(std::int64_t{0})},
                                      {"dtype", attributes.dtype(x.dtype())}});
  const Value down = places(0, counts[0], true), across = places(1, counts[1], false);
  if (scope.failed()) return;
  const std::array positions{at, at + 1};
  const std::array pads{-padding[1], -padding[1], -padding[0], -padding[0]};
  const Value sums =
      scope.emit_one("index_put", {zeros, values, down, across},
                     {{"positions", attributes.int_list(positions)}, {"accumulate", attributes.boolean(true)}});
  if (scope.failed()) return;
  const bool crops = padding != std::array<std::int64_t, 2>{};
  const Value y = crops ? scope.emit_one("pad", {sums}, {{"pad", attributes.int_list(pads)}}) : sums;
  if (!scope.failed()) scope.result(0, y);
}

constexpr Converter kCompositeConverters[] = {
    {"aten.type_as.default", convert_type_as},
    {"aten.fill.Tensor", convert_fill_with_tensor},
    {"aten.eye.default", convert_eye},
    {"aten.diff.default", convert_diff},
    {"aten.meshgrid.default", convert_meshgrid},
    {"aten.meshgrid.indexing", convert_meshgrid},
    {"aten.adaptive_avg_pool3d.default", convert_adaptive_avg_pool3d},
    {"aten._adaptive_avg_pool3d.default", convert_adaptive_avg_pool3d},
    {"aten.adaptive_avg_pool1d.default", convert_adaptive_avg_pool1d},
    {"aten._weight_norm.default", convert_weight_norm},
    {"aten.im2col.default", convert_im2col},
    {"aten.col2im.default", convert_col2im},
};

}  // namespace

std::span<const Converter> composite_converters() { return kCompositeConverters; }

}  // namespace mlgc::program
