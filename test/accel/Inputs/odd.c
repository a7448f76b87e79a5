/* Tables of a target `odd` that do what a table must not, or fail; which, says -DCASE. Without one it checks what calls
 * bring, and computes relu, add, and exp of everything else. */
#include <stdio.h>
#include <string.h>

#include "runtime/mlgc.h"

#ifndef CASE
#define CASE 0
#endif

static mlgc_i32 prepare(void* user, const mlgc_segment* segment, void** handle, char* error, mlgc_size bytes) {
  (void)user, (void)handle;
  if (CASE == 1) {
    snprintf(error, bytes, "it does not like `%s`", segment->body.ops[0].name);
    return MLGC_UNSUPPORTED;
  }
  return MLGC_OK;
}

static const mlgc_attribute* attribute(const mlgc_segment_op* op, const char* name) {
  for (mlgc_i32 i = 0; i < op->attribute_count; ++i)
    if (strcmp(op->attributes[i].name, name) == 0) return &op->attributes[i];
  return NULL;
}

/* `y = x * scalar; z = slice y; size` of odd.mlir, by its description alone. */
static mlgc_i32 call(void* user, void* handle, const mlgc_external_call* call) {
  const mlgc_segment* segment = call->segment;
  (void)user, (void)handle;
  if (CASE == 2) {
    snprintf(call->error, call->error_bytes, "the chip is on fire");
    return 12345;
  }
  if (CASE == 3) return MLGC_LIMIT;
  for (mlgc_i32 i = 0; i < segment->body.op_count; ++i) {
    const mlgc_segment_op* op = &segment->body.ops[i];
    const mlgc_tensor *out = &call->values[op->results[0]], *in = &call->values[op->operands[0]];
    float* to = out->data;
    const float* from = in->data;
    if (to == NULL || (mlgc_size)to % 64 != 0) return 90;
    if (strcmp(op->name, "mul") == 0) {
      const mlgc_tensor* by = &call->values[op->operands[1]];
      for (mlgc_i64 k = 0; k < out->sizes[0]; ++k) to[k] = from[k] * ((const float*)by->data)[by->rank == 0 ? 0 : k];
    } else if (strcmp(op->name, "slice") == 0) {
      const mlgc_attribute *start = attribute(op, "start"), *end = attribute(op, "end");
      if (end == NULL || end->kind != MLGC_ATTRIBUTE_INTEGERS || end->texts == NULL ||
          strcmp(end->texts[0], "N - 1") != 0 || call->integers[end->first] != in->sizes[0] - 1)
        return 91;
      const mlgc_i64 first = start == NULL ? 0 : call->integers[start->first];
      for (mlgc_i64 k = 0; k < out->sizes[0]; ++k) to[k] = from[first + k];
    } else if (strcmp(op->name, "cast") == 0) {
      to[0] = (float)*(const mlgc_i64*)in->data;
    } else {
      return 92;
    }
  }
  return call->symbols[0] == call->values[segment->body.arguments[0]].sizes[0] ? MLGC_OK : 93;
}

static int released;
static void release(void* user, void* handle) {
  (void)user, (void)handle;
  ++released;
}

MLGC_API const mlgc_external* mlgc_external_odd(void) {
  static const mlgc_external table = {CASE == 4 ? 16 : sizeof table,
                                      CASE == 5 ? 99 : MLGC_EXTERNAL_VERSION,
                                      MLGC_EXTERNAL_TEMPORARIES,
                                      CASE == 6 ? "even" : "odd",
                                      NULL,
                                      prepare,
                                      CASE == 7 ? NULL : call,
                                      release};
  return &table;
}
