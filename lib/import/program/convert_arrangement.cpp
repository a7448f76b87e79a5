// Composites of the exporter's higher levels that join, turn, repeat and contract tensors.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/op_chain.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

std::int64_t signed_rank(Value x) { return static_cast<std::int64_t>(x.rank()); }

// --- joining

// A tensor of fewer axes than `rank` gets them where `atleast_1d`, `atleast_2d` and `atleast_3d` put them.
Value at_least(NodeScope& scope, OpChain& chain, Value x, std::size_t rank) {
  if (scope.failed() || x.rank() >= rank) return x;
  const IndexExpr one = chain.size(1);
  std::vector<IndexExpr> dims = OpChain::dims(x);
  if (dims.empty()) dims.push_back(one);
  if (rank >= 2 && dims.size() == 1) dims.insert(dims.begin(), one);
  if (rank == 3 && dims.size() == 2) dims.push_back(one);
  return chain.view(x, dims);
}

// Along `axis` of operands that have `rank` axes at least.
void stack_along(NodeScope& scope, std::size_t rank, std::size_t axis) {
  OpChain chain(scope);
  Promotion promotion;
  std::vector<Value> parts = scope.tensors("tensors");
  if (scope.failed()) return;
  for (const Value& part : parts) promotion.add_tensor(part);
  for (Value& part : parts) part = chain.cast(at_least(scope, chain, part, rank), promotion.result());
  // Lines stand side by side.
  const bool lines =
      axis == 1 && rank == 1 && std::ranges::all_of(parts, [](Value x) { return x.valid() && x.rank() == 1; });
  if (!scope.failed()) chain.result(0, chain.cat(parts, lines ? 0 : axis));
}
void convert_hstack(NodeScope& scope) { stack_along(scope, 1, 1); }
void convert_vstack(NodeScope& scope) { stack_along(scope, 2, 0); }
void convert_dstack(NodeScope& scope) { stack_along(scope, 3, 2); }

// Lines become columns.
void convert_column_stack(NodeScope& scope) {
  OpChain chain(scope);
  Promotion promotion;
  std::vector<Value> parts = scope.tensors("tensors");
  if (scope.failed()) return;
  for (const Value& part : parts) promotion.add_tensor(part);
  for (Value& part : parts) {
    if (part.rank() < 2) part = chain.view(part, std::array{chain.count(part.dims()), chain.size(1)});
    part = chain.cast(part, promotion.result());
  }
  if (!scope.failed()) chain.result(0, chain.cat(parts, 1));
}

void convert_at_least(NodeScope& scope) {
  OpChain chain(scope);
  const std::size_t rank = static_cast<std::size_t>(scope.target()[std::string_view("aten.atleast_").size()] - '0');
  const std::vector<Value> parts = scope.tensors("tensors");
  for (std::size_t i = 0; i < parts.size() && !scope.failed(); ++i)
    chain.result(i, at_least(scope, chain, parts[i], rank));
}

// --- turning

// A line becomes a matrix with it on a diagonal; of a matrix it is the diagonal.
void convert_diag(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  convert_by_expansion(scope, x.rank() == 2
                                  ? "diagonal(self){offset = diagonal}"
                                  : "shaped(index_put(flat(blank()), self, diagonal(positions(blank())){offset = "
                                    "diagonal}){positions = [0]})");
}

void convert_rot90(NodeScope& scope) {
  Value x = scope.tensor("self");
  const std::vector<IntArg> given = scope.argument("dims").ints;
  const std::int64_t turns = ((scope.constant("k") % 4) + 4) % 4;
  if (scope.failed()) return;
  if (given.size() != 2) return scope.refuse<kCountsDiffer>(given.size(), "axes", 2, "axes of a rotation");
  const std::int64_t a = scope.axis(given[0].value, x.rank()), b = scope.axis(given[1].value, x.rank());
  OpChain chain(scope);
  if (turns == 1 || turns == 2) x = chain.call("flip", {x}, {{"dims", chain.list({b})}});
  if (turns == 2 || turns == 3) x = chain.call("flip", {x}, {{"dims", chain.list({a})}});
  if (turns % 2 == 1) x = chain.call("transpose", {x}, {{"dim0", chain.integer(a)}, {"dim1", chain.integer(b)}});
  chain.result(0, x);
}

