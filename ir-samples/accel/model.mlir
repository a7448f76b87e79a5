// Two layers with a `tanh` between them, which the accelerator does not have.
// eval: --dim=B=3 --random-inputs=1 --random-weights=1
module @model {
  weight @fc0.weight : tensor<16x8xf32>
  weight @fc0.bias : tensor<16xf32>
  weight @fc1.weight : tensor<4x16xf32>
  func @forward(%x: tensor<[B]x8xf32>, %r: tensor<[B]x16xf32>) -> (tensor<[B]x4xf32>, tensor<[B]x16xf32>) {
    %w0 = read @fc0.weight
    %b0 = read @fc0.bias
    %h = linear %x, %w0, %b0
    %s = add %h, %r
    %a = relu %s
    %t = tanh %a
    %w1 = read @fc1.weight
    %l = linear %t, %w1
    %y = softmax %l {dim = -1}
    return %y, %t
  }
}
