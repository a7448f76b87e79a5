// One step of gradient descent on a linear model, by hand: the new weights are paired with the old ones.
// eval: --dim=B=4 --random-inputs=1 --random-weights=1
module @sgd {
  state @w : tensor<1x3xf32>
  func @step(%x: tensor<[B]x3xf32>, %target: tensor<[B]x1xf32>) -> tensor<f32> where 1 <= B updates (@w = %next) {
    %w = read @w
    %y = linear %x, %w
    %error = sub %y, %target
    %square = mul %error, %error
    %loss = mean %square {dim = [0, 1]}
    %turned = permute %error {dims = [1, 0]}
    %product = matmul %turned, %x
    %n = dim [B]
    %count = cast %n {dtype = f32}
    %slope = div %product, %count
    %step = mul %slope {other = 0.2}
    %next = sub %w, %step
    return %loss, %next
  }
}
