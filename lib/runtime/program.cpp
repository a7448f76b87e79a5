// Programs: finding and checking the weights, and what a host may ask of a signature.
#include "runtime/program.h"

#include <dlfcn.h>
#include <pthread.h>

#include <climits>
#include <cstdint>
#include <cstdio>

#include "runtime/device.h"
#include "runtime/weights_header.h"

namespace mlgc::runtime {

mlgc_i32 visible_outputs(const mlgc_function& function) {
  mlgc_i32 count = 0;
  while (count < function.output_count && function.outputs[count].state < 0) ++count;
  return count;
}

mlgc_i32 report(mlgc_i32 status, const Error& error, char* text, mlgc_size text_bytes) {
  if (text != nullptr && text_bytes > 0) std::snprintf(text, text_bytes, "%s", error.text);
  return status;
}

namespace {

// `weights.safetensors` beside the object that holds the unit.
mlgc_i32 default_path(const mlgc_unit* unit, char (&path)[PATH_MAX], Error& error) {
  Dl_info info = {};
  const bool found = dladdr(unit, &info) != 0 && info.dli_fname != nullptr;
  // The program itself is known by the word it was called with.
  const char* const object = found && std::strchr(info.dli_fname, '/') != nullptr ? info.dli_fname : "/proc/self/exe";
  char resolved[PATH_MAX];
  if (realpath(object, resolved) == nullptr)
    return error.set(MLGC_BAD_INPUT, "where the model's weights are is not known: give weights_path");
  *std::strrchr(resolved, '/') = 0;
  if (std::snprintf(path, sizeof path, "%s/weights.safetensors", resolved) >= PATH_MAX)
    return error.set(MLGC_BAD_INPUT, "the path of the model's weights is too long");
  return MLGC_OK;
}

mlgc_i32 open_weights(mlgc_program& program, const mlgc_program_options& options, Error& error) {
  const mlgc_unit& unit = *program.unit;
  if (unit.weights_file_bytes == 0) return MLGC_OK;
  char path[PATH_MAX] = "the weights";
  mlgc_i64 bytes = static_cast<mlgc_i64>(options.weights_bytes);
  if (options.weights != nullptr) {
    if (reinterpret_cast<std::uintptr_t>(options.weights) % 64 != 0)
      return error.set(MLGC_BAD_USAGE, "the weights are not aligned to 64 bytes");
    program.file_data = static_cast<const char*>(options.weights);
  } else {
    if (options.weights_path == nullptr) {
      if (const mlgc_i32 wrong = default_path(program.unit, path, error); wrong != 0) return wrong;
    } else if (std::snprintf(path, sizeof path, "%s", options.weights_path) >= PATH_MAX) {
      return error.set(MLGC_BAD_INPUT, "the path of the weights is too long");
    }
    if (const mlgc_i32 wrong = program.file.open(path, error); wrong != 0) return wrong;
    program.file_data = program.file.data();
    bytes = program.file.bytes();
  }
  if (bytes != unit.weights_file_bytes)
    return error.set(MLGC_BAD_INPUT, "`%s` has %lld bytes, the weights of `%s` have %lld", path,
                     static_cast<long long>(bytes), unit.name, static_cast<long long>(unit.weights_file_bytes));
  if (hash_weights_header(program.file_data, unit.weights_header_bytes) != unit.weights_header_hash)
    return error.set(MLGC_BAD_INPUT, "`%s` holds other tensors than the weights of `%s`", path, unit.name);
  if (options.copy_weights == 0 || unit.device != nullptr) return MLGC_OK;
  Refusal why;
  if (!program.copy.reset(bytes, nullptr, why))
    return error.set(why.status, "no memory for a copy of the weights, %lld bytes", static_cast<long long>(bytes));
  std::memcpy(program.copy.data(), program.file_data, static_cast<mlgc_size>(bytes));
  program.file.unmap();
  program.file_data = program.copy.data();
  return MLGC_OK;
}

mlgc_i32 place_data(mlgc_program& program, Error& error) {
  const mlgc_unit& unit = *program.unit;
  const OnDevice device(program);
  if (device.why().status != MLGC_OK)
    return error.set(device.why().status, "device %d: %s", program.device_id, device.why().reason);
  if (!program.weights.reset(unit.weight_count) || !program.first_states.reset(unit.state_count) ||
      (unit.device != nullptr && !program.on_device.reset(unit.weight_count)))
    return error.set(MLGC_LIMIT, "no memory for the program");
  for (mlgc_i32 i = 0; i < unit.state_count; ++i) program.first_states[i] = program.file_data + unit.states[i].offset;
  for (mlgc_i32 i = 0; i < unit.weight_count; ++i) {
    const mlgc_data& weight = unit.weights[i];
    program.weights[i] = program.file_data + weight.offset;
    if (unit.device == nullptr) continue;
    Refusal why;
    if (program.on_device[i].reset(weight.bytes, unit.device, why))
      why.status =
          unit.device->copy_in(program.on_device[i].data(), program.weights[i], weight.bytes, nullptr, &why.reason);
    if (why.status != MLGC_OK)
      return error.set(why.status, "weight `%s`, %lld bytes, cannot be put on the device: %s", weight.name,
                       static_cast<long long>(weight.bytes), why.reason);
    program.weights[i] = program.on_device[i].data();
  }
  return MLGC_OK;
}

void describe(const mlgc_value& value, mlgc_value_info& info, mlgc_dim_info*& dims) {
  info = {value.name, value.dtype, value.rank, dims, value.alignment, value.input, value.in_place};
  for (mlgc_i32 axis = 0; axis < value.rank; ++axis)
    *dims++ = {value.dims[axis].text, value.dims[axis].size.program == nullptr ? value.dims[axis].size.constant : -1};
}

// The unit's tables as the host sees them.
mlgc_i32 describe(mlgc_program& program, Error& error) {
  const mlgc_unit& unit = *program.unit;
  mlgc_i64 values = 0;
  mlgc_i64 dims = 0;
  mlgc_i64 symbols = 0;
  mlgc_i64 constraints = 0;
  for (mlgc_i32 f = 0; f < unit.function_count; ++f) {
    const mlgc_function& function = unit.functions[f];
    const mlgc_i32 outputs = visible_outputs(function);
    values += function.input_count + outputs;
    for (mlgc_i32 i = 0; i < function.input_count; ++i) dims += function.inputs[i].rank;
    for (mlgc_i32 i = 0; i < outputs; ++i) dims += function.outputs[i].rank;
    symbols += function.symbol_count;
    constraints += function.constraint_count;
  }
  if (!program.signatures.reset(unit.function_count) || !program.values.reset(values) || !program.dims.reset(dims) ||
      !program.symbols.reset(symbols) || !program.constraints.reset(constraints))
    return error.set(MLGC_LIMIT, "no memory for the program");
  mlgc_value_info* value = program.values.data();
  mlgc_dim_info* dim = program.dims.data();
  mlgc_symbol_info* symbol = program.symbols.data();
  const char** constraint = program.constraints.data();
  for (mlgc_i32 f = 0; f < unit.function_count; ++f) {
    const mlgc_function& function = unit.functions[f];
    mlgc_signature& signature = program.signatures[f];
    signature = {sizeof signature,
                 function.name,
                 function.input_count,
                 visible_outputs(function),
                 function.symbol_count,
                 function.constraint_count,
                 value,
                 value + function.input_count,
                 symbol,
                 constraint};
    for (mlgc_i32 i = 0; i < function.input_count; ++i) describe(function.inputs[i], *value++, dim);
    for (mlgc_i32 i = 0; i < signature.output_count; ++i) describe(function.outputs[i], *value++, dim);
    for (mlgc_i32 i = 0; i < function.symbol_count; ++i)
      *symbol++ = {function.symbols[i].name, function.symbols[i].low, function.symbols[i].high};
    for (mlgc_i32 i = 0; i < function.constraint_count; ++i) *constraint++ = function.constraints[i].text;
  }
  return MLGC_OK;
}

mlgc_i32 open_device(const mlgc_program& program, Error& error) {
  const mlgc_unit& unit = *program.unit;
  if (unit.device == nullptr) {
    if (program.device_id == 0) return MLGC_OK;
    return error.set(MLGC_BAD_USAGE, "`%s` runs on the CPU, device %d is asked for", unit.name, program.device_id);
  }
  const char* reason = nullptr;
  if (const mlgc_i32 status = unit.device->open(program.device_id, &reason); status != MLGC_OK)
    return error.set(status, "`%s` cannot run on device %d: %s", unit.name, program.device_id, reason);
  return MLGC_OK;
}

mlgc_i32 prepare(mlgc_program& program, mlgc_i32 wanted, Error& error) {
  const mlgc_unit& unit = *program.unit;
  if (unit.abi != MLGC_UNIT_ABI)
    return error.set(MLGC_UNSUPPORTED, "`%s` was emitted for version %d of the runtime, this is version %d", unit.name,
                     unit.abi, MLGC_UNIT_ABI);
  if (unit.prepare == nullptr) return MLGC_OK;
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  program.vector_bytes = unit.prepare(wanted);
  pthread_mutex_unlock(&mutex);
  if (program.vector_bytes > 0) return MLGC_OK;
  if (wanted > 0)
    return error.set(MLGC_UNSUPPORTED,
                     "`%s` has no kernels for vectors of %d bytes that this CPU can run; `mlgc compile "
                     "--vector-bytes=all` makes them for all widths",
                     unit.name, wanted);
  return error.set(
      MLGC_UNSUPPORTED,
      "this CPU cannot run `%s`, which needs %s; `mlgc compile --vector-bytes=all` makes kernels for all CPUs",
      unit.name, unit.cpu_features);
}

}  // namespace
}  // namespace mlgc::runtime

