/* How emitted code and the runtime meet: the one table that an emitted unit exports, and what its code may call.
 *
 *     extern "C" MLGC_API const mlgc_unit* mlgc_unit_mlp(void);     // NAME as a C identifier
 *
 * Unit and runtime are built together, so this is no ABI between versions: `abi` only finds what was mixed by hand.
 * Everything in the table is constant data that lives as long as the unit. Includes nothing from the system.
 *
 * A unit allocates nothing, keeps nothing between calls and reports through mlgc_runtime alone; `run` may be called by
 * several threads at once. */
#ifndef MLGC_RUNTIME_UNIT_H
#define MLGC_RUNTIME_UNIT_H

#include "runtime/mlgc.h"

/* C has its own habits. NOLINTBEGIN(readability-identifier-naming,modernize-*) */

#ifdef __cplusplus
extern "C" {
#endif

#define MLGC_UNIT_ABI 8

/* --- Integers that depend on symbols: a postfix program, ended by MLGC_END. Arithmetic is checked: an overflow or a
 * division by less than 1 refuses the call. At most MLGC_POSTFIX_DEPTH values are on the stack. Truths are 1 and 0. */
#define MLGC_POSTFIX_DEPTH 64
enum mlgc_postfix {
  MLGC_END,
  MLGC_CONSTANT, /* the next word */
  MLGC_SYMBOL,   /* the symbol whose number is the next word */
  MLGC_ADD,
  MLGC_SUB,
  MLGC_MUL,
  MLGC_FLOORDIV,
  MLGC_CEILDIV,
  MLGC_MOD,
  MLGC_MIN,
  MLGC_MAX,
  MLGC_EQ,
  MLGC_NE,
  MLGC_LT,
  MLGC_LE,
  MLGC_GT,
  MLGC_GE,
  MLGC_AND
};
/* {1024, 0} is a constant; {0, program} depends on symbols. */
typedef struct mlgc_integer {
  mlgc_i64 constant;
  const mlgc_i64* program; /* null: `constant` */
} mlgc_integer;

/* --- Signature */

typedef struct mlgc_dim {
  const char* text; /* as the module writes it, for messages: `784`, `B`, `2*S + 1` */
  mlgc_integer size;
} mlgc_dim;

typedef struct mlgc_value {
  const char* name;
  mlgc_i32 dtype; /* enum mlgc_dtype */
  mlgc_i32 rank;
  const mlgc_dim* dims;
  mlgc_i32 alignment; /* that kernels want of the data; 0: the element's */
  /* Of outputs, what this is the new value of: a state, an input, or neither (-1, -1). */
  mlgc_i32 state, input;
  /* Of such: 1 where the plan allows that it is written over the old value, at the same address. States then are; they
   * are not as before when `run` fails, so a function that may fail does not do it. */
  mlgc_i32 in_place;
} mlgc_value;

/* Stage 0: known when the call begins. Else its value is computed: it is number `stage` of the function's sizes that
 * `run` tells by bind_size(). What depends on several symbols is of the latest of their stages: a size of an output, a
 * buffer, a constraint. */
typedef struct mlgc_symbol {
  const char* name;
  mlgc_i64 low, high; /* high: MLGC_I64_MAX: no bound */
  mlgc_i32 stage;
} mlgc_symbol;

/* Dim `axis` of input `input` is factor * symbol + offset. One for each symbol of stage 0, factor > 0. Axis -1: the
 * value of the input, an i32 or i64 and its only element, is the symbol; it is read before the call begins. */
typedef struct mlgc_binding {
  mlgc_i32 symbol, input, axis;
  mlgc_i64 factor, offset;
} mlgc_binding;

/* What must hold beyond the ranges. */
typedef struct mlgc_constraint {
  const char* text;
  const mlgc_i64* program; /* a truth */
} mlgc_constraint;

/* --- Memory */

/* A weight, or a state with its first value: a range of the weights file. Kernels may rely on the alignment of
 * `offset`, up to 64 bytes. */
typedef struct mlgc_data {
  const char* name;
  mlgc_i32 dtype;
  mlgc_i32 rank;
  const mlgc_i64* sizes;
  mlgc_i64 offset; /* from the start of the file */
  mlgc_i64 bytes;
} mlgc_data;

/* One piece of the arena, live in the steps first..last of its function (both included), which are numbered in the
 * order of its text; what a loop touches lives in all of its steps. Those whose lives touch
 * get disjoint memory, aligned to 64 bytes; what may share (in place, views) is one buffer. Buffers of each stage have
 * a piece of memory of their own. */
typedef struct mlgc_buffer {
  const char* name; /* for messages and reports */
  mlgc_integer bytes;
  mlgc_i32 first, last;
} mlgc_buffer;

typedef struct mlgc_operand {
  const char* name; /* of the buffer */
  mlgc_i32 dtype;
  mlgc_i32 rank;
  const mlgc_dim* dims;
} mlgc_operand;

/* One launch, for logs and lists. Null programs and -1: not known. */
typedef struct mlgc_kernel {
  const char* name;
  mlgc_integer bytes, flops;
  mlgc_i32 segment;                      /* of mlgc_unit.segments, which a target computes; -1: it is a kernel */
  const char* within;                    /* the ops around it, `for > if`; empty: it runs once */
  mlgc_i32 operand_count, written_count; /* those that it writes are the last */
  const mlgc_operand* operands;
} mlgc_kernel;

/* --- Segments that external targets compute */

typedef struct mlgc_segment_row {
  mlgc_segment segment;         /* constants that are weights have no data in it */
  const mlgc_i32* weights;      /* by value: the weight that it is, or -1 */
  const mlgc_integer* sizes;    /* of all values, one after the other, over the symbols of the segment */
  const mlgc_integer* scalars;  /* by value: of MLGC_VALUE_SIZE, what it is */
  const mlgc_integer* integers; /* mlgc_segment.integer_count of them */
} mlgc_segment_row;

/* --- What emitted code may call */

typedef struct mlgc_runtime mlgc_runtime;
/* Iterations begin..end-1 of a parallel loop. `scratch`: mlgc_function.scratch bytes, aligned to 64, that are this
 * call's alone and hold anything. Not 0: what fail() returned. */
typedef mlgc_i32 mlgc_body(void* arg, mlgc_i64 begin, mlgc_i64 end, void* scratch);

struct mlgc_runtime {
  /* How many bodies run at the same time at most. Results must not depend on it. */
  mlgc_i32 threads;
  void* stream;
  /* Calls `body` on disjoint ranges that cover [0, n), cut at multiples of `grain` (>= 1). Not 0: what the body that
   * failed with the lowest `begin` returned. A body must not call it. n <= grain: one call, on this thread, so this is
   * also how a serial kernel gets scratch. */
  mlgc_i32 (*parallel_for)(const mlgc_runtime* runtime, mlgc_i64 n, mlgc_i64 grain, mlgc_body* body, void* arg);
  /* Says why a run cannot go on, and returns what `run` and bodies then return, which is not 0. `{0}` ... `{3}` in the
   * message stand for the values: "index {0} is out of 0 .. {1} in dim 2 of `%table`". */
  mlgc_i32 (*fail)(const mlgc_runtime* runtime, const char* message, const mlgc_i64* values, mlgc_i32 count);
  /* Says what a symbol of stage > 0 is. Its range, and the constraints of that stage, are checked; then mlgc_call has
   * the memory of the stage: `late`, the offsets of its buffers, its outputs. What was there from an earlier value is
   * lost. Not in a body. Not 0: as fail(). */
  mlgc_i32 (*bind_size)(const mlgc_runtime* runtime, mlgc_i32 symbol, mlgc_i64 value);
  /* Null: nobody listens. Otherwise called right before launch number `kernel`. */
  void (*launch)(const mlgc_runtime* runtime, mlgc_i32 kernel);
  /* As fail(), where the device and no value is the reason. `status`: MLGC_LIMIT, it has no memory; MLGC_UNSUPPORTED,
   * there is none, or none that the unit was compiled for; MLGC_DEVICE_FAILED, anything else. */
  mlgc_i32 (*fail_device)(const mlgc_runtime* runtime, mlgc_i32 status, const char* reason);
  /* Has its target compute a segment: `buffers` are its inputs, then its outputs, `symbols` those of the segment. Not
   * in a body. Not 0: as fail(). */
  mlgc_i32 (*external)(const mlgc_runtime* runtime, mlgc_i32 segment, const void* const* buffers,
                       const mlgc_i64* symbols);
};

typedef struct mlgc_call {
  const void* const* inputs;
  void* const* outputs; /* results, then new states, as in mlgc_function.outputs */
  const void* const* weights;
  const void* const* states; /* the values before the call */
  char* arena;               /* aligned to 2 MiB; holds anything */
  const mlgc_i64* offsets;   /* of each buffer in it */
  const mlgc_i64* symbols;
  const mlgc_runtime* runtime;
  char* const* late; /* by stage - 1: where the offsets of its buffers begin */
} mlgc_call;

typedef struct mlgc_function {
  const char* name;
  mlgc_i32 symbol_count, binding_count, constraint_count, input_count, output_count, buffer_count, kernel_count;
  const mlgc_symbol* symbols;
  const mlgc_binding* bindings;
  const mlgc_constraint* constraints;
  const mlgc_value* inputs;
  const mlgc_value* outputs; /* results and new values of inputs, then new states */
  const mlgc_buffer* buffers;
  const mlgc_kernel* kernels;
  mlgc_integer scratch;              /* bytes for each body that runs: the largest that a kernel wants */
  mlgc_i32 (*run)(const mlgc_call*); /* 0, or what fail() returned */
  mlgc_i32 late_count;               /* how many stages there are after stage 0 */
  const mlgc_integer* late_scratch;  /* the same, of the kernels that want it by a size of that stage */
} mlgc_function;

/* --- Devices. A unit for another device than the CPU brings these (model.cu), so that the runtime needs no toolkit.
 * All return MLGC_OK, or what mlgc_runtime.fail_device() is given, with a text in *error, which lives until the next
 * call on this thread. Work is ordered by `stream`. */

/* What the runtime must know of a function whose `run` queues work on a stream. */
typedef struct mlgc_queue {
  mlgc_i32 may_fail; /* 1: its kernels note failures, which the runtime reports */
  /* 1: `run` queues kernels and does nothing else with the device. Which ones, and what they are given, depends on the
   * symbols and addresses of the call alone. So it may be captured, and what was captured may be launched again. */
  mlgc_i32 captures;
} mlgc_queue;

/* The first failure of kernels that is not reported yet, in memory of the host that the device writes to. */
typedef struct mlgc_noted {
  unsigned int message; /* of mlgc_device.messages, from 1, written last; 0: there is none */
  mlgc_i32 function;
  mlgc_i64 values[4];
} mlgc_noted;

/* Of each function of a context, in memory of the device: whether one of its kernels has failed. Later kernels of the
 * function do nothing then. */
typedef struct mlgc_failure {
  unsigned int message; /* as above, from the first failure of the function until it is reported */
  mlgc_i32 function;
  unsigned int* first; /* of the context; 0: nothing is noted, and the kernel that sets it writes to `noted` */
  mlgc_noted* noted;
} mlgc_failure;

/* A call that was captured: its graph, and what each launch in it was given, as words that the unit writes and
 * compares. The words of a launch follow those of the launch before. */
typedef struct mlgc_recording {
  void *executable, *captured; /* of the device: the graph that is launched, and the one that it was made of */
  unsigned long long* words;
  mlgc_i64 size, capacity; /* of `words`; size -1: they are not those of the graph */
  mlgc_i64 at;             /* while `run` goes on: where the words of its next launch begin */
  mlgc_i64 changed;        /* launches that were given something else than before */
  /* 0: `run` is captured, and its launches are noted. 1: nothing is launched. Nodes of `executable` whose launches are
   * given something else than before are set to it. */
  mlgc_i32 updates;
  mlgc_i32 differs; /* 1: that is not possible: other kernels are launched, or the device refuses */
} mlgc_recording;

#define MLGC_PINNED_BYTES 64
#ifdef __cplusplus
/* What mlgc_call.runtime points to, of units for a device, which are C++. */
struct mlgc_device_runtime : mlgc_runtime {
  /* Not 0: `run` is captured into a graph that holds its kernels alone. A kernel that waits for earlier ones itself may
   * then be started before they have ended. */
  mlgc_i32 overlap;
  mlgc_recording* recording; /* null: kernels run, or the host captures them */
  /* Makes room for so many words after `at`; those before stay. 0: there is no memory. */
  mlgc_i32 (*grow)(mlgc_recording* recording, mlgc_i64 words);
  void* pinned;           /* MLGC_PINNED_BYTES of the host's memory that the device copies to directly */
  mlgc_failure* failures; /* by function; null: no kernel of the unit can fail */
  /* Waits until all that was queued is done, and reports what kernels noted. 0, or as fail(). */
  mlgc_i32 (*settle)(const mlgc_runtime* runtime);
};
#endif

typedef struct mlgc_device {
  mlgc_i32 kind;                                                         /* enum mlgc_device_kind */
  mlgc_i32 (*allocate)(mlgc_i64 bytes, void** data, const char** error); /* also while a stream is captured */
  void (*release)(void* data);
  mlgc_i32 (*copy_in)(void* to, const void* from, mlgc_i64 bytes, void* stream, const char** error);
  mlgc_i32 (*copy_out)(void* to, const void* from, mlgc_i64 bytes, void* stream, const char** error); /* and waits */
  mlgc_i32 (*synchronize)(void* stream, const char** error);
  mlgc_i32 (*allocate_host)(mlgc_i64 bytes, void** data, const char** error); /* pinned memory */
  void (*release_host)(void* data);
  /* Whether the host captures what is queued on its stream: *capturing is 1 or 0. */
  mlgc_i32 (*is_capturing)(void* stream, mlgc_i32* capturing, const char** error);
  /* Begins to capture what is queued on *capture, a stream of the context's own, which is made where it is null.
   * *overlaps: whether kernels may overlap there (mlgc_device_runtime). */
  mlgc_i32 (*begin_capture)(void** capture, mlgc_i32* overlaps, const char** error);
  /* Ends it. `recording` null: what was captured is dropped. Else its graph becomes what was captured; the one before
   * is released, once `stream`, where it was launched, is idle. After a failure it has none. */
  mlgc_i32 (*end_capture)(void* capture, mlgc_recording* recording, void* stream, const char** error);
  mlgc_i32 (*launch_graph)(const mlgc_recording* recording, void* stream, const char** error);
  void (*release_graph)(mlgc_recording* recording);
  void (*release_capture)(void* capture);
  /* Whether device `number` is there and runs the kernels of the unit. */
  mlgc_i32 (*open)(mlgc_i32 number, const char** error);
  /* What this thread does then concerns device `number`; *previous is the one that it concerned before. */
  mlgc_i32 (*select)(mlgc_i32 number, mlgc_i32* previous, const char** error);
  /* *number: the device whose memory `data` is, or that reaches it; -1: none. */
  mlgc_i32 (*locate)(const void* data, mlgc_i32* number, const char** error);
  const mlgc_queue* queues;    /* by function */
  const char* const* messages; /* of failures of kernels, as fail() takes them; null: none can fail */
} mlgc_device;

struct mlgc_unit {
  mlgc_i32 abi;        /* MLGC_UNIT_ABI */
  const char* name;    /* of the module */
  const char* version; /* of the compiler that emitted it */
  mlgc_i32 function_count, weight_count, state_count;
  const mlgc_function* functions;
  const mlgc_data* weights;
  const mlgc_data* states;
  /* The weights file: its length, the length of what stands before the data (the 8 bytes of the length included) and
   * its FNV-1a 64 hash. A file with the same header has the same tensors in the same places, whatever their values. 0:
   * the model has no weights and no states, and no file is opened. */
  mlgc_i64 weights_file_bytes, weights_header_bytes;
  unsigned long long weights_header_hash;
  /* Chooses the kernels for vectors of `vector_bytes` (0: the widest that the CPU has) and returns the width, or 0 when
   * the CPU cannot. Called for each program, also while kernels of another one run: an equal choice changes nothing.
   * Null: there is one choice, and it needs nothing. */
  mlgc_i32 (*prepare)(mlgc_i32 vector_bytes);
  const char* cpu_features;  /* that the unit cannot do without, for the message: `avx2, fma`; may be empty */
  const mlgc_device* device; /* null: the CPU */
  mlgc_i32 segment_count;
  const mlgc_segment_row* segments;
};

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming,modernize-*) */

#endif
