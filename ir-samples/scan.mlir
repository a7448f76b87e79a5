// A recurrence over a sequence: the carried state is a result, what is yielded beside it is stacked.
// eval: --dim=T=5 --random-inputs=1
func @rnn(%h0: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> (tensor<4xf32>, tensor<[T]x4xf32>) {
  %h, %hs = scan %h0, %xs (%state: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %sum = add %x, %state
    %next = tanh %sum
    yield %next, %next
  }
  return %h, %hs
}
