// A command that dies by a signal while the text holds a `tanh` behind a `matmul`; {} is the file.
// RUN: mlgc reduce %s --keep=crash --test='grep -q tanh {} && grep -q matmul {} && kill -SEGV $$' 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=TALK < %t.err
// CHECK: matmul %
// CHECK-NEXT: tanh %
// CHECK-NEXT: return
// TALK: keeps: signal 11
// TALK: reduced 7 ops to 4
func @f(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = matmul %x, %y
  %b = exp %a
  %c = tanh %b
  %d = add %c, %a
  %e = relu %d
  return %e
}
