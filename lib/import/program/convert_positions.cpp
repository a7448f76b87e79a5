// Operators that read and write at positions that data give: sorted order, masks, bounds of slices, indices.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/op_chain.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

// --- bounds that depend on data

bool depends_on_data(NodeScope& scope, std::string_view name) {
  const Argument& value = scope.argument(name);
  return value.is(Kind::Int) && !value.ints[0].name.empty() && !scope.graph().integer(value.ints[0]);
}

// A position along an axis of `size` elements as a value; a negative one counts from the end.
Value position(NodeScope& scope, OpChain& chain, std::string_view name, IndexExpr size) {
  const Value given = scope.scalar(Dtype::I64, scope.argument(name));
  AttributePool& attributes = scope.context().attributes();
  const Value wrapped = chain.call("add", {given}, {{"other", attributes.integer(size)}});
  return chain.call("where", {chain.call("lt", {given}, {{"other", chain.integer(0)}}), wrapped, given});
}

// Bounds that are sizes. Where the file says that the result is shorter than from one to the other, they end with the
// axis.
void slice_by_sizes(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  IndexPool& pool = scope.context().index();
  AttributePool& attributes = scope.context().attributes();
  const std::int64_t axis = scope.axis(scope.constant("dim"), x.rank()), step = scope.constant("step");
  if (scope.failed()) return;
  const IndexExpr size = x.rank() == 0 ? pool.constant(1) : x.dims()[static_cast<std::size_t>(axis)];
  const auto given = [&](std::string_view name, IndexExpr otherwise) {
    return scope.argument(name).none() ? otherwise : scope.integer(name);
  };
  std::array bounds{given("start", pool.constant(0)), given("end", size)};
  if (scope.failed()) return;
  const bool constant = pool.as_constant(bounds[0]) && (pool.as_constant(bounds[1]) || bounds[1] == size);
  if (!constant && x.rank() > 0 && scope.graph().graph().types_recorded) {
    const Type type = scope.recorded(0);
    if (scope.failed()) return;
    if (scope.context().types().rank(type) != x.rank())
      return scope.refuse<kRanksDiffer>("its operand", x.rank(), "its result", scope.context().types().rank(type));
    const IndexExpr span = pool.add(pool.sub(bounds[1], bounds[0]), pool.constant(step - 1));
    const IndexExpr length = pool.floordiv(span, pool.constant(step));
    const IndexExpr recorded = scope.context().types().dims(type)[static_cast<std::size_t>(axis)];
    const bool whole = pool.equal(length, recorded, scope.graph().facts()) == Truth::Yes;
    for (IndexExpr& bound : bounds)
      if (!whole && !pool.as_constant(bound)) bound = pool.min(bound, size);
  }
  NodeScope::Attrs attrs{{"dim", attributes.integer(axis)}, {"step", attributes.integer(step)}};
  if (!scope.argument("start").none()) attrs.emplace_back("start", attributes.integer(bounds[0]));
  if (!scope.argument("end").none()) attrs.emplace_back("end", attributes.integer(bounds[1]));
  const Value y = scope.emit_one("slice", {x}, attrs);
  if (!scope.failed()) scope.result(0, y);
}

// Bounds that are data. The size of the result is a symbol that the file bounds: `range` binds it to the number of
// positions between the bounds.
void slice_by_data(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const std::int64_t axis = scope.axis(scope.constant("dim"), x.rank()), step = scope.constant("step");
  const auto dims = scope.context().types().dims(type);
  if (scope.failed()) return;
  if (dims.size() != x.rank() || x.rank() == 0 || step < 1)
    return scope.refuse<kOperandAxes>("its operand", x.rank(), "at least one, and a step of 1 or more");
  OpChain chain(scope);
  AttributePool& attributes = scope.context().attributes();
  const auto at = static_cast<std::size_t>(axis);
  const IndexExpr size = x.dims()[at], length = dims[at];
  const auto bound = [&](std::string_view name, IndexExpr otherwise) {
    if (scope.argument(name).none()) return chain.call("dim", {}, {{"value", attributes.integer(otherwise)}});
    const Value low = chain.call("maximum", {position(scope, chain, name, size)}, {{"other", chain.integer(0)}});
    return chain.call("minimum", {low}, {{"other", attributes.integer(size)}});
  };
  const Value start = bound("start", chain.size(0)), end = bound("end", size);
  Value count = chain.call("sub", {end, start});
  count = chain.call("add", {count}, {{"other", chain.integer(step - 1)}});
  count = chain.call("floor_divide", {count}, {{"other", chain.integer(step)}});
  count = chain.call("maximum", {count}, {{"other", chain.integer(0)}});
  if (scope.failed()) return;
  const std::optional<Size> recorded = scope.graph().recorded_size(scope.output_names()[0], at);
  Value places = scope.graph().bind_size(length, recorded, count, scope.location());
  if (!places.valid()) places = chain.positions(std::array{length});
  if (step > 1) places = chain.call("mul", {places}, {{"other", chain.integer(step)}});
  places = chain.call("add", {places, start});
  chain.result(0, chain.call("index_select", {x, places}, {{"dim", chain.integer(axis)}}));
}

