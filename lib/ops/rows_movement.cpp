// Rows that move elements and compute none: views, permutations, slices, concatenations, pads. Sizes are stated in full
// (no -1). A constant position below zero counts from the end; expressions over sizes are taken as they are.
#include <algorithm>

#include "diag/kinds_ops.h"
#include "ops/build_text.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

using Text = Result<std::string, Diagnostic>;

// The groups of axes that a change of shape maps separately: where the products of leading dims are equal. Each group
// is a pair of half-open ranges, so that simple views read bare index labels and the rest is divided little.
struct Group {
  std::size_t in_begin, in_end, out_begin, out_end;
};

std::vector<Group> groups_of(IndexPool& index, const std::vector<IndexExpr>& in, const std::vector<IndexExpr>& out) {
  std::vector<Group> groups;
  std::vector<IndexExpr> in_products{index.constant(1)}, out_products{index.constant(1)};
  for (IndexExpr d : in) in_products.push_back(index.mul(in_products.back(), d));
  for (IndexExpr d : out) out_products.push_back(index.mul(out_products.back(), d));
  std::size_t i = 0, o = 0;
  for (std::size_t j = 1; j < in.size(); ++j)
    for (std::size_t p = o + 1; p < out.size(); ++p)
      if (in_products[j] == out_products[p]) {
        groups.push_back({i, j, o, p});
        i = j;
        o = p;
        break;
      }
  groups.push_back({i, in.size(), o, out.size()});
  return groups;
}

std::string product_text(const OpTypes& types, std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) out += (out.empty() ? "" : "*") + dim_text(types, 0, i);
  return out;
}

// The output's index labels as one position, then that position split over the input's dims.
Text view_text(const OpTypes& types, const Attrs& attrs) {
  IndexPool& index = types.index();
  std::vector<IndexExpr> in, out = attrs.list("shape");
  for (std::size_t i = 0; i < types.rank(0); ++i) in.push_back(types.dim(0, i));
  IndexExpr from = index.constant(1), to = index.constant(1);
  for (IndexExpr d : in) from = index.mul(from, d);
  for (IndexExpr d : out) {
    if (const auto c = index.as_constant(d); c && *c < 0)
      return Failure{diagnose<kAttributeValue>({}, "shape", "view", "sizes are stated in full and are not negative")};
    to = index.mul(to, d);
  }
  switch (index.equal(from, to, types.facts())) {
    case Truth::Yes: break;
    case Truth::No: return Failure{diagnose<kElementTotal>({}, index.print(from), index.print(to))};
    case Truth::Unknown: return Failure{diagnose<kElementTotalUnknown>({}, index.print(from), index.print(to))};
  }
  std::string subscripts, sizes;
  for (std::size_t o = 0; o < out.size(); ++o)
    sizes = joined({sizes, "d" + std::to_string(o) + " = " + item_text("shape", o)});
  const bool empty = index.as_constant(from) == 0;
  for (const Group& g : groups_of(index, in, out)) {
    std::string position;
    for (std::size_t o = g.out_begin; o < g.out_end; ++o)
      position = position.empty() ? "d" + std::to_string(o)
                                  : "(" + position + ")*" + item_text("shape", o) + " + d" + std::to_string(o);
    if (position.empty()) position = "0";
    for (std::size_t i = g.in_begin; i < g.in_end; ++i) {
      const std::string rest = product_text(types, i + 1, g.in_end);
      std::string at = rest.empty() ? "(" + position + ")" : "((" + position + ") // (" + rest + "))";
      if (i > g.in_begin) at += " % " + dim_text(types, 0, i);
      subscripts = joined({subscripts, empty ? "0" : at});
    }
  }
  return "y[" + labels(0, out.size()) + "] = x[" + subscripts + "]" + (empty ? "?0" : "") +
         (sizes.empty() ? "" : " where " + sizes);
}

