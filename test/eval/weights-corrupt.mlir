// A weight file that is cut off says where.
// RUN: printf '\100\0\0\0\0\0\0\0{"w"' > %t.safetensors
// RUN: %exits 1 mlgc eval %s --weights=%t.safetensors 2>&1 | FileCheck %s
// CHECK: mlgc: error: {{[^ ]*}}.tmp.safetensors: byte 0: is not a safetensors file: a header of 64 bytes does not fit (4 follow, at most 100000000 are allowed)
// RUN: printf 'PK' > %t.npz
// RUN: %exits 1 mlgc eval %s --weights=%t.npz 2>&1 | FileCheck %s --check-prefix=ZIP
// ZIP: mlgc: error: {{[^ ]*}}.tmp.npz: is not a zip archive: no end-of-central-directory record in the last 2 bytes
weight @w : tensor<2xf32>
func @f() -> tensor<2xf32> {
  %y = read @w
  return %y
}
