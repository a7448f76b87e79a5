// Composites of the exporter's higher levels that move axes, cut tensors along one, and choose among their elements.
#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/op_chain.h"

namespace mlgc::program {

namespace {

// --- axes in another order

std::vector<std::int64_t> axes_of(NodeScope& scope, std::string_view name, std::size_t rank) {
  std::vector<std::int64_t> axes;
  for (const IntArg& axis : scope.argument(name).ints) axes.push_back(scope.axis(axis.value, rank));
  return axes;
}

// Each axis named by `source` goes to the place named beside it, the others keep their order.
void convert_movedim(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  const std::vector<std::int64_t> from = axes_of(scope, "source", x.rank()),
                                  to = axes_of(scope, "destination", x.rank());
  if (scope.failed()) return;
  if (from.size() != to.size()) return scope.refuse<kCountsDiffer>(to.size(), "places", from.size(), "axes");
  if (x.rank() < 2) return scope.result(0, x);
  std::vector<std::int64_t> order(x.rank(), -1);
  for (std::size_t i = 0; i < from.size(); ++i) order[static_cast<std::size_t>(to[i])] = from[i];
  std::int64_t next = 0;
  for (std::int64_t& axis : order) {
    if (axis >= 0) continue;
    while (std::ranges::find(from, next) != from.end()) ++next;
    axis = next++;
  }
  OpChain chain(scope);
  const Value y = chain.call("permute", {x}, {{"dims", chain.list(order)}});
  if (!scope.failed()) scope.result(0, y);
}

void swap_axes(NodeScope& scope, std::string_view a, std::string_view b) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  const std::int64_t first = scope.axis(scope.constant(a), x.rank()), second = scope.axis(scope.constant(b), x.rank());
  if (scope.failed()) return;
  OpChain chain(scope);
  const Value y = x.rank() < 2
                      ? x
                      : chain.call("transpose", {x}, {{"dim0", chain.integer(first)}, {"dim1", chain.integer(second)}});
  if (!scope.failed()) scope.result(0, y);
}
void convert_swapaxes(NodeScope& scope) { swap_axes(scope, "axis0", "axis1"); }
void convert_swapdims(NodeScope& scope) { swap_axes(scope, "dim0", "dim1"); }

// The last two axes swapped; of real numbers the adjoint matrix is that too.
void convert_adjoint(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  OpChain chain(scope);
  const Value y =
      x.rank() < 2 ? x : chain.call("transpose", {x}, {{"dim0", chain.integer(-2)}, {"dim1", chain.integer(-1)}});
  if (!scope.failed()) scope.result(0, y);
}

// --- cutting

// At positions or into equal parts, of which the first ones are longer by one where the axis does not divide.
void cut(NodeScope& scope, std::int64_t axis) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  axis = scope.axis(axis, x.rank());
  if (scope.failed()) return;
  if (x.rank() == 0) return scope.refuse<kOperandAxes>("its operand", x.rank(), "at least one");
  IndexPool& pool = scope.context().index();
  AttributePool& attributes = scope.context().attributes();
  const IndexExpr size = x.dims()[static_cast<std::size_t>(axis)];
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(scope.arguments(), [&](const BoundArgument& a) { return a.name == name; });
  };
  std::vector<IndexExpr> bounds;  // between pieces
  if (has("sections")) {
    const std::int64_t parts = scope.constant("sections");
    if (scope.failed()) return;
    if (parts < 1 || parts != static_cast<std::int64_t>(scope.output_names().size()))
      return scope.refuse<kCountsDiffer>(scope.output_names().size(), "results", parts, "sections");
    const IndexExpr base = pool.floordiv(size, pool.constant(parts)), longer = pool.mod(size, pool.constant(parts));
    for (std::int64_t i = 1; i < parts; ++i)
      bounds.push_back(pool.add(pool.scale(base, i), pool.min(pool.constant(i), longer)));
  } else {
    bounds = scope.integers("indices");
    if (scope.failed()) return;
    if (bounds.size() + 1 != scope.output_names().size())
      return scope.refuse<kCountsDiffer>(scope.output_names().size(), "results", bounds.size(), "indices between them");
  }
  OpChain chain(scope);
  for (std::size_t i = 0; i <= bounds.size() && !scope.failed(); ++i) {
    const IndexExpr start = i == 0 ? chain.size(0) : bounds[i - 1], end = i == bounds.size() ? size : bounds[i];
    const Value piece = chain.call(
        "slice", {x},
        {{"dim", chain.integer(axis)}, {"start", attributes.integer(start)}, {"end", attributes.integer(end)}});
    if (!scope.failed()) scope.result(i, piece);
  }
}
void convert_tensor_split(NodeScope& scope) { cut(scope, scope.constant("dim")); }
void convert_hsplit(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (!scope.failed()) cut(scope, x.rank() == 1 ? 0 : 1);
}
void convert_vsplit(NodeScope& scope) { cut(scope, 0); }
void convert_dsplit(NodeScope& scope) { cut(scope, 2); }

// --- one beside the other

void convert_flatten_dense(NodeScope& scope) {
  OpChain chain(scope);
  std::vector<Value> parts = scope.tensors("tensors");
  for (Value& part : parts)
    if (!scope.failed()) part = chain.flat(part);
  if (!scope.failed()) chain.result(0, chain.cat(parts, 0));
}

