// What descriptions hold beside ops on inputs: temporaries, a scalar, a constant of symbolic size, a size as a value, an
// attribute that depends on a size, in a loop and at the top.
module @odd {
  func @forward(%x: tensor<[N]xf32>, %rows: tensor<3x[N]xf32>) -> (tensor<[N - 1]xf32>, tensor<[N]xf32>) where 1 <= N {
    %y = segment (%a = %x) attributes {target = "odd"} {
      %two = constant {value = dense<2.0> : tensor<f32>} : tensor<f32>
      %threes = constant {value = dense<3.0> : tensor<[N]xf32>} : tensor<[N]xf32>
      %n = dim [N]
      %f = cast %n {dtype = f32}
      %b = mul %a, %two
      %c = mul %b, %threes
      %d = mul %c, %f
      %e = slice %d {dim = 0, start = 0, end = [N - 1]} : tensor<[N - 1]xf32>
      yield %e
    }
    %z = scan %x, %rows (%c: tensor<[N]xf32>, %row: tensor<[N]xf32>) attributes {carried = 1} {
      %n = segment (%a = %c, %b = %row) attributes {target = "odd"} {
        %p = mul %a, %b
        yield %p
      }
      yield %n
    }
    return %y, %z
  }
}
