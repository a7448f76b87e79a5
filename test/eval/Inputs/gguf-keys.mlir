weight @model.layers.0.self_attn.k_proj.bias : tensor<8xf32>
func @f() -> tensor<8xf32> {
  %bias = read @model.layers.0.self_attn.k_proj.bias
  %k = add %bias {other = 0}
  return %k
}
