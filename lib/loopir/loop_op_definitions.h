// The op definitions of the loop level. They stand in a header so that views of their ops (loop_ops.h) find operands
// and attributes by name while they are compiled. Brackets hold index expressions over symbols, index values and i64
// scalars.
#pragma once

#include "ir/op_def.h"

namespace mlgc {

// What results have which types (ops/rows_loop.cpp, ops/infer_structural.cpp).
Result<std::vector<Type>, Diagnostic> infer_load(const InferContext& in);
Result<std::vector<Type>, Diagnostic> infer_store(const InferContext& in);
Result<std::vector<Type>, Diagnostic> infer_for(const InferContext& in);
Result<std::vector<Type>, Diagnostic> infer_guard(const InferContext& in);
Result<std::vector<Type>, Diagnostic> infer_apply(const InferContext& in);
Result<std::vector<Type>, Diagnostic> infer_literal(const InferContext& in);
Result<std::vector<Type>, Diagnostic> infer_fma(const InferContext& in);
Result<std::vector<Type>, Diagnostic> infer_bits(const InferContext& in);
Result<std::vector<Type>, Diagnostic> infer_external(const InferContext& in);
Result<std::vector<Type>, Diagnostic> infer_data(const InferContext& in);
Result<std::vector<Type>, Diagnostic> infer_launch(const InferContext& in);

inline constexpr OpDef kLoopOpDefinitions[] = {
    {
        .name = "alloc",
        .loop_op = LoopOp::Alloc,
        .summary = "A buffer with unspecified contents that lives as long as the values around it; in the memory of "
                   "another one where the plan says so.",
        .operands = {{.name = "memory", .elements = ElementClass::Buffer, .optional = true}},
        .result_names = {"buffer"},
        .dtype = {.kind = DtypeRuleKind::Hook},
        .effects = Effects::Allocates,
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "%t = alloc : buffer<[B]x4xf32, arena>",
    },
    {
        .name = "buffer_view",
        .loop_op = LoopOp::BufferView,
        .summary = "The memory of a buffer under other sizes: the same elements in row-major order.",
        .operands = {{.name = "buffer", .elements = ElementClass::Buffer}},
        .result_names = {"view"},
        .dtype = {.kind = DtypeRuleKind::Hook},
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "%f = buffer_view %x : buffer<[B*8]xf32, argument>",
    },
    // The first argument of the region is the index; the others are carried: each starts as an operand, becomes what
    // the region yields, and is a result at last.
    {
        .name = "for",
        .graph_op = GraphOp::For,
        .loop_op = LoopOp::For,
        .summary = "Runs its region for each index from the first bound up to, not including, the second.",
        .operands = {{.name = "initial", .elements = ElementClass::Value, .variadic = true}},
        .attrs = {{.name = "bounds",
                   .kind = AttributeKind::Subscripts,
                   .required = true,
                   .summary = "the first index and the one after the last; of a vector loop with `per_lane` also how "
                              "many iterations before the first its pieces begin"},
                  {.name = "kind",
                   .kind = AttributeKind::String,
                   .fallback = "\"serial\"",
                   .choices = "serial|parallel|vector|unrolled|matrix",
                   .summary =
                       "in order, by several threads, by vectors of `lanes` iterations, unrolled, or a tile of a "
                       "product by the matrix unit"},
                  {.name = "lanes",
                   .kind = AttributeKind::Int,
                   .summary = "of a vector loop: how many iterations a vector has, a power of two from 2 to 1024"},
                  {.name = "per_lane",
                   .kind = AttributeKind::Int,
                   .fallback = "1",
                   .summary = "of a vector loop: how many neighbouring iterations a lane takes at a time, a power of "
                              "two from 1 to 16"},
                  {.name = "combine",
                   .kind = AttributeKind::StringList,
                   .summary = "of a vector loop: how the lanes of each carried value are combined, add mul max min "
                              "or and"},
                  {.name = "stages",
                   .kind = AttributeKind::Int,
                   .fallback = "3",
                   .summary =
                       "of a matrix loop: how many parts of the factors are in shared memory at a time, 2 to 8"}},
        .result_count = kVariadicResults,
        .regions = {{.name = "body", .terminator = "yield"}},
        .dtype = {.kind = DtypeRuleKind::Hook},
        .traits = Traits::CapturesRegion | Traits::Loop,
        .hooks = {.infer = infer_for},
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "%s = for [0, N] (%i: index, %acc = %zero) { … yield %next } : f32",
    },
    {
        .name = "load",
        .loop_op = LoopOp::Load,
        .summary = "An element of a buffer.",
        .operands = {{.name = "buffer", .elements = ElementClass::Buffer}},
        .attrs =
            {{.name = "at", .kind = AttributeKind::Subscripts, .required = true, .summary = "one subscript per axis"},
             {.name = "checked",
              .kind = AttributeKind::Bool,
              .fallback = "false",
              .summary = "the subscripts depend on data and may lie outside: emitted code tests them"}},
        .dtype = {.kind = DtypeRuleKind::Same},
        .effects = Effects::Reads | Effects::MayFail,
        .hooks = {.infer = infer_load},
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "%v = load %x[%i*2 + %r - 1, %c] : f32",
    },
    {
        .name = "store",
        .loop_op = LoopOp::Store,
        .summary = "Writes an element of a buffer.",
        .operands = {{.name = "value", .elements = ElementClass::Value},
                     {.name = "buffer", .elements = ElementClass::Buffer}},
        .attrs =
            {{.name = "at", .kind = AttributeKind::Subscripts, .required = true, .summary = "one subscript per axis"},
             {.name = "checked",
              .kind = AttributeKind::Bool,
              .fallback = "false",
              .summary = "the subscripts depend on data and may lie outside: emitted code tests them"},
             {.name = "hint",
              .kind = AttributeKind::String,
              .choices = "stream",
              .summary = "past the caches: for results that are large and not read again soon"},
             {.name = "where",
              .kind = AttributeKind::Int,
              .summary = "what the hint depends on, at the sizes of a call: followed where it is at least 0"}},
        .result_count = 0,
        .effects = Effects::Writes | Effects::MayFail,
        .hooks = {.infer = infer_store},
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "store %v, %y[%i, %c]",
    },
    {
        .name = "dealloc",
        .loop_op = LoopOp::Dealloc,
        .summary = "Ends the life of a buffer that the host function allocates; its memory was planned for that.",
        .operands = {{.name = "buffer", .elements = ElementClass::Buffer}},
        .result_count = 0,
        .effects = Effects::Writes,
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "dealloc %t",
    },
    {
        .name = "transpose_in_place",
        .loop_op = LoopOp::TransposeInPlace,
        .summary = "Swaps the axes of a square register buffer: its element (i, j) is what (j, i) was.",
        .operands = {{.name = "buffer", .elements = ElementClass::Buffer}},
        .result_count = 0,
        .effects = Effects::Reads | Effects::Writes,
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "transpose_in_place %square",
    },
    {
        .name = "data",
        .loop_op = LoopOp::Data,
        .summary = "The memory of a weight, or of a state as it was when the program was called; read-only.",
        .attrs =
            {{.name = "symbol", .kind = AttributeKind::Symbol, .required = true, .summary = "the weight or state"}},
        .result_names = {"buffer"},
        .dtype = {.kind = DtypeRuleKind::Hook},
        .hooks = {.infer = infer_data},
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "%w = data @fc0.weight : buffer<4x3xf32, weight>",
    },
    {
        .name = "bind_size",
        .loop_op = LoopOp::BindSize,
        .summary =
            "Says that a size of a host function is the integer in a buffer of one element: from there on, and of an "
            "input everywhere.",
        .operands = {{.name = "value", .elements = ElementClass::Buffer}},
        .attrs = {{.name = "name", .kind = AttributeKind::String, .required = true, .summary = "the size"}},
        .result_count = 0,
        .effects = Effects::Reads | Effects::MayFail,
        .no_gradient = "of indices, not of data",
        .example = "bind_size %n {name = \"S\"}",
    },
    {
        .name = "launch",
        .loop_op = LoopOp::Launch,
        .summary = "Runs a loop function on buffers; its sizes become the caller's.",
        .operands = {{.name = "buffers", .elements = ElementClass::Buffer, .variadic = true}},
        .attrs = {{.name = "callee", .kind = AttributeKind::Symbol, .required = true, .summary = "the loop function"},
                  {.name = "names",
                   .kind = AttributeKind::StringList,
                   .summary = "sizes of the loop function; those that are a whole dim of an argument may be left out"},
                  {.name = "sizes",
                   .kind = AttributeKind::IntList,
                   .summary = "what these are here, one expression for each of `names`"}},
        .result_count = 0,
        .dtype = {.kind = DtypeRuleKind::Hook},
        .effects = Effects::Reads | Effects::Writes | Effects::MayFail,
        .hooks = {.infer = infer_launch},
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "launch @forward.0.linear_relu, %x, %w, %t",
    },
    {
        .name = "external",
        .loop_op = LoopOp::External,
        .summary =
            "What a target of the user's computes: a region on tensors, from the buffers of its arguments into the "
            "others, which hold what it yields. It is all that its function does.",
        .operands = {{.name = "buffers", .elements = ElementClass::Buffer, .variadic = true}},
        .attrs = {{.name = "target", .kind = AttributeKind::String, .required = true, .summary = "who computes it"}},
        .result_count = 0,
        .regions = {{.name = "body", .terminator = "yield"}},
        .dtype = {.kind = DtypeRuleKind::Hook},
        .effects = Effects::Reads | Effects::Writes | Effects::MayFail,
        .traits = Traits::IsolatedRegion,
        .hooks = {.infer = infer_external},
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "external %x, %y (%0: tensor<[B]xf32>) attributes {target = \"accel\"} { %1 = relu %0 yield %1 }",
    },
    {
        .name = "guard",
        .loop_op = LoopOp::Guard,
        .summary = "True where every index expression is at least 0.",
        .attrs = {{.name = "conditions", .kind = AttributeKind::Subscripts, .required = true}},
        .dtype = {.kind = DtypeRuleKind::Bool},
        .effects = Effects::MayFail,
        .hooks = {.infer = infer_guard},
        .no_gradient = "of indices, not of data",
        .example = "%g = guard [%i - 1, H - %i] : i1",
    },
    {
        .name = "apply",
        .loop_op = LoopOp::Apply,
        .summary = "The value of an index expression as i64.",
        .attrs = {{.name = "value", .kind = AttributeKind::Subscripts, .required = true}},
        .dtype = {.kind = DtypeRuleKind::Position},
        .effects = Effects::MayFail,
        .hooks = {.infer = infer_apply},
        .no_gradient = "of indices, not of data",
        .example = "%p = apply [%i*3 + %j] : i64",
    },
    {
        .name = "literal",
        .loop_op = LoopOp::Literal,
        .summary = "A number.",
        .attrs = {{.name = "value", .required = true, .summary = "the number; rounded to the dtype"},
                  {.name = "dtype", .kind = AttributeKind::Dtype, .required = true}},
        .dtype = {.kind = DtypeRuleKind::Hook},
        .traits = Traits::Constant,
        .hooks = {.infer = infer_literal},
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "%zero = literal {dtype = f64, value = 0.0} : f64",
    },
    {
        .name = "fma",
        .loop_op = LoopOp::Fma,
        .summary = "The first two operands multiplied, plus the third, rounded once; of f32 only.",
        .operands = {{.name = "left", .elements = ElementClass::Value},
                     {.name = "right", .elements = ElementClass::Value},
                     {.name = "addend", .elements = ElementClass::Value}},
        .dtype = {.kind = DtypeRuleKind::Hook},
        .hooks = {.infer = infer_fma},
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "%s = fma %a, %b, %c : f32",
    },
    {
        .name = "bits",
        .loop_op = LoopOp::Bits,
        .summary = "The bits of a float as an integer as wide; of each NaN those of the positive quiet one. Of f32 and "
                   "f64 only.",
        .operands = {{.name = "x", .elements = ElementClass::Value}},
        .dtype = {.kind = DtypeRuleKind::Hook},
        .hooks = {.infer = infer_bits},
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "%b = bits %x : i32",
    },
    {
        .name = "check",
        .loop_op = LoopOp::Check,
        .summary = "Aborts the program with an error unless every index expression is at least 0.",
        .attrs = {{.name = "conditions", .kind = AttributeKind::Subscripts, .required = true},
                  {.name = "message", .kind = AttributeKind::String, .required = true}},
        .result_count = 0,
        .effects = Effects::MayFail,
        .no_gradient = "of indices, not of data",
        .example = "check [N - 1] {message = \"`max` over an empty extent\"}",
    },
};

}  // namespace mlgc
