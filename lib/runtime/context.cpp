// Contexts: making them, running functions, states. Every call is checked whole before anything of it happens.
#include "runtime/context.h"

#include "runtime/device.h"
#include "runtime/postfix.h"

namespace mlgc::runtime {

void* State::other(mlgc_i64 bytes, const mlgc_device* device, Refusal& why) {
  Block& block = blocks[now == blocks[0].data() ? 1 : 0];
  return block.data() != nullptr || block.reset(bytes > 0 ? bytes : 1, device, why) ? block.data() : nullptr;
}

namespace {

mlgc_i32 make_threads(mlgc_context& context, Error& error) {
  const mlgc_i32 wanted = context.options.threads;
  if (wanted < 0 || wanted > kMostThreads)
    return error.set(MLGC_BAD_USAGE, "%d threads are asked for, 0 to %d are possible", wanted, kMostThreads);
  context.runtime.threads = wanted > 0 ? wanted : std::min(core_count(), kMostThreads);
  return context.threads.start(context.options.parallel_for != nullptr ? 1 : context.runtime.threads, error);
}

// Room for the largest function, so that calls allocate nothing but what depends on sizes.
mlgc_i32 make_room(mlgc_context& context, Error& error) {
  const mlgc_unit& unit = *context.program->unit;
  mlgc_i32 symbols = 0;
  mlgc_i32 inputs = 0;
  mlgc_i32 outputs = 0;
  mlgc_i32 late = 0;
  for (mlgc_i32 f = 0; f < unit.function_count; ++f) {
    symbols = std::max(symbols, unit.functions[f].symbol_count);
    inputs = std::max(inputs, unit.functions[f].input_count);
    outputs = std::max(outputs, unit.functions[f].output_count);
    late = std::max(late, unit.functions[f].late_count);
  }
  if (!context.symbols.reset(symbols) || !context.inputs.reset(inputs) || !context.outputs.reset(outputs) ||
      !context.ranges.reset(mlgc_i64{inputs} + outputs) || !context.located.reset(mlgc_i64{inputs} + outputs) ||
      !context.states.reset(unit.state_count) || !context.state_values.reset(unit.state_count) ||
      !context.lent.reset(outputs) || !context.capacities.reset(outputs) || !context.late.reset(late) ||
      !context.late_memory.reset(late) || !context.addresses.reset(mlgc_i64{inputs} + outputs + unit.state_count + 1) ||
      !make_external_room(context))
    return error.set(MLGC_LIMIT, "no memory for the context");
  const char* reason = nullptr;
  if (unit.device != nullptr)
    if (const mlgc_i32 wrong =
            unit.device->allocate_host(MLGC_PINNED_BYTES + sizeof(mlgc_noted), &context.runtime.pinned, &reason);
        wrong != MLGC_OK)
      return error.set(wrong, "no pinned memory for the context: %s", reason);
  return make_failures(context, error);
}

// On a stream that the host captures, copies would become a part of its graph.
mlgc_i32 check_new_stream(mlgc_context& context, Error& error) {
  const mlgc_device* const device = context.program->unit->device;
  if (device == nullptr || context.options.stream == nullptr) return MLGC_OK;
  mlgc_i32 capturing = 0;
  const char* reason = nullptr;
  if (const mlgc_i32 status = device->is_capturing(context.options.stream, &capturing, &reason); status != MLGC_OK)
    return error.set(status, "the stream of the context: %s", reason);
  context.capturing = capturing != 0;
  if (!context.capturing || context.program->unit->state_count == 0) return MLGC_OK;
  return error.set(MLGC_BAD_USAGE, "a context of `%s`, which has states, cannot be made while its stream is captured",
                   context.program->unit->name);
}

// To the block of the state that does not hold its value.
mlgc_i32 copy_to_state(mlgc_context& context, const void* from, mlgc_i64 bytes, mlgc_i32 number) {
  const mlgc_unit& unit = *context.program->unit;
  Refusal why;
  void* const to = context.states[number].other(bytes, unit.device, why);
  if (to != nullptr) why.status = MLGC_OK;
  // Of no bytes, `from` may be null, which memcpy does not take even then.
  if (to != nullptr && bytes > 0) {
    if (unit.device == nullptr)
      std::memcpy(to, from, static_cast<mlgc_size>(bytes));
    else
      why.status = unit.device->copy_in(to, from, bytes, context.options.stream, &why.reason);
  }
  if (why.status != MLGC_OK)
    return context.error.set(why.status, "state `%s`, %lld bytes: %s", unit.states[number].name,
                             static_cast<long long>(bytes), why.reason);
  context.states[number].now = to;
  return MLGC_OK;
}

mlgc_i32 reset_states(mlgc_context& context) {
  const mlgc_program& program = *context.program;
  for (mlgc_i32 s = 0; s < program.unit->state_count; ++s) {
    if (program.unit->device == nullptr) {
      context.states[s].now = program.first_states[s];
      continue;
    }
    const mlgc_i64 bytes = program.unit->states[s].bytes;
    if (const mlgc_i32 wrong = copy_to_state(context, program.first_states[s], bytes, s); wrong != 0) return wrong;
  }
  return MLGC_OK;
}

// One call of mlgc_run() or mlgc_output_shapes().
class Call {
 public:
  Call(mlgc_context& context, mlgc_i32 function, const mlgc_tensor* inputs, mlgc_tensor* outputs)
      : context_(context),
        unit_(*context.program->unit),
        function_(unit_.functions[function]),
        number_(function),
        visible_(context.program->signatures[function].output_count),
        inputs_(inputs),
        outputs_(outputs) {}

