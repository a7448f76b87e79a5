// Rows whose subscripts are data. An index out of range is an error of the program; only `index` and `index_put` count
// negative ones from the end, as PyTorch does. Of colliding plain writes one wins, unspecified which.
#include <algorithm>

#include "diag/kinds_ops.h"
#include "ops/build_text.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

using Text = Result<std::string, Diagnostic>;

// Index labels `d` for axes that are not indexed, `j` for the common shape of the indices, which comes first when the
// indexed axes are not neighbours.
struct IndexedAccess {
  std::string subscripts, result, sizes;
  std::vector<std::string> result_labels;
};

Result<IndexedAccess, Diagnostic> indexed_access(const OpTypes& types, const Attrs& attrs, std::string_view op,
                                                 std::size_t first_index) {
  const auto positions = attrs.constants("positions");
  const std::size_t rank = types.rank(0), count = types.size() - first_index;
  const auto wrong = [&](std::string_view reason) {
    return Failure{diagnose<kAttributeValue>({}, "positions", op, reason)};
  };
  if (!positions || positions->size() != count) return wrong("one axis for each index");
  std::vector<std::size_t> index_of(rank, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t axis = (*positions)[i];
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank) || (i > 0 && axis <= (*positions)[i - 1]))
      return wrong("axes of the operand in ascending order");
    index_of[static_cast<std::size_t>(axis)] = i;
  }
  if (count == 0) return wrong("at least one index");
  std::size_t common = 0;
  for (std::size_t i = 0; i < count; ++i) common = std::max(common, types.rank(first_index + i));
  IndexedAccess out;
  std::vector<bool> bound(common);
  const auto index_text = [&](std::size_t i) {
    const std::size_t operand = first_index + i, missing = common - types.rank(operand);
    std::string subs;
    for (std::size_t d = 0; d < types.rank(operand); ++d) {
      const bool unit = types.is(operand, d, 1);
      if (!unit) bound[missing + d] = true;
      subs = joined({subs, unit ? "0" : "j" + std::to_string(missing + d)});
    }
    return types.name(operand) + "[" + subs + "]";
  };
  const bool together = static_cast<std::size_t>((*positions)[count - 1] - (*positions)[0]) + 1 == count;
  const auto add_common = [&] {
    for (std::size_t d = 0; d < common; ++d) out.result_labels.push_back("j" + std::to_string(d));
  };
  if (!together) add_common();
  for (std::size_t a = 0; a < rank; ++a) {
    if (index_of[a] == count) {
      out.subscripts = joined({out.subscripts, "d" + std::to_string(a)});
      out.result_labels.push_back("d" + std::to_string(a));
      continue;
    }
    if (together && index_of[a] == 0) add_common();
    const std::string at = index_text(index_of[a]);
    out.subscripts = joined({out.subscripts, at + " + select(" + at + " < 0, " + dim_text(types, 0, a) + ", 0)"});
  }
  for (const std::string& l : out.result_labels) out.result = joined({out.result, l});
  for (std::size_t d = 0; d < common; ++d)
    if (!bound[d]) out.sizes = joined({out.sizes, "j" + std::to_string(d) + " = 1"});
  return out;
}

Text index_text(const OpTypes& types, const Attrs& attrs) {
  const auto access = indexed_access(types, attrs, "index", 1);
  if (!access) return Failure{access.error()};
  return "y[" + access->result + "] = x[" + access->subscripts + "]" +
         (access->sizes.empty() ? "" : " where " + access->sizes);
}

Text index_put_text(const OpTypes& types, const Attrs& attrs) {
  auto access = indexed_access(types, attrs, "index_put", 2);
  if (!access) return Failure{access.error()};
  const std::size_t wanted = access->result_labels.size();
  if (types.rank(1) > wanted)
    return Failure{diagnose<kRankMismatch>({}, types.name(1), types.rank(1), "at most " + std::to_string(wanted))};
  std::string values;
  for (std::size_t d = 0; d < types.rank(1); ++d)
    values = joined({values, types.is(1, d, 1) ? "0" : access->result_labels[wanted - types.rank(1) + d]});
  return "y[" + access->subscripts + "] " + (attrs.flag("accumulate") ? "+=" : "=") + " values[" + values + "] from x" +
         (access->sizes.empty() ? "" : " where " + access->sizes);
}

