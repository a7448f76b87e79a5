// Made-up weights, the same for the same seed.
// RUN: mlgc eval %s --random-weights=1 > %t.txt
// RUN: mlgc eval %s --random-weights=1 | diff %t.txt -
// RUN: FileCheck %s < %t.txt
// CHECK: y: 2xf32
module @m weights "missing.safetensors" {
  weight @w : tensor<2xf32>
  func @f() -> tensor<2xf32> {
    %y = read @w
    return %y
  }
}