// A view of the operand's elements in row-major order.
Text as_strided_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = attrs.list("size").size();
  if (attrs.list("stride").size() != rank)
    return Failure{diagnose<kListLength>({}, "stride", attrs.list("stride").size(), rank)};
  std::string position = "storage_offset", sizes, subscripts;
  for (std::size_t i = 0; i < rank; ++i) {
    position += " + d" + std::to_string(i) + "*" + item_text("stride", i);
    sizes = joined({sizes, "d" + std::to_string(i) + " = " + item_text("size", i)});
  }
  for (std::size_t i = 0; i < types.rank(0); ++i) {
    const std::string rest = product_text(types, i + 1, types.rank(0));
    std::string at = rest.empty() ? "(" + position + ")" : "((" + position + ") // (" + rest + "))";
    if (i > 0) at += " % " + dim_text(types, 0, i);
    subscripts = joined({subscripts, at});
  }
  return "y[" + labels(0, rank) + "] = x[" + subscripts + "]" + (sizes.empty() ? "" : " where " + sizes);
}

Text transpose_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = types.rank(0);
  if (rank == 0) return std::string("y[] = x[]");
  const auto a = axis_of(attrs, "dim0", "transpose", rank), b = axis_of(attrs, "dim1", "transpose", rank);
  if (!a) return Failure{a.error()};
  if (!b) return Failure{b.error()};
  std::string out;
  for (std::size_t i = 0; i < rank; ++i) out = joined({out, "d" + std::to_string(i == *a ? *b : i == *b ? *a : i)});
  return "y[" + out + "] = x[" + labels(0, rank) + "]";
}

Text unsqueeze_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = types.rank(0);
  const auto axis = axis_of(attrs, "dim", "unsqueeze", rank + 1);
  if (!axis) return Failure{axis.error()};
  return "y[" + joined({labels(0, *axis), "0", labels(*axis, rank)}) + "] = x[" + labels(0, rank) + "]";
}

Text squeeze_text(const OpTypes& types, const Attrs& attrs) {
  const auto r = static_cast<std::int64_t>(types.rank(0));
  const auto dims = attrs.constants("dim");
  if (!dims) return Failure{diagnose<kAttributeValue>({}, "dim", "squeeze", "an axis must be a constant")};
  std::vector<bool> dropped(types.rank(0));
  for (std::int64_t d : *dims) {
    if (d < -r || d >= r) return Failure{diagnose<kAxisOutOfRange>({}, d, "dim", r)};
    const auto axis = static_cast<std::size_t>(d < 0 ? d + r : d);
    if (!types.is(0, axis, 1))
      return Failure{diagnose<kAttributeValue>(
          {}, "dim", "squeeze",
          "axis " + std::to_string(axis) + " has size " + types.index().print(types.dim(0, axis)))};
    dropped[axis] = true;
  }
  std::string out, in;
  for (std::size_t i = 0; i < types.rank(0); ++i) {
    out = joined({out, dropped[i] ? "" : "d" + std::to_string(i)});
    in = joined({in, dropped[i] ? "0" : "d" + std::to_string(i)});
  }
  return "y[" + out + "] = x[" + in + "]";
}

// The number of positions from lo to hi by step, as text.
std::string count_text(const std::string& lo, const std::string& hi) {
  if (lo == "0") return "(" + hi + " + step - 1) // step";
  return "max((" + hi + " - " + lo + " + step - 1) // step, 0)";
}

Text slice_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = types.rank(0);
  const auto axis = axis_of(attrs, "dim", "slice", rank);
  if (!axis) return Failure{axis.error()};
  if (const auto step = attrs.integer("step"); !step || *step < 1)
    return Failure{diagnose<kAttributeValue>({}, "step", "slice", "it must be a constant of at least 1")};
  const std::string lo = position_text(types, attrs, "start", *axis, true);
  const std::string hi = position_text(types, attrs, "end", *axis, true);
  return "y[" + labels_with(rank, *axis, "o") + "] = x[" + labels_with(rank, *axis, lo + " + step*o") +
         "] where o = " + count_text(lo, hi);
}

