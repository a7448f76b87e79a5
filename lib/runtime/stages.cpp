// Memory of a call, stage by stage (unit.h): what is known when it begins, then what each size that it computes adds.
#include "runtime/context.h"
#include "runtime/postfix.h"

namespace mlgc::runtime {
namespace {

// After the arena, where measure_arena finds what is written past its end.
constexpr mlgc_i64 kMeasuredBehind = 4096;

// Whether temporaries are memory of the host's allocator, call by call.
bool borrows(const mlgc_context& context) {
  return context.options.allocate != nullptr && context.program->unit->device != nullptr;
}

mlgc_i32 hold(mlgc_context& context, const mlgc_function& function, Block& block, mlgc_i64 bytes, const char* what,
              bool borrowed) {
  if (block.bytes() >= bytes) return MLGC_OK;
  if (!retire(context, block))
    return context.error.set(MLGC_LIMIT, "no memory to keep %s of `%s`", what, function.name);
  if (!within_limit(context, bytes))
    return context.error.set(MLGC_LIMIT, "%lld bytes for %s of `%s` are more than the limit of %lld allows",
                             static_cast<long long>(bytes), what, function.name,
                             static_cast<long long>(context.options.memory_limit));
  Refusal why;
  if (borrowed ? !block.borrow(bytes, context.options, why) : !block.reset(bytes, context.program->unit->device, why))
    return context.error.set(why.status, "%lld bytes for %s of `%s`: %s", static_cast<long long>(bytes), what,
                             function.name, why.reason);
  return MLGC_OK;
}

// An output of the host holds what it has to, any other is lent.
mlgc_i32 place_output(mlgc_context& context, const mlgc_function& function, mlgc_i32 i, const mlgc_i64* sizes) {
  const mlgc_value& value = function.outputs[i];
  // One value of the size follows another.
  if (context.lent[i] != nullptr) (void)give_back(context, context.lent[i]->block.data());
  if (context.outputs[i] == nullptr || context.lent[i] != nullptr) return lend_output(context, function, i, sizes);
  if (context.capacities[i] >= context.layout->output_bytes[i]) return MLGC_OK;
  return context.error.set(MLGC_BAD_INPUT, "output `%s` has %lld bytes, its sizes ask for %lld", value.name,
                           static_cast<long long>(context.capacities[i]),
                           static_cast<long long>(context.layout->output_bytes[i]));
}

mlgc_i32 begin_stage(mlgc_context& context, const mlgc_function& function, mlgc_i32 symbol) {
  const mlgc_i64* const symbols = context.symbols.data();
  const mlgc_i32 stage = function.symbols[symbol].stage;
  Layout& layout = *context.layout;
  StageBytes bytes;
  mlgc_i32 status = check_computed(function, symbol, symbols, context.error);
  if (status == MLGC_OK) status = lay_out_stage(function, stage, symbols, layout, bytes, context.error);
  if (status != MLGC_OK) return status;
  Late& late = context.late[stage - 1];
  const bool measure = context.options.measure_arena != 0 && context.program->unit->device == nullptr;
  if (measure && late.bound) late.touched = std::max(late.touched, touched(late.block));
  status = hold_arena(context, function, late.block, bytes.arena);
  if (status == MLGC_OK) status = hold_scratch(context, function, bytes.scratch);
  if (status != MLGC_OK) return status;
  if (measure) fill(late.block);
  late.bound = true;
  late.planned = std::max(late.planned, bytes.arena);
  context.late_memory[stage - 1] = late.block.data();
  const mlgc_i64* sizes = layout.sizes.data();
  for (mlgc_i32 i = 0; i < function.output_count && status == MLGC_OK; ++i) {
    if (stage_of(function.outputs[i], function.symbols) == stage) status = place_output(context, function, i, sizes);
    sizes += function.outputs[i].rank;
  }
  return status;
}

}  // namespace

mlgc_i32 hold_arena(mlgc_context& context, const mlgc_function& function, Block& block, mlgc_i64 bytes) {
  const mlgc_i64 behind = context.options.measure_arena != 0 ? kMeasuredBehind : 0;
  return hold(context, function, block, bytes + behind, "temporaries", borrows(context));
}

void give_arenas_back(mlgc_context& context) {
  if (!borrows(context)) return;
  context.arena.release();
  for (Late& late : context.late) late.block.release();
}

mlgc_i32 hold_scratch(mlgc_context& context, const mlgc_function& function, mlgc_i64 bytes) {
  mlgc_i64 all = 0;
  const mlgc_i64 stride = std::max(context.scratch_stride, bytes > MLGC_I64_MAX - 64 ? bytes : (bytes + 63) / 64 * 64);
  if (bytes > MLGC_I64_MAX - 64 || !multiply(stride, context.runtime.threads, &all))
    return context.error.set(MLGC_LIMIT, "no memory for scratch of %lld bytes a thread", static_cast<long long>(bytes));
  if (const mlgc_i32 wrong = hold(context, function, context.scratch, all, "scratch", false); wrong != 0) return wrong;
  context.scratch_stride = stride;
  return MLGC_OK;
}

mlgc_i32 lend_output(mlgc_context& context, const mlgc_function& function, mlgc_i32 i, const mlgc_i64* sizes) {
  const mlgc_i64 bytes = context.layout->output_bytes[i];
  Refusal why;
  context.lent[i] = lend(context, bytes, sizes, function.outputs[i].rank, why);
  context.outputs[i] = nullptr;
  if (context.lent[i] == nullptr)
    return context.error.set(why.status, "output `%s`, %lld bytes: %s", function.outputs[i].name,
                             static_cast<long long>(bytes), why.reason);
  context.outputs[i] = context.lent[i]->block.data();
  return MLGC_OK;
}

mlgc_i32 bind_size(const mlgc_runtime* runtime, mlgc_i32 symbol, mlgc_i64 value) {
  mlgc_context& context = *static_cast<const Runtime*>(runtime)->context;
  // What the value is after a failure that the host function went on from (a fetch) means nothing.
  if (context.failure != MLGC_OK) return context.failure;
  context.symbols[symbol] = value;
  context.failure = begin_stage(context, *context.function, symbol);
  return context.failure;
}

}  // namespace mlgc::runtime
