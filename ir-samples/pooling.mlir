// Windows: sizes of results follow from those of inputs, [(H - 2) floordiv 2 + 1] for a window of 2 with stride 2.
// eval: --dim=H=6 --dim=W=7 --random-inputs=1
func @pool(%x: tensor<1x2x[H]x[W]xf32>) -> (tensor<1x2x[H floordiv 2]x[W floordiv 2]xf32>, tensor<1x2x[H floordiv 2]x[W floordiv 2]xf32>, tensor<1x2x1x1xf32>)
where 2 <= H, 2 <= W {
  %largest, %where = max_pool2d %x {kernel_size = [2, 2]}
  %average = avg_pool2d %x {kernel_size = [2, 2]}
  %global = adaptive_avg_pool2d %x {output_size = [1, 1]}
  return %largest, %average, %global
}
