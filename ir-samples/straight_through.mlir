// Training with rounded weights: a straight-through estimator rounds to multiples of 1/4, and states as its gradient that
// of a clamp, which is not the derivative (0 nearly everywhere) and says so. `mlgc grad` goes back through @clipped.
// eval: --function=loss --dim=B=4 --random-inputs=1
module @straight_through {
  func @clipped(%x: tensor<[M]x[N]xf32>, %g: tensor<[M]x[N]xf32>) -> tensor<[M]x[N]xf32> {
    %size = abs %x
    %inside = le %size {other = 1.0}
    %nothing = mul %g {other = 0.0}
    %d = where %inside, %g, %nothing
    return %d
  }
  func @quantised(%x: tensor<[M]x[N]xf32>) -> tensor<[M]x[N]xf32> gradient @clipped attributes {surrogate = true} {
    %inner = clamp %x {max = 1.0, min = -1.0}
    %steps = mul %inner {other = 4.0}
    %whole = round %steps
    %y = div %whole {other = 4.0}
    return %y
  }
  func @loss(%x: tensor<[B]x3xf32>, %w: tensor<2x3xf32>, %target: tensor<[B]x2xf32>) -> tensor<f32> where 1 <= B {
    %q = call @quantised, %w
    %y = linear %x, %q
    %loss = mse_loss %y, %target
    return %loss
  }
}
