// A call substitutes the caller's sizes for the callee's: @scale knows [N], its callers [2*B] and 8.
// eval: --function=main --dim=B=2 --random-inputs=1
module @calls {
  func @scale(%x: tensor<[N]xf32>, %by: tensor<f32>) -> tensor<[N]xf32> {
    %y = mul %x, %by
    return %y
  }
  func @main(%x: tensor<[2*B]xf32>, %w: tensor<8xf32>, %by: tensor<f32>) -> (tensor<[2*B]xf32>, tensor<8xf32>) {
    %a = call @scale, %x, %by
    %b = call @scale, %w, %by
    return %a, %b
  }
}