void convert_slice(NodeScope& scope) {
  const bool from_data = depends_on_data(scope, "start") || depends_on_data(scope, "end");
  if (from_data && scope.graph().graph().types_recorded) return slice_by_data(scope);
  slice_by_sizes(scope);
}

void convert_select(NodeScope& scope) {
  if (!depends_on_data(scope, "index") || !scope.graph().graph().types_recorded)
    return convert_by_row(scope, scope.context().def(scope.context().find_op("select")));
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  const std::int64_t axis = scope.axis(scope.constant("dim"), x.rank());
  if (scope.failed()) return;
  if (x.rank() == 0) return scope.refuse<kOperandAxes>("its operand", x.rank(), "at least one");
  OpChain chain(scope);
  const Value place = position(scope, chain, "index", x.dims()[static_cast<std::size_t>(axis)]);
  chain.result(0, chain.call("index_select", {x, chain.with_axis(place)}, {{"dim", chain.integer(axis)}}));
}

// --- masks

// The first size of what the file records of result 0.
IndexExpr leading_size(NodeScope& scope) {
  const Type type = scope.recorded(0);
  if (!scope.failed() && scope.context().types().rank(type) == 0)
    scope.refuse<kOperandAxes>("its result", 0, "at least one");
  return scope.failed() ? IndexExpr() : scope.context().types().dims(type)[0];
}

// The positions where a mask of one axis is true; `count` is what their number is called.
Value true_positions(NodeScope& scope, OpChain& chain, Value mask, IndexExpr count) {
  if (scope.failed()) return {};
  if (scope.context().index().as_constant(count) == 0)
    return chain.full(std::array{count}, std::int64_t{0}, Dtype::I64);
  const std::array pairs{count, chain.size(1)};
  return chain.flat(scope.emit_stated("nonzero", mask, scope.context().types().tensor(Dtype::I64, pairs)));
}

void convert_masked_select(NodeScope& scope) {
  Value x = scope.tensor("self"), mask = scope.tensor("mask");
  const IndexExpr count = leading_size(scope);
  if (scope.failed()) return;
  OpChain chain(scope);
  const Value both = chain.call("where", {mask, x, x});  // in the shape of both together
  if (scope.failed()) return;
  mask = chain.expand(mask, both.dims());
  const Value places = true_positions(scope, chain, chain.flat(mask), count);
  chain.result(0, chain.call("index_select", {chain.flat(both), places}, {{"dim", chain.integer(0)}}));
}

// What is set gets the elements of the source in turn, which may have more of them.
void convert_masked_scatter(NodeScope& scope) {
  const Value x = scope.tensor("self"), source = scope.tensor("source");
  Value mask = scope.tensor("mask");
  if (scope.failed()) return;
  OpChain chain(scope);
  const Value both = std::ranges::equal(mask.dims(), x.dims()) ? x : chain.call("where", {mask, x, x});
  if (scope.failed()) return;
  mask = chain.expand(mask, both.dims());
  Value values = chain.flat(source);
  const IndexExpr count = chain.count(source.dims());
  chain.check_at_most(chain.count_set(mask), count,
                      "`masked_scatter`: the source has fewer elements than the mask has set");
  // What is not set reads an element too.
  if (!scope.context().index().is_non_negative(scope.context().index().sub(count, chain.size(1)),
                                               scope.graph().facts()))
    values = chain.cat(std::array{values, chain.full(std::array{chain.size(1)}, std::int64_t{0}, source.dtype())}, 0);
  const Value chosen = chain.call("index_select", {values, chain.places_among_set(mask)}, {{"dim", chain.integer(0)}});
  chain.result(0, chain.call("where", {mask, chain.view(chosen, OpChain::dims(both)), both}));
}