// The row-major position `at` in a tensor of operand `operand`'s shape, as subscripts.
std::string delinearised(const OpTypes& types, std::size_t operand, const std::string& at) {
  std::string subscripts, inner;
  for (std::size_t d = types.rank(operand); d-- > 0;) {
    const std::string size = dim_text(types, operand, d);
    const std::string rest = inner.empty() ? at : "(" + at + ") // (" + inner + ")";
    const std::string here = d == 0 ? rest : "(" + rest + ") % " + size;
    subscripts = joined({here, subscripts});
    inner = inner.empty() ? size : size + "*" + inner;
  }
  return subscripts;
}

Text take_along_dim_text(const OpTypes& types, const Attrs& attrs) {
  if (attrs.has("dim")) {
    const auto axis = axis_of(attrs, "dim", "take_along_dim", types.rank(0));
    if (!axis) return Failure{axis.error()};
    const std::size_t rank = types.rank(0);
    if (types.rank(1) != rank)
      return Failure{diagnose<kRankMismatch>({}, types.name(1), types.rank(1), std::to_string(rank))};
    // An axis of size 1 on one side alone is read at 0.
    const auto subscripts = [&](std::size_t operand, const std::string& place) {
      std::string out;
      for (std::size_t i = 0; i < rank; ++i) {
        const bool repeated = i != *axis && types.is(operand, i, 1) && !types.is(1 - operand, i, 1);
        out = joined({out, i == *axis && !place.empty() ? place : repeated ? "0" : "d" + std::to_string(i)});
      }
      return out;
    };
    const std::string at = "index[" + subscripts(1, "") + "]";
    const std::string place = at + " + select(" + at + " < 0, " + dim_text(types, 0, *axis) + ", 0)";
    return "y[" + labels(0, rank) + "] = x[" + subscripts(0, place) + "]";
  }
  std::string count = "1";
  for (std::size_t d = 0; d < types.rank(1); ++d) count += "*" + dim_text(types, 1, d);
  const std::string at = "index[" + delinearised(types, 1, "j") + "]";
  // A position beyond the end would be a place of a row further on.
  std::string all = "1";
  for (std::size_t d = 0; d < types.rank(0); ++d) all += "*" + dim_text(types, 0, d);
  return "flat[k] = x[" + delinearised(types, 0, "k") + "] where k = " + all + "; y[j] = flat[" + at +
         "] where j = " + count;
}

Text scatter_reduce_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = types.rank(0);
  const auto axis = axis_of(attrs, "dim", "scatter_reduce", rank);
  if (!axis) return Failure{axis.error()};
  const std::string reduce = attrs.text("reduce");
  const bool self = attrs.flag("include_self");
  const std::string place = "[I..{every: _ + 0}{dim: index[I..]}]", source = "src[I..{every: _ + 0}]";
  if (reduce == "sum" || reduce == "mean") {
    const std::string base = self ? std::string() : "cleared" + place + " = like(0, x[I..{every: _ + 0}]) from x; ";
    const std::string from = self ? "x" : "cleared";
    if (reduce == "sum") return base + "y" + place + " += " + source + " from " + from;
    const std::string first = self ? "1" : "0";
    return base + "s" + place + " += " + source + " from " + from + "; none[I..] = select(x[I..] == x[I..], " + first +
           ", " + first + "); n" + place + " += i64(1) from none; y[I..] = " +
           (is_float(types.dtype(0)) ? "s[I..]/like(max(n[I..], 1), x[I..])"
                                     : "s[I..] // like(max(n[I..], 1), x[I..])");
  }
  // All that attain an extremum share its gradient evenly, the first operand among them.
  if (self && reduce != "prod") return "y" + place + (reduce == "amax" ? " max= " : " min= ") + source + " from x";
  // What lands on an element is gathered for it: the products, and extrema of sources alone, then have their gradients.
  const std::string here = "d" + std::to_string(*axis);
  std::string inside, others, sources;  // src may be larger than index
  for (std::size_t d = 0; d < rank; ++d) {
    const std::string label = "d" + std::to_string(d);
    others = joined({others, d == *axis ? "k" : label + " + 0"});
    sources = joined({sources, (d == *axis ? "k" : label) + " + 0"});
    if (d != *axis) inside += label + " < " + dim_text(types, 1, d) + " and ";
  }
  const std::string all = labels(0, rank);
  const std::string hit = inside + "index[" + others + "] == " + here;
  const std::string x = "x[" + all + "]";
  const std::string word = reduce == "prod" ? "prod" : reduce == "amax" ? "max" : "min";
  // The product of integers is i64.
  const std::string found = "like(" + word + "[k | " + hit + "](src[" + sources + "]), " + x + ")";
  std::string sizes;
  for (std::size_t d = 0; d < rank; ++d)
    sizes = joined({sizes, "d" + std::to_string(d) + " = " + dim_text(types, 0, d)});
  const std::string taps = "k = " + dim_text(types, 1, *axis);
  return "n[" + all + "] = sum[k | " + hit + "](i64(1)) where " + sizes + ", " + taps + "; y[" + all + "] = select(n[" +
         all + "] == 0, " + x + ", " + (self ? x + "*" + found : found) + ") where " + taps;
}