Text slice_scatter_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = types.rank(0);
  const auto axis = axis_of(attrs, "dim", "slice_scatter", rank);
  if (!axis) return Failure{axis.error()};
  if (const auto step = attrs.integer("step"); !step || *step < 1)
    return Failure{diagnose<kAttributeValue>({}, "step", "slice_scatter", "it must be a constant of at least 1")};
  const std::string lo = position_text(types, attrs, "start", *axis, true);
  const std::string hi = position_text(types, attrs, "end", *axis, true);
  return "y[" + labels_with(rank, *axis, lo + " + step*o") + "] = src[" + labels_with(rank, *axis, "o") +
         "] from x where o = " + count_text(lo, hi);
}

Text select_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = types.rank(0);
  const auto axis = axis_of(attrs, "dim", "select", rank);
  if (!axis) return Failure{axis.error()};
  const auto size = types.index().as_constant(types.dim(0, *axis));
  if (const auto at = attrs.integer("index"); at && size && (*at < -*size || *at >= *size))
    return Failure{diagnose<kAttributeValue>(
        {}, "index", "select", std::to_string(*at) + " is out of range for size " + std::to_string(*size))};
  return "y[" + labels_with(rank, *axis, "") + "] = x[" +
         labels_with(rank, *axis, position_text(types, attrs, "index", *axis, false)) + "]";
}

Text select_scatter_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = types.rank(0);
  const auto axis = axis_of(attrs, "dim", "select_scatter", rank);
  if (!axis) return Failure{axis.error()};
  return "y[" + labels_with(rank, *axis, position_text(types, attrs, "index", *axis, false)) + "] = src[" +
         labels_with(rank, *axis, "") + "] from x";
}

// A balanced choice by the position along the axis, so that depth is logarithmic in the number of operands. Sizes that
// are constants are added up here: the text stays short.
Text cat_text(const OpTypes& types, const Attrs& attrs) {
  if (types.size() == 0) return Failure{diagnose<kRowOperandCount>({}, "cat", "at least 1 operand", 0)};
  const std::size_t rank = types.rank(0);
  const auto axis = axis_of(attrs, "dim", "cat", rank);
  if (!axis) return Failure{axis.error()};
  std::vector<std::string> starts{"0"};
  std::int64_t constant = 0;
  std::string symbolic;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types.rank(i) != rank)
      return Failure{diagnose<kRankMismatch>({}, types.name(i), types.rank(i), std::to_string(rank))};
    if (const auto size = types.index().as_constant(types.dim(i, *axis)))
      constant += *size;
    else
      symbolic += dim_text(types, i, *axis) + " + ";
    starts.push_back(symbolic + std::to_string(constant));
  }
  const auto choose = [&](auto&& self, std::size_t begin, std::size_t end) -> std::string {
    if (end - begin == 1)
      return types.name(begin) + "[" + labels_with(rank, *axis, "o - (" + starts[begin] + ")") + "]";
    const std::size_t middle = begin + (end - begin) / 2;
    return "select(o < " + starts[middle] + ", " + self(self, begin, middle) + ", " + self(self, middle, end) + ")";
  };
  return "y[" + labels_with(rank, *axis, "o") + "] = " + choose(choose, 0, types.size()) +
         " where o = " + starts.back();
}

