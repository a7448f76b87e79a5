// A kernel whose buffers have no dim that is B or S by itself is told both by its launch.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// RUN: mlgc opt %s --to=loops | mlgc eval - --input=x=2x3x2xf32=iota --input=w=2x2xf32=iota | FileCheck %s --check-prefix=VALUES
// CHECK-LABEL: func @f.{{[01]}}.matmul(
// CHECK-SAME: %{{[rx]}}: buffer<[B*S]x2xf32, argument>
// CHECK: for [0, B*S]
// CHECK: launch @f.{{[01]}}.matmul, %{{.*}}, %w, %result0 {names = ["B", "S"], sizes = [B, S]}
// VALUES: result0: 6x2xf32
// VALUES-NEXT: 2.0,  3.0],
// VALUES-NEXT: 6.0, 11.0],
func @f(%x: tensor<[B]x[S]x2xf32>, %w: tensor<2x2xf32>) -> tensor<[B*S]x2xf32> {
  %r = view %x {shape = [B*S, 2]}
  %0 = matmul %r, %w
  return %0
}
