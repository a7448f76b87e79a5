// Operators that rearrange elements and whose call does not look like a row's.
#include <numeric>

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
      scope.unsupported("pieces of another rank");
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

constexpr Converter kConverters[] = {
    {"aten.view.default", convert_view, "view"},
    {"aten.reshape.default", convert_view, "view"},
    {"aten._unsafe_view.default", convert_view, "view"},
    {"aten.flatten.using_ints", convert_view, "view"},
    {"aten.unflatten.int", convert_view, "view"},
    {"aten.expand.default", convert_expand, "expand"},
    {"aten.t.default", convert_t, "permute"},
    {"aten.numpy_T.default", convert_t, "permute"},
    {"aten.squeeze.default", convert_squeeze, "squeeze"},
    {"aten.squeeze.dim", convert_squeeze_dim, "squeeze"},
    {"aten.squeeze.dims", convert_squeeze_dim, "squeeze"},
    {"aten.chunk.default", convert_pieces, "slice"},
    {"aten.split.Tensor", convert_pieces, "slice"},
    {"aten.split_with_sizes.default", convert_pieces, "slice"},
    {"aten.narrow.default", convert_narrow, "slice"},
    {"aten.unbind.int", convert_unbind, "select"},
};

}  // namespace

std::span<const Converter> movement_converters() { return kConverters; }

}  // namespace mlgc::program
