// Operators that rearrange elements and whose call does not look like a row's.
#include <algorithm>
#include <array>
#include <numeric>

#include "diag/kinds_import.h"
#include "import/program/convert.h"

namespace mlgc::program {

namespace {

// The recorded shape says what `-1` and flattened axes come to.
void to_recorded_shape(NodeScope& scope, std::string_view op, std::string_view attr) {
  const Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const Attribute shape = scope.context().attributes().int_list(scope.context().types().dims(type));
  const Value y = x.type() == type ? x : scope.emit_one(op, {x}, {{attr, shape}});
  if (!scope.failed()) scope.result(0, y);
}
void convert_view(NodeScope& scope) { to_recorded_shape(scope, "view", "shape"); }
void convert_expand(NodeScope& scope) { to_recorded_shape(scope, "expand", "size"); }

// Swaps the two axes of a matrix; gives anything smaller back.
void convert_t(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  if (x.rank() < 2) {
    scope.result(0, x);
    return;
  }
  std::vector<std::int64_t> dims(x.rank());
  std::iota(dims.rbegin(), dims.rend(), 0);
  const Value y = scope.emit_one("permute", {x}, {{"dims", scope.context().attributes().int_list(dims)}});
  if (!scope.failed()) scope.result(0, y);
}

// Axes of size 1 out of those asked for; the others stay.
void squeeze(NodeScope& scope, std::span<const std::int64_t> wanted) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  std::vector<std::int64_t> dims;
  for (const std::int64_t dim : wanted) {
    const std::int64_t axis = scope.axis(dim, x.rank());
    if (scope.failed()) return;
    if (x.rank() > 0 && scope.context().index().as_constant(x.dims()[static_cast<std::size_t>(axis)]) == 1)
      dims.push_back(axis);
  }
  const Value y =
      dims.empty() ? x : scope.emit_one("squeeze", {x}, {{"dim", scope.context().attributes().int_list(dims)}});
  if (!scope.failed()) scope.result(0, y);
}
void convert_squeeze(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  std::vector<std::int64_t> all(x.rank());
  std::iota(all.begin(), all.end(), 0);
  squeeze(scope, all);
}
void convert_squeeze_dim(NodeScope& scope) {
  std::vector<std::int64_t> dims;
  for (const IntArg& dim : scope.argument("dim").ints) dims.push_back(dim.value);
  squeeze(scope, dims);
}

// Every operator that cuts a tensor along one axis gives slices; their sizes are the recorded ones.
void convert_pieces(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  const std::int64_t axis = scope.axis(scope.constant("dim"), x.rank());
  Context& context = scope.context();
  AttributePool& attributes = context.attributes();
  IndexExpr start = context.index().constant(0);
  const std::size_t count = scope.output_names().size();
  for (std::size_t i = 0; i < count; ++i) {
    const Type type = scope.recorded(i);
    if (scope.failed()) return;
    const auto dims = context.types().dims(type);
    if (dims.size() != x.rank() || x.rank() == 0) {
      scope.refuse<kRanksDiffer>("its operand", x.rank(), "a piece", dims.size());
      return;
    }
    const IndexExpr end = context.index().add(start, dims[static_cast<std::size_t>(axis)]);
    const Value piece = scope.emit_one(
        "slice", {x},
        {{"dim", attributes.integer(axis)}, {"start", attributes.integer(start)}, {"end", attributes.integer(end)}});
    if (scope.failed()) return;
    scope.result(i, piece);
    start = end;
  }
}

void convert_narrow(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  AttributePool& attributes = scope.context().attributes();
  const IndexExpr start = scope.integer("start");
  const IndexExpr end = scope.context().index().add(start, scope.integer("length"));
  const Value y = scope.emit_one("slice", {x},
                                 {{"dim", attributes.integer(scope.axis(scope.constant("dim"), x.rank()))},
                                  {"start", attributes.integer(start)},
                                  {"end", attributes.integer(end)}});
  if (!scope.failed()) scope.result(0, y);
}

void convert_unbind(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  AttributePool& attributes = scope.context().attributes();
  const Attribute axis = attributes.integer(scope.axis(scope.constant("dim"), x.rank()));
  const std::size_t count = scope.output_names().size();
  for (std::size_t i = 0; i < count && !scope.failed(); ++i) {
    const Value piece =
        scope.emit_one("select", {x}, {{"dim", axis}, {"index", attributes.integer(static_cast<std::int64_t>(i))}});
    if (!scope.failed()) scope.result(i, piece);
  }
}

// An operand [0] joins operands of any rank and adds nothing.
void convert_cat(NodeScope& scope) {
  const Type type = scope.recorded(0);
  std::vector<Value> operands;
  Promotion promotion;
  for (const Value& x : scope.tensors("tensors")) {
    if (scope.failed()) return;
    promotion.add_tensor(x);
    const bool nothing = x.rank() == 1 && scope.context().index().as_constant(x.dims()[0]) == 0;
    if (!nothing || scope.context().types().rank(type) == 1) operands.push_back(x);
  }
  if (scope.failed()) return;
  for (Value& x : operands) x = scope.cast(x, promotion.result());
  const OpRef op = scope.emit("cat", operands, {{"dim", scope.context().attributes().integer(scope.integer("dim"))}});
  if (!scope.failed()) scope.result(0, op.result());
}

// Subscripts without elements may have any shape.
void convert_gather(NodeScope& scope) {
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const Context& context = scope.context();
  const auto dims = context.types().dims(type);
  const bool empty =
      std::any_of(dims.begin(), dims.end(), [&](IndexExpr dim) { return context.index().as_constant(dim) == 0; });
  if (!empty) return convert_by_row(scope, context.def(context.find_op("gather")));
  AttributePool& attributes = scope.context().attributes();
  scope.result(0, scope.emit_one("full", {},
                                 {{"size", attributes.int_list(dims)},
                                  {"value", attributes.integer(std::int64_t{0})},
                                  {"dtype", attributes.dtype(context.types().dtype(type))}}));
}

void convert_broadcast_tensors(NodeScope& scope) {
  const std::vector<Value> given = scope.tensors("tensors");
  for (std::size_t i = 0; i < given.size() && !scope.failed(); ++i) {
    const Type type = scope.recorded(i);
    if (scope.failed()) return;
    const Attribute size = scope.context().attributes().int_list(scope.context().types().dims(type));
    scope.result(i, given[i].type() == type ? given[i] : scope.emit_one("expand", {given[i]}, {{"size", size}}));
  }
}

constexpr std::int64_t kMaxShift = std::int64_t{1} << 31;

// Without axes it rolls the elements in row-major order.
void convert_roll(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  Context& context = scope.context();
  const auto dims = context.types().dims(type);
  if (std::any_of(dims.begin(), dims.end(), [&](IndexExpr dim) { return context.index().as_constant(dim) == 0; }))
    return scope.result(0, x);
  IndexPool& pool = context.index();
  AttributePool& attributes = context.attributes();
  std::vector<IndexExpr> shifts = scope.integers("shifts");
  if (scope.failed()) return;
  // What a number adds to whole turns is all that counts; a large one would leave 64 bits in a sum.
  const auto within = [&](IndexExpr& shift, IndexExpr size) {
    const auto number = pool.as_constant(shift);
    if (number && (*number > kMaxShift || *number < -kMaxShift)) shift = pool.mod(shift, size);
  };
  if (!scope.argument("dims").ints.empty() || x.rank() == 1) {
    std::vector<std::int64_t> axes;
    for (const IntArg& axis : scope.argument("dims").ints) axes.push_back(scope.axis(axis.value, x.rank()));
    if (axes.empty()) axes.push_back(0);
    if (scope.failed()) return;
    if (axes.size() != shifts.size()) return scope.refuse<kCountsDiffer>(shifts.size(), "shifts", axes.size(), "axes");
    for (std::size_t i = 0; i < axes.size(); ++i) within(shifts[i], dims[static_cast<std::size_t>(axes[i])]);
    const Value rolled =
        scope.emit_one("roll", {x}, {{"shifts", attributes.int_list(shifts)}, {"dims", attributes.int_list(axes)}});
    if (!scope.failed()) scope.result(0, rolled);
    return;
  }
  IndexExpr count = pool.constant(1);
  for (const IndexExpr dim : dims) count = pool.mul(count, dim);
  for (IndexExpr& shift : shifts) within(shift, count);
  constexpr std::array<std::int64_t, 1> kFirst{0};
  Value y = scope.emit_one("view", {x}, {{"shape", attributes.int_list(std::array{count})}});
  y = scope.emit_one("roll", {y}, {{"shifts", attributes.int_list(shifts)}, {"dims", attributes.int_list(kFirst)}});
  y = scope.emit_one("view", {y}, {{"shape", attributes.int_list(dims)}});
  if (!scope.failed()) scope.result(0, y);
}

void convert_repeat_interleave(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  if (scope.has("dim")) return convert_by_row(scope, scope.context().def(scope.context().find_op("repeat_interleave")));
  AttributePool& attributes = scope.context().attributes();
  IndexExpr count = scope.context().index().constant(1);
  for (const IndexExpr dim : x.dims()) count = scope.context().index().mul(count, dim);
  const Value flat = scope.emit_one("view", {x}, {{"shape", attributes.int_list(std::array{count})}});
  const Value y = scope.emit_one(
      "repeat_interleave", {flat},
      {{"repeats", attributes.integer(scope.integer("repeats"))}, {"dim", attributes.integer(std::int64_t{0})}});
  if (!scope.failed()) scope.result(0, y);
}

// A permutation that sorts the sequence is applied to it first; `side` says what `right` says.
void convert_searchsorted(NodeScope& scope) {
  Value sorted = scope.tensor("sorted_sequence");
  if (scope.failed()) return;
  const Argument& sought = scope.argument("self");
  Value x = scope.is_tensor("self") ? scope.tensor("self") : Value();
  if (scope.failed()) return;
  Promotion promotion;
  promotion.add_tensor(sorted);
  if (x.valid()) {
    promotion.add_tensor(x);
  } else {
    promotion.add_number(sought);
    x = scope.scalar(promotion.result(), sought);
  }
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  sorted = scope.cast(sorted, promotion.result());
  x = scope.cast(x, promotion.result());
  AttributePool& attributes = scope.context().attributes();
  const TypePool& types = scope.context().types();
  constexpr std::array<std::int64_t, 1> kOne{1};
  if (x.rank() == 0) x = scope.emit_one("view", {x}, {{"shape", attributes.int_list(kOne)}});
  if (scope.is_tensor("sorter")) {
    const auto last = static_cast<std::int64_t>(sorted.rank()) - 1;
    sorted = scope.emit_one("gather", {sorted, scope.tensor("sorter")}, {{"dim", attributes.integer(last)}});
  }
  const bool right = scope.flag("right") || (scope.has("side") && scope.argument("side").text == "right");
  Value y = scope.emit_one("searchsorted", {sorted, x}, {{"right", attributes.boolean(right)}});
  if (types.rank(type) == 0) y = scope.emit_one("view", {y}, {{"shape", attributes.int_list(types.dims(type))}});
  if (!scope.failed()) scope.result(0, scope.cast(y, types.dtype(type)));
}

constexpr Converter kMovementConverters[] = {
    {"aten.roll.default", convert_roll},
    {"aten.repeat_interleave.self_int", convert_repeat_interleave},
    {"aten.searchsorted.Tensor", convert_searchsorted},
    {"aten.searchsorted.Scalar", convert_searchsorted},
    {"aten.view_copy.default", convert_view},
    {"aten.squeeze_copy.default", convert_view},
    {"aten.squeeze_copy.dim", convert_view},
    {"aten.squeeze_copy.dims", convert_view},
    {"aten.unsqueeze_copy.default", convert_view},
    {"aten.view_as.default", convert_view},
    {"aten.reshape_as.default", convert_view},
    {"aten.ravel.default", convert_view},
    {"aten.atleast_1d.default", convert_view},
    {"aten.atleast_2d.default", convert_view},
    {"aten.atleast_3d.default", convert_view},
    {"aten.expand_copy.default", convert_expand},
    {"aten.expand_as.default", convert_expand},
    {"aten.broadcast_to.default", convert_expand},
    {"aten.t_copy.default", convert_t},
    {"aten.narrow_copy.default", convert_narrow},
    {"aten.unbind_copy.int", convert_unbind},
    {"aten.split_copy.Tensor", convert_pieces},
    {"aten.split_with_sizes_copy.default", convert_pieces},
    {"aten.unsafe_chunk.default", convert_pieces},
    {"aten.unsafe_split.Tensor", convert_pieces},
    {"aten.broadcast_tensors.default", convert_broadcast_tensors},
    {"aten.cat.default", convert_cat},
    {"aten.concat.default", convert_cat},
    {"aten.concatenate.default", convert_cat},
    {"aten.gather.default", convert_gather},
    {"aten.view.default", convert_view},
    {"aten.reshape.default", convert_view},
    {"aten._unsafe_view.default", convert_view},
    {"aten.flatten.using_ints", convert_view},
    {"aten.unflatten.int", convert_view},
    {"aten.expand.default", convert_expand},
    {"aten.t.default", convert_t},
    {"aten.numpy_T.default", convert_t},
    {"aten.squeeze.default", convert_squeeze},
    {"aten.squeeze.dim", convert_squeeze_dim},
    {"aten.squeeze.dims", convert_squeeze_dim},
    {"aten.chunk.default", convert_pieces},
    {"aten.split.Tensor", convert_pieces},
    {"aten.split_with_sizes.default", convert_pieces},
    {"aten.split.sizes", convert_pieces},
    {"aten.narrow.default", convert_narrow},
    {"aten.unbind.int", convert_unbind},
};

}  // namespace

std::span<const Converter> movement_converters() { return kMovementConverters; }

}  // namespace mlgc::program