Text embedding_bag_text(const OpTypes&, const Attrs& attrs) {
  const std::string mode = attrs.text("mode");
  const std::string bags =
      attrs.flag("include_last_offset") ? " where b = dim(offsets, 0) - 1" : " where b = dim(offsets, 0)";
  // The bag ends where the next one starts.
  std::string in = "k >= offsets[b + 0] and k < (offsets[b + 1]?dim(indices, 0))";
  if (attrs.has("padding_idx")) in += " and indices[k] != padding_idx";
  const std::string row = "weight[indices[k], d]";
  if (mode == "sum")
    return "y[b, d] = sum[k | " + in + "](per_sample_weights[k]*" + row + ")" + bags +
           ", k = dim(indices, 0), d = dim(weight, 1)";
  const std::string count = "n[b] = sum[k | " + in + "](i64(1))" + bags + ", k = dim(indices, 0); ";
  if (mode == "mean")
    return count + "y[b, d] = sum[k | " + in + "](" + row + ")/like(max(n[b], 1), weight)" +
           " where k = dim(indices, 0), d = dim(weight, 1)";
  return count + "y[b, d] = select(n[b] == 0, 0, weight[indices[argmax[k | " + in + "](" + row + ")], d])" +
         " where k = dim(indices, 0), d = dim(weight, 1)";
}

