// Operators of the exporter's higher levels that are a few of our ops, or one with other arguments.
#include <algorithm>
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

// The columns of one tap, or of neighbouring taps that are as many as blocks are apart, as an image: blocks side by
// side, zeros where they have none of these taps, and around them what the image has more.
class Taps {
 public:
  Taps(NodeScope& scope, const Blocks& blocks, Value columns, std::array<std::int64_t, 2> size,
       std::array<std::int64_t, 2> counts)
      : scope_(scope), blocks_(blocks), columns_(columns), size_(size), counts_(counts) {}

  // How many taps go together along an axis.
  [[nodiscard]] std::int64_t together(std::size_t i) const { return blocks_.dilation[i] == 1 ? blocks_.step[i] : 1; }
  // From these taps on. Invalid: refused.
  Value image(std::array<std::int64_t, 2> first) {
    const auto rows = static_cast<std::int64_t>(columns_.rank()) - 4;
    AttributePool& attributes = scope_.context().attributes();
    IndexPool& pool = scope_.context().index();
    Value x = columns_;
    std::array<std::int64_t, 2> before{}, after{};
    for (const std::size_t i : {0U, 1U}) {
      const std::int64_t end = std::min(first[i] + together(i), blocks_.kernel[i]), step = blocks_.step[i];
      const std::int64_t begin = first[i] * blocks_.dilation[i], skipped = begin % step;
      const std::int64_t missing = step - skipped - (end - first[i]);
      const std::int64_t axis = rows + static_cast<std::int64_t>(i);
      x = scope_.emit_one("slice", {x},
                          {{"dim", attributes.integer(axis)},
                           {"start", attributes.integer(first[i])},
                           {"end", attributes.integer(end)}});
      if (scope_.failed()) return {};
      before[i] = begin - skipped - blocks_.padding[i];
      after[i] = size_[i] - before[i] - counts_[i] * step;
      if (skipped == 0 && missing == 0) continue;
      std::vector<std::int64_t> pads(i == 0 ? 8 : 6);
      pads[pads.size() - 2] = skipped, pads[pads.size() - 1] = missing;
      x = scope_.emit_one("pad", {x}, {{"pad", attributes.int_list(pads)}});
      if (scope_.failed()) return {};
    }
    std::vector<std::int64_t> order;
    for (std::int64_t axis = 0; axis < rows; ++axis) order.push_back(axis);
    order.insert(order.end(), {rows + 2, rows, rows + 3, rows + 1});
    x = scope_.emit_one("permute", {x}, {{"dims", attributes.int_list(order)}});
    if (scope_.failed()) return {};
    std::vector<IndexExpr> shape(columns_.dims().begin(), columns_.dims().begin() + rows);
    for (const std::size_t i : {0U, 1U}) shape.push_back(pool.constant(counts_[i] * blocks_.step[i]));
    x = scope_.emit_one("view", {x}, {{"shape", attributes.int_list(shape)}});
    if (scope_.failed()) return {};
    const std::array pads{before[1], after[1], before[0], after[0]};
    return scope_.emit_one("pad", {x}, {{"pad", attributes.int_list(pads)}});
  }

 private:
  NodeScope& scope_;
  const Blocks& blocks_;
  Value columns_;
  std::array<std::int64_t, 2> size_, counts_;
};

// Sums blocks where they overlap: each element gathers what the blocks have of it, in the order of their taps. Sums of
// 16-bit floats are rounded once.
void convert_col2im(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  const std::array<std::int64_t, 2> size = pair(scope, "output_size");
  const Blocks blocks(scope);
  if (scope.failed()) return;
  const auto result = scope.context().types().dims(type);
  IndexPool& pool = scope.context().index();
  std::array<std::int64_t, 2> counts{};
  std::vector<IndexExpr> split(result.begin(), result.end() - 2);
  for (const std::size_t i : {0U, 1U}) {
    const std::int64_t reach = blocks.dilation[i] * (blocks.kernel[i] - 1) + 1;
    counts[i] = (size[i] + 2 * blocks.padding[i] - reach) / blocks.step[i] + 1;
    split.push_back(pool.constant(blocks.kernel[i]));
  }
  for (const std::int64_t count : counts) split.push_back(pool.constant(count));
  const Value columns = scope.emit_one("view", {x}, {{"shape", scope.context().attributes().int_list(split)}});
  if (scope.failed()) return;
  Taps taps(scope, blocks, columns, size, counts);
  const bool narrow = is_float(x.dtype()) && dtype_info(x.dtype()).bytes < 4;
  Value sum;
  for (std::int64_t i = 0; i < blocks.kernel[0]; i += taps.together(0))
    for (std::int64_t j = 0; j < blocks.kernel[1]; j += taps.together(1)) {
      Value image = taps.image({i, j});
      if (scope.failed()) return;
      if (narrow) image = scope.cast(image, Dtype::F32);
      if (scope.failed()) return;
      sum = sum.valid() ? scope.emit_one("add", {sum, image}) : image;
      if (scope.failed()) return;
    }
  if (narrow) sum = scope.cast(sum, x.dtype());
  if (!scope.failed()) scope.result(0, sum);
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
