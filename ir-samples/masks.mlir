// Comparisons give i1; masks choose between values without control flow.
// eval: --dim=N=6 --random-inputs=1
func @clip_outliers(%x: tensor<[N]xf32>) -> (tensor<[N]xf32>, tensor<[N]xi1>) {
  %size = abs %x
  %large = gt %size {other = 1.0}
  %nan = isnan %x
  %bad = logical_or %large, %nan
  %y = masked_fill %x, %bad {value = 0.0}
  return %y, %bad
}
