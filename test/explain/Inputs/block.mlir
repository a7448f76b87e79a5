weight @w : tensor<8x8xf32>
func @block(%x: tensor<[B]x8xf32>, %n: tensor<3x8xf32>) -> (tensor<[B]x8xf32>, tensor<3x8xf32>) {
  %w = read @w
  %h = linear %x, %w
  %r = relu %h
  %e = exp %r
  %v = add %r, %e
  %d = softmax %n {dim = 0}
  %h2 = scan %v, %n (%c: tensor<[B]x8xf32>, %o: tensor<8xf32>) attributes {carried = 1} {
    %a = add %c, %o
    %u = sin %a
    yield %u
  }
  return %h2, %d
}
