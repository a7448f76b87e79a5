// --weights names another weight file in what is printed.
// RUN: mlgc opt %s --weights=new.safetensors | FileCheck %s
// CHECK: module @m weights "new.safetensors" {
module @m weights "old.safetensors" {
  weight @w : tensor<4xf32>
}
