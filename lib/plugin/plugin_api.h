/* The C ABI between mlgc and its LibTorch plug-in, the only library of the project that links LibTorch.
 *
 * Guarantees
 *   - Plain data only: no C++ type, no exception and no memory of one side that the other one frees crosses it, but
 *     through the functions below.
 *   - The plug-in keeps no reference to what a caller passes beyond the call.
 *   - One thread at a time.
 * A plug-in exports one symbol, mlgc_torch_plugin, a function without arguments that gives the table below. */
#ifndef MLGC_PLUGIN_PLUGIN_API_H
#define MLGC_PLUGIN_PLUGIN_API_H

/* C has its own habits. NOLINTBEGIN(readability-identifier-naming,modernize-*) */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MLGC_TORCH_ABI 5

/* The message of a call for which memory did not suffice. */
#define MLGC_TORCH_NO_MEMORY "not enough memory"

/* An operator with its schema. Lives as long as the process. */
typedef struct mlgc_torch_op mlgc_torch_op;
/* A dense CPU tensor, counted by reference. Who gets one gives it back by free_tensor. */
typedef struct mlgc_torch_tensor mlgc_torch_tensor;

/* In the order of mlgc::Dtype. */
enum mlgc_torch_dtype {
  MLGC_TORCH_I1,
  MLGC_TORCH_I8,
  MLGC_TORCH_UI8,
  MLGC_TORCH_I16,
  MLGC_TORCH_I32,
  MLGC_TORCH_I64,
  MLGC_TORCH_F16,
  MLGC_TORCH_BF16,
  MLGC_TORCH_F32,
  MLGC_TORCH_F64,
  MLGC_TORCH_C64, /* pairs of f32 */
  MLGC_TORCH_C128
};

/* What an argument is, and what a parameter takes. A number in the place of a tensor is what PyTorch calls a wrapped
 * number: it does not take part in promotion but by its category. */
enum mlgc_torch_kind {
  MLGC_TORCH_NONE,
  MLGC_TORCH_TENSOR,
  MLGC_TORCH_TENSORS, /* items may be null where the schema says Tensor?[] */
  MLGC_TORCH_INT,
  MLGC_TORCH_INTS,
  MLGC_TORCH_FLOAT,
  MLGC_TORCH_FLOATS,
  MLGC_TORCH_BOOL,
  MLGC_TORCH_BOOLS,
  MLGC_TORCH_NUMBER, /* of parameters: an int, a float, a bool, or two floats, which are a complex number */
  MLGC_TORCH_STRING,
  MLGC_TORCH_DTYPE, /* also a parameter that the schema calls an int */
  MLGC_TORCH_OTHER  /* of parameters: layout, device, generator, … */
};

typedef struct {
  const char* name; /* of the schema's argument */
  int32_t kind;
  int64_t integer;                   /* INT; BOOL: 0 or 1; DTYPE */
  double real;                       /* FLOAT */
  const char* text;                  /* STRING */
  size_t count;                      /* of the lists */
  const int64_t* integers;           /* INTS, BOOLS */
  const double* reals;               /* FLOATS */
  mlgc_torch_tensor* const* tensors; /* TENSOR: one; TENSORS */
} mlgc_torch_argument;

typedef struct {
  const char* name; /* lives as long as the process */
  int32_t kind;
  int32_t optional;    /* takes NONE */
  int32_t has_default; /* may be left out */
} mlgc_torch_parameter;

/* What the schema and the tags of an operator say of it; bits. */
enum mlgc_torch_trait {
  MLGC_TORCH_MUTATES = 1,         /* it changes its operands */
  MLGC_TORCH_DRAWS = 2,           /* it may draw random numbers from a generator of its own */
  MLGC_TORCH_SIZES_FROM_DATA = 4, /* sizes of its results depend on elements of its operands */
  MLGC_TORCH_ONE_TENSOR = 8       /* it gives one tensor, no tuple or list of them */
};

/* --- TorchScript: the method `forward` of a module in eval mode, its calls inlined, as plain data. */

enum mlgc_script_form {
  MLGC_SCRIPT_NONE,
  MLGC_SCRIPT_BOOL,
  MLGC_SCRIPT_INT,
  MLGC_SCRIPT_FLOAT,
  MLGC_SCRIPT_STRING,
  MLGC_SCRIPT_DEVICE,
  MLGC_SCRIPT_TENSOR,
  MLGC_SCRIPT_OBJECT,
  MLGC_SCRIPT_LIST,
  MLGC_SCRIPT_TUPLE, /* a member of an enum is the pair of its name and value */
  MLGC_SCRIPT_DICT,  /* items are keys and values in turn */
  MLGC_SCRIPT_OTHER
};

typedef struct mlgc_script_constant {
  int32_t form;
  int64_t integer;  /* BOOL: 0 or 1; INT; TENSOR, OBJECT: a number in the program's list */
  double real;      /* FLOAT */
  const char* text; /* STRING, DEVICE; OTHER: the type */
  size_t count;     /* of LIST, TUPLE and DICT */
  const struct mlgc_script_constant* items;
} mlgc_script_constant;

