// A scan goes back by a scan in the other direction; what its body reads from outside is summed up in a carried value.
// RUN: mlgc grad %s --of=last --seed -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlgc eval %t.mlir --input=h0=1 --input=w=2 --input=xs=3xf64=1,2,3 --input=g_last=1 | FileCheck %s --check-prefix=VALUES
// CHECK: scan {{.*}} attributes {carried = 1} {
// CHECK: scan {{.*}} attributes {carried = 2, reverse = true} {
// VALUES: last: f64
// VALUES-NEXT: 19
// VALUES-NEXT: d_h0: f64
// VALUES-NEXT: 8
// VALUES-NEXT: d_w: f64
// VALUES-NEXT: 18
// VALUES-NEXT: d_xs: 3xf64
// VALUES-NEXT: [4.0, 2.0, 1.0]
func @linear(%h0: tensor<f64>, %w: tensor<f64>, %xs: tensor<[T]xf64>) -> tensor<f64> {
  %last = scan %h0, %xs (%h: tensor<f64>, %x: tensor<f64>) attributes {carried = 1} {
    %product = mul %h, %w
    %next = add %product, %x
    yield %next
  }
  return %last
}
