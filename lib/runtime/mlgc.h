/* The C ABI of compiled models, for CPU and CUDA: what a program that runs a model includes.
 *
 *   mlgc_program  a model with its weights: immutable, shared by any number of threads
 *   mlgc_context  what one thread of the host needs to run it: arena, threads, states, error text
 *   mlgc_tensor   memory of the host, described
 *
 * Guarantees
 *   - Every struct that crosses opens with its size: a field is only ever added at the end, and who was built with an
 *     older header gets what that header knew.
 *   - Every dtype, rank, size, stride, alignment and length is checked before a kernel runs; the message names
 * argument, dim and range. A call that is refused has changed nothing.
 *   - Nothing is thrown, nothing is printed, and no signal handler, environment variable or locale is touched.
 *   - A context is used by one thread at a time; different contexts of one program run at the same time. A call on a
 *     context that another call uses returns MLGC_BAD_USAGE and changes nothing. mlgc_error() says so on the thread of
 *     that call; on others it says what it said.
 *
 * C99 or C++; g++ or clang++. Includes nothing, so that emitted code may include it (unit.h). */
#ifndef MLGC_RUNTIME_MLGC_H
#define MLGC_RUNTIME_MLGC_H

/* C has its own habits. NOLINTBEGIN(readability-identifier-naming,modernize-*) */

