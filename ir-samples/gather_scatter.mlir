// Reading and writing at positions that are data: gather, scatter with addition, and selected rows.
// eval: --input=x=2x3xf32=iota --input=at=2x3xi64=2,0,0,1,1,2 --input=rows=2xi64=1,0
func @move(%x: tensor<2x3xf32>, %at: tensor<2x3xi64>, %rows: tensor<2xi64>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %gathered = gather %x, %at {dim = 1}
  %zeros = full {size = [2, 3], value = 0.0, dtype = f32}
  %histogram = scatter_add %zeros, %at, %x {dim = 1}
  %selected = index_select %x, %rows {dim = 0}
  return %gathered, %histogram, %selected
}
