// See check.h.
#include "runtime/check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "runtime/postfix.h"
#include "runtime/program.h"

namespace mlgc::runtime {
namespace {

struct DtypeRow {
  const char* name;
  mlgc_i64 bytes;
};
constexpr DtypeRow kDtypes[] = {{"i1", 1},  {"i8", 1},  {"ui8", 1},  {"i16", 2}, {"i32", 4},
                                {"i64", 8}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}};
constexpr mlgc_i32 kDtypeCount = sizeof kDtypes / sizeof *kDtypes;

using Text = char[160];

// `[B]x784xf32`, as the module writes the type.
void print_type(const mlgc_value& value, Text& text) {
  mlgc_size used = 0;
  text[0] = 0;
  const auto add = [&](const char* format, const char* word) {
    const int written = std::snprintf(text + used, sizeof text - used, format, word);
    used = std::min(sizeof text - 1, used + static_cast<mlgc_size>(std::max(written, 0)));
  };
  for (mlgc_i32 i = 0; i < value.rank; ++i)
    add(value.dims[i].size.program == nullptr ? "%sx" : "[%s]x", value.dims[i].text);
  add("%s", dtype_name(value.dtype));
}

// `1 <= B <= 256`.
void print_range(const mlgc_symbol& symbol, Text& text) {
  if (symbol.high == MLGC_I64_MAX)
    std::snprintf(text, sizeof text, "%s >= %lld", symbol.name, static_cast<long long>(symbol.low));
  else
    std::snprintf(text, sizeof text, "%lld <= %s <= %lld", static_cast<long long>(symbol.low), symbol.name,
                  static_cast<long long>(symbol.high));
}

// ` (`B`)` after the number of a dim that depends on symbols; nothing after another.
void print_dim(const mlgc_dim& dim, Text& text) {
  text[0] = 0;
  if (dim.size.program != nullptr) std::snprintf(text, sizeof text, " (`%s`)", dim.text);
}

mlgc_i32 check_dtype_and_rank(const char* what, const mlgc_value& value, const mlgc_tensor& tensor, Error& error) {
  if (tensor.dtype != value.dtype)
    return error.set(MLGC_BAD_INPUT, "%s `%s` is of dtype %s, the model has %s", what, value.name,
                     dtype_name(tensor.dtype), dtype_name(value.dtype));
  if (tensor.rank != value.rank) {
    Text type;
    print_type(value, type);
    return error.set(MLGC_BAD_INPUT, "%s `%s` is of rank %d, the model has rank %d: %s", what, value.name, tensor.rank,
                     value.rank, type);
  }
  return MLGC_OK;
}

// Sizes that are there and no less than 0, of a tensor of the model's rank.
mlgc_i32 check_sizes(const char* what, const mlgc_value& value, const mlgc_tensor& tensor, Error& error) {
  if (tensor.rank > 0 && tensor.sizes == nullptr)
    return error.set(MLGC_BAD_USAGE, "%s `%s` has no sizes", what, value.name);
  for (mlgc_i32 i = 0; i < tensor.rank; ++i)
    if (tensor.sizes[i] < 0)
      return error.set(MLGC_BAD_INPUT, "%s `%s`: dim %d is %lld", what, value.name, i,
                       static_cast<long long>(tensor.sizes[i]));
  return MLGC_OK;
}

mlgc_i32 bind(const mlgc_function& function, const mlgc_binding& binding, const mlgc_tensor& input, mlgc_i64* symbols,
              Error& error) {
  const mlgc_value& value = function.inputs[binding.input];
  const mlgc_symbol& symbol = function.symbols[binding.symbol];
  const mlgc_i64 size = input.sizes[binding.axis];
  const mlgc_i64 times = size - binding.offset;
  mlgc_i64& bound = symbols[binding.symbol];
  bound = times / binding.factor;
  if (times % binding.factor == 0 && bound >= symbol.low && bound <= symbol.high) return MLGC_OK;
  Text dim;
  Text range;
  print_dim(value.dims[binding.axis], dim);
  print_range(symbol, range);
  return error.set(MLGC_BAD_INPUT, "input `%s`: dim %d%s is %lld, the model has %s", value.name, binding.axis, dim,
                   static_cast<long long>(size), range);
}

// The element of an input of i32 or i64 that has one.
mlgc_i32 read_integer(const mlgc_program& program, const mlgc_device_runtime& runtime, const mlgc_value& value,
                      const mlgc_tensor& input, mlgc_i64* result, Error& error) {
  const mlgc_i64 bytes = dtype_bytes(value.dtype);
  for (mlgc_i32 axis = 0; axis < value.rank; ++axis)
    if (input.sizes[axis] != 1)
      return error.set(MLGC_BAD_INPUT, "input `%s`: dim %d is %lld, the model has 1", value.name, axis,
                       static_cast<long long>(input.sizes[axis]));
  if (const mlgc_i32 wrong = check_memory(program, "input", value, input, input.sizes, bytes, error); wrong != 0)
    return wrong;
  std::int32_t narrow = 0;
  void* const to = value.dtype == MLGC_I32 ? static_cast<void*>(&narrow) : result;
  const void* from = input.data;
  const char* reason = nullptr;
  if (const mlgc_device* const device = program.unit->device; device != nullptr) {
    from = runtime.pinned;
    if (const mlgc_i32 status = device->copy_out(runtime.pinned, input.data, bytes, runtime.stream, &reason);
        status != 0)
      return error.set(status, "input `%s`: %s", value.name, reason);
  }
  std::memcpy(to, from, static_cast<mlgc_size>(bytes));
  if (value.dtype == MLGC_I32) *result = narrow;
  return MLGC_OK;
}

mlgc_i32 bind_value(const mlgc_program& program, const mlgc_device_runtime& runtime, const mlgc_function& function,
                    const mlgc_binding& binding, const mlgc_tensor& input, mlgc_i64* symbols, Error& error) {
  const mlgc_value& value = function.inputs[binding.input];
  const mlgc_symbol& symbol = function.symbols[binding.symbol];
  mlgc_i64& bound = symbols[binding.symbol];
  if (const mlgc_i32 wrong = read_integer(program, runtime, value, input, &bound, error); wrong != 0) return wrong;
  if (bound >= symbol.low && bound <= symbol.high) return MLGC_OK;
  Text range;
  print_range(symbol, range);
  return error.set(MLGC_BAD_INPUT, "input `%s`: its value, the size `%s`, is %lld, the model has %s", value.name,
                   symbol.name, static_cast<long long>(bound), range);
}

// Which dim of which input says what the symbols in a dim are, ` (`B` is 4 by dim 0 of `x`)` for a bare symbol.
void print_origin(const mlgc_function& function, const mlgc_dim& dim, Text& text) {
  text[0] = 0;
  const mlgc_i64* const program = dim.size.program;
  if (program == nullptr || program[0] != MLGC_SYMBOL || program[2] != MLGC_END) return;
  for (mlgc_i32 i = 0; i < function.binding_count; ++i) {
    const mlgc_binding& binding = function.bindings[i];
    if (binding.symbol == program[1] && binding.axis >= 0)
      std::snprintf(text, sizeof text, " by dim %d of `%s`", binding.axis, function.inputs[binding.input].name);
  }
}

mlgc_i32 check_constraint(const mlgc_function& function, const mlgc_constraint& constraint, const mlgc_i64* symbols,
                          Error& error) {
  mlgc_i64 holds = 0;
  if (evaluate(constraint.program, symbols, &holds) && holds != 0) return MLGC_OK;
  char values[512] = "";
  mlgc_size used = 0;
  for (const mlgc_i64* word = constraint.program; *word != MLGC_END; ++word) {
    const bool symbol = *word == MLGC_SYMBOL;
    if (!symbol && *word != MLGC_CONSTANT) continue;
    const mlgc_i64 number = *++word;
    if (!symbol) continue;
    const int written = std::snprintf(values + used, sizeof values - used, "%s%s is %lld", used == 0 ? "" : ", ",
                                      function.symbols[number].name, static_cast<long long>(symbols[number]));
    used = std::min(sizeof values - 1, used + static_cast<mlgc_size>(std::max(written, 0)));
  }
  return error.set(MLGC_BAD_INPUT, "the model wants `%s`, and %s", constraint.text, values);
}

mlgc_i32 check_constraints(const mlgc_function& function, mlgc_i32 stage, const mlgc_i64* symbols, Error& error) {
  for (mlgc_i32 i = 0; i < function.constraint_count; ++i) {
    const mlgc_constraint& constraint = function.constraints[i];
    if (stage_of(constraint.program, function.symbols) != stage) continue;
    if (const mlgc_i32 wrong = check_constraint(function, constraint, symbols, error); wrong != 0) return wrong;
  }
  return MLGC_OK;
}

}  // namespace