Text stack_text(const OpTypes& types, const Attrs& attrs) {
  if (types.size() == 0) return Failure{diagnose<kRowOperandCount>({}, "stack", "at least 1 operand", 0)};
  const std::size_t rank = types.rank(0);
  const auto axis = axis_of(attrs, "dim", "stack", rank + 1);
  if (!axis) return Failure{axis.error()};
  const auto choose = [&](auto&& self, std::size_t begin, std::size_t end) -> std::string {
    if (end - begin == 1) return types.name(begin) + "[" + labels(0, rank) + "]";
    const std::size_t middle = begin + (end - begin) / 2;
    return "select(o < " + std::to_string(middle) + ", " + self(self, begin, middle) + ", " + self(self, middle, end) +
           ")";
  };
  return "y[" + joined({labels(0, *axis), "o", labels(*axis, rank)}) + "] = " + choose(choose, 0, types.size()) +
         " where o = " + std::to_string(types.size());
}

Text repeat_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = attrs.list("repeats").size();
  if (rank < types.rank(0)) return Failure{diagnose<kListLength>({}, "repeats", rank, types.rank(0))};
  const std::size_t missing = rank - types.rank(0);
  std::string in, sizes;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::string label = "d" + std::to_string(i);
    if (i < missing) {
      sizes = joined({sizes, label + " = " + item_text("repeats", i)});
      continue;
    }
    const std::string size = dim_text(types, 0, i - missing);
    in = joined({in, types.is(0, i - missing, 0) ? label + " + 0" : label + " % " + size});
    sizes = joined({sizes, label + " = " + item_text("repeats", i) + "*" + size});
  }
  return "y[" + labels(0, rank) + "] = x[" + in + "]" + (sizes.empty() ? "" : " where " + sizes);
}

// `pad` lists low and high of the last axis, then of the one before it, as PyTorch does. Negative numbers crop.
Text pad_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = types.rank(0), count = attrs.list("pad").size();
  if (count % 2 != 0 || count > 2 * rank) return Failure{diagnose<kListLength>({}, "pad", count, 2 * rank)};
  const std::string mode = attrs.text("mode");
  std::string in, sizes;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::string label = "d" + std::to_string(i), size = dim_text(types, 0, i);
    const std::size_t place = 2 * (rank - 1 - i);
    if (place >= count) {
      in = joined({in, label});
      continue;
    }
    const std::string lo = item_text("pad", place), hi = item_text("pad", place + 1);
    std::string at = label + " - " + lo;
    if (mode == "replicate") at = "min(max(" + at + ", 0), " + size + " - 1)";
    if (mode == "circular") {
      // What a negative amount cuts off is cut off before the rest goes round.
      const std::string cut = "max(0 - " + lo + ", 0)";
      at = "(" + label + " - max(" + lo + ", 0)) % (" + size + " - " + cut + " - max(0 - " + hi + ", 0)) + " + cut;
    }
    if (mode == "reflect") {
      const std::string t = "max(" + at + ", " + lo + " - " + label + ")";
      at = t + " - 2*max(" + t + " - (" + size + " - 1), 0)";
    }
    in = joined({in, at});
    sizes = joined({sizes, label + " = " + size + " + " + lo + " + " + hi});
  }
  return "y[" + labels(0, rank) + "] = x[" + in + "]" + (mode == "constant" ? "?value" : "") +
         (sizes.empty() ? "" : " where " + sizes);
}

Text diagonal_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = types.rank(0);
  const auto a = axis_of(attrs, "dim1", "diagonal", rank), b = axis_of(attrs, "dim2", "diagonal", rank);
  if (!a) return Failure{a.error()};
  if (!b) return Failure{b.error()};
  const auto offset = attrs.integer("offset");
  if (!offset) return Failure{diagnose<kAttributeValue>({}, "offset", "diagonal", "it must be a constant")};
  if (*a == *b) return Failure{diagnose<kAxisRepeated>({}, *attrs.integer("dim2"), "dim2")};
  const std::string down = std::to_string(std::max<std::int64_t>(-*offset, 0));
  const std::string right = std::to_string(std::max<std::int64_t>(*offset, 0));
  std::string out, in;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::string label = "d" + std::to_string(i);
    if (i != *a && i != *b) out = joined({out, label});
    in = joined({in, i == *a ? "k + " + down : i == *b ? "k + " + right : label});
  }
  return "y[" + joined({out, "k"}) + "] = x[" + in + "] where k = max(min(" + dim_text(types, 0, *a) + " - " + down +
         ", " + dim_text(types, 0, *b) + " - " + right + "), 0)";
}

