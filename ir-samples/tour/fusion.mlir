// The fourth graph of the tour: kernels that fuse vertically and horizontally, and a use that stays apart.
// eval: --dim=B=2 --random-inputs=1 --random-weights=1
module @fusion {
  weight @up.weight : tensor<512x256xf32>
  weight @up.bias : tensor<512xf32>
  weight @down.weight : tensor<256x512xf32>
  func @forward(%x: tensor<[B]x256xf32>) -> (tensor<[B]x256xf32>, tensor<[B]xf32>, tensor<[B]xf32>) where 1 <= B {
    %w1 = read @up.weight
    %b1 = read @up.bias
    // vertical: an elementwise chain on the result of a product
    %h = linear %x, %w1, %b1
    %g = sigmoid %h
    %s = mul %h, %g
    // apart: a product reads each element of %s 256 times
    %w2 = read @down.weight
    %y = linear %s, %w2
    // horizontal: two reductions of the same rows
    %mean = mean %x {dim = [1]}
    %largest = amax %x {dim = [1]}
    return %y, %mean, %largest
  }
}