const char* dtype_name(mlgc_i32 dtype) { return dtype >= 0 && dtype < kDtypeCount ? kDtypes[dtype].name : "unknown"; }
mlgc_i64 dtype_bytes(mlgc_i32 dtype) { return kDtypes[dtype].bytes; }

bool tensor_bytes(mlgc_i32 dtype, mlgc_i32 rank, const mlgc_i64* sizes, mlgc_i64* bytes) {
  *bytes = dtype_bytes(dtype);
  // An empty tensor is empty whatever its other sizes are.
  for (mlgc_i32 i = 0; i < rank; ++i)
    if (sizes[i] == 0) *bytes = 0;
  for (mlgc_i32 i = 0; i < rank; ++i)
    if (!multiply(*bytes, sizes[i], bytes)) return false;
  return true;
}

mlgc_i32 check_counts(const mlgc_function& function, const mlgc_tensor* inputs, mlgc_i32 input_count,
                      const mlgc_tensor* outputs, mlgc_i32 output_count, mlgc_i32 wanted_outputs, Error& error) {
  struct Side {
    const char* what;
    const mlgc_tensor* tensors;
    mlgc_i32 count, wanted;
  };
  for (const Side& side : {Side{"input", inputs, input_count, function.input_count},
                           Side{"output", outputs, output_count, wanted_outputs}}) {
    if (side.count != side.wanted)
      return error.set(MLGC_BAD_USAGE, "`%s` has %d %ss, %d are given", function.name, side.wanted, side.what,
                       side.count);
    if (side.count > 0 && side.tensors == nullptr)
      return error.set(MLGC_BAD_USAGE, "the array of %ss is null", side.what);
    for (mlgc_i32 i = 0; i < side.count; ++i)
      if (side.tensors->struct_size < sizeof(mlgc_tensor) || side.tensors->struct_size % alignof(mlgc_tensor) != 0 ||
          element(side.tensors, i).struct_size != side.tensors->struct_size)
        return error.set(MLGC_BAD_USAGE, "struct_size of %s %d is %zu, and not that of an mlgc_tensor, %zu", side.what,
                         i, element(side.tensors, i).struct_size, sizeof(mlgc_tensor));
  }
  return MLGC_OK;
}

