// What a target computes as a whole stands in segments; the rest, here `exp`, between them.
// eval: --dim=B=3 --input=x=rand --random-weights=1
weight @w : tensor<8x4xf32>
func @f(%x: tensor<[B]x8xf32>) -> tensor<[B]x4xf32> {
  %h = segment (%a = %x) attributes {target = "accel"} {
    %w = read @w
    %r = relu %a
    %m = matmul %r, %w
    yield %m
  }
  %e = exp %h
  %y = segment (%a = %h, %b = %e) attributes {target = "accel"} {
    %sum = add %a, %b
    %n = softmax %sum {dim = -1}
    yield %n
  }
  return %y
}
