// Steps on a sum whose products are not rounded before it takes them in: what brings partial sums together is a plain sum, and each
// copy takes in its own product.
// RUN: mlgc opt %s --pass-pipeline='rfactor{loop=k size=8}' | FileCheck %s
// RUN: mlgc opt %s --pass-pipeline='vectorize{loop=k lanes=8}' | mlgc opt - | FileCheck %s --check-prefix=LANES
// RUN: mlgc opt %s --pass-pipeline='jam{loop=i factor=2}' | FileCheck %s --check-prefix=COPIES
// RUN: mlgc opt %s --pass-pipeline='rfactor{loop=k size=8}' | mlgc eval - --dim=M=3 --dim=K=21 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// CHECK: fma %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: load %partial[%k_p, %i] : f32
// CHECK-NEXT: add %{{[0-9]+}}, %{{[0-9]+}} : f32
// LANES: combine = ["add"], kind = "vector", lanes = 8
// LANES: fma %{{.*}}, %{{.*}}, %{{.*}} : f32
// COPIES-COUNT-2: fma %{{.*}}, %{{.*}}, %{{.*}} : f32
// AGREES: y by cpp: agrees
func @f(%x: buffer<[M]x[K]xf32, argument>, %w: buffer<[K]xf32, argument>, %y: buffer<[M]xf32, argument>) {
  for [0, M] (%i: index) attributes {kind = "parallel"} {
    %zero = literal {dtype = f32, value = 0.0}
    %sum = for [0, K] (%k: index, %a = %zero) {
      %0 = load %x[%i, %k]
      %1 = load %w[%k]
      %2 = fma %0, %1, %a
      yield %2
    }
    store %sum, %y[%i]
  }
  return
}