Text roll_text(const OpTypes&, const Attrs& attrs) {
  if (const std::size_t count = attrs.list("dims").size(); attrs.list("shifts").size() != count)
    return Failure{diagnose<kListLength>({}, "shifts", attrs.list("shifts").size(), count)};
  return std::string("y[I..] = x[I..{dims: (_ - shifts) % dim(x)}] where I..{dims} = dim(x)");
}

constexpr OpDef kMovementRows[] = {
    {.name = "view",
     .summary = "The same elements in row-major order under another shape.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "shape", .kind = AttributeKind::IntList, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = view_text},
     .example = "view([[1, 2, 3], [4, 5, 6]]) {shape = [3, 2]} == [[1, 2], [3, 4], [5, 6]]",
     .aten = {"aten.view.default", "aten.reshape.default", "aten._unsafe_view.default", "aten.flatten.using_ints"}},
    {.name = "permute",
     .graph_op = GraphOp::Permute,
     .summary = "Puts the axes into another order.",
     .tier = Tier::Formula,
     .formula = "y[I..:dims] = x[I..]",
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "dims", .kind = AttributeKind::IntList, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .example = "permute([[1, 2, 3], [4, 5, 6]]) {dims = [1, 0]} == [[1, 4], [2, 5], [3, 6]]",
     .aten = {"aten.permute.default"}},
    {.name = "transpose",
     .graph_op = GraphOp::Transpose,
     .summary = "Swaps two axes.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "dim0", .kind = AttributeKind::Int, .required = true},
               {.name = "dim1", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement | Traits::Involution,
     .hooks = {.build = transpose_text},
     .example = "transpose([[1, 2]]) {dim0 = 0, dim1 = 1} == [[1], [2]]",
     .aten = {"aten.transpose.int"}},
    {.name = "expand",
     .summary = "Repeats axes of size 1, and adds leading ones.",
     .tier = Tier::Formula,
     .formula = "y[B..] = x[B..] where B.. = size",
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "size", .kind = AttributeKind::IntList, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .example = "expand([[1], [2]]) {size = [2, 2]} == [[1, 1], [2, 2]]",
     .aten = {"aten.expand.default", "aten.copy.default"}},
    {.name = "unsqueeze",
     .summary = "Inserts an axis of size 1.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = unsqueeze_text},
     .example = "unsqueeze([1, 2]) {dim = 1} == [[1], [2]]",
     .aten = {"aten.unsqueeze.default"}},
    {.name = "squeeze",
     .summary = "Drops axes of size 1.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "dim", .kind = AttributeKind::IntList, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = squeeze_text},
     .example = "squeeze([[1], [2]]) {dim = [1]} == [1, 2]",
     .aten = {"aten.squeeze.dims", "aten.squeeze.dim"}},
    {.name = "slice",
     .summary = "Every step-th element from start to end along an axis.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .fallback = "0"},
               {.name = "start", .kind = AttributeKind::Int, .fallback = "0"},
               {.name = "end",
                .kind = AttributeKind::Int,
                .fallback = "9223372036854775807",
                .summary = "beyond the axis: up to its end"},
               {.name = "step", .kind = AttributeKind::Int, .fallback = "1"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = slice_text},
     .example = "slice([1, 2, 3, 4, 5]) {start = 1, end = -1, step = 2} == [2, 4]",
     .aten = {"aten.slice.Tensor", "aten.narrow.default", "aten.split_with_sizes.default", "aten.split.Tensor",
              "aten.chunk.default"}},
    {.name = "select",
     .summary = "One position along an axis, which is dropped.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .required = true},
               {.name = "index", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = select_text},
     .example = "select([[1, 2], [3, 4]]) {dim = 0, index = -1} == [3, 4]",
     .aten = {"aten.select.int", "aten.unbind.int"}},
    {.name = "slice_scatter",
     .summary = "The first operand with a slice replaced.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}, {.name = "src", .elements = ElementClass::Any}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .fallback = "0"},
               {.name = "start", .kind = AttributeKind::Int, .fallback = "0"},
               {.name = "end", .kind = AttributeKind::Int, .fallback = "9223372036854775807"},
               {.name = "step", .kind = AttributeKind::Int, .fallback = "1"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = slice_scatter_text},
     .example = "slice_scatter([1, 2, 3], [7]) {start = 1, end = 2} == [1, 7, 3]",
     .aten = {"aten.slice_scatter.default"}},
    {.name = "select_scatter",
     .summary = "The first operand with one position along an axis replaced.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}, {.name = "src", .elements = ElementClass::Any}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .required = true},
               {.name = "index", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = select_scatter_text},
     .example = "select_scatter([[1, 2], [3, 4]], [7, 8]) {dim = 0, index = 1} == [[1, 2], [7, 8]]",
     .aten = {"aten.select_scatter.default"}},
    {.name = "cat",
     .graph_op = GraphOp::Cat,
     .summary = "Joins operands along an axis.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any, .variadic = true}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .fallback = "0"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = cat_text},
     .example = "cat([1, 2], [3]) == [1, 2, 3]",
     .aten = {"aten.cat.default"}},
    {.name = "stack",
     .summary = "Joins operands along a new axis.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any, .variadic = true}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .fallback = "0"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = stack_text},
     .example = "stack([1, 2], [3, 4]) {dim = 1} == [[1, 3], [2, 4]]",
     .aten = {"aten.stack.default"}},
    {.name = "flip",
     .summary = "Reverses axes.",
     .tier = Tier::Formula,
     .formula = "y[I..] = x[I..{dims: dim(x) - 1 - _}] where I..{dims} = dim(x)",
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "dims", .kind = AttributeKind::IntList, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement | Traits::Involution,
     .example = "flip([1, 2, 3]) {dims = [0]} == [3, 2, 1]",
     .aten = {"aten.flip.default"}},
    {.name = "roll",
     .summary = "Shifts axes cyclically.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "shifts", .kind = AttributeKind::IntList, .required = true},
               {.name = "dims", .kind = AttributeKind::IntList, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = roll_text},
     .example = "roll([1, 2, 3]) {shifts = [1], dims = [0]} == [3, 1, 2]",
     .aten = {"aten.roll.default"}},
    {.name = "repeat",
     .summary = "Repeats the whole along each axis.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "repeats", .kind = AttributeKind::IntList, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = repeat_text},
     .example = "repeat([1, 2]) {repeats = [2, 2]} == [[1, 2, 1, 2], [1, 2, 1, 2]]",
     .aten = {"aten.repeat.default"}},
    {.name = "repeat_interleave",
     .summary = "Repeats each element along an axis.",
     .tier = Tier::Formula,
     .formula = "y[I..] = x[I..{dim: _ // max(repeats, 1)}] where I..{dim} = dim(x)*repeats",
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "repeats", .kind = AttributeKind::Int, .required = true},
               {.name = "dim", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .example = "repeat_interleave([1, 2]) {repeats = 2, dim = 0} == [1, 1, 2, 2]",
     .aten = {"aten.repeat_interleave.self_int"}},
    {.name = "pad",
     .summary = "Adds elements around, or crops where a number is negative.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "pad",
                .kind = AttributeKind::IntList,
                .required = true,
                .summary = "low and high of the last axis, then of the one before"},
               {.name = "mode",
                .kind = AttributeKind::String,
                .fallback = "\"constant\"",
                .choices = "constant|reflect|replicate|circular"},
               {.name = "value", .fallback = "0"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = pad_text},
     .example = "pad([1, 2]) {pad = [1, -1], value = 9} == [9, 1]",
     .aten = {"aten.constant_pad_nd.default", "aten.pad.default"}},
    {.name = "tril",
     .summary = "The lower triangle of matrices; zero above.",
     .tier = Tier::Formula,
     .formula = "y[P.., i, j] = select(j - i <= diagonal, x[P.., i, j], like(0, x))",
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "diagonal", .kind = AttributeKind::Int, .fallback = "0"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Idempotent,
     .example = "tril([[1, 2], [3, 4]]) == [[1, 0], [3, 4]]",
     .aten = {"aten.tril.default"}},
    {.name = "triu",
     .summary = "The upper triangle of matrices; zero below.",
     .tier = Tier::Formula,
     .formula = "y[P.., i, j] = select(j - i >= diagonal, x[P.., i, j], like(0, x))",
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "diagonal", .kind = AttributeKind::Int, .fallback = "0"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Idempotent,
     .example = "triu([[1, 2], [3, 4]]) == [[1, 2], [0, 4]]",
     .aten = {"aten.triu.default"}},
    {.name = "diagonal",
     .summary = "The diagonal over two axes, as a last axis.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "offset", .kind = AttributeKind::Int, .fallback = "0"},
               {.name = "dim1", .kind = AttributeKind::Int, .fallback = "0"},
               {.name = "dim2", .kind = AttributeKind::Int, .fallback = "1"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .hooks = {.build = diagonal_text},
     .example = "diagonal([[1, 2], [3, 4]]) == [1, 4]",
     .aten = {"aten.diagonal.default"}},
    {.name = "unfold",
     .summary = "Windows along an axis, as a last axis.",
     .tier = Tier::Formula,
     .formula = "y[P.., w, Q.., k] = x[P.., w*step + k, Q..] where rank P = axis(dimension, x), w = (dim(x, dimension) "
                "- size) // step + 1, k = size",
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "dimension", .kind = AttributeKind::Int, .required = true},
               {.name = "size", .kind = AttributeKind::Int, .required = true},
               {.name = "step", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .example = "unfold([1, 2, 3, 4]) {dimension = 0, size = 2, step = 2} == [[1, 2], [3, 4]]",
     .aten = {"aten.unfold.default"}},
    {.name = "pixel_shuffle",
     .summary = "Moves blocks of channels into space.",
     .tier = Tier::Formula,
     .formula = "y[P.., c, h, w] = x[P.., (c*upscale_factor + h % upscale_factor)*upscale_factor + w % upscale_factor, "
                "h // upscale_factor, w // upscale_factor] where c = dim(x, -3) // (upscale_factor*upscale_factor), h "
                "= dim(x, -2)*upscale_factor, w = dim(x, -1)*upscale_factor",
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "upscale_factor", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Movement,
     .example = "pixel_shuffle([[[1]], [[2]], [[3]], [[4]]]) {upscale_factor = 2} == [[[1, 2], [3, 4]]]",
     .aten = {"aten.pixel_shuffle.default"}},
    {.name = "as_strided",
     .summary = "A view by strides over the elements in row-major order.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "size", .kind = AttributeKind::IntList, .required = true},
               {.name = "stride", .kind = AttributeKind::IntList, .required = true},
               {.name = "storage_offset", .kind = AttributeKind::Int, .fallback = "0"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .traits = Traits::Movement,
     .hooks = {.build = as_strided_text},
     .example = "as_strided([1, 2, 3, 4]) {size = [3, 2], stride = [1, 1]} == [[1, 2], [2, 3], [3, 4]]",
     .aten = {"aten.as_strided.default"}},
};

constexpr auto kMovementFamily = family<kMovementRows>();

}  // namespace

std::span<const OpDef* const> movement_rows() { return kMovementFamily; }

}  // namespace mlgc