void convert_nonzero_numpy(NodeScope& scope) {
  const Value x = scope.tensor(scope.arguments()[0].name);
  const IndexExpr count = leading_size(scope);
  if (scope.failed()) return;
  OpChain chain(scope);
  const Value places = true_positions(scope, chain, chain.flat(x), count);
  // Row-major positions decomposed, the last axis first.
  Value rest = places;
  std::vector<IndexExpr> dims = OpChain::dims(x);
  if (dims.empty()) dims.push_back(chain.size(1));
  for (std::size_t i = dims.size(); i-- > 0 && !scope.failed();) {
    const Attribute size = scope.context().attributes().integer(dims[i]);
    chain.result(i, i == 0 ? rest : chain.call("remainder", {rest}, {{"other", size}}));
    if (i > 0) rest = chain.call("floor_divide", {rest}, {{"other", size}});
  }
}

// --- indices of slices

void convert_index_fill(NodeScope& scope) {
  const Value x = scope.tensor("self"), index = scope.tensor("index");
  if (scope.failed()) return;
  const std::int64_t axis = scope.axis(scope.constant("dim"), x.rank());
  const Value value =
      scope.is_tensor("value") ? scope.tensor("value") : scope.scalar(x.dtype(), scope.argument("value"));
  OpChain chain(scope);
  const std::array positions{axis};
  chain.result(0, chain.call("index_put",
                             {chain.with_axis(x), chain.cast(value, scope.failed() ? Dtype::F32 : x.dtype()), index},
                             {{"positions", chain.list(positions)}}));
}

// As a reduction whose index is the same along all other axes.
void convert_index_reduce(NodeScope& scope) {
  const Value x = scope.tensor("self"), index = scope.tensor("index"), source = scope.tensor("source");
  if (scope.failed()) return;
  const std::int64_t axis = scope.axis(scope.constant("dim"), x.rank());
  OpChain chain(scope);
  const Value values = chain.with_axis(source);
  if (scope.failed()) return;
  const Value line = chain.along(chain.with_axis(index), static_cast<std::size_t>(axis), values.rank());
  const NodeScope::Attrs attrs{{"dim", chain.integer(axis)},
                               {"reduce", scope.context().attributes().string(scope.argument("reduce").text)},
                               {"include_self", chain.flag(scope.flag("include_self"))}};
  chain.result(0, chain.call("scatter_reduce", {chain.with_axis(x), chain.expand(line, values.dims()), values}, attrs));
}

// What a pool found goes back to where it was; positions are row-major over the last `axes` axes.
void convert_max_unpool(NodeScope& scope) {
  const Value x = scope.tensor("self"), indices = scope.tensor("indices");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const std::size_t axes = scope.argument("output_size").ints.size(), rank = scope.context().types().rank(type);
  if (rank < axes || x.rank() != rank) return scope.refuse<kRanksDiffer>("its operand", x.rank(), "its result", rank);
  OpChain chain(scope);
  const auto rows = [&](OpChain::Dims dims) {
    return std::array{chain.count(dims.first(rank - axes)), chain.count(dims.subspan(rank - axes))};
  };
  const Value zeros = chain.full(rows(scope.context().types().dims(type)), std::int64_t{0}, x.dtype());
  const Value places = chain.view(indices, rows(indices.dims())), values = chain.view(x, rows(x.dims()));
  chain.result(0, chain.call("scatter", {zeros, places, values}, {{"dim", chain.integer(1)}}));
}

// --- sorted order

// The element that stands at a place of the sorted order along an axis, and where it was. NaN come last in the order.
class Ranked {
 public:
  // Without an argument `dim`: of all elements.
  explicit Ranked(NodeScope& scope) : scope_(scope), chain_(scope) {
    along_ = std::ranges::any_of(scope.arguments(), [](const BoundArgument& a) { return a.name == "dim"; });
    x_ = scope.tensor("self");
    if (scope.failed()) return;
    axis_ = along_ ? scope.axis(scope.constant("dim"), x_.rank()) : 0;
    x_ = along_ ? chain_.with_axis(x_) : chain_.flat(x_);
    if (!scope.failed()) size_ = x_.dims()[static_cast<std::size_t>(axis_)];
  }