mlgc_i32 bind_symbols(const mlgc_program& program, const mlgc_device_runtime& runtime, const mlgc_function& function,
                      const mlgc_tensor* inputs, mlgc_i64* symbols, Error& error) {
  for (mlgc_i32 i = 0; i < function.symbol_count; ++i) symbols[i] = 0;
  for (mlgc_i32 i = 0; i < function.input_count; ++i) {
    mlgc_i32 wrong = check_dtype_and_rank("input", function.inputs[i], element(inputs, i), error);
    if (wrong == 0) wrong = check_sizes("input", function.inputs[i], element(inputs, i), error);
    if (wrong != 0) return wrong;
  }
  for (mlgc_i32 i = 0; i < function.binding_count; ++i) {
    const mlgc_binding& binding = function.bindings[i];
    const mlgc_tensor& input = element(inputs, binding.input);
    const mlgc_i32 wrong = binding.axis < 0 ? bind_value(program, runtime, function, binding, input, symbols, error)
                                            : bind(function, binding, input, symbols, error);
    if (wrong != 0) return wrong;
  }
  for (mlgc_i32 i = 0; i < function.input_count; ++i) {
    const mlgc_value& value = function.inputs[i];
    for (mlgc_i32 axis = 0; axis < value.rank; ++axis) {
      mlgc_i64 wanted = 0;
      const bool known = evaluate(value.dims[axis].size, symbols, &wanted);
      const mlgc_i64 size = element(inputs, i).sizes[axis];
      if (known && size == wanted) continue;
      Text dim;
      Text origin;
      print_dim(value.dims[axis], dim);
      print_origin(function, value.dims[axis], origin);
      if (!known)
        return error.set(MLGC_BAD_INPUT, "input `%s`: dim %d%s has no value within 64 bits", value.name, axis, dim);
      return error.set(MLGC_BAD_INPUT, "input `%s`: dim %d%s is %lld, the model has %lld%s", value.name, axis, dim,
                       static_cast<long long>(size), static_cast<long long>(wanted), origin);
    }
  }
  return check_constraints(function, 0, symbols, error);
}

