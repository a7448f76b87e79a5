/* A small accelerator: what computes the segments that accel.json asks for, as a callback table of mlgc.h.
 *
 *     cc -O2 -shared -fPIC -Ilib ir-samples/accel/accel.c -lm -o libaccel.so
 *     mlgc run model.mlgcx --external=accel=./libaccel.so …
 *
 * `prepare` is its compiler: it looks at a segment once and makes a plan of it, a list of steps, with the weights of
 * products turned as its product wants them. `call` runs the plan. It asks for memory for temporaries, so it allocates
 * nothing in a call and several threads may call it at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/mlgc.h"

typedef struct step {
  void (*run)(const struct step* step, const mlgc_tensor* values);
  mlgc_i32 out, in[3]; /* numbers of values; in: -1 where there is none */
  float* packed;       /* of linear: the weight, transposed */
} step;

typedef struct plan {
  mlgc_i32 count;
  step steps[];
} plan;

static mlgc_i32 fail(mlgc_i32 status, char* error, mlgc_size bytes, const char* what, const char* name) {
  snprintf(error, bytes, "%s `%s`", what, name);
  return status;
}

static mlgc_i64 element_count(const mlgc_tensor* tensor) {
  mlgc_i64 count = 1;
  for (mlgc_i32 i = 0; i < tensor->rank; ++i) count *= tensor->sizes[i];
  return count;
}

/* y[.., n] = sum over k of x[.., k] * weight[n, k], plus bias[n] */
static void run_linear(const step* s, const mlgc_tensor* values) {
  const mlgc_tensor *x = &values[s->in[0]], *y = &values[s->out];
  const float* bias = s->in[2] < 0 ? NULL : values[s->in[2]].data;
  const mlgc_i64 n_count = y->sizes[y->rank - 1], k_count = x->sizes[x->rank - 1];
  const mlgc_i64 rows = n_count == 0 ? 0 : element_count(y) / n_count;
  for (mlgc_i64 row = 0; row < rows; ++row) {
    const float* in = (const float*)x->data + row * k_count;
    float* out = (float*)y->data + row * n_count;
    for (mlgc_i64 n = 0; n < n_count; ++n) out[n] = bias == NULL ? 0.0f : bias[n];
    for (mlgc_i64 k = 0; k < k_count; ++k)
      for (mlgc_i64 n = 0; n < n_count; ++n) out[n] += in[k] * s->packed[k * n_count + n];
  }
}

static void run_relu(const step* s, const mlgc_tensor* values) {
  const float* in = values[s->in[0]].data;
  float* out = values[s->out].data;
  const mlgc_i64 count = element_count(&values[s->out]);
  for (mlgc_i64 i = 0; i < count; ++i) out[i] = in[i] > 0.0f || in[i] != in[i] ? in[i] : 0.0f;
}

/* Where the element of an operand lies whose sizes of 1, and axes in front, stand for all. */
static mlgc_i64 place_in(const mlgc_tensor* operand, const mlgc_tensor* result, mlgc_i64 element) {
  mlgc_i64 place = 0, stride = 1;
  for (mlgc_i32 axis = result->rank - 1, own = operand->rank - 1; own >= 0; --axis, --own) {
    if (operand->sizes[own] != 1) place += element % result->sizes[axis] * stride;
    element /= result->sizes[axis];
    stride *= operand->sizes[own];
  }
  return place;
}

static void run_add(const step* s, const mlgc_tensor* values) {
  const mlgc_tensor *a = &values[s->in[0]], *b = &values[s->in[1]], *y = &values[s->out];
  const mlgc_i64 count = element_count(y);
  for (mlgc_i64 i = 0; i < count; ++i)
    ((float*)y->data)[i] = ((const float*)a->data)[place_in(a, y, i)] + ((const float*)b->data)[place_in(b, y, i)];
}

