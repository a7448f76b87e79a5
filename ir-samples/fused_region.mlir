// What one kernel computes: a fusion region sees only its arguments.
// eval: --dim=B=2 --random-inputs=1
func @gated(%x: tensor<[B]x4xf32>, %gate: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> {
  %y = fusion (%a = %x, %b = %gate) {
    %open = sigmoid %b
    %through = mul %a, %open
    %positive = relu %through
    yield %positive
  }
  return %y
}