  void kth() {
    if (scope_.failed()) return;
    const IndexExpr k = scope_.integer("k");
    const IndexExpr place = scope_.context().index().sub(k, chain_.size(1));
    pick([&](Value x, Attribute dim) {
      return chain_.call("select", {x}, {{"dim", dim}, {"index", scope_.context().attributes().integer(place)}});
    });
  }

  // The lower one of two in the middle. A NaN is the median where there is one, or is left out.
  void median(bool leave_out) {
    if (scope_.failed()) return;
    IndexPool& pool = scope_.context().index();
    const IndexExpr zero = chain_.size(0), last = pool.sub(size_, chain_.size(1));
    IndexExpr middle = pool.floordiv(last, chain_.size(2));
    if (!is_float(x_.dtype())) {
      return pick([&](Value x, Attribute dim) {
        return chain_.call("select", {x}, {{"dim", dim}, {"index", scope_.context().attributes().integer(middle)}});
      });
    }
    // No elements have NaN as their median: it stands after the others, where it is read only then.
    if (!along_ && !pool.is_non_negative(last, scope_.graph().facts())) {
      const Value none = chain_.full(std::array{chain_.size(1)}, std::numeric_limits<double>::quiet_NaN(), x_.dtype());
      x_ = chain_.cat(std::array{x_, none}, 0);
      middle = pool.max(middle, zero);
    }
    if (scope_.failed()) return;
    AttributePool& attributes = scope_.context().attributes();
    const Value number = chain_.call("logical_not", {chain_.call("isnan", {x_})});
    const Value numbers = chain_.call("sum", {chain_.cast(number, Dtype::I64)},
                                      {{"dim", chain_.list({axis_})}, {"keepdim", chain_.flag(true)}});
    Value place;
    if (leave_out) {
      place = chain_.call("sub", {numbers}, {{"other", chain_.integer(1)}});
      place = chain_.call("floor_divide", {place}, {{"other", chain_.integer(2)}});
      place = chain_.call("maximum", {place}, {{"other", chain_.integer(0)}});
    } else {
      const Value whole = chain_.call("eq", {numbers}, {{"other", attributes.integer(size_)}});
      const Value middles = chain_.full(OpChain::dims(numbers), std::int64_t{0}, Dtype::I64);
      place = chain_.call("where",
                          {whole, chain_.call("add", {middles}, {{"other", attributes.integer(middle)}}), numbers});
    }
    pick([&](Value x, Attribute dim) { return chain_.call("gather", {x, place}, {{"dim", dim}}); });
  }

  // The least of the elements that occur most often: the first of the longest run in sorted order.
  void mode() {
    pick([&](Value x, Attribute dim) {
      if (!best_.valid()) {
        const std::int64_t last = static_cast<std::int64_t>(x_.rank());
        const Value line =
            chain_.call("transpose", {x}, {{"dim0", chain_.integer(axis_)}, {"dim1", chain_.integer(last - 1)}});
        const Value row = chain_.call("unsqueeze", {line}, {{"dim", chain_.integer(last)}});
        const Value column = chain_.call("unsqueeze", {line}, {{"dim", chain_.integer(last - 1)}});
        const Value same = chain_.cast(chain_.call("eq", {row, column}), Dtype::I64);
        const Value counts = chain_.call("sum", {same}, {{"dim", chain_.list({last})}});
        const Value back =
            chain_.call("transpose", {counts}, {{"dim0", chain_.integer(axis_)}, {"dim1", chain_.integer(last - 1)}});
        best_ = chain_.call("argmax", {back}, {{"dim", dim}, {"keepdim", chain_.flag(true)}});
      }
      return chain_.call("gather", {x, best_}, {{"dim", dim}});
    });
  }