static void run_softmax(const step* s, const mlgc_tensor* values) {
  const mlgc_tensor* y = &values[s->out];
  const mlgc_i64 width = y->sizes[y->rank - 1], rows = width == 0 ? 0 : element_count(y) / width;
  for (mlgc_i64 row = 0; row < rows; ++row) {
    const float* in = (const float*)values[s->in[0]].data + row * width;
    float* out = (float*)y->data + row * width;
    float most = in[0], sum = 0.0f;
    for (mlgc_i64 i = 1; i < width; ++i)
      if (!(in[i] <= most)) most = in[i];
    for (mlgc_i64 i = 0; i < width; ++i) sum += out[i] = expf(in[i] - most);
    for (mlgc_i64 i = 0; i < width; ++i) out[i] /= sum;
  }
}

static void release(void* user, void* handle) {
  plan* made = handle;
  (void)user;
  for (mlgc_i32 i = 0; i < made->count; ++i) free(made->steps[i].packed);
  free(made);
}

/* Null: it is not a constant of fixed sizes, or there is no memory. */
static float* transposed(const mlgc_segment_value* weight) {
  if (weight->data == NULL || weight->rank != 2 || weight->dims[0].constant < 0 || weight->dims[1].constant < 0)
    return NULL;
  const mlgc_i64 n_count = weight->dims[0].constant, k_count = weight->dims[1].constant;
  float* packed = malloc((size_t)(n_count * k_count + 1) * sizeof *packed);
  for (mlgc_i64 n = 0; packed != NULL && n < n_count; ++n)
    for (mlgc_i64 k = 0; k < k_count; ++k) packed[k * n_count + n] = ((const float*)weight->data)[n * k_count + k];
  return packed;
}

static mlgc_i32 prepare(void* user, const mlgc_segment* segment, void** handle, char* error, mlgc_size error_bytes) {
  plan* made = calloc(1, sizeof(plan) + (size_t)segment->body.op_count * sizeof(step));
  if (made == NULL) return fail(MLGC_LIMIT, error, error_bytes, "no memory for", segment->name);
  for (mlgc_i32 v = 0; v < segment->value_count; ++v)
    if (segment->values[v].dtype != MLGC_F32) {
      free(made);
      return fail(MLGC_UNSUPPORTED, error, error_bytes, "this accelerator computes f32, which is not the dtype of",
                  segment->values[v].name);
    }
  for (mlgc_i32 i = 0; i < segment->body.op_count; ++i) {
    const mlgc_segment_op* op = &segment->body.ops[i];
    step* s = &made->steps[made->count++];
    s->out = op->results[0];
    for (mlgc_i32 k = 0; k < 3; ++k) s->in[k] = k < op->operand_count ? op->operands[k] : -1;
    if (strcmp(op->name, "linear") == 0) {
      s->run = run_linear;
      s->packed = transposed(&segment->values[s->in[1]]);
    } else if (strcmp(op->name, "relu") == 0) {
      s->run = run_relu;
    } else if (strcmp(op->name, "add") == 0) {
      s->run = run_add;
    } else if (strcmp(op->name, "softmax") == 0) {
      s->run = run_softmax;
    }
    if (s->run == NULL || (s->run == run_linear && s->packed == NULL)) {
      release(user, made);
      return fail(MLGC_UNSUPPORTED, error, error_bytes, "this accelerator does not have the op", op->name);
    }
  }
  *handle = made;
  return MLGC_OK;
}

static mlgc_i32 call(void* user, void* handle, const mlgc_external_call* call) {
  const plan* made = handle;
  (void)user;
  for (mlgc_i32 i = 0; i < made->count; ++i) made->steps[i].run(&made->steps[i], call->values);
  return MLGC_OK;
}

MLGC_API const mlgc_external* mlgc_external_accel(void) {
  static const mlgc_external table = {
      sizeof table, MLGC_EXTERNAL_VERSION, MLGC_EXTERNAL_TEMPORARIES, "accel", NULL, prepare, call, release};
  return &table;
}
