/* A program with an accelerator of its own: it hands over the callback table and runs model.mlgcx, twice.
 *
 *     cc host.c accel.c model.mlgcx/model.so -Ilib -lm -o host && ./host */
#include <stdio.h>

#include "runtime/mlgc.h"

const mlgc_unit* mlgc_unit_model(void);
const mlgc_external* mlgc_external_accel(void);

int main(void) {
  char error[1024];
  mlgc_program* program;
  mlgc_context* context;
  if (mlgc_program_create(mlgc_unit_model(), NULL, &program, error, sizeof error) == MLGC_OK) return 1;
  printf("without a table: %s\n", error);

  mlgc_program_options options = {sizeof options};
  options.externals = mlgc_external_accel();
  options.external_count = 1;
  if (mlgc_program_create(mlgc_unit_model(), &options, &program, error, sizeof error) != MLGC_OK ||
      mlgc_context_create(program, NULL, &context, error, sizeof error) != MLGC_OK) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  float x[3][8], r[3][16], y[3][4], t[3][16];
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 8; ++i) x[row][i] = (float)((row + i) % 5) - 2;
    for (int i = 0; i < 16; ++i) r[row][i] = (float)((row + i) % 3) - 1;
  }
  for (mlgc_i64 rows = 3; rows >= 0; rows -= 3) { /* then none */
    const mlgc_i64 x_sizes[] = {rows, 8}, r_sizes[] = {rows, 16}, y_sizes[] = {rows, 4};
    const mlgc_tensor inputs[] = {{sizeof *inputs, x, MLGC_F32, MLGC_CPU, 0, 2, x_sizes, NULL, sizeof x},
                                  {sizeof *inputs, r, MLGC_F32, MLGC_CPU, 0, 2, r_sizes, NULL, sizeof r}};
    mlgc_tensor outputs[] = {{sizeof *outputs, y, MLGC_F32, MLGC_CPU, 0, 2, y_sizes, NULL, sizeof y},
                             {sizeof *outputs, t, MLGC_F32, MLGC_CPU, 0, 2, r_sizes, NULL, sizeof t}};
    for (int calls = 0; calls < 2; ++calls)
      if (mlgc_run(context, 0, inputs, 2, outputs, 2) != MLGC_OK) {
        fprintf(stderr, "%s\n", mlgc_error(context));
        return 1;
      }
    for (mlgc_i64 row = 0; row < rows; ++row) {
      float sum = 0;
      for (int i = 0; i < 4; ++i) sum += y[row][i];
      printf("row %d: probabilities that add up to %.4f\n", (int)row, sum);
    }
  }
  mlgc_context_destroy(context);
  mlgc_program_destroy(program);
  return 0;
}
