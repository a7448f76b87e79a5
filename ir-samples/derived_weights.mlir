// A weight that follows from others: a batch norm folded into one scale and one shift, computed once at load.
// eval: --dim=B=2 --random-inputs=1 --random-weights=1
module @folded {
  weight @gamma : tensor<4xf32>
  weight @beta : tensor<4xf32>
  weight @mean : tensor<4xf32>
  weight @variance : tensor<4xf32>
  weight @scale : tensor<4xf32> = {
    %gamma = read @gamma
    %variance = read @variance
    %safe = add %variance {other = 1.0e-05}
    %inverse = rsqrt %safe
    %scale = mul %gamma, %inverse
    yield %scale
  }
  weight @shift : tensor<4xf32> = {
    %beta = read @beta
    %mean = read @mean
    %scale = read @scale
    %moved = mul %mean, %scale
    %shift = sub %beta, %moved
    yield %shift
  }
  func @forward(%x: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> {
    %scale = read @scale
    %shift = read @shift
    %scaled = mul %x, %scale
    %y = add %scaled, %shift
    return %y
  }
}