  mlgc_i32 prepare(mlgc_i32 input_count, mlgc_i32 output_count) {
    Error& error = context_.error;
    if (const mlgc_i32 wrong = check_counts(function_, inputs_, input_count, outputs_, output_count, visible_, error);
        wrong != 0)
      return wrong;
    if (const mlgc_i32 wrong =
            bind_symbols(*context_.program, context_.runtime, function_, inputs_, context_.symbols.data(), error);
        wrong != 0)
      return wrong;
    mlgc_i32 status = MLGC_OK;
    layout_ = find_layout(context_, number_, &status);
    return status;
  }

  void describe_outputs() {
    const mlgc_i64* sizes = layout_->sizes.data();
    for (mlgc_i32 i = 0; i < visible_; ++i) {
      describe(i, sizes);
      sizes += function_.outputs[i].rank;
    }
  }

  mlgc_i32 run() {
    // What earlier calls lent belongs to the host: a call gives back only what it lent itself, wherever it fails.
    for (mlgc_i32 i = 0; i < visible_; ++i) context_.lent[i] = nullptr;
    context_.layout = layout_;
    mlgc_i32 status = check();
    if (status == MLGC_OK) status = make_memory();
    if (status == MLGC_OK) status = place_outputs();
    if (status == MLGC_OK) status = launch(context_, function_);
    give_arenas_back(context_);
    if (function_.late_count > 0) describe_late(status == MLGC_OK);
    if (status != MLGC_OK) {
      for (mlgc_i32 i = 0; i < visible_; ++i)
        if (context_.lent[i] != nullptr) (void)give_back(context_, context_.lent[i]->block.data());
      return status;
    }
    for (mlgc_i32 i = 0; i < visible_; ++i) {
      if (context_.lent[i] == nullptr) continue;
      describe(i, context_.lent[i]->sizes.data());
      element(outputs_, i).data = context_.lent[i]->block.data();
    }
    for (mlgc_i32 i = visible_; i < function_.output_count; ++i)
      context_.states[function_.outputs[i].state].now = context_.outputs[i];
    return MLGC_OK;
  }

 private:
  // Outputs of the host whose sizes the call told: those of a call that was refused as far as it got, so that the host
  // can bring more memory.
  void describe_late(bool done) {
    const mlgc_i64* sizes = layout_->sizes.data();
    for (mlgc_i32 i = 0; i < visible_; ++i) {
      const bool told = context_.outputs[i] != nullptr && context_.lent[i] == nullptr && layout_->output_bytes[i] >= 0;
      if (is_late(i) && told && done) {
        const mlgc_size capacity = element(outputs_, i).bytes;  // what the host said, for its next call too
        describe(i, sizes);
        element(outputs_, i).bytes = capacity;
      } else if (is_late(i) && told)
        element(outputs_, i).sizes = sizes;
      sizes += function_.outputs[i].rank;
    }
  }