// The zero frequency goes to the middle of each axis, or back.
void convert_shift(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  OpChain chain(scope);
  IndexPool& pool = scope.context().index();
  std::vector<std::int64_t> axes;
  for (const IntArg& dim : scope.argument("dim").ints) axes.push_back(scope.axis(dim.value, x.rank()));
  if (!scope.has("dim")) {
    axes.resize(x.rank());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (scope.failed()) return;
  const bool back = scope.target() == "aten.fft_ifftshift.default";
  std::vector<IndexExpr> shifts;
  for (const std::int64_t axis : axes) {
    const IndexExpr size = x.dims()[static_cast<std::size_t>(axis)];
    shifts.push_back(pool.floordiv(back ? pool.add(size, chain.size(1)) : size, chain.size(2)));
  }
  chain.result(
      0, axes.empty() ? x : chain.call("roll", {x}, {{"shifts", chain.sizes(shifts)}, {"dims", chain.list(axes)}}));
}

// Axes split by `factor` and put into another order: `order` is of the axes from the first that is split
// on.
void regroup(NodeScope& scope, std::size_t outer, const std::vector<IndexExpr>& inner,
             std::initializer_list<std::int64_t> order) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  OpChain chain(scope);
  std::vector<IndexExpr> dims(x.dims().begin(), x.dims().begin() + static_cast<std::ptrdiff_t>(outer));
  dims.insert(dims.end(), inner.begin(), inner.end());
  std::vector<std::int64_t> axes(outer);
  std::iota(axes.begin(), axes.end(), 0);
  for (const std::int64_t axis : order) axes.push_back(static_cast<std::int64_t>(outer) + axis);
  chain.result(0, chain.call("permute", {chain.view(x, dims)}, {{"dims", chain.list(axes)}}));
}

void convert_pixel_unshuffle(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const std::int64_t factor = scope.constant("downscale_factor");
  if (scope.failed()) return;
  if (x.rank() < 3) return scope.refuse<kOperandAxes>("its operand", x.rank(), "at least three");
  if (factor < 1) return scope.refuse<kUnsupportedArgument>("downscale_factor", std::to_string(factor), "1 or more");
  IndexPool& pool = scope.context().index();
  const IndexExpr part = pool.constant(factor);
  const std::size_t outer = x.rank() - 3;
  const IndexExpr channels = x.dims()[outer], rows = pool.floordiv(x.dims()[outer + 1], part),
                  columns = pool.floordiv(x.dims()[outer + 2], part);
  regroup(scope, outer, {channels, rows, part, columns, part}, {0, 2, 4, 1, 3});
}

void convert_channel_shuffle(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const IndexExpr groups = scope.integer("groups");
  if (scope.failed()) return;
  if (x.rank() < 3) return scope.refuse<kOperandAxes>("its operand", x.rank(), "at least three");
  IndexPool& pool = scope.context().index();
  std::vector<IndexExpr> inner{groups, pool.floordiv(x.dims()[1], groups)};
  IndexExpr rest = pool.constant(1);
  for (std::size_t i = 2; i < x.rank(); ++i) rest = pool.mul(rest, x.dims()[i]);
  inner.push_back(rest);
  regroup(scope, 1, inner, {1, 0, 2});
}

// --- repeating

void convert_tile(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  OpChain chain(scope);
  std::vector<IndexExpr> repeats = scope.integers("dims");
  if (scope.failed()) return;
  if (repeats.size() < x.rank()) repeats.insert(repeats.begin(), x.rank() - repeats.size(), chain.size(1));
  chain.result(0, chain.call("repeat", {x}, {{"repeats", chain.sizes(repeats)}}));
}

// Where each element of the result comes from: how many sums of repeats it is not below.
void convert_repeats(NodeScope& scope) {
  const bool positions_only = scope.target() == "aten.repeat_interleave.Tensor";
  const Value repeats = scope.tensor("repeats");
  Value x = positions_only ? Value() : scope.tensor("self");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  OpChain chain(scope);
  const bool along = !positions_only && scope.has("dim");
  const std::int64_t axis = along ? scope.axis(scope.constant("dim"), x.rank()) : 0;
  if (!positions_only) x = along ? chain.with_axis(x) : chain.flat(x);
  if (scope.failed()) return;
  const auto at = static_cast<std::size_t>(axis);
  const auto dims = scope.context().types().dims(type);
  if (at >= dims.size()) return scope.refuse<kOperandAxes>("its result", dims.size(), "the axis of its operand");
  Value counts = chain.with_axis(chain.cast(repeats, Dtype::I64));
  if (!positions_only && !scope.failed()) counts = chain.expand(counts, std::array{x.dims()[at]});
  const Value total = chain.call("sum", {counts});
  if (scope.failed()) return;
  Value places = scope.graph().bind_size(dims[at], scope.graph().recorded_size(scope.output_names()[0], at), total,
                                         scope.location());
  if (!places.valid()) {
    chain.check_equal(total, dims[at], "`repeat_interleave`: the repeats do not sum up to the size of the result");
    places = chain.positions(std::array{dims[at]});
  }
  const Value ends = chain.call("cumsum", {counts}, {{"dim", chain.integer(0)}});
  const Value from = chain.call("searchsorted", {ends, places}, {{"right", chain.flag(true)}});
  chain.result(0, positions_only ? from : chain.call("index_select", {x, from}, {{"dim", chain.integer(axis)}}));
}