// Sequences of different lengths, filled up to the longest one and stacked.
void convert_pad_sequence(NodeScope& scope) {
  OpChain chain(scope);
  std::vector<Value> parts = scope.tensors("sequences");
  const bool batch_first = scope.flag("batch_first"), left = scope.argument("padding_side").text == "left";
  const double padding = scope.real("padding_value");
  if (scope.failed() || parts.empty()) return;
  IndexPool& pool = scope.context().index();
  IndexExpr longest = chain.size(0);
  for (const Value& part : parts) {
    if (part.rank() == 0) return scope.refuse<kOperandAxes>("a sequence", 0, "at least one");
    longest = pool.equal(longest, part.dims()[0], scope.graph().facts()) == Truth::Yes
                  ? longest
                  : pool.max(longest, part.dims()[0]);
  }
  for (Value& part : parts) {
    const IndexExpr missing = pool.sub(longest, part.dims()[0]);
    if (pool.as_constant(missing) == 0) continue;
    std::vector<IndexExpr> dims = OpChain::dims(part);
    dims[0] = missing;
    const Value filling = chain.full(dims, padding, part.dtype());
    if (scope.failed()) return;
    part = chain.cat(left ? std::array{filling, part} : std::array{part, filling}, 0);
    if (scope.failed()) return;
  }
  const OpRef all = chain.several("stack", parts, {{"dim", chain.integer(batch_first ? 0 : 1)}});
  if (!scope.failed()) scope.result(0, all.result());
}

// --- choosing elements

// Pairs of rows are many, and their places are a constant of the program.
constexpr std::int64_t kMaxRows = 1024;

Value places(NodeScope& scope, std::span<const std::int64_t> values) {
  const std::array dims{scope.context().index().constant(static_cast<std::int64_t>(values.size()))};
  const Type type = scope.context().types().tensor(Dtype::I64, dims);
  return scope.emit_one("constant", {}, {{"value", scope.context().attributes().tensor(type, std::as_bytes(values))}});
}

// Distances between each two rows.
void convert_pdist(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const double p = scope.real("p");
  if (scope.failed()) return;
  if (x.rank() != 2) return scope.refuse<kOperandAxes>("its operand", x.rank(), "a matrix");
  const auto n = scope.context().index().as_constant(x.dims()[0]);
  if (!n) return scope.refuse<kArgumentNotConstant>("the number of rows", "sizes");
  if (*n > kMaxRows) return scope.refuse<kImportLimit>(*n, "rows", kMaxRows);
  OpChain chain(scope);
  if (*n < 2) return chain.result(0, chain.full(std::array{chain.size(0)}, std::int64_t{0}, x.dtype()));
  std::array<std::vector<std::int64_t>, 2> ends;
  for (std::int64_t first = 0; first < *n; ++first)
    for (std::int64_t second = first + 1; second < *n; ++second) {
      ends[0].push_back(first);
      ends[1].push_back(second);
    }
  const auto rows = [&](std::size_t i) {
    return chain.call("index_select", {x, places(scope, ends[i])}, {{"dim", chain.integer(0)}});
  };
  const Value first = rows(0), second = rows(1);
  const Value y = chain.call("linalg_vector_norm", {chain.call("sub", {first, second})},
                             {{"ord", scope.context().attributes().real(p)}, {"dim", chain.list({1})}});
  if (!scope.failed()) scope.result(0, y);
}

// All tuples of one element of each operand, the last one changing fastest.
void convert_cartesian_prod(NodeScope& scope) {
  OpChain chain(scope);
  const std::vector<Value> parts = scope.tensors("tensors");
  if (scope.failed() || parts.empty()) return;
  if (parts.size() == 1) return scope.result(0, parts[0]);
  std::vector<IndexExpr> grid;
  for (const Value& part : parts) {
    if (part.rank() != 1) return scope.refuse<kOperandAxes>("an operand", part.rank(), "one");
    grid.push_back(part.dims()[0]);
  }
  std::vector<Value> columns;
  for (std::size_t i = 0; i < parts.size(); ++i)
    columns.push_back(chain.flat(chain.expand(chain.along(parts[i], i, parts.size()), grid)));
  const OpRef all = chain.several("stack", columns, {{"dim", chain.integer(1)}});
  if (!scope.failed()) scope.result(0, all.result());
}

constexpr Converter kAxesConverters[] = {
    {"aten.movedim.int", convert_movedim},
    {"aten.movedim.intlist", convert_movedim},
    {"aten.moveaxis.int", convert_movedim},
    {"aten.moveaxis.intlist", convert_movedim},
    {"aten.swapaxes.default", convert_swapaxes},
    {"aten.swapdims.default", convert_swapdims},
    {"aten.mT.default", convert_adjoint},
    {"aten.mH.default", convert_adjoint},
    {"aten.adjoint.default", convert_adjoint},
    {"aten.matrix_H.default", convert_adjoint},
    {"aten.tensor_split.sections", convert_tensor_split},
    {"aten.tensor_split.indices", convert_tensor_split},
    {"aten.hsplit.int", convert_hsplit},
    {"aten.hsplit.array", convert_hsplit},
    {"aten.vsplit.int", convert_vsplit},
    {"aten.vsplit.array", convert_vsplit},
    {"aten.dsplit.int", convert_dsplit},
    {"aten.dsplit.array", convert_dsplit},
    {"aten.flatten_dense_tensors.default", convert_flatten_dense},
    {"aten.pad_sequence.default", convert_pad_sequence},
    {"aten.pdist.default", convert_pdist},
    {"aten.cartesian_prod.default", convert_cartesian_prod},
};

}  // namespace

std::span<const Converter> axis_converters() { return kAxesConverters; }

}  // namespace mlgc::program
