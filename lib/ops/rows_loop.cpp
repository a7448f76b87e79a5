// The rows of the loop level. Brackets hold index expressions over symbols, index values and i64 scalars.
#include "ops/rows_loop.h"

#include <algorithm>

#include "diag/kinds_ops.h"
#include "ops/infer_structural.h"
#include "ops/instantiate_op.h"
#include "ops/loop_ops.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

InferredTypes infer_load(const InferContext& in) {
  TypePool& types = in.context().types();
  return std::vector<Type>{types.scalar(types.dtype(in.operands()[0]))};
}
InferredTypes infer_store(const InferContext& in) {
  TypePool& types = in.context().types();
  const Type value = in.operands()[0], element = types.scalar(types.dtype(in.operands()[1]));
  if (value != element)
    return Failure{diagnose<kDtypeMismatch>({}, in.def().name, types.print(value), types.print(element))};
  return std::vector<Type>();
}
InferredTypes infer_position(const InferContext& in) {
  return std::vector<Type>{in.context().types().scalar(Dtype::I64)};
}
InferredTypes infer_test(const InferContext& in) { return std::vector<Type>{in.context().types().scalar(Dtype::I1)}; }
InferredTypes infer_literal(const InferContext& in) {
  return std::vector<Type>{in.context().types().scalar(*in.context().attributes().as_dtype(in.attr("dtype")))};
}
// Results have the types of what they start as; values of the bounds are operands before those.
InferredTypes infer_for(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_for: no op");
  if (subscripts_of(in.op()).size() != 2)
    return Failure{diagnose<kAttributeValue>({}, "bounds", "for", "write the first index and the one behind the last")};
  if (in.op().region_count() == 0) return std::vector<Type>();
  const std::size_t given = in.op().region(0).argument_count();
  const std::size_t carried = std::min(given - std::min<std::size_t>(given, 1), in.operands().size());
  const auto initial = in.operands().last(carried);
  std::vector<Type> arguments{in.context().types().index()};
  arguments.insert(arguments.end(), initial.begin(), initial.end());
  if (auto wrong = check_region_arguments(in, 0, arguments)) return Failure{std::move(*wrong)};
  if (auto wrong = check_region_yield(in, 0, initial)) return Failure{std::move(*wrong)};
  return std::vector<Type>(initial.begin(), initial.end());
}

// Its region computes on tensors what its operands hold: those that it reads, then those that it writes.
InferredTypes infer_external(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_external: no op");
  if (in.op().region_count() == 0) return std::vector<Type>();
  TypePool& types = in.context().types();
  std::vector<Type> tensors;
  for (const Type type : in.operands()) tensors.push_back(types.tensor(types.dtype(type), types.dims(type)));
  const std::span<const Type> all(tensors);
  const std::size_t read = std::min(in.op().region(0).argument_count(), all.size());
  if (auto wrong = check_region_arguments(in, 0, all.first(read))) return Failure{std::move(*wrong)};
  if (auto wrong = check_region_yield(in, 0, all.subspan(read))) return Failure{std::move(*wrong)};
  return std::vector<Type>();
}

constexpr OpDef kLoopRows[] = {
    {
        .name = "alloc",
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
                   .summary = "in order, by several threads, in strips of lanes, or spelled out"},
                  {.name = "lanes",
                   .kind = AttributeKind::Int,
                   .summary = "of a vector loop: how many iterations a strip has, a power of two from 2 to 1024"},
                  {.name = "combine",
                   .kind = AttributeKind::StringList,
                   .summary = "of a vector loop: how the lanes of each carried value come together, add mul max min "
                              "or and"}},
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
             {.name = "bytes",
              .kind = AttributeKind::Int,
              .summary = "what the hint depends on, at the sizes of a call: followed from 8 MiB on"}},
        .result_count = 0,
        .effects = Effects::Writes | Effects::MayFail,
        .hooks = {.infer = infer_store},
        .no_gradient = "of the loop level; gradients are taken before lowering",
        .example = "store %v, %y[%i, %c]",
    },
    {
        .name = "data",
        .summary = "The memory of a weight, or of a state as it was when the program was called; nobody writes it.",
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
        .summary =
            "Says that a size of a driver function is the integer in a buffer of one element: from there on, and of an "
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
        .summary = "True where every index expression is at least 0.",
        .attrs = {{.name = "conditions", .kind = AttributeKind::Subscripts, .required = true}},
        .dtype = {.kind = DtypeRuleKind::Bool},
        .effects = Effects::MayFail,
        .hooks = {.infer = infer_test},
        .no_gradient = "of indices, not of data",
        .example = "%g = guard [%i - 1, H - %i] : i1",
    },
    {
        .name = "apply",
        .summary = "The value of an index expression as i64.",
        .attrs = {{.name = "value", .kind = AttributeKind::Subscripts, .required = true}},
        .dtype = {.kind = DtypeRuleKind::Position},
        .effects = Effects::MayFail,
        .hooks = {.infer = infer_position},
        .no_gradient = "of indices, not of data",
        .example = "%p = apply [%i*3 + %j] : i64",
    },
    {
        .name = "literal",
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
        .name = "check",
        .summary = "Ends the program with an error unless every index expression is at least 0.",
        .attrs = {{.name = "conditions", .kind = AttributeKind::Subscripts, .required = true},
                  {.name = "message", .kind = AttributeKind::String, .required = true}},
        .result_count = 0,
        .effects = Effects::MayFail,
        .no_gradient = "of indices, not of data",
        .example = "check [N - 1] {message = \"`max` over an empty extent\"}",
    },
};

constexpr auto kLoopFamily = family<kLoopRows>();

}  // namespace

std::span<const OpDef* const> loop_rows() { return kLoopFamily; }

}  // namespace mlgc
