// What the sizes of a call lead to: the sizes of outputs, where buffers lie, how much memory it takes.
#include "runtime/arena_layout.h"
#include "runtime/context.h"
#include "runtime/postfix.h"

namespace mlgc::runtime {
namespace {

mlgc_i32 lay_out_outputs(const mlgc_function& function, const mlgc_i64* symbols, Layout& layout, Error& error) {
  mlgc_i64 dims = 0;
  for (mlgc_i32 i = 0; i < function.output_count; ++i) dims += function.outputs[i].rank;
  if (!layout.sizes.reset(dims) || !layout.output_bytes.reset(function.output_count))
    return error.set(MLGC_LIMIT, "no memory for the sizes of outputs");
  mlgc_i64* size = layout.sizes.data();
  for (mlgc_i32 i = 0; i < function.output_count; ++i) {
    const mlgc_value& value = function.outputs[i];
    const mlgc_i64* const first = size;
    for (mlgc_i32 axis = 0; axis < value.rank; ++axis, ++size)
      if (!evaluate(value.dims[axis].size, symbols, size) || *size < 0)
        return error.set(MLGC_BAD_INPUT, "output `%s`: dim %d (`%s`) has no size for these inputs", value.name, axis,
                         value.dims[axis].text);
    if (!tensor_bytes(value.dtype, value.rank, first, &layout.output_bytes[i]))
      return error.set(MLGC_LIMIT, "output `%s` has more than 2^63 bytes", value.name);
  }
  return MLGC_OK;
}

mlgc_i32 lay_out_arena(const mlgc_function& function, const mlgc_i64* symbols, Layout& layout, Error& error) {
  const mlgc_i32 count = function.buffer_count;
  Array<ArenaBuffer> buffers;
  Array<mlgc_i32> workspace;
  if (!buffers.reset(count) || !workspace.reset(3 * mlgc_i64{count}) || !layout.offsets.reset(count))
    return error.set(MLGC_LIMIT, "no memory for a plan of %d buffers", count);
  for (mlgc_i32 i = 0; i < count; ++i) {
    const mlgc_buffer& buffer = function.buffers[i];
    buffers[i] = {0, buffer.first, buffer.last};
    if (!evaluate(buffer.bytes, symbols, &buffers[i].bytes) || buffers[i].bytes < 0)
      return error.set(MLGC_LIMIT, "buffer `%s` of `%s` has no size for these inputs", buffer.name, function.name);
  }
  layout.arena = layout_arena(buffers.data(), count, layout.offsets.data(), workspace.data());
  if (layout.arena < 0) return error.set(MLGC_LIMIT, "`%s` would need more than 2^63 bytes of memory", function.name);
  if (!evaluate(function.scratch, symbols, &layout.scratch) || layout.scratch < 0)
    return error.set(MLGC_LIMIT, "scratch of `%s` has no size for these inputs", function.name);
  return MLGC_OK;
}

}  // namespace

const Layout* find_layout(mlgc_context& context, mlgc_i32 number, mlgc_i32* status) {
  const mlgc_function& function = context.program->unit->functions[number];
  const mlgc_i64* const symbols = context.symbols.data();
  for (const Layout& layout : context.layouts)
    if (layout.function == number && std::equal(layout.symbols.begin(), layout.symbols.end(), symbols)) return &layout;
  Layout& layout = context.layouts[context.next_layout];
  layout.function = -1;
  *status = layout.symbols.reset(function.symbol_count) ? lay_out_outputs(function, symbols, layout, context.error)
                                                        : context.error.set(MLGC_LIMIT, "no memory for a plan");
  if (*status == MLGC_OK) *status = lay_out_arena(function, symbols, layout, context.error);
  if (*status != MLGC_OK) return nullptr;
  std::copy(symbols, symbols + function.symbol_count, layout.symbols.begin());
  layout.function = number;
  context.next_layout = (context.next_layout + 1) % mlgc_context::kLayouts;
  return &layout;
}

}  // namespace mlgc::runtime
