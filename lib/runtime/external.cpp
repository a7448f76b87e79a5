// External targets: binding them to a program's segments, and calling them.
#include <algorithm>
#include <cstring>

#include "runtime/context.h"
#include "runtime/postfix.h"

namespace mlgc::runtime {
namespace {

constexpr mlgc_i64 kAlignment = 64;

// What a callback returned and said, as `what` returns it: `the external target `accel` failed (7): no memory`.
mlgc_i32 external_failed(const mlgc_segment& segment, mlgc_i32 status, const char* reason, Error& error) {
  const bool known = status == MLGC_BAD_INPUT || status == MLGC_UNSUPPORTED || status == MLGC_LIMIT;
  return error.set(known ? status : mlgc_i32{MLGC_EXTERNAL_FAILED},
                   "segment `%s` of `%s`: the target failed with %d: %s", segment.name, segment.target, status,
                   reason[0] != 0 ? reason : "it does not say why");
}

const mlgc_external* find_table(const mlgc_program_options& options, const char* target) {
  for (mlgc_i32 i = 0; i < options.external_count; ++i) {
    const mlgc_external& table = element(options.externals, i);
    if (table.struct_size >= sizeof(mlgc_external) && table.target != nullptr && std::strcmp(table.target, target) == 0)
      return &table;
  }
  return nullptr;
}

mlgc_i32 check_tables(const mlgc_program_options& options, Error& error) {
  if (options.external_count < 0 || (options.external_count > 0 && options.externals == nullptr))
    return error.set(MLGC_BAD_USAGE, "%d external targets are given, and no tables of them", options.external_count);
  for (mlgc_i32 i = 0; i < options.external_count; ++i) {
    // The size of the first says where the next one is.
    if (options.externals->struct_size < sizeof(mlgc_external) ||
        options.externals->struct_size % alignof(mlgc_external) != 0)
      return error.set(MLGC_BAD_USAGE, "the table of an external target has a struct_size of %zu, expected %zu",
                       options.externals->struct_size, sizeof(mlgc_external));
    const mlgc_external& table = element(options.externals, i);
    if (table.target == nullptr || table.call == nullptr)
      return error.set(MLGC_BAD_USAGE, "the table of external target %d has no %s", i,
                       table.target == nullptr ? "name" : "function `call`");
    if (table.version != MLGC_EXTERNAL_VERSION)
      return error.set(MLGC_UNSUPPORTED, "the external target `%s` has version %d of its table, this model wants %d",
                       table.target, table.version, MLGC_EXTERNAL_VERSION);
  }
  return MLGC_OK;
}

// `count` elements, each as the one at `element`.
void fill_elements(char* to, mlgc_i64 count, const void* element, mlgc_i64 width) {
  for (mlgc_i64 i = 0; i < count; ++i) std::memcpy(to + i * width, element, static_cast<mlgc_size>(width));
}

// Splats of known size are constants, whose elements are written once.
mlgc_i32 place_constants(mlgc_program& program, const mlgc_segment_row& row, Segment& made, mlgc_i64& next_splat,
                         Error& error) {
  const mlgc_segment& segment = row.segment;
  const mlgc_integer* size = row.sizes;
  for (mlgc_i32 v = 0; v < segment.value_count; ++v) {
    mlgc_segment_value& value = made.values[v];
    value = segment.values[v];
    mlgc_i64 count = 1;
    bool fixed = true;
    for (mlgc_i32 axis = 0; axis < value.rank; ++axis, ++size) {
      fixed = fixed && size->program == nullptr && multiply(count, size->constant, &count);
    }
    if (row.weights[v] >= 0) value.data = program.weights[row.weights[v]];
    if (value.role != MLGC_VALUE_SPLAT || !fixed) continue;
    const mlgc_i64 width = dtype_bytes(value.dtype);
    Refusal why;
    Block& block = program.splats[next_splat++];
    mlgc_i64 bytes = 0;
    if (!multiply(count, width, &bytes) || !block.reset(std::max(bytes, kAlignment), nullptr, why))
      return error.set(MLGC_LIMIT, "a constant of segment `%s`: no memory", segment.name);
    fill_elements(block.data(), count, value.data, width);
    value.role = MLGC_VALUE_CONSTANT;
    value.data = block.data();
  }
  made.segment = segment;
  made.segment.struct_size = sizeof(mlgc_segment);
  made.segment.values = made.values.data();
  return MLGC_OK;
}

// Sizes and integers of the call; which bytes of the context's memory each value has.
class ExternalCall {
 public:
  ExternalCall(mlgc_context& context, mlgc_i32 number, const mlgc_i64* symbols)
      : context_(context),
        row_(context.program->unit->segments[number]),
        bound_(context.program->segments[number]),
        symbols_(symbols) {}

