// The second graph of the tour: a residual block of two linear layers.
// eval: --dim=B=2 --random-inputs=1 --random-weights=1
module @block {
  weight @fc1.weight : tensor<16x8xf32>
  weight @fc1.bias : tensor<16xf32>
  weight @fc2.weight : tensor<8x16xf32>
  func @forward(%x: tensor<[B]x8xf32>) -> tensor<[B]x8xf32> where 1 <= B {
    %w1 = read @fc1.weight
    %b1 = read @fc1.bias
    %h = linear %x, %w1, %b1
    %r = relu %h
    %w2 = read @fc2.weight
    %d = linear %r, %w2
    %s = add %d, %x
    %y = relu %s
    return %y
  }
}
