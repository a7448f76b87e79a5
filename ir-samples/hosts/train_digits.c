/* Trains a compiled model on images of digits from C, with nothing but mlgc.h and the model:
 *
 *     mlgc grad digits.pt2 --loss=cross_entropy --step=adam --keep -o step.mlir && mlgc compile step.mlir -o step.mlgcx
 *     cc train_digits.c -Ilib step.mlgcx/model.so -o train && ./train digits.csv 10 trained.safetensors
 *
 * A line of the CSV is the 64 pixels of an image of 8 by 8, from 0 to 16, and the digit: scikit-learn's digits.csv.gz.
 * The model has the function `step`, of which an image, a batch of 64, is one row of the first input, whatever its
 * shape, and `forward` beside it, which reads the weights that `step` changes: they are states of the context. One
 * image in four is kept for the test. In the end the states are written as a safetensors file. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/mlgc.h"

const mlgc_unit* mlgc_unit_step(void);

enum { PIXELS = 64, CLASSES = 10, BATCH = 64, MOST_IMAGES = 4096, MOST_RANK = 8 };

typedef struct {
  int count;
  float pixels[MOST_IMAGES][PIXELS];
  mlgc_i64 digits[MOST_IMAGES];
} images;

static images training, test;

static void fail(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static int read_number(FILE* file) {
  int number = 0;
  if (fscanf(file, "%d%*[,\n]", &number) < 1) return -1;
  return number;
}

static void read_images(const char* path) {
  FILE* file = fopen(path, "r");
  if (file == NULL) fail(path, "cannot be read");
  for (int line = 0;; ++line) {
    images* set = line % 4 == 0 ? &test : &training;
    float row[PIXELS];
    int number = 0;
    for (int i = 0; i < PIXELS && number >= 0; ++i) row[i] = (float)(number = read_number(file)) / 16;
    const int digit = number < 0 ? -1 : read_number(file);
    if (digit < 0) break;
    if (set->count == MOST_IMAGES || digit >= CLASSES) fail(path, "has too many lines, or another digit than 0 to 9");
    memcpy(set->pixels[set->count], row, sizeof row);
    set->digits[set->count++] = digit;
  }
  fclose(file);
  if (training.count < BATCH) fail(path, "has too few lines");
}

/* The first input of a function, of `count` images: its sizes are those that the signature has behind the first. */
static mlgc_tensor batch_of(const mlgc_signature* signature, float* pixels, mlgc_i64 count, mlgc_i64* sizes) {
  const mlgc_value_info* input = &signature->inputs[0];
  mlgc_i64 elements = 1;
  if (input->rank < 2 || input->rank > MOST_RANK) fail(signature->name, "takes no images");
  sizes[0] = count;
  for (int i = 1; i < input->rank; ++i) elements *= sizes[i] = input->dims[i].constant;
  if (elements != PIXELS || input->dtype != MLGC_F32) fail(signature->name, "takes no images of 8 by 8 in f32");
  mlgc_tensor tensor = {sizeof tensor, pixels, MLGC_F32, MLGC_CPU, 0, input->rank, sizes, NULL,
                        (mlgc_size)count * PIXELS * sizeof(float)};
  return tensor;
}

