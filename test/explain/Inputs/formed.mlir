func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = segment (%a = %x) attributes {target = "accel"} {
    %u = exp %a
    %r = relu %u
    yield %r
  }
  return %y
}
