// Layer norm as one op, and the same from its parts.
// eval: --dim=B=3 --random-inputs=1
func @both(%x: tensor<[B]x8xf32>, %weight: tensor<8xf32>, %bias: tensor<8xf32>) -> (tensor<[B]x8xf32>, tensor<[B]x8xf32>) {
  %whole, %m, %r = layer_norm %x, %weight, %bias {normalized_shape = [8], eps = 1.0e-05}
  %mean = mean %x {dim = [1], keepdim = true}
  %centred = sub %x, %mean
  %var = var %x {dim = [1], correction = 0, keepdim = true}
  %safe = add %var {other = 1.0e-05}
  %inverse = rsqrt %safe
  %normal = mul %centred, %inverse
  %scaled = mul %normal, %weight
  %parts = add %scaled, %bias
  return %whole, %parts
}
