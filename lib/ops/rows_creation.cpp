// Rows that make tensors from attributes alone.
#include <algorithm>

#include "diag/kinds_ops.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

using Text = Result<std::string, Diagnostic>;

// From both ends, so that the last number is `end`. Between whole ends, which are what the dtype makes of start and
// end, whole numbers are cut off from f64.
Text linspace_text(const OpTypes&, const Attrs& attrs) {
  const bool whole = !is_float(attrs.dtype("dtype").value_or(Dtype::F32));
  const std::string a = whole ? "f64(cast(start, dtype))" : "cast(start, dtype)";
  const std::string b = whole ? "f64(cast(end, dtype))" : "cast(end, dtype)";
  const std::string step = "((" + b + " - " + a + ")/max(steps - 1, 1))";
  return "y[i] = cast(select(i < max(steps // 2, 1), " + a + " + " + step + "*i, " + b + " - " + step +
         "*(steps - 1 - i)), dtype) where i = steps";
}

// Positions of a triangle of a matrix in row-major order: `first` is where it starts in row i, `width` how far it goes.
Text triangle_text(const Attrs& attrs, std::string_view op, bool lower) {
  const auto rows = attrs.integer("row"), columns = attrs.integer("col"), offset = attrs.integer("offset");
  if (!rows || !columns || !offset || *rows < 0 || *columns < 0)
    return Failure{diagnose<kAttributeValue>({}, "row", op, "the number of positions must be a constant")};
  const auto below = [&](const std::string& i, bool next) {
    return "min(max(" + i + " + " + std::to_string(*offset + (next ? 1 : 0)) + ", 0), " + std::to_string(*columns) +
           ")";
  };
  const auto width = [&](const std::string& i) {
    return lower ? below(i, true) : std::to_string(*columns) + " - " + below(i, false);
  };
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < *rows; ++i) {
    const std::int64_t edge = std::clamp<std::int64_t>(i + *offset + (lower ? 1 : 0), 0, *columns);
    count += lower ? edge : *columns - edge;
  }
  const std::string row = "r[k]";
  return "s[i] = sum[q | q < i](" + width("q") +
         ") where i = row + 1, q = row; r[k] = sum[i](i64(s[i + 1] <= k)) where i = "
         "row, k = " +
         std::to_string(count) + "; y[a, k] = cast(select(a == 0, " + row + ", k - s[" + row + "]" +
         (lower ? "" : " + " + below(row, false)) + "), dtype) where a = 2";
}
Text tril_indices_text(const OpTypes&, const Attrs& attrs) { return triangle_text(attrs, "tril_indices", true); }
Text triu_indices_text(const OpTypes&, const Attrs& attrs) { return triangle_text(attrs, "triu_indices", false); }

// A row of the places in a triangle of a matrix, on one side of a diagonal.
constexpr OpDef triangle_indices(OpDef row) {
  row.tier = Tier::Composite;
  row.attrs = {{.name = "row", .kind = AttributeKind::Int, .required = true},
               {.name = "col", .kind = AttributeKind::Int, .required = true},
               {.name = "offset", .kind = AttributeKind::Int, .fallback = "0"},
               {.name = "dtype", .kind = AttributeKind::Dtype, .fallback = "i64"}};
  row.dtype = {.kind = DtypeRuleKind::Formula};
  return row;
}

constexpr OpDef kCreationRows[] = {
    {.name = "full",
     .summary = "A number everywhere.",
     .tier = Tier::Formula,
     .formula = "y[B..] = cast(value, dtype) where B.. = size",
     .operands = {},
     .attrs = {{.name = "size", .kind = AttributeKind::IntList, .required = true},
               {.name = "value", .required = true},
               {.name = "dtype", .kind = AttributeKind::Dtype, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "full() {size = [2], value = 1.5, dtype = f32} == [1.5, 1.5]",
     .aten = {"aten.full.default", "aten.full_like.default", "aten.scalar_tensor.default", "aten.zeros.default",
              "aten.ones.default", "aten.new_ones.default", "aten.new_zeros.default", "aten.empty.memory_format",
              "aten.empty_permuted.default"}},
    {.name = "arange",
     .summary = "Whole numbers from start on, before end, by step.",
     .tier = Tier::Formula,
     .formula = "y[i] = cast(start + step*i, dtype) where i = when(step > 0, max((end - start + step - 1) // step, 0), "
                "max((start - end - step - 1) // (0 - step), 0))",
     .operands = {},
     .attrs = {{.name = "start", .kind = AttributeKind::Int, .fallback = "0"},
               {.name = "end", .kind = AttributeKind::Int, .required = true},
               {.name = "step", .kind = AttributeKind::Int, .fallback = "1"},
               {.name = "dtype", .kind = AttributeKind::Dtype, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "arange() {start = 1, end = 6, step = 2, dtype = i64} == [1, 3, 5]",
     .aten = {"aten.arange.start_step", "aten.arange.default"}},
    {.name = "linspace",
     .summary = "Numbers at equal distances, from start to end, both included.",
     .tier = Tier::Formula,
     .operands = {},
     .attrs = {{.name = "start", .required = true},
               {.name = "end", .required = true},
               {.name = "steps", .kind = AttributeKind::Int, .required = true},
               {.name = "dtype", .kind = AttributeKind::Dtype, .fallback = "f32"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = linspace_text},
     .example = "linspace() {start = 1, end = 2, steps = 5} == [1.0, 1.25, 1.5, 1.75, 2.0]",
     .aten = {"aten.linspace.default"}},
    triangle_indices({.name = "tril_indices",
                      .summary = "Rows and columns of the elements on and below a diagonal.",
                      .hooks = {.build = tril_indices_text},
                      .example = "tril_indices() {row = 2, col = 2} == [[0, 1, 1], [0, 0, 1]]",
                      .aten = {"aten.tril_indices.default"}}),
    triangle_indices({.name = "triu_indices",
                      .summary = "Rows and columns of the elements on and above a diagonal.",
                      .hooks = {.build = triu_indices_text},
                      .example = "triu_indices() {row = 2, col = 2} == [[0, 0, 1], [0, 1, 1]]",
                      .aten = {"aten.triu_indices.default"}}),
    {.name = "eye",
     .summary = "One on the diagonal, zero elsewhere.",
     .tier = Tier::Formula,
     .formula = "y[i, j] = cast(select(i == j, 1, 0), dtype) where i = n, j = m",
     .operands = {},
     .attrs = {{.name = "n", .kind = AttributeKind::Int, .required = true},
               {.name = "m", .kind = AttributeKind::Int, .required = true},
               {.name = "dtype", .kind = AttributeKind::Dtype, .fallback = "f32"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "eye() {n = 2, m = 2} == [[1.0, 0.0], [0.0, 1.0]]",
     .aten = {"aten.eye.m"}},
    {.name = "one_hot",
     .summary = "One where the class of the last axis is the operand, zero elsewhere.",
     .tier = Tier::Formula,
     .formula = "y[B.., c] = i64(x[B..] == c) where c = num_classes",
     .operands = {{.name = "x", .elements = ElementClass::Position}},
     .attrs = {{.name = "num_classes", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "one_hot([1, 0]) {num_classes = 2} == [[0, 1], [1, 0]]",
     .aten = {"aten.one_hot.default"}},
};

constexpr auto kCreationFamily = family<kCreationRows>();

}  // namespace

std::span<const OpDef* const> creation_rows() { return kCreationFamily; }

}  // namespace mlgc
