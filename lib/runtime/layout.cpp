// What the sizes of a call lead to: the sizes of outputs, where buffers lie, how much memory it takes. Stage by stage,
// as sizes become known.
#include "runtime/arena_layout.h"
#include "runtime/context.h"
#include "runtime/postfix.h"

namespace mlgc::runtime {
namespace {

// What a call has told of the outputs once it ran.
void forget_late(const mlgc_function& function, Layout& layout) {
  mlgc_i64* size = layout.sizes.data();
  for (mlgc_i32 i = 0; i < function.output_count; ++i) {
    const mlgc_value& value = function.outputs[i];
    for (mlgc_i32 axis = 0; axis < value.rank; ++axis, ++size)
      if (stage_of(value.dims[axis].size, function.symbols) > 0) *size = -1;
    if (stage_of(value, function.symbols) > 0) layout.output_bytes[i] = -1;
  }
}

// Room for all stages.
bool make_room(const mlgc_function& function, Layout& layout) {
  mlgc_i64 dims = 0;
  for (mlgc_i32 i = 0; i < function.output_count; ++i) dims += function.outputs[i].rank;
  if (!layout.symbols.reset(function.symbol_count) || !layout.sizes.reset(dims) ||
      !layout.output_bytes.reset(function.output_count) || !layout.offsets.reset(function.buffer_count))
    return false;
  forget_late(function, layout);
  return true;
}

// A size that is known before all others are is told as soon as it is.
mlgc_i32 lay_out_outputs(const mlgc_function& function, mlgc_i32 stage, const mlgc_i64* symbols, Layout& layout,
                         Error& error) {
  mlgc_i64* size = layout.sizes.data();
  for (mlgc_i32 i = 0; i < function.output_count; ++i) {
    const mlgc_value& value = function.outputs[i];
    const mlgc_i64* const first = size;
    for (mlgc_i32 axis = 0; axis < value.rank; ++axis, ++size) {
      if (stage_of(value.dims[axis].size, function.symbols) != stage) continue;
      if (!evaluate(value.dims[axis].size, symbols, size) || *size < 0)
        return error.set(MLGC_BAD_INPUT, "output `%s`: dim %d (`%s`) has no size for these inputs", value.name, axis,
                         value.dims[axis].text);
    }
    if (stage_of(value, function.symbols) != stage) continue;
    if (!tensor_bytes(value.dtype, value.rank, first, &layout.output_bytes[i]))
      return error.set(MLGC_LIMIT, "output `%s` has more than 2^63 bytes", value.name);
  }
  return MLGC_OK;
}

}  // namespace

mlgc_i32 lay_out_stage(const mlgc_function& function, mlgc_i32 stage, const mlgc_i64* symbols, Layout& layout,
                       StageBytes& bytes, Error& error) {
  if (const mlgc_i32 wrong = lay_out_outputs(function, stage, symbols, layout, error); wrong != 0) return wrong;
  mlgc_i32 count = 0;
  for (mlgc_i32 i = 0; i < function.buffer_count; ++i)
    if (stage_of(function.buffers[i].bytes, function.symbols) == stage) ++count;
  Array<ArenaBuffer> buffers;
  Array<mlgc_i32> workspace;
  Array<mlgc_i64> offsets;
  if (!buffers.reset(count) || !workspace.reset(3 * mlgc_i64{count}) || !offsets.reset(count))
    return error.set(MLGC_LIMIT, "no memory for a plan of %d buffers", count);
  mlgc_i32 next = 0;
  for (mlgc_i32 i = 0; i < function.buffer_count; ++i) {
    const mlgc_buffer& buffer = function.buffers[i];
    if (stage_of(buffer.bytes, function.symbols) != stage) continue;
    ArenaBuffer& placed = buffers[next++];
    placed = {0, buffer.first, buffer.last};
    if (!evaluate(buffer.bytes, symbols, &placed.bytes) || placed.bytes < 0)
      return error.set(MLGC_LIMIT, "buffer `%s` of `%s` has no size for these inputs", buffer.name, function.name);
  }
  bytes.arena = layout_arena(buffers.data(), count, offsets.data(), workspace.data());
  if (bytes.arena < 0) return error.set(MLGC_LIMIT, "`%s` would need more than 2^63 bytes of memory", function.name);
  next = 0;
  for (mlgc_i32 i = 0; i < function.buffer_count; ++i)
    if (stage_of(function.buffers[i].bytes, function.symbols) == stage) layout.offsets[i] = offsets[next++];
  const mlgc_integer& scratch = stage == 0 ? function.scratch : function.late_scratch[stage - 1];
  if (!evaluate(scratch, symbols, &bytes.scratch) || bytes.scratch < 0)
    return error.set(MLGC_LIMIT, "scratch of `%s` has no size for these inputs", function.name);
  return MLGC_OK;
}

Layout* find_layout(mlgc_context& context, mlgc_i32 number, mlgc_i32* status) {
  const mlgc_function& function = context.program->unit->functions[number];
  const mlgc_i64* const symbols = context.symbols.data();
  for (Layout& layout : context.layouts)
    if (layout.function == number && std::equal(layout.symbols.begin(), layout.symbols.end(), symbols)) {
      if (function.late_count > 0) forget_late(function, layout);
      return &layout;
    }
  Layout& layout = context.layouts[context.next_layout];
  layout.function = -1;
  *status = make_room(function, layout) ? lay_out_stage(function, 0, symbols, layout, layout.bytes, context.error)
                                        : context.error.set(MLGC_LIMIT, "no memory for a plan");
  if (*status != MLGC_OK) return nullptr;
  std::copy(symbols, symbols + function.symbol_count, layout.symbols.begin());
  layout.function = number;
  context.next_layout = (context.next_layout + 1) % mlgc_context::kLayouts;
  return &layout;
}

}  // namespace mlgc::runtime
