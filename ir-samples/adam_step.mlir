// An optimiser's step: three states, replaced together. In place or not is decided later.
// eval: --input=gradient=4xf32=0.5,-1,0,2 --random-weights=1
module @adam {
  state @weight : tensor<4xf32>
  state @first : tensor<4xf32>
  state @second : tensor<4xf32>
  func @step(%gradient: tensor<4xf32>) -> tensor<4xf32> updates (@weight = %w1, @first = %m1, @second = %v1) {
    %w = read @weight
    %m = read @first
    %v = read @second
    %kept = mul %m {other = 0.9}
    %new = mul %gradient {other = 0.1}
    %m1 = add %kept, %new
    %square = mul %gradient, %gradient
    %keptv = mul %v {other = 0.999}
    %newv = mul %square {other = 0.001}
    %v1 = add %keptv, %newv
    %root = sqrt %v1
    %safe = add %root {other = 1.0e-08}
    %direction = div %m1, %safe
    %update = mul %direction {other = 0.01}
    %w1 = sub %w, %update
    return %update, %w1, %m1, %v1
  }
}
