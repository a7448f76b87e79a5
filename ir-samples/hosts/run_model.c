/* Runs a compiled model from C, with nothing but mlgc.h and the model:
 *
 *     cc run_model.c -Ilib model.mlgcx/model.so -o run_model && ./run_model
 *
 * The model's weights are found beside model.so. Its function `forward` takes a tensor<[B]x4xf32> and gives one of that
 * type and its sums by row. */
#include <stdio.h>

#include "runtime/mlgc.h"

const mlgc_unit* mlgc_unit_sample(void);

int main(void) {
  char error[512];
  mlgc_program* program;
  if (mlgc_program_create(mlgc_unit_sample(), NULL, &program, error, sizeof error) != MLGC_OK) {
    fprintf(stderr, "no program: %s\n", error);
    return 1;
  }
  mlgc_context_options options = {sizeof options};
  options.threads = 2;
  mlgc_context* context;
  if (mlgc_context_create(program, &options, &context, error, sizeof error) != MLGC_OK) {
    fprintf(stderr, "no context: %s\n", error);
    return 1;
  }

  /* An input and two outputs of our own. */
  const float x_data[2][4] = {{1, -1, 1, 1}, {2, 2, 2, -2}};
  float y_data[2][4];
  const mlgc_i64 sizes[2] = {2, 4};
  mlgc_tensor x = {sizeof x, (void*)x_data, MLGC_F32, MLGC_CPU, 0, 2, sizes, NULL, sizeof x_data};
  mlgc_tensor outputs[2] = {{sizeof x, y_data, MLGC_F32, MLGC_CPU, 0, 2, sizes, NULL, sizeof y_data},
                            {sizeof x}}; /* no data: the context lends memory for it */
  const mlgc_i32 forward = mlgc_find_function(program, "forward");
  if (mlgc_run(context, forward, &x, 1, outputs, 2) != MLGC_OK) {
    fprintf(stderr, "no run: %s\n", mlgc_error(context));
    return 1;
  }
  for (int i = 0; i < 2; ++i)
    printf("%g %g %g %g sum %g\n", y_data[i][0], y_data[i][1], y_data[i][2], y_data[i][3],
           ((const float*)outputs[1].data)[i]);
  mlgc_release(context, outputs[1].data);

  /* What does not fit is refused, and nothing has happened. */
  x.bytes = 20;
  if (mlgc_run(context, forward, &x, 1, outputs, 2) != MLGC_OK) printf("refused: %s\n", mlgc_error(context));

  mlgc_context_destroy(context);
  mlgc_program_destroy(program);
  return 0;
}