 private:
  template <class At>
  void pick(At&& at) {
    if (scope_.failed()) return;
    const Attribute dim = chain_.integer(axis_);
    const bool truth = x_.dtype() == Dtype::I1;
    const std::array operands{truth ? chain_.cast(x_, Dtype::I64) : x_};
    const OpRef sorted = chain_.several("sort", operands, {{"dim", dim}});
    if (scope_.failed()) return;
    chain_.result(0, at(sorted.result(0), dim));
    if (scope_.output_names().size() > 1) chain_.result(1, at(sorted.result(1), dim));
  }

  NodeScope& scope_;
  OpChain chain_;
  Value x_, best_;
  bool along_ = false;  // one axis, not all elements
  std::int64_t axis_ = 0;
  IndexExpr size_;  // of what is ranked
};

void convert_kthvalue(NodeScope& scope) { Ranked(scope).kth(); }
void convert_median(NodeScope& scope) { Ranked(scope).median(false); }
void convert_nanmedian(NodeScope& scope) { Ranked(scope).median(true); }
void convert_mode(NodeScope& scope) { Ranked(scope).mode(); }

// Runs of equal neighbours along an axis: a slice of each, in which of them each slice is, how long they are. `order`
// says where a slice stood before they were sorted.
void runs(NodeScope& scope, OpChain& chain, Value x, std::int64_t axis, std::optional<Value> order) {
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const auto at = static_cast<std::size_t>(axis);
  if (scope.context().types().rank(type) != x.rank())
    return scope.refuse<kRanksDiffer>("its operand", x.rank(), "its result", scope.context().types().rank(type));
  const std::array line{x.dims()[at]}, count{scope.context().types().dims(type)[at]};
  const Value before = chain.call("roll", {x}, {{"shifts", chain.list({1})}, {"dims", chain.list({axis})}});
  Value differs = chain.call("ne", {x, before});
  std::vector<std::int64_t> others(x.rank());
  std::iota(others.begin(), others.end(), 0);
  others.erase(others.begin() + axis);
  if (!others.empty()) differs = chain.call("any", {differs}, {{"dim", chain.list(others)}});
  const Value leads = chain.call("eq", {chain.positions(line)}, {{"other", chain.integer(0)}});
  const Value first = chain.call("logical_or", {differs, leads});
  const Value starts = true_positions(scope, chain, first, count[0]);
  chain.result(0, chain.call("index_select", {x, starts}, {{"dim", chain.integer(axis)}}));
  Value run = chain.call("cumsum", {chain.cast(first, Dtype::I64)}, {{"dim", chain.integer(0)}});
  run = chain.call("sub", {run}, {{"other", chain.integer(1)}});
  const auto filled = [&](OpChain::Dims dims, std::int64_t value) { return chain.full(dims, value, Dtype::I64); };
  const NodeScope::Attrs at_first{{"positions", chain.list({0})}};
  const Value none = filled(std::array{chain.size(0)}, 0);
  Value inverse = none, counts = none;
  if (scope.flag("return_inverse"))
    inverse = order ? chain.call("index_put", {filled(line, 0), run, *order}, at_first) : run;
  chain.result(1, inverse);
  // `_unique` has no counts.
  const bool counted = std::any_of(scope.arguments().begin(), scope.arguments().end(),
                                   [](const BoundArgument& argument) { return argument.name == "return_counts"; });
  if (counted && scope.flag("return_counts"))
    counts = chain.call("index_put", {filled(count, 0), filled(line, 1), run},
                        {{"positions", chain.list({0})}, {"accumulate", chain.flag(true)}});
  if (counted) chain.result(2, counts);
}

void convert_unique(NodeScope& scope) {
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  OpChain chain(scope);
  const std::array operands{chain.flat(x.dtype() == Dtype::I1 ? chain.cast(x, Dtype::I64) : x)};
  const OpRef sorted = chain.several("sort", operands, {{"dim", chain.integer(0)}});
  if (!scope.failed()) runs(scope, chain, sorted.result(0), 0, sorted.result(1));
}

