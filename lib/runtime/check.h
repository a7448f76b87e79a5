/* Private to the runtime: what a call asks for, held against what the model takes. */
#ifndef MLGC_RUNTIME_CHECK_H
#define MLGC_RUNTIME_CHECK_H

#include "runtime/memory.h"

namespace mlgc::runtime {

[[nodiscard]] const char* dtype_name(mlgc_i32 dtype);
[[nodiscard]] mlgc_i64 dtype_bytes(mlgc_i32 dtype);

// Element i of an array that the host may have built with another version of the header.
template <class T>
const T& element(const T* first, mlgc_i32 i) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(first) +
                                     i * static_cast<mlgc_i64>(first->struct_size));
}
template <class T>
T& element(T* first, mlgc_i32 i) {
  return *reinterpret_cast<T*>(reinterpret_cast<char*>(first) + i * static_cast<mlgc_i64>(first->struct_size));
}

// Number and layout of the arrays; `outputs` counts those without new states.
[[nodiscard]] mlgc_i32 check_counts(const mlgc_function& function, const mlgc_tensor* inputs, mlgc_i32 input_count,
                                    const mlgc_tensor* outputs, mlgc_i32 output_count, mlgc_i32 wanted_outputs,
                                    Error& error);
// Binds the symbols of stage 0 by the sizes of the inputs, and by the values of some; dtypes, ranks, sizes, ranges and
// the constraints of that stage hold then. Other symbols are 0.
[[nodiscard]] mlgc_i32 bind_symbols(const mlgc_program& program, const mlgc_device_runtime& runtime,
                                    const mlgc_function& function, const mlgc_tensor* inputs, mlgc_i64* symbols,
                                    Error& error);
// Whether that reads values of inputs.
[[nodiscard]] bool reads_sizes(const mlgc_function& function);
// The value that a call computed for a symbol, its range and what constraints say in its stage.
[[nodiscard]] mlgc_i32 check_computed(const mlgc_function& function, mlgc_i32 symbol, const mlgc_i64* symbols,
                                      Error& error);
// What is said of memory: device, strides, length, alignment. `what`: `input` or `output`; `sizes`: the tensor's.
[[nodiscard]] mlgc_i32 check_memory(const mlgc_program& program, const char* what, const mlgc_value& value,
                                    const mlgc_tensor& tensor, const mlgc_i64* sizes, mlgc_i64 bytes, Error& error);
// Whether memory of a tensor that check_memory() took is the program's device's; of the CPU it is not known.
[[nodiscard]] mlgc_i32 check_place(const mlgc_program& program, const char* what, const mlgc_value& value,
                                   const void* data, Error& error);
// Memory that the host brings for an output whose sizes the call computes: dtype, rank and what check_memory() asks
// for.
[[nodiscard]] mlgc_i32 check_capacity(const mlgc_program& program, const mlgc_value& value, const mlgc_tensor& tensor,
                                      Error& error);
// Dtype, rank and sizes of an output that the host brings.
[[nodiscard]] mlgc_i32 check_output(const mlgc_value& value, const mlgc_tensor& tensor, const mlgc_i64* sizes,
                                    Error& error);
// Bytes of a tensor with these sizes (not negative); false: they do not fit.
[[nodiscard]] bool tensor_bytes(mlgc_i32 dtype, mlgc_i32 rank, const mlgc_i64* sizes, mlgc_i64* bytes);

struct Range {
  const char* begin;
  const char* end;
  mlgc_i32 number;
  bool output;
};
// Outputs share no byte with anything else. Sorts the ranges, none of which is empty.
[[nodiscard]] mlgc_i32 check_aliases(const mlgc_function& function, Range* ranges, mlgc_i64 count, Error& error);

}  // namespace mlgc::runtime

#endif