  mlgc_i32 run(const void* const* buffers) {
    mlgc_i32 status = describe(buffers);
    if (status == MLGC_OK) status = place();
    if (status != MLGC_OK) return status;
    char reason[512] = "";
    mlgc_external_call call = {};
    call.struct_size = sizeof call;
    call.segment = &bound_.segment;
    call.values = context_.values.data();
    call.symbols = symbols_;
    call.integers = context_.integers.data();
    call.stream = context_.options.stream;
    call.threads = context_.runtime.threads;
    call.error = reason;
    call.error_bytes = sizeof reason;
    status = bound_.target->call(bound_.target->user, bound_.handle, &call);
    reason[sizeof reason - 1] = 0;
    return status == MLGC_OK ? MLGC_OK : external_failed(bound_.segment, status, reason, context_.error);
  }

 private:
  mlgc_i32 describe(const void* const* buffers) {
    const mlgc_segment& segment = bound_.segment;
    for (mlgc_i32 i = 0; i < segment.integer_count; ++i)
      if (!evaluate(row_.integers[i], symbols_, &context_.integers[i]))
        return context_.error.set(MLGC_BAD_INPUT, "segment `%s`: an attribute has no value for these sizes",
                                  segment.name);
    const mlgc_integer* size = row_.sizes;
    mlgc_i64* at = context_.value_sizes.data();
    for (mlgc_i32 v = 0; v < segment.value_count; ++v) {
      const mlgc_segment_value& value = segment.values[v];
      mlgc_tensor& tensor = context_.values[v];
      tensor = {};
      tensor.struct_size = sizeof tensor;
      tensor.dtype = value.dtype;
      tensor.rank = value.rank;
      tensor.sizes = at;
      for (mlgc_i32 axis = 0; axis < value.rank; ++axis)
        if (!evaluate(size[axis], symbols_, &at[axis]) || at[axis] < 0)
          return context_.error.set(MLGC_BAD_INPUT, "segment `%s`: dim %d of `%s` (`%s`) has no size for these inputs",
                                    segment.name, axis, value.name, value.dims[axis].text);
      size += value.rank;
      at += value.rank;
      mlgc_i64 bytes = 0;
      if (!tensor_bytes(value.dtype, value.rank, tensor.sizes, &bytes))
        return context_.error.set(MLGC_LIMIT, "segment `%s`: `%s` has more than 2^63 bytes", segment.name, value.name);
      tensor.bytes = static_cast<mlgc_size>(bytes);
      const void* data = nullptr;
      if (value.role == MLGC_VALUE_CONSTANT) data = value.data;
      if (value.role == MLGC_VALUE_INPUT) data = buffers[value.number];
      if (value.role == MLGC_VALUE_OUTPUT) data = buffers[segment.body.argument_count + value.number];
      tensor.data = const_cast<void*>(data);
    }
    return MLGC_OK;
  }

  [[nodiscard]] bool needs_memory(const mlgc_segment_value& value) const {
    return value.role == MLGC_VALUE_SPLAT || value.role == MLGC_VALUE_SIZE ||
           (value.role == MLGC_VALUE_TEMPORARY && bound_.temporaries != 0);
  }

  // Memory that is kept for the next calls, and in it what this call brings.
  mlgc_i32 place() {
    const mlgc_segment& segment = bound_.segment;
    mlgc_i64 all = 0;
    for (mlgc_i32 v = 0; v < segment.value_count; ++v) {
      if (!needs_memory(segment.values[v])) continue;
      const auto bytes = static_cast<mlgc_i64>(context_.values[v].bytes);
      if (bytes > MLGC_I64_MAX - 2 * kAlignment || __builtin_add_overflow(all, padded(bytes), &all))
        return context_.error.set(MLGC_LIMIT, "segment `%s` would need more than 2^63 bytes of memory", segment.name);
    }
    if (context_.external_memory.bytes() < all) {
      context_.external_memory.release();
      if (!within_limit(context_, all))
        return context_.error.set(MLGC_LIMIT, "%lld bytes for segment `%s` are more than the limit of %lld allows",
                                  static_cast<long long>(all), segment.name,
                                  static_cast<long long>(context_.options.memory_limit));
      Refusal why;
      if (!context_.external_memory.reset(all, nullptr, why))
        return context_.error.set(why.status, "%lld bytes for segment `%s`: %s", static_cast<long long>(all),
                                  segment.name, why.reason);
    }
    char* at = context_.external_memory.data();
    for (mlgc_i32 v = 0; v < segment.value_count; ++v) {
      const mlgc_segment_value& value = segment.values[v];
      if (!needs_memory(value)) continue;
      mlgc_tensor& tensor = context_.values[v];
      tensor.data = at;
      at += padded(static_cast<mlgc_i64>(tensor.bytes));
      const mlgc_i64 width = dtype_bytes(value.dtype);
      if (value.role == MLGC_VALUE_SPLAT)
        fill_elements(static_cast<char*>(tensor.data), static_cast<mlgc_i64>(tensor.bytes) / width, value.data, width);
      if (value.role != MLGC_VALUE_SIZE) continue;
      mlgc_i64 size = 0;
      if (!evaluate(row_.scalars[v], symbols_, &size))
        return context_.error.set(MLGC_BAD_INPUT, "segment `%s`: the size `%s` has no value", segment.name, value.name);
      std::memcpy(tensor.data, &size, sizeof size);
    }
    return MLGC_OK;
  }

