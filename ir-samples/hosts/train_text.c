/* Trains a compiled character transformer on texts from C, with nothing but mlgc.h and the model:
 *
 *     python3 char_transformer.py text.pt2
 *     mlgc grad text.pt2 --loss=cross_entropy --step=adamw --lr=3e-3 --keep -o step.mlir
 *     mlgc compile step.mlir -o step.mlgcx
 *     cc train_text.c -Ilib step.mlgcx/model.so -o train && ./train 1000 losses.csv README.md
 *
 * The texts are one text; each row of a batch of 16 begins somewhere in it, and the targets are the same characters one
 * place on. A character is a byte, those beyond ASCII are 127. The model has the function `step` and, beside it,
 * `forward`, which in the end continues the text, a character a call. The losses of all steps are a column of the CSV,
 * which scripts/plot draws. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/mlgc.h"

const mlgc_unit* mlgc_unit_step(void);

enum { VOCABULARY = 128, BATCH = 16, MOST_LENGTH = 256, MOST_TEXT = 1 << 22, CONTINUED = 160, REPORTS = 10 };

static unsigned char text[MOST_TEXT];
static mlgc_i64 text_length;
static float scores[BATCH * VOCABULARY * MOST_LENGTH];

static void fail(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static void read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) fail(path, "cannot be read");
  for (int c = getc(file); c != EOF; c = getc(file)) {
    if (text_length == MOST_TEXT) fail(path, "the texts are longer than this sample reads");
    text[text_length++] = (unsigned char)(c < VOCABULARY ? c : VOCABULARY - 1);
  }
  fclose(file);
}

/* From 0 to 1, 1 excluded. */
static double draw(uint32_t* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0;
}

/* How many characters the function sees at once. */
static mlgc_i64 length_of(const mlgc_signature* signature) {
  const mlgc_value_info* input = &signature->inputs[0];
  const mlgc_value_info* output = &signature->outputs[signature->output_count - 1];
  if (input->rank != 2 || input->dtype != MLGC_I64 || input->dims[1].constant < 1 ||
      input->dims[1].constant > MOST_LENGTH)
    fail(signature->name, "takes no rows of at most 256 characters");
  if (output->rank != 3 || output->dtype != MLGC_F32 || output->dims[1].constant != VOCABULARY)
    fail(signature->name, "gives no scores of 128 characters in f32");
  return input->dims[1].constant;
}

static double train(mlgc_context* context, mlgc_i32 step, mlgc_i64 length, uint32_t* seed) {
  static mlgc_i64 seen[BATCH * MOST_LENGTH], next[BATCH * MOST_LENGTH];
  for (int row = 0; row < BATCH; ++row) {
    const mlgc_i64 first = (mlgc_i64)(draw(seed) * (double)(text_length - length));
    for (mlgc_i64 i = 0; i < length; ++i) {
      seen[row * length + i] = text[first + i];
      next[row * length + i] = text[first + i + 1];
    }
  }
  float loss;
  const mlgc_i64 rows[] = {BATCH, length}, score_sizes[] = {BATCH, VOCABULARY, length};
  const mlgc_size bytes = (mlgc_size)(BATCH * length) * sizeof(mlgc_i64);
  const mlgc_tensor inputs[] = {{sizeof inputs[0], seen, MLGC_I64, MLGC_CPU, 0, 2, rows, NULL, bytes},
                                {sizeof inputs[0], next, MLGC_I64, MLGC_CPU, 0, 2, rows, NULL, bytes}};
  mlgc_tensor outputs[] = {{sizeof outputs[0], &loss, MLGC_F32, MLGC_CPU, 0, 0, NULL, NULL, sizeof loss},
                           {sizeof outputs[0], scores, MLGC_F32, MLGC_CPU, 0, 3, score_sizes, NULL, sizeof scores}};
  if (mlgc_run(context, step, inputs, 2, outputs, 2) != MLGC_OK) fail("step", mlgc_error(context));
  return loss;
}

/* A character that follows, each as often as its score says: exp(score) over their sum. */
static int following(mlgc_context* context, mlgc_i32 forward, mlgc_i64 length, mlgc_i64* seen, uint32_t* seed) {
  const mlgc_i64 rows[] = {1, length}, score_sizes[] = {1, VOCABULARY, length};
  const mlgc_tensor input = {
      sizeof input, seen, MLGC_I64, MLGC_CPU, 0, 2, rows, NULL, (mlgc_size)length * sizeof(mlgc_i64)};
  mlgc_tensor output = {sizeof output, scores, MLGC_F32, MLGC_CPU, 0, 3, score_sizes, NULL, sizeof scores};
  if (mlgc_run(context, forward, &input, 1, &output, 1) != MLGC_OK) fail("forward", mlgc_error(context));
  double sum = 0;
  for (int c = 0; c < VOCABULARY; ++c) sum += exp(scores[(c + 1) * length - 1]);
  double left = draw(seed) * sum;
  int c = 0;
  while (c < VOCABULARY - 1 && (left -= exp(scores[(c + 1) * length - 1])) > 0) ++c;
  return c;
}

int main(int count, char** words) {
  if (count < 4) fail("usage", "train_text STEPS LOSSES.csv TEXT…");
  for (int i = 3; i < count; ++i) read_text(words[i]);
  char error[512];
  mlgc_program* program;
  mlgc_context* context;
  if (mlgc_program_create(mlgc_unit_step(), NULL, &program, error, sizeof error) != MLGC_OK ||
      mlgc_context_create(program, NULL, &context, error, sizeof error) != MLGC_OK)
    fail("the model", error);
  const mlgc_i32 step = mlgc_find_function(program, "step"), forward = mlgc_find_function(program, "forward");
  if (step < 0 || forward < 0) fail("the model", "has not the functions `step` and `forward`");
  const mlgc_i64 length = length_of(mlgc_function_signature(program, step));
  if (text_length <= length) fail("the text", "is shorter than what the model sees at once");
  FILE* losses = fopen(words[2], "w");
  if (losses == NULL) fail(words[2], "cannot be written");
  fprintf(losses, "loss\n");
  const int steps = atoi(words[1]);
  uint32_t seed = 1;
  double sum = 0;
  for (int number = 1, since = 0; number <= steps; ++number) {
    const double loss = train(context, step, length, &seed);
    fprintf(losses, "%.6f\n", loss);
    sum += loss;
    ++since;
    if ((long long)number * REPORTS / steps == (long long)(number - 1) * REPORTS / steps) continue;
    printf("step %d: loss %.4f\n", number, sum / since);
    sum = since = 0;
  }
  if (fclose(losses) != 0) fail(words[2], "cannot be written");
  mlgc_i64 seen[MOST_LENGTH];
  for (mlgc_i64 i = 0; i < length; ++i) seen[i] = text[i];
  printf("it goes on:\n");
  for (int i = 0; i < CONTINUED; ++i) {
    const int c = following(context, forward, length, seen, &seed);
    memmove(seen, seen + 1, (size_t)(length - 1) * sizeof seen[0]);
    seen[length - 1] = c;
    putchar(c < VOCABULARY - 1 ? c : '?');
  }
  putchar('\n');
  mlgc_context_destroy(context);
  mlgc_program_destroy(program);
  return 0;
}