constexpr OpDef kIndexingRows[] = {
    {.name = "embedding",
     .summary = "Rows of a table; the row padding_idx gets no gradient.",
     .tier = Tier::Formula,
     .formula = "y[B.., d] = when(has(padding_idx), select(indices[B..] == padding_idx, stop(weight[indices[B..], d]), "
                "weight[indices[B..], d]), weight[indices[B..], d])",
     .operands = {{.name = "weight", .elements = ElementClass::Any},
                  {.name = "indices", .elements = ElementClass::Position}},
     .attrs = {{.name = "padding_idx", .kind = AttributeKind::Int}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .example = "embedding([[1.0, 2.0], [3.0, 4.0]], [1, 0]) == [[3.0, 4.0], [1.0, 2.0]]",
     .aten = {"aten.embedding.default"}},
    {.name = "gather",
     .summary = "Elements along an axis, at positions of their own.",
     .tier = Tier::Formula,
     .formula = "y[I..] = x[I..{every: _ + 0}{dim: index[I..]}]",
     .operands = {{.name = "x", .elements = ElementClass::Any}, {.name = "index", .elements = ElementClass::Position}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .example = "gather([[1, 2], [3, 4]], [[1], [0]]) {dim = 1} == [[2], [3]]",
     .aten = {"aten.gather.default"}},
    {.name = "index_select",
     .summary = "Positions along an axis.",
     .tier = Tier::Formula,
     .formula = "y[P.., j, Q..] = x[P.., index[j], Q..] where rank P = axis(dim, x)",
     .operands = {{.name = "x", .elements = ElementClass::Any}, {.name = "index", .elements = ElementClass::Position}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .example = "index_select([1, 2, 3], [2, 0]) {dim = 0} == [3, 1]",
     .aten = {"aten.index_select.default"}},
    {.name = "index",
     .summary = "Elements at positions that index tensors give for some axes; negative ones count from the end.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any},
                  {.name = "indices", .elements = ElementClass::Position, .variadic = true}},
     .attrs =
         {{.name = "positions", .kind = AttributeKind::IntList, .required = true, .summary = "the axis of each index"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .hooks = {.build = index_text},
     .example = "index([[1, 2], [3, 4]], [1, -2]) {positions = [1]} == [[2, 1], [4, 3]]",
     .aten = {"aten.index.Tensor"}},
    {.name = "index_put",
     .summary = "The first operand with values written (or added) at the positions that index tensors give.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any},
                  {.name = "values", .elements = ElementClass::Any},
                  {.name = "indices", .elements = ElementClass::Position, .variadic = true}},
     .attrs =
         {{.name = "positions", .kind = AttributeKind::IntList, .required = true, .summary = "the axis of each index"},
          {.name = "accumulate", .kind = AttributeKind::Bool, .fallback = "false"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .hooks = {.build = index_put_text},
     .example = "index_put([1, 2, 3], [10, 20], [0, 0]) {positions = [0], accumulate = true} == [31, 2, 3]",
     .aten = {"aten.index_put.default"}},
    {.name = "scatter",
     .summary = "The first operand with elements written along an axis, at positions of their own.",
     .tier = Tier::Formula,
     .formula = "y[I..{every: _ + 0}{dim: index[I..]}] = when(has(src), src[I..{every: _ + 0}], like(value, "
                "x[I..{every: _ + 0}])) from x",
     .operands = {{.name = "x", .elements = ElementClass::Any},
                  {.name = "index", .elements = ElementClass::Position},
                  {.name = "src", .elements = ElementClass::Any, .optional = true}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .required = true},
               {.name = "value", .instead_of = "src", .summary = "a number to write everywhere"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .example = "scatter([1, 2, 3], [2], [9]) {dim = 0} == [1, 2, 9]",
     .aten = {"aten.scatter.src", "aten.scatter.value"}},
    {.name = "scatter_add",
     .summary = "The first operand with elements added along an axis, at positions of their own.",
     .tier = Tier::Formula,
     .formula = "y[I..{every: _ + 0}{dim: index[I..]}] += src[I..{every: _ + 0}] from x",
     .operands = {{.name = "x", .elements = ElementClass::Number},
                  {.name = "index", .elements = ElementClass::Position},
                  {.name = "src", .elements = ElementClass::Number}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .example = "scatter_add([1, 2, 3], [2, 2], [9, 1]) {dim = 0} == [1, 2, 13]",
     .aten = {"aten.scatter_add.default"}},
    {.name = "take_along_dim",
     .summary = "Elements along an axis, at positions of their own, negative ones counted from the end; the other axes "
                "broadcast. Without an axis: of all elements in row-major order.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}, {.name = "index", .elements = ElementClass::Position}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .hooks = {.build = take_along_dim_text},
     .example = "take_along_dim([[1, 2], [3, 4]], [[-1]]) {dim = 1} == [[2], [4]]",
     .aten = {"aten.take_along_dim.default"}},
    {.name = "scatter_reduce",
     .summary = "The first operand with elements combined into it along an axis, at positions of their own.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Number},
                  {.name = "index", .elements = ElementClass::Position},
                  {.name = "src", .elements = ElementClass::Number}},
     .attrs =
         {{.name = "dim", .kind = AttributeKind::Int, .required = true},
          {.name = "reduce", .kind = AttributeKind::String, .required = true, .choices = "sum|prod|mean|amax|amin"},
          {.name = "include_self",
           .kind = AttributeKind::Bool,
           .fallback = "true",
           .summary = "the first operand's own elements count too"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .hooks = {.build = scatter_reduce_text},
     .example = "scatter_reduce([1.0, 2.0, 3.0], [2, 2], [9.0, 4.0]) {dim = 0, reduce = \"amax\"} == [1.0, 2.0, 9.0]",
     .aten = {"aten.scatter_reduce.two"}},
    {.name = "index_copy",
     .summary = "The first operand with slices replaced along an axis.",
     .tier = Tier::Formula,
     .formula = "y[P.., index[j], Q..] = src[P.., j, Q..] from x where rank P = axis(dim, x)",
     .operands = {{.name = "x", .elements = ElementClass::Any},
                  {.name = "index", .elements = ElementClass::Position},
                  {.name = "src", .elements = ElementClass::Any}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .example = "index_copy([1, 2, 3], [2, 0], [10, 20]) {dim = 0} == [20, 2, 10]",
     .aten = {"aten.index_copy.default"}},
    {.name = "embedding_bag",
     .summary = "Rows of a table, combined in bags: bag b holds the indices from offsets[b] to the next offset.",
     .tier = Tier::Composite,
     .operands = {{.name = "weight", .elements = ElementClass::Float},
                  {.name = "indices", .elements = ElementClass::Position},
                  {.name = "offsets", .elements = ElementClass::Position},
                  {.name = "per_sample_weights", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "mode", .kind = AttributeKind::String, .fallback = "\"sum\"", .choices = "sum|mean|max"},
               {.name = "include_last_offset",
                .kind = AttributeKind::Bool,
                .fallback = "false",
                .summary = "the last offset ends the last bag"},
               {.name = "padding_idx", .kind = AttributeKind::Int, .summary = "a row that no bag takes in"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .hooks = {.build = embedding_bag_text},
     .example = "embedding_bag([[1.0, 2.0], [3.0, 4.0]], [1, 0, 1], [0, 0, 2]) == [[0.0, 0.0], [4.0, 6.0], [3.0, 4.0]]",
     .aten = {"aten._embedding_bag.default", "aten._embedding_bag_forward_only.default"}},
    {.name = "index_add",
     .summary = "The first operand with slices added along an axis.",
     .tier = Tier::Formula,
     .formula = "y[P.., index[j], Q..] += alpha*src[P.., j, Q..] from x where rank P = axis(dim, x)",
     .operands = {{.name = "x", .elements = ElementClass::Number},
                  {.name = "index", .elements = ElementClass::Position},
                  {.name = "src", .elements = ElementClass::Number}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .required = true}, {.name = "alpha", .fallback = "1"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .example = "index_add([1, 2], [1, 1], [10, 20]) {dim = 0} == [1, 32]",
     .aten = {"aten.index_add.default"}},
    {.name = "bucketize",
     .summary = "How many of the ascending bounds are below an element; NaN is above all.",
     .tier = Tier::Formula,
     .formula = "y[B..] = sum[k](i64(not when(right, bounds[k] > x[B..], bounds[k] >= x[B..])))",
     .operands = {{.name = "x", .elements = ElementClass::Number},
                  {.name = "bounds", .elements = ElementClass::Number}},
     .attrs = {{.name = "right",
                .kind = AttributeKind::Bool,
                .fallback = "false",
                .summary = "a bound equal to the element lies before it"}},
     .dtype = {.kind = DtypeRuleKind::Position},
     .example = "bucketize([0.5, 1.0, nan], [0.0, 1.0, 2.0]) == [1, 1, 3]",
     .aten = {"aten.bucketize.Tensor"}},
    {.name = "searchsorted",
     .summary = "bucketize with bounds of its own for each row of the last axis.",
     .tier = Tier::Formula,
     .formula = "y[B.., j] = sum[k](i64(not when(right, bounds[B.., k] > x[B.., j], bounds[B.., k] >= x[B.., j])))",
     .operands = {{.name = "bounds", .elements = ElementClass::Number},
                  {.name = "x", .elements = ElementClass::Number}},
     .attrs = {{.name = "right",
                .kind = AttributeKind::Bool,
                .fallback = "false",
                .summary = "a bound equal to the element lies before it"}},
     .dtype = {.kind = DtypeRuleKind::Position},
     .example = "searchsorted([[0, 1, 2], [5, 5, 7]], [[1], [5]]) {right = true} == [[2], [2]]",
     .aten = {"aten.searchsorted.Tensor"}},
};

constexpr auto kIndexingFamily = family<kIndexingRows>();

}  // namespace

std::span<const OpDef* const> indexing_rows() { return kIndexingFamily; }

}  // namespace mlgc