  void describe(mlgc_i32 i, const mlgc_i64* sizes) {
    mlgc_tensor& tensor = element(outputs_, i);
    tensor.dtype = function_.outputs[i].dtype;
    tensor.device = unit_.device == nullptr ? mlgc_i32{MLGC_CPU} : unit_.device->kind;
    tensor.device_id = context_.program->device_id;
    tensor.rank = function_.outputs[i].rank;
    tensor.sizes = sizes;
    tensor.strides = nullptr;
    tensor.bytes = static_cast<mlgc_size>(std::max<mlgc_i64>(layout_->output_bytes[i], 0));
  }

  // Whether only the call can say how large the output is.
  [[nodiscard]] bool is_late(mlgc_i32 i) const { return stage_of(function_.outputs[i], function_.symbols) > 0; }

  // Memory of the host: what it is, and that outputs do not lie in inputs.
  mlgc_i32 check() {
    mlgc_i64 ranges = 0;
    const auto add = [&](const void* data, mlgc_i64 bytes, mlgc_i32 number, bool output) {
      if (bytes == 0) return;
      const char* const begin = static_cast<const char*>(data);
      context_.ranges[ranges++] = {begin, begin + bytes, number, output};
    };
    const mlgc_i64* sizes = layout_->sizes.data();
    for (mlgc_i32 i = 0; i < visible_; ++i) {
      const mlgc_value& value = function_.outputs[i];
      const mlgc_tensor& tensor = element(outputs_, i);
      const mlgc_i64* const wanted = sizes;
      sizes += value.rank;
      context_.outputs[i] = tensor.data;
      if (tensor.data == nullptr) continue;
      const mlgc_i64 bytes = layout_->output_bytes[i];
      if (bytes < 0) {
        if (const mlgc_i32 wrong = check_capacity(*context_.program, value, tensor, context_.error); wrong != 0)
          return wrong;
        context_.capacities[i] = static_cast<mlgc_i64>(std::min<mlgc_size>(tensor.bytes, MLGC_I64_MAX));
        if (const mlgc_i32 wrong = check_place("output", value, i, tensor.data, context_.capacities[i]); wrong != 0)
          return wrong;
        add(tensor.data, context_.capacities[i], i, true);
        continue;
      }
      if (const mlgc_i32 wrong = check_output(value, tensor, wanted, context_.error); wrong != 0) return wrong;
      if (const mlgc_i32 wrong =
              check_memory(*context_.program, "output", value, tensor, wanted, bytes, context_.error);
          wrong != 0)
        return wrong;
      if (const mlgc_i32 wrong = check_place("output", value, i, tensor.data, bytes); wrong != 0) return wrong;
      add(tensor.data, bytes, i, true);
    }
    for (mlgc_i32 i = 0; i < function_.input_count; ++i) {
      const mlgc_value& value = function_.inputs[i];
      const mlgc_tensor& tensor = element(inputs_, i);
      mlgc_i64 bytes = 0;
      if (!tensor_bytes(value.dtype, value.rank, tensor.sizes, &bytes))
        return context_.error.set(MLGC_BAD_INPUT, "input `%s` has more than 2^63 bytes", value.name);
      if (const mlgc_i32 wrong =
              check_memory(*context_.program, "input", value, tensor, tensor.sizes, bytes, context_.error);
          wrong != 0)
        return wrong;
      if (const mlgc_i32 wrong = check_place("input", value, context_.outputs.size() + i, tensor.data, bytes);
          wrong != 0)
        return wrong;
      context_.inputs[i] = tensor.data;
      if (!replaced_in_place(i)) add(tensor.data, bytes, i, false);
    }
    return check_aliases(function_, context_.ranges.data(), ranges, context_.error);
  }

  // `slot`: of context_.located.
  mlgc_i32 check_place(const char* what, const mlgc_value& value, mlgc_i64 slot, const void* data, mlgc_i64 bytes) {
    if (unit_.device == nullptr || bytes == 0 || context_.located[slot] == data) return MLGC_OK;
    const mlgc_i32 status = runtime::check_place(*context_.program, what, value, data, context_.error);
    if (status == MLGC_OK) context_.located[slot] = data;
    return status;
  }

