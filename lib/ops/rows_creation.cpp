// Rows that make tensors from attributes alone.
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

constexpr OpDef kRows[] = {
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

constexpr auto kFamily = family<kRows>();

}  // namespace

std::span<const OpDef* const> creation_rows() { return kFamily; }

}  // namespace mlgc