#ifdef __cplusplus
extern "C" {
#endif

/* What stdint.h calls int32_t and int64_t, and stddef.h size_t. */
typedef __INT32_TYPE__ mlgc_i32;
typedef __INT64_TYPE__ mlgc_i64;
typedef __SIZE_TYPE__ mlgc_size;

#define MLGC_I64_MAX 0x7fffffffffffffffLL

#define MLGC_API __attribute__((visibility("default")))

/* i1 takes one byte, 0 or 1. */
enum mlgc_dtype { MLGC_I1, MLGC_I8, MLGC_UI8, MLGC_I16, MLGC_I32, MLGC_I64, MLGC_F16, MLGC_BF16, MLGC_F32, MLGC_F64 };

enum mlgc_device_kind { MLGC_CPU, MLGC_CUDA };

/* What functions return; the numbers up to 70 are the exit codes of the command line. */
enum mlgc_status {
  MLGC_OK = 0,
  MLGC_BAD_INPUT = 1,      /* a tensor, a size or a file that does not fit the model, or values that a kernel refuses */
  MLGC_BAD_USAGE = 2,      /* a null pointer, a struct of no known size, a number out of range, a context that another
                              thread uses, what a stream that is captured does not allow */
  MLGC_UNSUPPORTED = 3,    /* this CPU or device cannot run the model, there is no device, or another version made it */
  MLGC_LIMIT = 5,          /* no memory, of the host or of the device, or more than the limit that was set */
  MLGC_INTERNAL = 70,      /* a bug */
  MLGC_DEVICE_FAILED = 71, /* the device failed otherwise: a launch, a copy */
  MLGC_EXTERNAL_FAILED = 72 /* an external target failed; the text has its status and message */
};

/* The table of a compiled model (unit.h), which its source or shared object exports as mlgc_unit_NAME(). */
typedef struct mlgc_unit mlgc_unit;
typedef struct mlgc_program mlgc_program;
typedef struct mlgc_context mlgc_context;

/* The elements of an array of tensors lie `struct_size` of the first apart. */
typedef struct mlgc_tensor {
  mlgc_size struct_size;
  void* data;         /* of an output: null asks for memory from the context, see mlgc_run() */
  mlgc_i32 dtype;     /* enum mlgc_dtype */
  mlgc_i32 device;    /* enum mlgc_device_kind */
  mlgc_i32 device_id; /* the program's; 0 on CPU */
  mlgc_i32 rank;
  const mlgc_i64* sizes;   /* rank of them; may be null at rank 0, and of outputs whose sizes the call computes */
  const mlgc_i64* strides; /* in elements; null: row-major, which is what the model wants of any other */
  mlgc_size bytes;         /* readable (of outputs: writable) behind `data` */
} mlgc_tensor;

/* --- Signatures. What they point to lives as long as the program. */

typedef struct mlgc_dim_info {
  const char* text;  /* as the module writes it: `784`, `B`, `2*S + 1` */
  mlgc_i64 constant; /* -1: it depends on symbols */
} mlgc_dim_info;

typedef struct mlgc_value_info {
  const char* name;
  mlgc_i32 dtype;
  mlgc_i32 rank;
  const mlgc_dim_info* dims;
  mlgc_i32 alignment; /* of the data, in bytes */
  mlgc_i32 input;     /* of outputs: the input that this is the new value of; -1: none */
  mlgc_i32 in_place;  /* 1: it may be written over that input, at the same address */
} mlgc_value_info;

typedef struct mlgc_symbol_info {
  const char* name;
  mlgc_i64 low, high; /* high: MLGC_I64_MAX where there is no bound */
} mlgc_symbol_info;

/* Arrays hold elements of the layout above; new fields come as new functions. */
typedef struct mlgc_signature {
  mlgc_size struct_size;
  const char* name;
  mlgc_i32 input_count, output_count, symbol_count, constraint_count;
  const mlgc_value_info* inputs;
  const mlgc_value_info* outputs; /* without new states, which stay in the context */
  const mlgc_symbol_info* symbols;
  const char* const* constraints; /* beyond the ranges: `T == 2*S` */
} mlgc_signature;

/* --- External targets: what computes the segments of a partitioned model (docs/partition.md)
 *
 * A target is told of each segment once for each program: its ops with operands, results and attributes, as constant
 * data. Then it is called once for each launch. Strings end with 0. */

/* What mlgc_external.version says: the meaning of all structs of this section. */
#define MLGC_EXTERNAL_VERSION 1

enum mlgc_value_role {
  MLGC_VALUE_TEMPORARY, /* computed by an op and read in the segment alone */
  MLGC_VALUE_INPUT,
  MLGC_VALUE_OUTPUT,
  MLGC_VALUE_CONSTANT, /* a weight, or a constant of known size: `data` are its elements, as long as the program lives
                        */
  MLGC_VALUE_SPLAT,    /* a constant whose size depends on symbols: each call brings it; `data` is its one element */
  MLGC_VALUE_SIZE      /* a size as a value, an i64: each call brings it */
};

/* A tensor of a segment: numbers elsewhere are places in mlgc_segment.values. */
typedef struct mlgc_segment_value {
  const char* name;
  mlgc_i32 dtype;
  mlgc_i32 rank;
  const mlgc_dim_info* dims;
  mlgc_i32 role;    /* enum mlgc_value_role */
  mlgc_i32 number;  /* of inputs and outputs: which one; else -1 */
  const void* data; /* null but where the role says so */
} mlgc_segment_value;

enum mlgc_attribute_kind {
  MLGC_ATTRIBUTE_INTEGERS, /* also truths (0, 1) and dtypes (enum mlgc_dtype) */
  MLGC_ATTRIBUTE_REALS,
  MLGC_ATTRIBUTE_TEXTS
};

/* What the program did not state is there as the op's row has it; an attribute that is absent is not there. An integer
 * that depends on symbols is 0 in `integers` and stands in `texts`, which is null for every other one; calls say what
 * it is (mlgc_external_call.integers). */
typedef struct mlgc_attribute {
  const char* name;
  mlgc_i32 kind; /* enum mlgc_attribute_kind */
  mlgc_i32 list; /* 1: a list, else one value */
  mlgc_i32 count;
  mlgc_i32 first; /* of integers: their place in mlgc_external_call.integers */
  const mlgc_i64* integers;
  const double* reals;
  const char* const* texts;
} mlgc_attribute;

typedef struct mlgc_segment_op mlgc_segment_op;

/* Ops in an order in which they can run. The arguments of a segment are its inputs, its yields its outputs; those of a
 * loop or a choice are what the op's row says (`mlgc ops scan`). */
typedef struct mlgc_segment_region {
  mlgc_i32 argument_count, op_count, yield_count;
  const mlgc_i32* arguments;
  const mlgc_segment_op* ops;
  const mlgc_i32* yields;
} mlgc_segment_region;

struct mlgc_segment_op {
  const char* name;     /* `mlgc ops` lists them */
  const char* location; /* in the user's program; may be empty */
  mlgc_i32 operand_count, result_count, attribute_count, region_count;
  const mlgc_i32* operands; /* optional ones that are not there are left out at the end */
  const mlgc_i32* results;
  const mlgc_attribute* attributes;
  const mlgc_segment_region* regions;
};

typedef struct mlgc_segment {
  mlgc_size struct_size;
  const char* target;
  const char* name; /* unique in the program */
  const char* text; /* the same in the text form, for targets that read it, and for messages */
  mlgc_i32 symbol_count, value_count, integer_count;
  const char* const* symbols;
  const mlgc_segment_value* values;
  mlgc_segment_region body;
} mlgc_segment;

typedef struct mlgc_external_call {
  mlgc_size struct_size;
  const mlgc_segment* segment;
  /* All values of the segment by number, row-major: sizes, and memory of those that have some. That of outputs is
   * written; it shares no byte with anything else. Temporaries have memory if the target asked for it. */
  const mlgc_tensor* values;
  const mlgc_i64* symbols;  /* by number */
  const mlgc_i64* integers; /* of attributes */
  void* stream;             /* that the context was made with */
  mlgc_i32 threads;         /* that the target may use at the same time */
  char* error;              /* where the reason goes when it fails, cut where it does not fit; empty at first */
  mlgc_size error_bytes;
} mlgc_external_call;

enum mlgc_external_flags {
  MLGC_EXTERNAL_TEMPORARIES = 1 /* calls bring memory for temporaries, of the context, each its own */
};

/* `prepare`, which may be null, is called by mlgc_program_create(), once for each segment, and makes what calls are
 * given as `handle`; `segment` lives as long as the program. `call` is called by mlgc_run(), on the thread of the host,
 * by several threads at once where contexts run at once; it has computed when it returns. `release`, which may be null,
 * is called by mlgc_program_destroy() for each segment that was prepared.
 *
 * They return MLGC_OK, or MLGC_BAD_INPUT, MLGC_UNSUPPORTED or MLGC_LIMIT, which what called them returns then; any
 * other number becomes MLGC_EXTERNAL_FAILED. */
typedef mlgc_i32 mlgc_external_prepare(void* user, const mlgc_segment* segment, void** handle, char* error,
                                       mlgc_size error_bytes);
typedef mlgc_i32 mlgc_external_run(void* user, void* handle, const mlgc_external_call* call);
typedef void mlgc_external_release(void* user, void* handle);

/* The callback table of a target. A shared object exports it as `const mlgc_external* mlgc_external_NAME(void)`, NAME
 * being the target's with `_` for all but letters and digits: what --external=NAME=FILE.so looks for. */
typedef struct mlgc_external {
  mlgc_size struct_size;
  mlgc_i32 version;   /* MLGC_EXTERNAL_VERSION */
  mlgc_i32 flags;     /* enum mlgc_external_flags */
  const char* target; /* whose segments it computes */
  void* user;
  mlgc_external_prepare* prepare;
  mlgc_external_run* call;
  mlgc_external_release* release;
} mlgc_external;

/* --- Programs */

typedef struct mlgc_program_options {
  mlgc_size struct_size;
  /* Where the weights are. Bytes of a safetensors file that live as long as the program; or the path of the file; or
   * nothing: `weights.safetensors` beside the shared object or program that holds the unit. */
  const void* weights;
  mlgc_size weights_bytes;
  const char* weights_path;
  /* 0: the widest vectors that this CPU has; else 16, 32 or 64 bytes. The same for all programs of a unit. */
  mlgc_i32 vector_bytes;
  /* One table for each target that the model has segments for; others are not looked at. They live as long as the
   * program. Elements lie `struct_size` of the first apart. */
  const mlgc_external* externals;
  mlgc_i32 external_count;
  mlgc_i32 device_id; /* the device that it lives on, from 0 */
  /* Not 0: weights are copied into memory of the program's own, in huge pages where the system has some. Kernels then
   * read them faster than from a file that is mapped, and no other process shares them. Not on a device. */
  mlgc_i32 copy_weights;
} mlgc_program_options;

/* Maps the weights, which are shared with every process that maps the same file. `options` may be null. On failure
 * *program is null and `error`, of `error_bytes`, holds the reason (both may be 0). Any thread. */
MLGC_API mlgc_i32 mlgc_program_create(const mlgc_unit* unit, const mlgc_program_options* options,
                                      mlgc_program** program, char* error, mlgc_size error_bytes);
/* Precondition: its contexts are destroyed. Null is allowed. */
MLGC_API void mlgc_program_destroy(mlgc_program* program);

MLGC_API const char* mlgc_program_name(const mlgc_program* program);
/* Bytes of the vectors that its kernels were chosen for; 0: there is one choice. */
MLGC_API mlgc_i32 mlgc_vector_bytes(const mlgc_program* program);
MLGC_API mlgc_i32 mlgc_function_count(const mlgc_program* program);
/* Null: there is none of this number. */
MLGC_API const mlgc_signature* mlgc_function_signature(const mlgc_program* program, mlgc_i32 function);
/* -1: there is none of this name. */
MLGC_API mlgc_i32 mlgc_find_function(const mlgc_program* program, const char* name);

/* --- Contexts */

/* Calls fn(arg, begin, end) on disjoint ranges that cover [0, n), on any threads, and returns when all are done. Each
 * of the n pieces is worth a thread's while; ranges of many are better. It may call fn on the calling thread alone. */
typedef void mlgc_range_function(void* arg, mlgc_i64 begin, mlgc_i64 end);
typedef void mlgc_parallel_for(void* data, mlgc_i64 n, mlgc_range_function* fn, void* arg);

/* One launch of a kernel, or of a segment, that has ended. */
typedef struct mlgc_launch_event {
  mlgc_size struct_size;
  const char* function;
  const char* kernel;
  mlgc_i32 number; /* of the launch in its function, from 0 */
  mlgc_i64 nanoseconds;
  mlgc_i64 bytes;     /* that it reads and writes at least; -1: not known */
  mlgc_i64 flops;     /* -1: not known */
  const char* target; /* that computed a segment; null: a kernel ran */
  /* What it was given, those that it writes last: dtype, rank and sizes, as long as the callback runs. */
  mlgc_i32 operand_count, written_count;
  const mlgc_tensor* operands;
} mlgc_launch_event;
typedef void mlgc_log(void* data, const mlgc_launch_event* event);

/* Memory of the device for `stream`, aligned to 64 bytes; null: there is none. What was given back may be given again
 * at once, to work that is queued on the same stream later. Called by mlgc_run(), on its thread. */
typedef void* mlgc_allocate(void* data, mlgc_i64 bytes, void* stream);
typedef void mlgc_give_back(void* data, void* memory, void* stream);

typedef struct mlgc_context_options {
  mlgc_size struct_size;
  /* 0: one for each core that the process may use. The results do not depend on it. With `parallel_for` it says how
   * many ranges run at the same time at most. */
  mlgc_i32 threads;
  mlgc_i32 measure_arena;          /* not 0: mlgc_memory says how much of the arena each call touches; slow */
  mlgc_parallel_for* parallel_for; /* null: threads of the context's own */
  void* parallel_data;
  /* Of the device: a cudaStream_t that lives as long as the context; null: the default one. While the host captures it,
   * a context without states can be made. */
  void* stream;
  mlgc_log* log; /* null: no launch is timed */
  void* log_data;
  mlgc_i64 memory_limit; /* bytes of arena, scratch and pooled outputs; 0: none */
  /* On a device, whose memory temporaries are. Null: the context's, which keeps it. Else each call asks for it, and
   * gives it back when it has queued its work. */
  mlgc_allocate* allocate;
  mlgc_give_back* give_back;
  void* allocator_data;
} mlgc_context_options;

/* As mlgc_program_create(). */
MLGC_API mlgc_i32 mlgc_context_create(const mlgc_program* program, const mlgc_context_options* options,
                                      mlgc_context** context, char* error, mlgc_size error_bytes);
/* Tensors that it lent go with it. Null is allowed. Returns the status of a failure that no call has reported. */
MLGC_API mlgc_i32 mlgc_context_destroy(mlgc_context* context);
/* Waits until the device has done all that calls of the context queued on its stream. Returns a failure of theirs that
 * no call has reported. On a CPU calls have computed when they return, and this is MLGC_OK. */
MLGC_API mlgc_i32 mlgc_context_synchronize(mlgc_context* context);
/* Why the last call on this context failed; empty when it did not. Lives until the next call. */
MLGC_API const char* mlgc_error(const mlgc_context* context);

/* Sizes, dtype, rank and bytes of each output for these inputs, whose data are looked at only where a size is a value.
 * `sizes` of the outputs then point to memory that lives until the next call on the context. A size that only a run can
 * tell, as that of `nonzero`, is -1, and `bytes` are then 0. */
MLGC_API mlgc_i32 mlgc_output_shapes(mlgc_context* context, mlgc_i32 function, const mlgc_tensor* inputs,
                                     mlgc_i32 input_count, mlgc_tensor* outputs, mlgc_i32 output_count);

/* Runs a function. An output whose data are null is filled in: memory that the context lends until mlgc_release(), and
 * then uses again. Any other is checked and written to; it may share no byte with an input or another output, but with
 * the input that it may be written over (mlgc_value_info.in_place), at the same address. States are replaced when the
 * function succeeds. When it does not, outputs of the host may be partly written, and states are as before.
 * An output whose sizes the run computes is described by it: `sizes` then point to memory that lives until the next
 * call on the context. If the host brings the memory, `bytes` say how much there is, before and after; what `sizes`
 * were is not looked at; where it is too little the call is refused, and `sizes` say what is asked for.
 * On a device the call returns before its kernels have run, but where it replaces states and may fail. A kernel that
 * refuses values (MLGC_BAD_INPUT) is reported once: by the first call of mlgc_run() that finds it, which does nothing
 * else; by mlgc_context_synchronize() or mlgc_state_read(); or by mlgc_context_destroy(). Until then outputs of that
 * call and of later ones on the context hold anything. A function that replaces states waits for earlier calls that
 * may fail, so no state is computed from what they left.
 * While the host captures the stream of the context, the call becomes a part of that graph. Then the context, and what
 * it lent to the call, must outlive the graph, whose failures are reported as those of calls. Functions that wait for
 * the device, read sizes from values or replace states, and contexts with a log, refuse that (MLGC_BAD_USAGE). */
MLGC_API mlgc_i32 mlgc_run(mlgc_context* context, mlgc_i32 function, const mlgc_tensor* inputs, mlgc_i32 input_count,
                           mlgc_tensor* outputs, mlgc_i32 output_count);
/* Gives back what mlgc_run() lent. Any thread. */
MLGC_API mlgc_i32 mlgc_release(mlgc_context* context, void* data);

/* --- States: what a model keeps between calls, each context its own. */

typedef struct mlgc_state_info {
  mlgc_size struct_size;
  const char* name;
  mlgc_i32 dtype;
  mlgc_i32 rank;
  const mlgc_i64* sizes;
  mlgc_size bytes;
} mlgc_state_info;

MLGC_API mlgc_i32 mlgc_state_count(const mlgc_program* program);
MLGC_API mlgc_i32 mlgc_state(const mlgc_program* program, mlgc_i32 state, mlgc_state_info* info);
/* Copies from and to memory of the host (never of the device); `bytes` must be the state's. */
MLGC_API mlgc_i32 mlgc_state_read(mlgc_context* context, mlgc_i32 state, void* data, mlgc_size bytes);
MLGC_API mlgc_i32 mlgc_state_write(mlgc_context* context, mlgc_i32 state, const void* data, mlgc_size bytes);
/* All states to what the weights file says. */
MLGC_API mlgc_i32 mlgc_states_reset(mlgc_context* context);

/* --- Memory */

typedef struct mlgc_memory {
  mlgc_size struct_size;
  mlgc_i64 arena_planned; /* of the last call */
  mlgc_i64 arena_touched; /* its last byte that the call wrote, as an end; -1 without measure_arena */
  mlgc_i64 arena_held;    /* kept for the next calls, and for graphs of the host */
  mlgc_i64 scratch_held;
  mlgc_i64 states;
  mlgc_i64 pool_lent, pool_held; /* outputs; held includes lent */
  mlgc_i64 weights;              /* mapped, shared */
  mlgc_i64 external_held;        /* what calls of external targets bring: temporaries, constants of symbolic sizes */
} mlgc_memory;
MLGC_API mlgc_i32 mlgc_context_memory(const mlgc_context* context, mlgc_memory* memory);

/* --- Graphs: how a context ran its calls on a device (docs/cuda.md). All 0 on a CPU. */

typedef struct mlgc_graphs {
  mlgc_size struct_size;
  mlgc_i64 replayed;       /* calls that launched a graph as it was */
  mlgc_i64 instantiated;   /* calls that were captured into a new graph */
  mlgc_i64 updated;        /* calls to which a graph was updated, kernel by kernel */
  mlgc_i64 reinstantiated; /* calls that a graph could not be updated to: they were captured, and it was made again */
  mlgc_i64 launched;       /* calls without a graph: they queued their kernels one by one */
  mlgc_i64 captured;       /* of those, calls on a stream that the host captured */
  mlgc_i64 held;           /* graphs that the context has now */
  mlgc_i64 updated_nodes;  /* kernels that updates set to other arguments or another grid */
} mlgc_graphs;
MLGC_API mlgc_i32 mlgc_context_graphs(const mlgc_context* context, mlgc_graphs* graphs);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming,modernize-*) */

#endif