/* A view of a storage, in the elements' own strides. Equal storages have equal addresses. */
typedef struct {
  int32_t dtype; /* -1: of a kind that there is none of here, which `dtype_name` says: `element type ComplexHalf` */
  const char* dtype_name;
  size_t rank;
  const int64_t* sizes;
  const int64_t* strides;
  int64_t offset; /* in elements */
  const void* storage;
  size_t storage_bytes;
} mlgc_script_tensor;

typedef struct {
  const char* name;
  mlgc_script_constant value;
} mlgc_script_attribute;

typedef struct {
  size_t attribute_count;
  const mlgc_script_attribute* attributes;
} mlgc_script_object;

/* Values are numbers below the program's `value_count`. */
struct mlgc_script_node;
typedef struct {
  size_t input_count, node_count, output_count;
  const uint32_t* inputs;
  const struct mlgc_script_node* nodes;
  const uint32_t* outputs;
} mlgc_script_block;

typedef struct mlgc_script_node {
  const char* kind; /* `prim::If`, `aten::add.Tensor`; of an operator the full name */
  const char* name; /* of the attribute that GetAttr and SetAttr speak of; else empty */
  size_t input_count, output_count, block_count;
  const uint32_t* inputs;
  const uint32_t* outputs;
  const mlgc_script_block* blocks;
  const mlgc_script_constant* constant; /* of prim::Constant, else null */
  const char* stack;                    /* as Python prints a traceback, outermost call first */
  const char* module;                   /* path of the module whose code it is; may be empty */
  const char* line;                     /* its line of source, without blanks around; may be empty */
} mlgc_script_node;

typedef struct {
  const char* name; /* as LibTorch prints it, without % */
  const char* type;
} mlgc_script_value;

/* A parameter of `forward` behind `self`. */
typedef struct {
  const char* name;
  const char* type;
  const mlgc_script_constant* fallback; /* what it is when it is not given; null: it must be given */
  int32_t traced;                       /* whether the next three are known from tracing */
  int32_t dtype;
  size_t rank;
  const int64_t* sizes;
} mlgc_script_input;

/* Object 0 is the module; the first input of the body is it, the others are `inputs`. */
typedef struct {
  mlgc_script_block body;
  size_t value_count, input_count, object_count, tensor_count;
  const mlgc_script_value* values;
  const mlgc_script_input* inputs;
  const mlgc_script_object* objects;
  const mlgc_script_tensor* tensors;
} mlgc_script;

typedef struct {
  int32_t abi; /* MLGC_TORCH_ABI of the plug-in; nothing else may be read when it is another */
  const char* torch_version;

  /* `aten::add` and `Tensor`; the overload may be empty. Null when there is none. */
  mlgc_torch_op* (*find_op)(const char* name, const char* overload);
  size_t (*parameter_count)(const mlgc_torch_op* op);
  void (*parameter)(const mlgc_torch_op* op, size_t i, mlgc_torch_parameter* out);

  /* Copies row-major data. Null, and a message in *error, when it cannot be made. */
  mlgc_torch_tensor* (*make_tensor)(int32_t dtype, size_t rank, const int64_t* sizes, const void* data, char** error);
  /* Row-major data, which lives as long as the tensor. 0, or 1 and a message for a tensor of another dtype, layout or
   * device than there are here. */
  int32_t (*describe)(mlgc_torch_tensor* tensor, int32_t* dtype, size_t* rank, const int64_t** sizes, const void** data,
                      char** error);
  void (*free_tensor)(mlgc_torch_tensor* tensor);

  /* Calls an operator. Arguments that are left out take the schema's defaults. 0, and *results is a list of *count
   * tensors, to be given back one by one and by free_list as a whole: tuples and lists of tensors are laid out flat,
   * numbers become tensors of rank 0, a tensor that is undefined is null. Else 1 and a message. */
  int32_t (*call)(const mlgc_torch_op* op, const mlgc_torch_argument* arguments, size_t argument_count,
                  mlgc_torch_tensor*** results, size_t* count, char** error);
  void (*free_list)(mlgc_torch_tensor** list);

  uint32_t (*traits)(const mlgc_torch_op* op);
  /* A tensor without data, of which infer knows the dtype and the sizes. Null and a message when it cannot be made. */
  mlgc_torch_tensor* (*make_shape)(int32_t dtype, size_t rank, const int64_t* sizes, char** error);
  /* As call, of tensors from make_shape, and so are its results: nothing is computed, but where the operator has no
   * other way to say what it gives it runs on zeros. */
  int32_t (*infer)(const mlgc_torch_op* op, const mlgc_torch_argument* arguments, size_t argument_count,
                   mlgc_torch_tensor*** results, size_t* count, char** error);
  /* Of a result of infer. 0, or 1 and a message for an element type that there is none of here. */
  int32_t (*describe_shape)(mlgc_torch_tensor* tensor, int32_t* dtype, size_t* rank, const int64_t** sizes,
                            char** error);

  void (*free_text)(char* text);

  /* Of LibTorch's own pool, from the next call on. */
  void (*set_threads)(int32_t count);

  /* Reads a file of torch.jit.save. Everything in it lives until free_script. Null and a message when it cannot be
   * read. */
  const mlgc_script* (*load_script)(const char* path, char** error);
  void (*free_script)(const mlgc_script* script);
} mlgc_torch_api;

typedef const mlgc_torch_api* (*mlgc_torch_plugin_function)(void);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming,modernize-*) */

#endif
