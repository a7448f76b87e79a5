weight @model.layers.0.self_attn.q_proj.bias : tensor<8xf32>
weight @lm_head.weight : tensor<4xbf16>
func @f() -> (tensor<8xf32>, tensor<4xbf16>) {
  %bias = read @model.layers.0.self_attn.q_proj.bias
  %head = read @lm_head.weight
  %q = add %bias {other = 0}
  %y = add %head {other = 1}
  return %q, %y
}
