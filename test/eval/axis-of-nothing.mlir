// Over an axis that is empty when the program runs: what PyTorch gives, and its refusals. As loops, and compiled, too.
// RUN: bash -c 'for f in softmax log_softmax attention; do mlgc eval %s --function=$f --random-inputs=1 --dim=B=2 --dim=N=0; mlgc eval %s --function=$f --random-inputs=1 --dim=B=2 --dim=N=0 --backend=cpp; mlgc opt %s --to=loops | mlgc eval - --function=$f --random-inputs=1 --dim=B=2 --dim=N=0; done' | FileCheck %s
// RUN: bash -c 'for f in logsumexp least; do mlgc eval %s --function=$f --random-inputs=1 --dim=B=2 --dim=N=0; mlgc eval %s --function=$f --random-inputs=1 --dim=B=2 --dim=N=0 --backend=cpp; done' | FileCheck %s --check-prefix=LOGSUMEXP
// RUN: mlgc eval %s --function=static --random-inputs=1 | FileCheck %s --check-prefix=STATIC
// RUN: %exits 1 mlgc eval %s --function=amax --random-inputs=1 --dim=B=2 --dim=N=0 2>&1 | FileCheck %s --check-prefix=AMAX
// RUN: %exits 1 mlgc eval %s --function=amax --random-inputs=1 --dim=B=2 --dim=N=0 --backend=cpp 2>&1 | FileCheck %s --check-prefix=AMAX
// CHECK-COUNT-6: y: 2x0xf32
// CHECK-COUNT-6: 0.0, 0.0, 0.0]
// LOGSUMEXP-COUNT-2: [-inf, -inf]
// LOGSUMEXP-COUNT-2: [inf, inf]
// STATIC: y: 2x0xf32
// STATIC: z: 2xf32
// STATIC-NEXT: [-inf, -inf]
// AMAX: error: {{(`amax`: )?}}`max` over an empty extent
func @softmax(%x: tensor<[B]x[N]xf32>) -> tensor<[B]x[N]xf32> {
  %y = softmax %x {dim = 1}
  return %y
}
func @log_softmax(%x: tensor<[B]x[N]xf32>) -> tensor<[B]x[N]xf32> {
  %y = log_softmax %x {dim = 1}
  return %y
}
func @attention(%q: tensor<[B]x3xf32>, %k: tensor<[N]x3xf32>) -> tensor<[B]x3xf32> {
  %y = scaled_dot_product_attention %q, %k, %k
  return %y
}
func @logsumexp(%x: tensor<[B]x[N]xf32>) -> tensor<[B]xf32> {
  %y = logsumexp %x {dim = [1]}
  return %y
}
func @least(%x: tensor<[B]x[N]xf32>) -> tensor<[B]xf32> {
  %y = compute %x {formula = "y[b] = min[k | k <= b + 5](x0[b, k])"}
  return %y
}
func @static(%x: tensor<2x0xf32>) -> (tensor<2x0xf32>, tensor<2xf32>) {
  %y = softmax %x {dim = 1}
  %z = logsumexp %x {dim = [1]}
  return %y, %z
}
func @amax(%x: tensor<[B]x[N]xf32>) -> tensor<[B]xf32> {
  %y = amax %x {dim = [1]}
  return %y
}
