// An embedding lookup: a subscript that is read from another tensor.
// eval: --dim=B=2 --dim=S=3 --input=tokens=rand:lo=0,hi=11 --random-weights=1
module @lookup weights "lookup.safetensors" {
  weight @table : tensor<12x4xf32>
  func @forward(%tokens: tensor<[B]x[S]xi64>) -> tensor<[B]x[S]x4xf32> {
    %table = read @table
    %y = embedding %table, %tokens
    return %y
  }
}
