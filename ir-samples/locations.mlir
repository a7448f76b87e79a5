// Every op has a location: what importers know of the user's source is kept through all stages.
// eval: --dim=B=2 --random-inputs=1
func @forward(%x: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> {
  %0 = mul %x, %x loc("model.py":12:9)
  %1 = exp %0 loc("act"("model.py":13:9))
  %2 = neg %1 loc(fused<{module = "encoder.act", node = "neg"}>["model.py":14:9])
  return %2 loc(callsite("model.py":15:5 at "train.py":40:3))
}
