// A named size with constraints: the same text serves every batch from 1 to 64 that is a multiple of 4.
// eval: --dim=B=8 --random-inputs=1
func @normalise(%x: tensor<[B]x3xf32>, %mean: tensor<3xf32>, %scale: tensor<3xf32>) -> tensor<[B]x3xf32>
where 1 <= B <= 64, B mod 4 == 0 {
  %centred = sub %x, %mean
  %y = mul %centred, %scale
  return %y
}