bool reads_sizes(const mlgc_function& function) {
  for (mlgc_i32 i = 0; i < function.binding_count; ++i)
    if (function.bindings[i].axis < 0) return true;
  return false;
}

mlgc_i32 check_computed(const mlgc_function& function, mlgc_i32 symbol, const mlgc_i64* symbols, Error& error) {
  const mlgc_symbol& computed = function.symbols[symbol];
  if (symbols[symbol] >= computed.low && symbols[symbol] <= computed.high)
    return check_constraints(function, computed.stage, symbols, error);
  Text range;
  print_range(computed, range);
  return error.set(MLGC_BAD_INPUT, "`%s`: the size `%s` is computed and is %lld, the model has %s", function.name,
                   computed.name, static_cast<long long>(symbols[symbol]), range);
}

mlgc_i32 check_capacity(const mlgc_program& program, const mlgc_value& value, const mlgc_tensor& tensor, Error& error) {
  if (const mlgc_i32 wrong = check_dtype_and_rank("output", value, tensor, error); wrong != 0) return wrong;
  if (tensor.strides != nullptr)
    return error.set(MLGC_BAD_INPUT, "output `%s` has strides, and its sizes are known only when the call has run",
                     value.name);
  const auto bytes = static_cast<mlgc_i64>(std::min<mlgc_size>(tensor.bytes, MLGC_I64_MAX));
  return check_memory(program, "output", value, tensor, nullptr, bytes, error);
}

mlgc_i32 check_output(const mlgc_value& value, const mlgc_tensor& tensor, const mlgc_i64* sizes, Error& error) {
  if (const mlgc_i32 wrong = check_dtype_and_rank("output", value, tensor, error); wrong != 0) return wrong;
  if (const mlgc_i32 wrong = check_sizes("output", value, tensor, error); wrong != 0) return wrong;
  for (mlgc_i32 axis = 0; axis < value.rank; ++axis) {
    if (tensor.sizes[axis] == sizes[axis]) continue;
    Text dim;
    print_dim(value.dims[axis], dim);
    return error.set(MLGC_BAD_INPUT, "output `%s`: dim %d%s is %lld, for these inputs it is %lld", value.name, axis,
                     dim, static_cast<long long>(tensor.sizes[axis]), static_cast<long long>(sizes[axis]));
  }
  return MLGC_OK;
}

