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
 *   - A context is used by one thread at a time; different contexts of one program run at the same time.
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
  MLGC_BAD_INPUT = 1,     /* a tensor, a size or a file that does not fit the model, or values that a kernel refuses */
  MLGC_BAD_USAGE = 2,     /* a null pointer, a struct of no known size, a number out of range */
  MLGC_UNSUPPORTED = 3,   /* this CPU or device cannot run the model, there is no device, or another version made it */
  MLGC_LIMIT = 5,         /* no memory, of the host or of the device, or more than the limit that was set */
  MLGC_INTERNAL = 70,     /* a bug */
  MLGC_DEVICE_FAILED = 71 /* the device failed otherwise: a launch, a copy */
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
  mlgc_i32 device_id; /* 0 on CPU */
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

/* One launch of a kernel that has ended. */
typedef struct mlgc_launch_event {
  mlgc_size struct_size;
  const char* function;
  const char* kernel;
  mlgc_i32 number; /* of the launch in its function, from 0 */
  mlgc_i64 nanoseconds;
  mlgc_i64 bytes; /* that it reads and writes at least; -1: not known */
  mlgc_i64 flops; /* -1: not known */
} mlgc_launch_event;
typedef void mlgc_log(void* data, const mlgc_launch_event* event);

typedef struct mlgc_context_options {
  mlgc_size struct_size;
  /* 0: one for each core that the process may use. The results do not depend on it. With `parallel_for` it says how
   * many ranges run at the same time at most. */
  mlgc_i32 threads;
  mlgc_i32 measure_arena;          /* not 0: mlgc_memory says how much of the arena each call touches; slow */
  mlgc_parallel_for* parallel_for; /* null: threads of the context's own */
  void* parallel_data;
  void* stream;  /* of the device: a cudaStream_t; null: the default one */
  mlgc_log* log; /* null: no launch is timed */
  void* log_data;
  mlgc_i64 memory_limit; /* bytes of arena, scratch and pooled outputs; 0: none */
} mlgc_context_options;

/* As mlgc_program_create(). */
MLGC_API mlgc_i32 mlgc_context_create(const mlgc_program* program, const mlgc_context_options* options,
                                      mlgc_context** context, char* error, mlgc_size error_bytes);
/* Tensors that it lent go with it. Null is allowed. */
MLGC_API void mlgc_context_destroy(mlgc_context* context);
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
 * were is not looked at; where it is too little the call is refused, and `sizes` say what is asked for. */
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
  mlgc_i64 arena_held;    /* kept for the next calls */
  mlgc_i64 scratch_held;
  mlgc_i64 states;
  mlgc_i64 pool_lent, pool_held; /* outputs; held includes lent */
  mlgc_i64 weights;              /* mapped, shared */
} mlgc_memory;
MLGC_API mlgc_i32 mlgc_context_memory(const mlgc_context* context, mlgc_memory* memory);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming,modernize-*) */

#endif
