// The five classes of nodes: compute, data, shape, control and memory.
// eval: --input=x=3xf32=-1,0,2 --input=flip=true --random-weights=1
module @node_classes {
  // memory: what lives between calls
  state @calls : tensor<i64>
  // data: weights and constants
  weight @scale : tensor<f32>
  func @forward(%x: tensor<[B]xf32>, %flip: tensor<i1>) -> (tensor<[B]xf32>, tensor<i64>) updates (@calls = %n) {
    %scale = read @scale
    %one = constant {value = dense<1> : tensor<i64>}
    // shape: a size as a value
    %batch = dim [B]
    // control: one of two regions
    %signed = if %flip {
      %minus = neg %x
      yield %minus
    } else {
      yield %x
    }
    // compute
    %y = mul %signed, %scale
    %calls = read @calls
    %n = add %calls, %one
    return %y, %batch, %n
  }
}
