// The common activations, one after another on the same input.
// eval: --input=x=7xf32=-3,-1,-0.5,0,0.5,1,3
func @activations(%x: tensor<[N]xf32>) -> (tensor<[N]xf32>, tensor<[N]xf32>, tensor<[N]xf32>, tensor<[N]xf32>, tensor<[N]xf32>) {
  %relu = relu %x
  %leaky = leaky_relu %x {negative_slope = 0.1}
  %gelu = gelu %x {approximate = "tanh"}
  %silu = silu %x
  %softplus = softplus %x
  return %relu, %leaky, %gelu, %silu, %softplus
}