using mlgc::runtime::Error;

extern "C" {

mlgc_i32 mlgc_program_create(const mlgc_unit* unit, const mlgc_program_options* given, mlgc_program** program,
                             char* text, mlgc_size text_bytes) {
  Error error;
  mlgc_program_options options = {};
  if (program != nullptr) *program = nullptr;
  if (unit == nullptr || program == nullptr || !mlgc::runtime::read_options(given, options))
    return mlgc::runtime::report(
        error.set(MLGC_BAD_USAGE, "mlgc_program_create: no unit, no program, or options without struct_size"), error,
        text, text_bytes);
  auto* const made = mlgc::runtime::create<mlgc_program>();
  if (made == nullptr)
    return mlgc::runtime::report(error.set(MLGC_LIMIT, "no memory for the program"), error, text, text_bytes);
  made->unit = unit;
  made->device_id = options.device_id;
  mlgc_i32 status = mlgc::runtime::prepare(*made, options.vector_bytes, error);
  if (status == MLGC_OK) status = mlgc::runtime::open_device(*made, error);
  if (status == MLGC_OK) status = mlgc::runtime::open_weights(*made, options, error);
  if (status == MLGC_OK) status = mlgc::runtime::place_data(*made, error);
  if (status == MLGC_OK) status = mlgc::runtime::describe(*made, error);
  if (status == MLGC_OK) status = mlgc::runtime::bind_externals(*made, options, error);
  if (status == MLGC_OK)
    *program = made;
  else
    mlgc_program_destroy(made);
  return mlgc::runtime::report(status, error, text, text_bytes);
}

void mlgc_program_destroy(mlgc_program* program) {
  if (program == nullptr) return;
  mlgc::runtime::release_externals(*program);
  for (mlgc::runtime::Block& block : program->on_device) block.release();
  mlgc::runtime::destroy(program);
}

const char* mlgc_program_name(const mlgc_program* program) { return program->unit->name; }
mlgc_i32 mlgc_vector_bytes(const mlgc_program* program) { return program->vector_bytes; }
mlgc_i32 mlgc_function_count(const mlgc_program* program) { return program->unit->function_count; }

const mlgc_signature* mlgc_function_signature(const mlgc_program* program, mlgc_i32 function) {
  return function >= 0 && function < program->unit->function_count ? &program->signatures[function] : nullptr;
}

mlgc_i32 mlgc_find_function(const mlgc_program* program, const char* name) {
  for (mlgc_i32 f = 0; f < program->unit->function_count; ++f)
    if (std::strcmp(program->unit->functions[f].name, name) == 0) return f;
  return -1;
}

mlgc_i32 mlgc_state_count(const mlgc_program* program) { return program->unit->state_count; }

mlgc_i32 mlgc_state(const mlgc_program* program, mlgc_i32 state, mlgc_state_info* info) {
  if (state < 0 || state >= program->unit->state_count) return MLGC_BAD_USAGE;
  const mlgc_data& data = program->unit->states[state];
  const mlgc_state_info all = {0, data.name, data.dtype, data.rank, data.sizes, static_cast<mlgc_size>(data.bytes)};
  return mlgc::runtime::write_info(all, info) ? MLGC_OK : MLGC_BAD_USAGE;
}

}  // extern "C"
