/* Private to the runtime: a program, which is the unit's table and the memory of its weights. Immutable once made. */
#ifndef MLGC_RUNTIME_PROGRAM_H
#define MLGC_RUNTIME_PROGRAM_H

#include <algorithm>
#include <cstring>

#include "runtime/check.h"
#include "runtime/memory.h"

namespace mlgc::runtime {

// Outputs of a function that the host sees: those before the new states.
[[nodiscard]] mlgc_i32 visible_outputs(const mlgc_function& function);

// What the host stated of a struct of options; zeros for what it does not know of. False: no such struct.
template <class T>
[[nodiscard]] bool read_options(const T* given, T& options) {
  if (given == nullptr) return true;
  if (given->struct_size < sizeof(mlgc_size) || given->struct_size % alignof(T) != 0) return false;
  std::memcpy(&options, given, std::min(given->struct_size, sizeof(T)));
  return true;
}

// Fills what the host knows of; its struct_size stays. False: no such struct.
template <class T>
[[nodiscard]] bool write_info(T info, T* out) {
  if (out == nullptr || out->struct_size < sizeof(mlgc_size) || out->struct_size % alignof(T) != 0) return false;
  info.struct_size = out->struct_size;
  std::memcpy(out, &info, std::min(out->struct_size, sizeof(T)));
  return true;
}

// A segment as its target has it.
struct Segment {
  const mlgc_external* target;
  mlgc_i32 temporaries;  // not 0: calls bring their memory
  mlgc_segment segment;
  Array<mlgc_segment_value> values;  // constants with their data
  void* handle;
  bool prepared;  // by the target: it is to be released
};

// external.cpp
// Finds the table of each target that the model needs, and has them prepare their segments.
[[nodiscard]] mlgc_i32 bind_externals(mlgc_program& program, const mlgc_program_options& options, Error& error);
void release_externals(mlgc_program& program);

// The message for a caller without a context.
mlgc_i32 report(mlgc_i32 status, const Error& error, char* text, mlgc_size text_bytes);

}  // namespace mlgc::runtime

struct mlgc_program {
  const mlgc_unit* unit = nullptr;
  mlgc_i32 vector_bytes = 0;
  mlgc_i32 device_id = 0;
  mlgc::runtime::FileMapping file;
  mlgc::runtime::Block copy;        // of the whole file, where the host asks for one; then `file` is closed
  const char* file_data = nullptr;  // of `file`, of `copy`, or the host's; null: the model has no data
  mlgc::runtime::Array<mlgc::runtime::Block> on_device;
  mlgc::runtime::Array<const void*> weights, first_states;  // first_states: on the host
  mlgc::runtime::Array<mlgc_signature> signatures;
  mlgc::runtime::Array<mlgc_value_info> values;
  mlgc::runtime::Array<mlgc_dim_info> dims;
  mlgc::runtime::Array<mlgc_symbol_info> symbols;
  mlgc::runtime::Array<const char*> constraints;
  mlgc::runtime::Array<mlgc::runtime::Segment> segments;
  mlgc::runtime::Array<mlgc::runtime::Block> splats;  // constants of the segments, one after the other
};

#endif