  // Of no bytes, a value has an address of its own still.
  static mlgc_i64 padded(mlgc_i64 bytes) {
    return std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  }

  mlgc_context& context_;
  const mlgc_segment_row& row_;
  const Segment& bound_;
  const mlgc_i64* symbols_;
};

}  // namespace

mlgc_i32 bind_externals(mlgc_program& program, const mlgc_program_options& options, Error& error) {
  const mlgc_unit& unit = *program.unit;
  if (const mlgc_i32 wrong = check_tables(options, error); wrong != 0) return wrong;
  mlgc_i64 splats = 0;
  for (mlgc_i32 s = 0; s < unit.segment_count; ++s) {
    const mlgc_segment& segment = unit.segments[s].segment;
    for (mlgc_i32 v = 0; v < segment.value_count; ++v) splats += segment.values[v].role == MLGC_VALUE_SPLAT ? 1 : 0;
  }
  if (!program.segments.reset(unit.segment_count) || !program.splats.reset(splats))
    return error.set(MLGC_LIMIT, "no memory for the program");
  mlgc_i64 next_splat = 0;
  for (mlgc_i32 s = 0; s < unit.segment_count; ++s) {
    const mlgc_segment_row& row = unit.segments[s];
    Segment& made = program.segments[s];
    made.target = find_table(options, row.segment.target);
    if (made.target == nullptr)
      return error.set(MLGC_UNSUPPORTED,
                       "`%s` has segments for the external target `%s`, and no table of it is given "
                       "(mlgc_program_options.externals; mlgc run --external=%s=FILE.so)",
                       unit.name, row.segment.target, row.segment.target);
    made.temporaries = made.target->flags & MLGC_EXTERNAL_TEMPORARIES;
    if (!made.values.reset(row.segment.value_count)) return error.set(MLGC_LIMIT, "no memory for the program");
    if (const mlgc_i32 wrong = place_constants(program, row, made, next_splat, error); wrong != 0) return wrong;
    if (made.target->prepare == nullptr) continue;
    char reason[512] = "";
    const mlgc_i32 status = made.target->prepare(made.target->user, &made.segment, &made.handle, reason, sizeof reason);
    reason[sizeof reason - 1] = 0;
    if (status != MLGC_OK) return external_failed(made.segment, status, reason, error);
    made.prepared = true;
  }
  return MLGC_OK;
}

void release_externals(mlgc_program& program) {
  for (Segment& segment : program.segments) {
    if (segment.prepared && segment.target->release != nullptr)
      segment.target->release(segment.target->user, segment.handle);
    segment.values.~Array();
  }
  for (Block& block : program.splats) block.release();
}

bool make_external_room(mlgc_context& context) {
  const mlgc_unit& unit = *context.program->unit;
  mlgc_i64 values = 0;
  mlgc_i64 sizes = 0;
  mlgc_i64 integers = 0;
  for (mlgc_i32 s = 0; s < unit.segment_count; ++s) {
    const mlgc_segment& segment = unit.segments[s].segment;
    mlgc_i64 dims = 0;
    for (mlgc_i32 v = 0; v < segment.value_count; ++v) dims += segment.values[v].rank;
    values = std::max<mlgc_i64>(values, segment.value_count);
    sizes = std::max(sizes, dims);
    integers = std::max<mlgc_i64>(integers, segment.integer_count);
  }
  mlgc_i64 operands = 0;
  mlgc_i64 operand_sizes = 0;
  for (mlgc_i32 f = 0; f < unit.function_count; ++f)
    for (mlgc_i32 k = 0; k < unit.functions[f].kernel_count; ++k) {
      const mlgc_kernel& kernel = unit.functions[f].kernels[k];
      mlgc_i64 dims = 0;
      for (mlgc_i32 i = 0; i < kernel.operand_count; ++i) dims += kernel.operands[i].rank;
      operands = std::max<mlgc_i64>(operands, kernel.operand_count);
      operand_sizes = std::max(operand_sizes, dims);
    }
  return context.values.reset(values) && context.value_sizes.reset(sizes) && context.integers.reset(integers) &&
         context.logged.reset(operands) && context.logged_sizes.reset(operand_sizes);
}

mlgc_i32 call_external(const mlgc_runtime* runtime, mlgc_i32 segment, const void* const* buffers,
                       const mlgc_i64* symbols) {
  mlgc_context& context = *static_cast<const Runtime*>(runtime)->context;
  if (context.failure != MLGC_OK) return context.failure;
  context.failure = ExternalCall(context, segment, symbols).run(buffers);
  return context.failure;
}

}  // namespace mlgc::runtime
