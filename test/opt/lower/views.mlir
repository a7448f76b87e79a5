// A view is another name of its buffer: of what a kernel writes, of an input, of a result that is given back as a view.
// Only a view of an input that is given back is a copy.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// RUN: mlgc opt %s --to=loops | mlgc eval - --input=x=2x3xf32=iota --input=w=1x6xf32=iota | FileCheck %s --check-prefix=VALUES
// CHECK: func @f(%x: buffer<[B]x3xf32, argument>, %w: buffer<1x[3*B]xf32, argument>, %m: buffer<1x1xf32, argument>, %n: buffer<[3*B]xf32, argument>, %v: buffer<1x[3*B]xf32, argument>)
// CHECK-NEXT: [[E:%.*]] = buffer_view %n : buffer<[B]x3xf32, argument>
// CHECK: launch @f.0.{{.*}}, %x, [[E]]
// CHECK-NEXT: %v_1 = buffer_view %x : buffer<1x[3*B]xf32, argument>
// CHECK-NEXT: %t = buffer_view %w : buffer<[3*B]x1xf32, argument>
// CHECK-NEXT: launch @f.1.{{.*}}, %v_1, %t, %m
// CHECK-NEXT: launch @f.{{[0-9]}}.copy, %v_1, %v
// CHECK-NEXT: return
// VALUES: m: 1x1xf32
// VALUES-NEXT: 55.0
func @f(%x: tensor<[B]x3xf32>, %w: tensor<1x[3*B]xf32>) -> (tensor<1x1xf32>, tensor<[3*B]xf32>, tensor<1x[3*B]xf32>) {
  %e = softmax %x {dim = 1}
  %n = view %e {shape = [3*B]}
  %v = view %x {shape = [1, 3*B]}
  %t = permute %w {dims = [1, 0]}
  %m = matmul %v, %t
  return %m, %n, %v
}
