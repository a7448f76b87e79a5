// The rows of the loop level. Brackets hold index expressions over symbols, index values and i64 scalars.
#include "ops/rows_loop.h"

#include <array>

namespace mlgc {
namespace {

constexpr OpDef kAlloc{
    .name = "alloc",
    .summary = "A buffer with unspecified contents that lives as long as the values around it.",
    .operands = {},
    .result_names = {"buffer"},
    .dtype = {.kind = DtypeRuleKind::Hook},
    .effects = Effects::Allocates,
    .no_gradient = "memory of the loop level; gradients are taken before lowering",
    .example = "%t = alloc : buffer<[B]x4xf32, arena>",
};

// The first argument of the region is the index; the others are carried: each starts as an operand, becomes what the
// region yields, and is a result at last.
constexpr OpDef kFor{
    .name = "for",
    .summary = "Runs its region for each index from the first bound up to, not including, the second.",
    .operands = {{.name = "initial", .elements = ElementClass::Value, .variadic = true}},
    .attrs = {{.name = "bounds",
               .kind = AttributeKind::Subscripts,
               .required = true,
               .summary = "the first index and the one behind the last"},
              {.name = "kind",
               .kind = AttributeKind::String,
               .fallback = "\"serial\"",
               .choices = "serial|parallel|vector|unrolled",
               .summary = "how a back end may run it; what it computes is the same"}},
    .result_count = kVariadicResults,
    .regions = {{.name = "body", .terminator = "yield"}},
    .dtype = {.kind = DtypeRuleKind::Hook},
    .traits = Traits::CapturesRegion | Traits::Loop,
    .no_gradient = "memory of the loop level; gradients are taken before lowering",
    .example = "%s = for [0, N] (%i: index, %acc = %zero) { … yield %next } : f32",
};

constexpr OpDef kLoad{
    .name = "load",
    .summary = "An element of a buffer.",
    .operands = {{.name = "buffer", .elements = ElementClass::Buffer}},
    .attrs = {{.name = "at", .kind = AttributeKind::Subscripts, .required = true, .summary = "one subscript per axis"},
              {.name = "checked",
               .kind = AttributeKind::Bool,
               .fallback = "false",
               .summary = "the subscripts depend on data and may lie outside: emitted code tests them"}},
    .dtype = {.kind = DtypeRuleKind::Same},
    .effects = Effects::Reads | Effects::MayFail,
    .no_gradient = "memory of the loop level; gradients are taken before lowering",
    .example = "%v = load %x[%i*2 + %r - 1, %c] : f32",
};

constexpr OpDef kStore{
    .name = "store",
    .summary = "Writes an element of a buffer.",
    .operands = {{.name = "value", .elements = ElementClass::Value},
                 {.name = "buffer", .elements = ElementClass::Buffer}},
    .attrs = {{.name = "at", .kind = AttributeKind::Subscripts, .required = true, .summary = "one subscript per axis"},
              {.name = "checked",
               .kind = AttributeKind::Bool,
               .fallback = "false",
               .summary = "the subscripts depend on data and may lie outside: emitted code tests them"}},
    .result_count = 0,
    .effects = Effects::Writes | Effects::MayFail,
    .no_gradient = "memory of the loop level; gradients are taken before lowering",
    .example = "store %v, %y[%i, %c]",
};

constexpr OpDef kGuard{
    .name = "guard",
    .summary = "True where every index expression is at least 0.",
    .attrs = {{.name = "conditions", .kind = AttributeKind::Subscripts, .required = true}},
    .dtype = {.kind = DtypeRuleKind::Bool},
    .effects = Effects::MayFail,
    .no_gradient = "of indices, not of data",
    .example = "%g = guard [%i - 1, H - %i] : i1",
};

constexpr OpDef kApply{
    .name = "apply",
    .summary = "The value of an index expression as i64.",
    .attrs = {{.name = "value", .kind = AttributeKind::Subscripts, .required = true}},
    .dtype = {.kind = DtypeRuleKind::Position},
    .effects = Effects::MayFail,
    .no_gradient = "of indices, not of data",
    .example = "%p = apply [%i*3 + %j] : i64",
};

constexpr OpDef kCheck{
    .name = "check",
    .summary = "Ends the program with an error unless every index expression is at least 0.",
    .attrs = {{.name = "conditions", .kind = AttributeKind::Subscripts, .required = true},
              {.name = "message", .kind = AttributeKind::String, .required = true}},
    .result_count = 0,
    .effects = Effects::MayFail,
    .no_gradient = "of indices, not of data",
    .example = "check [N - 1] {message = \"`max` over an empty extent\"}",
};

constexpr std::array<const OpDef*, 7> kRows{&kAlloc, &kFor, &kLoad, &kStore, &kGuard, &kApply, &kCheck};

}  // namespace

std::span<const OpDef* const> loop_rows() { return kRows; }

}  // namespace mlgc