// --- numbers

// Sums over the axes that the result does not have, or has with size 1.
void convert_sum_to_size(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  OpChain chain(scope);
  const auto dims = scope.context().types().dims(type);
  if (dims.size() > x.rank()) return scope.refuse<kRanksDiffer>("its operand", x.rank(), "its result", dims.size());
  const std::size_t missing = x.rank() - dims.size();
  std::vector<std::int64_t> summed;
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (i < missing || dims[i - missing] != x.dims()[i]) summed.push_back(static_cast<std::int64_t>(i));
  chain.result(0, summed.empty() ? x : chain.call("sum", {x}, {{"dim", chain.list(summed)}}));
}

double largest(Dtype dtype) {
  switch (dtype) {
    case Dtype::F16: return 65504;
    case Dtype::BF16: return 0x1.fep127;
    case Dtype::F32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

void convert_nan_to_num(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  OpChain chain(scope);
  if (!is_float(x.dtype())) return chain.result(0, x);
  const double most = largest(x.dtype());
  const auto replaced = [&](std::string_view name, double otherwise) {
    return chain.full({}, scope.has(name) ? scope.real(name) : otherwise, x.dtype());
  };
  const Value infinite = chain.call("isinf", {x});
  const Value positive = chain.call("gt", {x}, {{"other", chain.integer(0)}});
  const Value ends = chain.call("where", {positive, replaced("posinf", most), replaced("neginf", -most)});
  const Value finite = chain.call("where", {infinite, ends, x});
  chain.result(0, chain.call("where", {chain.call("isnan", {x}), replaced("nan", 0), finite}));
}

// Areas between neighbours along an axis, `dx` or what `x` says apart; all of them, or the sums up to each.
void convert_trapezoid(NodeScope& scope) {
  const Value y = scope.tensor("y");
  const bool spaced = scope.target().ends_with(".x");
  Value x = spaced ? scope.tensor("x") : Value();
  if (scope.failed()) return;
  if (y.rank() == 0) return scope.refuse<kOperandAxes>("its operand", y.rank(), "at least one");
  const std::int64_t axis = scope.axis(scope.constant("dim"), y.rank());
  OpChain chain(scope);
  const auto pair = [&](Value of, std::size_t at, std::string_view op) {
    if (scope.failed()) return Value();
    const IndexExpr size = of.dims()[at], one = chain.size(1);
    const Value later = chain.slice(of, at, one, size);
    return chain.call(op, {later, chain.slice(of, at, chain.size(0), scope.context().index().sub(size, one))});
  };
  Value areas = pair(y, static_cast<std::size_t>(axis), "add");
  if (spaced) {
    const bool line = x.rank() == 1 && y.rank() > 1;
    if (!line && x.rank() != y.rank()) return scope.refuse<kRanksDiffer>("its operand", y.rank(), "`x`", x.rank());
    Value widths = pair(x, line ? 0 : static_cast<std::size_t>(axis), "sub");
    if (line) widths = chain.along(widths, static_cast<std::size_t>(axis), y.rank());
    if (scope.failed()) return;
    if (widths.dtype() != areas.dtype())
      return scope.refuse<kArgumentKind>("argument `x`", dtype_info(widths.dtype()).name,
                                         dtype_info(areas.dtype()).name);
    areas = chain.call("mul", {areas, widths});
  }
  if (scope.failed()) return;
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const bool cumulative = scope.target().starts_with("aten.cumulative");
  const auto total = [&](Value of) {
    return cumulative ? chain.call("cumsum", {of}, {{"dim", chain.integer(axis)}})
                      : chain.call("sum", {of}, {{"dim", chain.list({axis})}});
  };
  const double width = spaced ? 0.5 : scope.real("dx") / 2;
  const Dtype dtype = scope.context().types().dtype(type);
  const Value sums = chain.cast(total(areas), is_float(dtype) ? dtype : Dtype::F64);
  chain.result(0, chain.call("mul", {sums}, {{"other", scope.context().attributes().real(width)}}));
}

// --- contractions

Value contracted(NodeScope& scope, OpChain& chain, const std::string& equation, std::span<const Value> operands) {
  const OpRef op = chain.several("einsum", operands, {{"equation", scope.context().attributes().string(equation)}});
  return op.valid() ? op.result() : Value();
}

// Index labels of an einsum are from a to z, or A to Z.
constexpr std::size_t kMaxLabels = 26;

std::string label(std::size_t i) { return std::string(1, static_cast<char>('a' + i)); }

void contract(NodeScope& scope, Value a, Value b, std::span<const std::int64_t> of_a,
              std::span<const std::int64_t> of_b) {
  if (scope.failed()) return;
  if (a.rank() + b.rank() > kMaxLabels) return scope.refuse<kImportLimit>(a.rank() + b.rank(), "axes", kMaxLabels);
  if (of_a.size() != of_b.size()) return scope.refuse<kCountsDiffer>(of_a.size(), "axes", of_b.size(), "axes");
  std::vector<std::size_t> names_a(a.rank()), names_b(b.rank());
  std::iota(names_a.begin(), names_a.end(), 0);
  std::iota(names_b.begin(), names_b.end(), a.rank());
  std::vector<bool> gone(a.rank() + b.rank());
  const IndexPool& pool = scope.context().index();
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const auto at = static_cast<std::size_t>(of_a[i]), other = static_cast<std::size_t>(of_b[i]);
    // An axis of size 1 repeats, so that the other one is summed by itself.
    const bool repeats = a.dims()[at] != b.dims()[other] &&
                         (pool.as_constant(a.dims()[at]) == 1 || pool.as_constant(b.dims()[other]) == 1);
    if (!repeats) names_b[other] = at;
    gone[at] = gone[names_b[other]] = true;
  }
  std::string left, right, result;
  for (const std::size_t name : names_a) left += label(name);
  for (const std::size_t name : names_b) right += label(name);
  for (const auto* names : {&names_a, &names_b})
    for (const std::size_t name : *names)
      if (!gone[name]) result += label(name);
  OpChain chain(scope);
  const std::array operands{a, b};
  chain.result(0, contracted(scope, chain, left + "," + right + "->" + result, operands));
}

void convert_inner(NodeScope& scope) {
  const Value a = scope.tensor("self"), b = scope.tensor("other");
  if (scope.failed()) return;
  if (a.rank() == 0 || b.rank() == 0) return convert_by_expansion(scope, "self*other");
  const std::array last_a{signed_rank(a) - 1}, last_b{signed_rank(b) - 1};
  contract(scope, a, b, last_a, last_b);
}

void convert_tensordot(NodeScope& scope) {
  const Value a = scope.tensor("self"), b = scope.tensor("other");
  if (scope.failed()) return;
  std::vector<std::int64_t> of_a, of_b;
  for (const IntArg& dim : scope.argument("dims_self").ints) of_a.push_back(scope.axis(dim.value, a.rank()));
  for (const IntArg& dim : scope.argument("dims_other").ints) of_b.push_back(scope.axis(dim.value, b.rank()));
  contract(scope, a, b, of_a, of_b);
}

void convert_bilinear(NodeScope& scope) {
  const Value a = scope.tensor("input1"), b = scope.tensor("input2"), weight = scope.tensor("weight");
  if (scope.failed()) return;
  if (a.rank() == 0 || a.rank() != b.rank())
    return scope.refuse<kRanksDiffer>("its first operand", a.rank(), "its second", b.rank());
  if (a.rank() > kMaxLabels - 6) return scope.refuse<kImportLimit>(a.rank(), "axes", kMaxLabels - 6);
  OpChain chain(scope);
  std::string outer;
  for (std::size_t i = 0; i + 1 < a.rank(); ++i) outer += label(i);
  const std::array operands{a, weight, b};
  Value y = contracted(scope, chain, outer + "x,zxy," + outer + "y->" + outer + "z", operands);
  if (scope.is_tensor("bias")) y = chain.call("add", {y, scope.tensor("bias")});
  chain.result(0, y);
}

// Three operands, each without the axes that it is repeated along; some axes are summed.
void convert_trilinear(NodeScope& scope) {
  std::vector<Value> operands;
  for (const std::string_view name : {"i1", "i2", "i3"}) operands.push_back(scope.tensor(name));
  const auto has = [&](std::string_view list, std::size_t axis) {
    return std::ranges::any_of(scope.argument(list).ints,
                               [&](const IntArg& a) { return a.value == static_cast<std::int64_t>(axis); });
  };
  if (scope.failed()) return;
  const std::size_t rank = operands[0].rank() + scope.argument("expand1").ints.size();
  if (rank > kMaxLabels) return scope.refuse<kImportLimit>(rank, "axes", kMaxLabels);
  std::string equation, result;
  for (const std::string_view expanded : {"expand1", "expand2", "expand3"}) {
    if (!equation.empty()) equation += ",";
    for (std::size_t axis = 0; axis < rank; ++axis)
      if (!has(expanded, axis)) equation += label(axis);
  }
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (!has("sumdim", axis)) result += label(axis);
  OpChain chain(scope);
  chain.result(0, contracted(scope, chain, equation + "->" + result, operands));
}

void convert_kron(NodeScope& scope) {
  const Value a = scope.tensor("self"), b = scope.tensor("other");
  if (scope.failed()) return;
  OpChain chain(scope);
  const std::size_t rank = std::max(a.rank(), b.rank());
  const auto spread = [&](Value x, bool first) {
    std::vector<IndexExpr> dims;
    for (std::size_t i = 0; i < rank; ++i) {
      const IndexExpr size = i < rank - x.rank() ? chain.size(1) : x.dims()[i - (rank - x.rank())];
      dims.push_back(first ? size : chain.size(1));
      dims.push_back(first ? chain.size(1) : size);
    }
    return chain.view(x, dims);
  };
  Promotion promotion;
  promotion.add_tensor(a);
  promotion.add_tensor(b);
  const auto operand = [&](Value x, bool first) { return chain.cast(spread(x, first), promotion.result()); };
  const bool truth = promotion.result() == Dtype::I1;
  chain.result(0, chain.call(truth ? "logical_and" : "mul", {operand(a, true), operand(b, false)}));
}

void convert_multi_dot(NodeScope& scope) {
  OpChain chain(scope);
  const std::vector<Value> factors = scope.tensors("tensors");
  if (scope.failed() || factors.empty()) return;
  Value y = factors[0];
  for (std::size_t i = 1; i < factors.size(); ++i) y = chain.call("matmul", {y, factors[i]});
  chain.result(0, y);
}

constexpr Converter kArrangementConverters[] = {
    {"aten.hstack.default", convert_hstack},
    {"aten.vstack.default", convert_vstack},
    {"aten.row_stack.default", convert_vstack},
    {"aten.dstack.default", convert_dstack},
    {"aten.column_stack.default", convert_column_stack},
    {"aten.atleast_1d.Sequence", convert_at_least},
    {"aten.atleast_2d.Sequence", convert_at_least},
    {"aten.atleast_3d.Sequence", convert_at_least},
    {"aten.diag.default", convert_diag},
    {"aten.rot90.default", convert_rot90},
    {"aten.fft_fftshift.default", convert_shift},
    {"aten.fft_ifftshift.default", convert_shift},
    {"aten.pixel_unshuffle.default", convert_pixel_unshuffle},
    {"aten.channel_shuffle.default", convert_channel_shuffle},
    {"aten.native_channel_shuffle.default", convert_channel_shuffle},
    {"aten.tile.default", convert_tile},
    {"aten.repeat_interleave.Tensor", convert_repeats},
    {"aten.repeat_interleave.self_Tensor", convert_repeats},
    {"aten.sum_to_size.default", convert_sum_to_size},
    {"aten.nan_to_num.default", convert_nan_to_num},
    {"aten.trapezoid.x", convert_trapezoid},
    {"aten.trapezoid.dx", convert_trapezoid},
    {"aten.trapz.x", convert_trapezoid},
    {"aten.trapz.dx", convert_trapezoid},
    {"aten.cumulative_trapezoid.x", convert_trapezoid},
    {"aten.cumulative_trapezoid.dx", convert_trapezoid},
    {"aten.inner.default", convert_inner},
    {"aten.tensordot.default", convert_tensordot},
    {"aten.bilinear.default", convert_bilinear},
    {"aten._trilinear.default", convert_trilinear},
    {"aten.kron.default", convert_kron},
    {"aten.linalg_multi_dot.default", convert_multi_dot},
};

}  // namespace

std::span<const Converter> arrangement_converters() { return kArrangementConverters; }

}  // namespace mlgc::program
