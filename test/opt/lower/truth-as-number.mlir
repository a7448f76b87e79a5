// A truth value that goes through integers becomes a float at once: every type has 0 and 1.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// RUN: mlgc eval %s --backend=cpp -O2 --random-inputs=2 --dim=N=37 --compare=interp | FileCheck %s --check-prefix=SAME
// CHECK: [[T:%[0-9]+]] = lt {{.*}} : i1
// CHECK-NEXT: [[F:%[0-9]+]] = cast [[T]] {dtype = f32} : f32
// CHECK-NEXT: store [[F]]
// SAME: 0 differ from the reference
func @f(%x: tensor<[N]xf32>, %z: tensor<[N]xf32>) -> tensor<[N]xf32> {
  %a = lt %x, %z : tensor<[N]xi1>
  %b = cast %a {dtype = i64} : tensor<[N]xi64>
  %c = cast %b {dtype = f32} : tensor<[N]xf32>
  return %c
}