  // An output is written over this input, which the plan allows: then the output stands for both.
  bool replaced_in_place(mlgc_i32 input) {
    for (mlgc_i32 i = 0; i < visible_; ++i)
      if (function_.outputs[i].input == input && function_.outputs[i].in_place != 0 &&
          context_.outputs[i] == context_.inputs[input])
        return true;
    return false;
  }

  // Arena and scratch, kept for the next calls.
  mlgc_i32 make_memory() {
    const mlgc_i32 status = hold_arena(context_, function_, context_.arena, layout_->bytes.arena);
    context_.scratch_stride = 0;
    return status == MLGC_OK ? hold_scratch(context_, function_, layout_->bytes.scratch) : status;
  }

  // Memory for outputs without, and for new states.
  mlgc_i32 place_outputs() {
    const mlgc_i64* sizes = layout_->sizes.data();
    for (mlgc_i32 i = 0; i < visible_; ++i) {
      if (context_.outputs[i] == nullptr && layout_->output_bytes[i] >= 0)
        if (const mlgc_i32 wrong = lend_output(context_, function_, i, sizes); wrong != 0) return wrong;
      sizes += function_.outputs[i].rank;
    }
    for (mlgc_i32 s = 0; s < unit_.state_count; ++s) context_.state_values[s] = context_.states[s].now;
    for (mlgc_i32 i = visible_; i < function_.output_count; ++i) {
      const mlgc_i32 number = function_.outputs[i].state;
      State& state = context_.states[number];
      const mlgc_i64 bytes = unit_.states[number].bytes;
      const bool own = state.now == state.blocks[0].data() || state.now == state.blocks[1].data();
      if (function_.outputs[i].in_place != 0 && !own) {
        if (const mlgc_i32 wrong = copy_to_state(context_, state.now, bytes, number); wrong != 0) return wrong;
        context_.state_values[number] = state.now;
      }
      Refusal why;
      context_.outputs[i] =
          function_.outputs[i].in_place != 0 ? const_cast<void*>(state.now) : state.other(bytes, unit_.device, why);
      if (context_.outputs[i] == nullptr)
        return context_.error.set(why.status, "the new value of state `%s`, %lld bytes: %s", unit_.states[number].name,
                                  static_cast<long long>(bytes), why.reason);
    }
    return MLGC_OK;
  }

  mlgc_context& context_;
  const mlgc_unit& unit_;
  const mlgc_function& function_;
  mlgc_i32 number_, visible_;
  const mlgc_tensor* inputs_;
  mlgc_tensor* outputs_;
  Layout* layout_ = nullptr;
};

// False: the error is set.
bool known_function(mlgc_context& context, mlgc_i32 function) {
  if (function >= 0 && function < context.program->unit->function_count) return true;
  context.error.set(MLGC_BAD_USAGE, "there is no function %d, `%s` has %d", function, context.program->unit->name,
                    context.program->unit->function_count);
  return false;
}

// The bytes of a state; -1: the error is set.
mlgc_i64 known_state(mlgc_context& context, mlgc_i32 state, const void* data, mlgc_size bytes) {
  const mlgc_unit& unit = *context.program->unit;
  if (state < 0 || state >= unit.state_count) {
    context.error.set(MLGC_BAD_USAGE, "there is no state %d, `%s` has %d", state, unit.name, unit.state_count);
    return -1;
  }
  const mlgc_data& known = unit.states[state];
  if (bytes == static_cast<mlgc_size>(known.bytes) && (data != nullptr || bytes == 0)) return known.bytes;
  context.error.set(MLGC_BAD_USAGE, "state `%s` has %lld bytes, %zu are given", known.name,
                    static_cast<long long>(known.bytes), data == nullptr ? 0 : bytes);
  return -1;
}

}  // namespace
}  // namespace mlgc::runtime

using mlgc::runtime::Call;
using mlgc::runtime::ContextCall;
using mlgc::runtime::Error;