static void shuffle(int* order, int count, uint32_t* seed) {
  for (int i = count - 1; i > 0; --i) {
    *seed = *seed * 1664525u + 1013904223u;
    const int j = (int)((*seed >> 8) % (uint32_t)(i + 1));
    const int kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

/* One pass over the images; the mean of the losses. */
static double train(mlgc_context* context, const mlgc_signature* signature, mlgc_i32 step, uint32_t* seed) {
  static int order[MOST_IMAGES];
  static float pixels[BATCH][PIXELS], scores[BATCH][CLASSES];
  static mlgc_i64 digits[BATCH];
  for (int i = 0; i < training.count; ++i) order[i] = i;
  shuffle(order, training.count, seed);
  double sum = 0;
  int batches = 0;
  for (int first = 0; first + BATCH <= training.count; first += BATCH, ++batches) {
    for (int i = 0; i < BATCH; ++i) {
      memcpy(pixels[i], training.pixels[order[first + i]], sizeof pixels[i]);
      digits[i] = training.digits[order[first + i]];
    }
    float loss;
    mlgc_i64 sizes[MOST_RANK];
    const mlgc_i64 target_sizes[] = {BATCH}, score_sizes[] = {BATCH, CLASSES};
    const mlgc_tensor inputs[] = {batch_of(signature, pixels[0], BATCH, sizes),
                                  {sizeof inputs[0], digits, MLGC_I64, MLGC_CPU, 0, 1, target_sizes, NULL, sizeof digits}};
    mlgc_tensor outputs[] = {{sizeof outputs[0], &loss, MLGC_F32, MLGC_CPU, 0, 0, NULL, NULL, sizeof loss},
                             {sizeof outputs[0], scores, MLGC_F32, MLGC_CPU, 0, 2, score_sizes, NULL, sizeof scores}};
    if (mlgc_run(context, step, inputs, 2, outputs, 2) != MLGC_OK) fail("step", mlgc_error(context));
    sum += loss;
  }
  return sum / batches;
}

/* The share of the test's images whose digit has the highest score. */
static double accuracy(mlgc_context* context, const mlgc_signature* signature, mlgc_i32 forward) {
  static float scores[MOST_IMAGES][CLASSES];
  mlgc_i64 sizes[MOST_RANK];
  const mlgc_i64 score_sizes[] = {test.count, CLASSES};
  const mlgc_tensor input = batch_of(signature, test.pixels[0], test.count, sizes);
  mlgc_tensor output = {sizeof output, scores, MLGC_F32, MLGC_CPU, 0, 2, score_sizes, NULL, sizeof scores};
  if (mlgc_run(context, forward, &input, 1, &output, 1) != MLGC_OK) fail("forward", mlgc_error(context));
  int right = 0;
  for (int i = 0; i < test.count; ++i) {
    int best = 0;
    for (int k = 1; k < CLASSES; ++k)
      if (scores[i][k] > scores[i][best]) best = k;
    right += best == test.digits[i];
  }
  return (double)right / test.count;
}

/* A safetensors file: the length of a header, the header in JSON, and the data of the states one behind the other. */
static void save(const mlgc_program* program, mlgc_context* context, const char* path) {
  static const char* const names[] = {"BOOL", "I8", "U8", "I16", "I32", "I64", "F16", "BF16", "F32", "F64"};
  static char header[1 << 16];
  mlgc_state_info info = {sizeof info};
  size_t length = (size_t)snprintf(header, sizeof header, "{"), end = 0;
  const mlgc_i32 count = mlgc_state_count(program);
  for (mlgc_i32 i = 0; i < count; ++i) {
    mlgc_state(program, i, &info);
    length += (size_t)snprintf(header + length, sizeof header - length, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[",
                               i == 0 ? "" : ",", info.name, names[info.dtype]);
    for (int k = 0; k < info.rank; ++k)
      length += (size_t)snprintf(header + length, sizeof header - length, "%s%lld", k == 0 ? "" : ",",
                                 (long long)info.sizes[k]);
    length += (size_t)snprintf(header + length, sizeof header - length, "],\"data_offsets\":[%zu,%zu]}", end,
                               end + (size_t)info.bytes);
    end += (size_t)info.bytes;
    if (length > sizeof header / 2) fail(path, "would have a longer header than this sample writes");
  }
  length += (size_t)snprintf(header + length, sizeof header - length, "}");
  while (length % 8 != 0) header[length++] = ' ';
  FILE* file = fopen(path, "wb");
  if (file == NULL) fail(path, "cannot be written");
  for (int i = 0; i < 8; ++i) fputc((int)((uint64_t)length >> (8 * i) & 255), file);
  fwrite(header, 1, length, file);
  for (mlgc_i32 i = 0; i < count; ++i) {
    mlgc_state(program, i, &info);
    void* data = malloc((size_t)info.bytes);
    if (data == NULL || mlgc_state_read(context, i, data, info.bytes) != MLGC_OK) fail(info.name, "cannot be read");
    fwrite(data, 1, (size_t)info.bytes, file);
    free(data);
  }
  if (fclose(file) != 0) fail(path, "cannot be written");
}

int main(int count, char** words) {
  if (count < 3) fail("usage", "train_digits DIGITS.csv EPOCHS [TRAINED.safetensors]");
  read_images(words[1]);
  char error[512];
  mlgc_program* program;
  mlgc_context* context;
  if (mlgc_program_create(mlgc_unit_step(), NULL, &program, error, sizeof error) != MLGC_OK ||
      mlgc_context_create(program, NULL, &context, error, sizeof error) != MLGC_OK)
    fail("the model", error);
  const mlgc_i32 step = mlgc_find_function(program, "step"), forward = mlgc_find_function(program, "forward");
  if (step < 0 || forward < 0) fail("the model", "has not the functions `step` and `forward`");
  uint32_t seed = 1;
  printf("epoch 0: accuracy %.4f\n", accuracy(context, mlgc_function_signature(program, forward), forward));
  for (int epoch = 1; epoch <= atoi(words[2]); ++epoch) {
    const double loss = train(context, mlgc_function_signature(program, step), step, &seed);
    printf("epoch %d: loss %.4f, accuracy %.4f\n", epoch, loss,
           accuracy(context, mlgc_function_signature(program, forward), forward));
  }
  if (count > 3) save(program, context, words[3]);
  mlgc_context_destroy(context);
  mlgc_program_destroy(program);
  return 0;
}