void convert_unique_consecutive(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const std::int64_t axis = !scope.failed() && scope.has("dim") ? scope.axis(scope.constant("dim"), x.rank()) : 0;
  if (scope.failed()) return;
  OpChain chain(scope);
  const Value lined = scope.has("dim") ? chain.with_axis(x) : chain.flat(x);
  if (scope.failed()) return;
  if (scope.context().index().as_constant(lined.dims()[static_cast<std::size_t>(axis)]) != 0)
    return runs(scope, chain, lined, axis, std::nullopt);
  // Of nothing there are no runs.
  const Value none = chain.full(std::array{chain.size(0)}, std::int64_t{0}, Dtype::I64);
  chain.result(0, lined);
  chain.result(1, none);
  chain.result(2, none);
}

// As windows of a volume; positions along axes of size 1 are 0, so those of the volume are those of the picture.
void convert_adaptive_max_pool(NodeScope& scope) {
  const Value x = scope.tensor("self");
  std::vector<IndexExpr> size = scope.integers("output_size");
  if (scope.failed()) return;
  if (size.empty() || size.size() > 3 || x.rank() < size.size())
    return scope.refuse<kOperandAxes>("its operand", x.rank(), "an axis for each of one to three sizes");
  OpChain chain(scope);
  std::vector<IndexExpr> dims = OpChain::dims(x), pooled_dims = dims;
  std::copy(size.begin(), size.end(), pooled_dims.end() - static_cast<std::ptrdiff_t>(size.size()));
  const std::size_t missing = 3 - size.size();
  dims.insert(dims.end() - static_cast<std::ptrdiff_t>(size.size()), missing, chain.size(1));
  size.insert(size.begin(), missing, chain.size(1));
  const std::array operands{chain.view(x, dims)};
  const OpRef pooled = chain.several("adaptive_max_pool3d", operands, {{"output_size", chain.sizes(size)}});
  for (std::size_t i = 0; i < 2 && !scope.failed(); ++i)
    if (scope.used(i)) scope.result(i, chain.view(pooled.result(i), pooled_dims));
}

// A class that is none of `num_classes` aborts, as in PyTorch.
void convert_one_hot(NodeScope& scope) {
  const Value classes = scope.tensor("self");
  const IndexExpr count = scope.integer("num_classes");
  if (scope.failed()) return;
  const OpDef& row = scope.context().def(scope.context().find_op("one_hot"));
  if (scope.context().index().as_constant(count).value_or(1) < 1) return convert_by_row(scope, row);
  OpChain chain(scope);
  const Attribute end = scope.context().attributes().integer(count);
  const Value outside = chain.call("logical_or", {chain.call("lt", {classes}, {{"other", chain.integer(0)}}),
                                                  chain.call("ge", {classes}, {{"other", end}})});
  chain.check_equal(chain.count_set(outside), chain.size(0),
                    "`one_hot`: a class is less than 0, or not less than the number of classes");
  if (!scope.failed()) convert_by_row(scope, row);
}

constexpr Converter kPositionsConverters[] = {
    {"aten.slice.Tensor", convert_slice},
    {"aten.select.int", convert_select},
    {"aten.masked_select.default", convert_masked_select},
    {"aten.masked_scatter.default", convert_masked_scatter},
    {"aten.nonzero_numpy.default", convert_nonzero_numpy},
    {"aten.where.default", convert_nonzero_numpy},
    {"aten.index_fill.int_Scalar", convert_index_fill},
    {"aten.index_fill.int_Tensor", convert_index_fill},
    {"aten.index_reduce.default", convert_index_reduce},
    {"aten.max_unpool2d.default", convert_max_unpool},
    {"aten.max_unpool3d.default", convert_max_unpool},
    {"aten.adaptive_max_pool1d.default", convert_adaptive_max_pool},
    {"aten.adaptive_max_pool2d.default", convert_adaptive_max_pool},
    {"aten.adaptive_max_pool3d.default", convert_adaptive_max_pool},
    {"aten.kthvalue.default", convert_kthvalue},
    {"aten.median.default", convert_median},
    {"aten.median.dim", convert_median},
    {"aten.nanmedian.default", convert_nanmedian},
    {"aten.nanmedian.dim", convert_nanmedian},
    {"aten.mode.default", convert_mode},
    {"aten._unique2.default", convert_unique},
    {"aten._unique.default", convert_unique},
    {"aten.one_hot.default", convert_one_hot},
    {"aten.unique_consecutive.default", convert_unique_consecutive},
};

}  // namespace

std::span<const Converter> position_converters() { return kPositionsConverters; }

}  // namespace mlgc::program