extern "C" {

mlgc_i32 mlgc_context_create(const mlgc_program* program, const mlgc_context_options* given, mlgc_context** context,
                             char* text, mlgc_size text_bytes) {
  Error error;
  mlgc_context_options options = {};
  if (context != nullptr) *context = nullptr;
  if (program == nullptr || context == nullptr || !mlgc::runtime::read_options(given, options))
    return mlgc::runtime::report(
        error.set(MLGC_BAD_USAGE, "mlgc_context_create: no program, no context, or options without struct_size"), error,
        text, text_bytes);
  auto* const made = mlgc::runtime::create<mlgc_context>();
  if (made == nullptr)
    return mlgc::runtime::report(error.set(MLGC_LIMIT, "no memory for the context"), error, text, text_bytes);
  made->program = program;
  made->options = options;
  const mlgc::runtime::OnDevice device(*program);
  mlgc_i32 status = device.why().status;
  if (status != MLGC_OK) error.set(status, "device %d: %s", program->device_id, device.why().reason);
  if (status == MLGC_OK && (options.allocate == nullptr) != (options.give_back == nullptr))
    status = error.set(MLGC_BAD_USAGE, "mlgc_context_create: `allocate` and `give_back` are given both, or neither");
  if (status == MLGC_OK) status = mlgc::runtime::check_new_stream(*made, error);
  if (status == MLGC_OK) status = mlgc::runtime::make_room(*made, error);
  if (status == MLGC_OK) status = mlgc::runtime::make_threads(*made, error);
  if (status == MLGC_OK) {
    mlgc::runtime::connect(*made);
    status = mlgc::runtime::reset_states(*made);
    if (status != MLGC_OK) error = made->error;
  }
  if (status == MLGC_OK)
    *context = made;
  else
    mlgc_context_destroy(made);
  return mlgc::runtime::report(status, error, text, text_bytes);
}

mlgc_i32 mlgc_context_destroy(mlgc_context* context) {
  if (context == nullptr) return MLGC_OK;
  const mlgc::runtime::OnDevice device(*context->program);
  const mlgc_i32 failure = context->unsettled ? mlgc::runtime::settle(*context) : mlgc_i32{MLGC_OK};
  mlgc::runtime::empty_pool(*context);
  for (mlgc::runtime::State& state : context->states)
    for (mlgc::runtime::Block& block : state.blocks) block.release();
  for (mlgc::runtime::Late& late : context->late) late.block.release();
  mlgc::runtime::release_graphs(*context);
  mlgc::runtime::release_failures(*context);
  mlgc::runtime::destroy(context);
  return failure;
}

mlgc_i32 mlgc_context_synchronize(mlgc_context* context) {
  const ContextCall use(*context);
  if (use.status() != MLGC_OK) return use.status();
  if (const mlgc_i32 wrong = mlgc::runtime::check_capture(*context, nullptr); wrong != MLGC_OK) return wrong;
  return mlgc::runtime::settle(*context);
}

const char* mlgc_error(const mlgc_context* context) {
  const char* const refusal = ContextCall::refusal_text(*context);
  return refusal != nullptr ? refusal : context->error.text;
}

mlgc_i32 mlgc_output_shapes(mlgc_context* context, mlgc_i32 function, const mlgc_tensor* inputs, mlgc_i32 input_count,
                            mlgc_tensor* outputs, mlgc_i32 output_count) {
  const ContextCall use(*context);
  if (use.status() != MLGC_OK) return use.status();
  if (!mlgc::runtime::known_function(*context, function)) return MLGC_BAD_USAGE;
  // Sizes that are values are read from the device.
  const mlgc_function& called = context->program->unit->functions[function];
  if (mlgc::runtime::reads_sizes(called))
    if (const mlgc_i32 wrong = mlgc::runtime::check_capture(*context, nullptr); wrong != MLGC_OK) return wrong;
  Call call(*context, function, inputs, outputs);
  const mlgc_i32 status = call.prepare(input_count, output_count);
  if (status == MLGC_OK) call.describe_outputs();
  return status;
}

mlgc_i32 mlgc_run(mlgc_context* context, mlgc_i32 function, const mlgc_tensor* inputs, mlgc_i32 input_count,
                  mlgc_tensor* outputs, mlgc_i32 output_count) {
  const ContextCall use(*context);
  if (use.status() != MLGC_OK) return use.status();
  if (!mlgc::runtime::known_function(*context, function)) return MLGC_BAD_USAGE;
  const mlgc_function& called = context->program->unit->functions[function];
  if (const mlgc_i32 wrong = mlgc::runtime::check_capture(*context, &called); wrong != MLGC_OK) return wrong;
  if (const mlgc_i32 failure = mlgc::runtime::settle_before(*context, called); failure != MLGC_OK) return failure;
  Call call(*context, function, inputs, outputs);
  const mlgc_i32 status = call.prepare(input_count, output_count);
  return status == MLGC_OK ? call.run() : status;
}

mlgc_i32 mlgc_release(mlgc_context* context, void* data) {
  return mlgc::runtime::give_back(*context, data) ? MLGC_OK : MLGC_BAD_USAGE;
}

mlgc_i32 mlgc_state_read(mlgc_context* context, mlgc_i32 state, void* data, mlgc_size size) {
  const ContextCall use(*context);
  if (use.status() != MLGC_OK) return use.status();
  const mlgc_i64 bytes = mlgc::runtime::known_state(*context, state, data, size);
  if (bytes < 0) return MLGC_BAD_USAGE;
  if (bytes == 0) return MLGC_OK;
  if (const mlgc_i32 wrong = mlgc::runtime::check_capture(*context, nullptr); wrong != MLGC_OK) return wrong;
  if (const mlgc_i32 failure = mlgc::runtime::settle(*context); failure != MLGC_OK) return failure;
  const mlgc_device* const device = context->program->unit->device;
  const void* const now = context->states[state].now;
  const char* reason = nullptr;
  if (device == nullptr)
    std::memcpy(data, now, size);
  else if (const mlgc_i32 status = device->copy_out(data, now, bytes, context->options.stream, &reason); status != 0)
    return context->error.set(status, "state `%s`: %s", context->program->unit->states[state].name, reason);
  return MLGC_OK;
}

mlgc_i32 mlgc_state_write(mlgc_context* context, mlgc_i32 state, const void* data, mlgc_size size) {
  const ContextCall use(*context);
  if (use.status() != MLGC_OK) return use.status();
  const mlgc_i64 bytes = mlgc::runtime::known_state(*context, state, data, size);
  if (bytes < 0) return MLGC_BAD_USAGE;
  if (const mlgc_i32 wrong = mlgc::runtime::check_capture(*context, nullptr); wrong != MLGC_OK) return wrong;
  return mlgc::runtime::copy_to_state(*context, data, bytes, state);
}

mlgc_i32 mlgc_states_reset(mlgc_context* context) {
  const ContextCall use(*context);
  if (use.status() != MLGC_OK) return use.status();
  if (const mlgc_i32 wrong = mlgc::runtime::check_capture(*context, nullptr); wrong != MLGC_OK) return wrong;
  return mlgc::runtime::reset_states(*context);
}

mlgc_i32 mlgc_context_memory(const mlgc_context* context, mlgc_memory* memory) {
  const mlgc::runtime::PoolBytes pool = mlgc::runtime::pool_bytes(*context);
  mlgc_i64 states = 0;
  for (const mlgc::runtime::State& state : context->states)
    for (const mlgc::runtime::Block& block : state.blocks) states += block.bytes();
  mlgc_i64 arenas = context->arena.bytes() + mlgc::runtime::retired_bytes(*context);
  for (const mlgc::runtime::Late& late : context->late) arenas += late.block.bytes();
  const mlgc_memory all = {0,
                           context->arena_planned,
                           context->arena_touched,
                           arenas,
                           context->scratch.bytes(),
                           states,
                           pool.lent,
                           pool.held,
                           context->program->unit->weights_file_bytes,
                           context->external_memory.bytes()};
  return mlgc::runtime::write_info(all, memory) ? MLGC_OK : MLGC_BAD_USAGE;
}

mlgc_i32 mlgc_context_graphs(const mlgc_context* context, mlgc_graphs* graphs) {
  mlgc_graphs all = context->graph_counts;
  all.held = 0;
  for (const mlgc::runtime::Graph& graph : context->graphs) all.held += graph.recording.executable != nullptr ? 1 : 0;
  return mlgc::runtime::write_info(all, graphs) ? MLGC_OK : MLGC_BAD_USAGE;
}

}  // extern "C"