mlgc_i32 check_memory(const mlgc_program& program, const char* what, const mlgc_value& value, const mlgc_tensor& tensor,
                      const mlgc_i64* sizes, mlgc_i64 bytes, Error& error) {
  static constexpr const char* kDevices[] = {"the CPU", "a CUDA device"};
  const mlgc_unit& unit = *program.unit;
  const mlgc_i32 device = unit.device == nullptr ? mlgc_i32{MLGC_CPU} : unit.device->kind;
  if (tensor.device != device)
    return error.set(MLGC_BAD_INPUT, "%s `%s` is on %s, the model runs on %s", what, value.name,
                     tensor.device == MLGC_CPU || tensor.device == MLGC_CUDA ? kDevices[tensor.device] : "no device",
                     kDevices[device]);
  if (unit.device != nullptr && tensor.device_id != program.device_id)
    return error.set(MLGC_BAD_INPUT, "%s `%s` is on device %d, the program was made on device %d", what, value.name,
                     tensor.device_id, program.device_id);
  if (bytes == 0) return MLGC_OK;
  if (tensor.data == nullptr) return error.set(MLGC_BAD_INPUT, "%s `%s` has no data", what, value.name);
  mlgc_i64 stride = 1;
  for (mlgc_i32 axis = value.rank - 1; axis >= 0 && tensor.strides != nullptr; --axis) {
    if (sizes[axis] != 1 && tensor.strides[axis] != stride)
      return error.set(MLGC_BAD_INPUT,
                       "%s `%s`: the stride of dim %d is %lld, the model has row-major data, where it is %lld", what,
                       value.name, axis, static_cast<long long>(tensor.strides[axis]), static_cast<long long>(stride));
    stride *= sizes[axis];
  }
  if (tensor.bytes < static_cast<mlgc_size>(bytes))
    return error.set(MLGC_BAD_INPUT, "%s `%s` has %zu bytes, its sizes ask for %lld", what, value.name, tensor.bytes,
                     static_cast<long long>(bytes));
  const mlgc_i64 alignment = value.alignment > 0 ? value.alignment : dtype_bytes(value.dtype);
  if (reinterpret_cast<mlgc_size>(tensor.data) % static_cast<mlgc_size>(alignment) != 0)
    return error.set(MLGC_BAD_INPUT, "%s `%s`: the data are not aligned to %lld bytes", what, value.name,
                     static_cast<long long>(alignment));
  return MLGC_OK;
}

mlgc_i32 check_place(const mlgc_program& program, const char* what, const mlgc_value& value, const void* data,
                     Error& error) {
  const mlgc_device* const device = program.unit->device;
  if (device == nullptr) return MLGC_OK;
  mlgc_i32 number = -1;
  const char* reason = nullptr;
  if (const mlgc_i32 status = device->locate(data, &number, &reason); status != MLGC_OK)
    return error.set(status, "%s `%s`: %s", what, value.name, reason);
  if (number == program.device_id) return MLGC_OK;
  if (number < 0)
    return error.set(MLGC_BAD_INPUT,
                     "%s `%s` is said to be on device %d, and its data are memory of the CPU: copy them there", what,
                     value.name, program.device_id);
  return error.set(MLGC_BAD_INPUT, "%s `%s` is said to be on device %d, and its data are memory of device %d", what,
                   value.name, program.device_id, number);
}

mlgc_i32 check_aliases(const mlgc_function& function, Range* ranges, mlgc_i64 count, Error& error) {
  std::sort(ranges, ranges + count, [](const Range& a, const Range& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    return a.output != b.output ? a.output : a.number < b.number;
  });
  // Of what stands before, the input and the output that reach farthest.
  const Range* farthest[2] = {nullptr, nullptr};
  for (Range* range = ranges; range != ranges + count; ++range) {
    for (const Range* other : farthest) {
      if (other == nullptr || other->end <= range->begin || (!other->output && !range->output)) continue;
      const Range& output = range->output ? *range : *other;
      const Range& with = range->output ? *other : *range;
      return error.set(MLGC_BAD_INPUT, "output `%s` shares memory with %s `%s`", function.outputs[output.number].name,
                       with.output ? "output" : "input",
                       (with.output ? function.outputs : function.inputs)[with.number].name);
    }
    const Range*& last = farthest[range->output ? 1 : 0];
    if (last == nullptr || range->end > last->end) last = range;
  }
  return MLGC_OK;
}

}  // namespace mlgc::runtime
