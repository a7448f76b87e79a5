// Sizes that stand in products only: one compilation for all values of the product, by the interpreter, as loops, compiled, and
// in a compiled model, whose signature has the product as its size.
// RUN: mlgc eval %s --function=rows --input=x=6x2xf32=1,2,3,4,5,6,7,8,9,10,11,12 | FileCheck %s
// RUN: mlgc eval %s --function=rows --input=x=6x2xf32=1,2,3,4,5,6,7,8,9,10,11,12 --backend=cpp | FileCheck %s
// RUN: mlgc opt %s --to=plan -o %t.loops
// RUN: mlgc eval %t.loops --function=rows --input=x=6x2xf32=1,2,3,4,5,6,7,8,9,10,11,12 | FileCheck %s
// CHECK: y: 6xf32
// CHECK-NEXT: {{^}}[ 3.0, 7.0, 11.0, 15.0, 19.0, 23.0]
// CHECK-NEXT: half: 3xf32
// CHECK-NEXT: {{^}}[ 3.0, 7.0, 11.0]
// CHECK-NEXT: n: i64
// CHECK-NEXT: {{^}}24
// RUN: mlgc eval %s --function=rows --dim=B=2 --dim=S=3 --random-inputs=1 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// RUN: mlgc eval %s --function=more --dim=B=2 --dim=S=3 --dim=T=2 --random-inputs=1 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// RUN: mlgc eval %s --function=powers --dim=B=2 --dim=S=3 --random-inputs=1 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// RUN: mlgc eval %s --function=two --dim=B=2 --dim=S=3 --dim=T=5 --dim=W=0 --random-inputs=1 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// RUN: mlgc eval %s --function=powers --input=x=6xf32=1 --random-inputs=1 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// AGREE: by cpp: agrees
// RUN: mlgc compile %s --vector-bytes=16 -o %t.mlgcx
// RUN: mlgc run %t.mlgcx --list | FileCheck %s --check-prefix=LIST
// LIST: func @rows(%x: tensor<[B*S]x2xf32>) -> (y: tensor<[B*S]xf32>, half: tensor<[(B*S) floordiv 2]xf32>, n: tensor<i64>) where (B*S) mod 2 == 0
// LIST: func @more(%x: tensor<[2*B*S*T + 1]xf32>, %y: tensor<[B*S*T]xf32>)
// LIST-SAME: where 1 <= B*S*T
// RUN: mlgc run %t.mlgcx --function=rows --input=x=6x2xf32=1,2,3,4,5,6,7,8,9,10,11,12 | FileCheck %s
// RUN: mlgc run %t.mlgcx --function=rows --input=x=0x2xf32 | FileCheck %s --check-prefix=EMPTY
// EMPTY: y: 0xf32
// RUN: %exits 1 mlgc run %t.mlgcx --function=rows --input=x=7x2xf32=1 2>&1 | FileCheck %s --check-prefix=WHERE
// WHERE: mlgc: error: the model wants `(B*S) mod 2 == 0`, and B*S is 7
// RUN: %exits 1 mlgc eval %s --function=rows --input=x=7x2xf32=1 2>&1 | FileCheck %s --check-prefix=WHERE-EVAL
// WHERE-EVAL: error: these inputs break `where (B*S) mod 2 == 0`: (B*S) mod 2 is 1
// RUN: %exits 1 mlgc run %t.mlgcx --function=more --input=x=2xf32=1 --input=y=0xf32 2>&1 | FileCheck %s --check-prefix=FACTOR
// FACTOR: mlgc: error: input `x`: dim 0 (`2*B*S*T + 1`) is 2, the model has B*S*T >= 1
// RUN: %exits 1 mlgc eval %s --function=more --input=x=1xf32=1 --input=y=0xf32 2>&1 | FileCheck %s --check-prefix=LOW
// LOW: error: these inputs break `where 1 <= B`: B is 0
// RUN: mlgc explain memory %s --dim=B=2 --dim=S=3 --dim=T=1 --dim=W=1 | FileCheck %s --check-prefix=MEMORY
// RUN: mlgc explain memory %s --dim='B*S=6' --dim=T=1 --dim=W=1 --dim='B*S*T=6' | FileCheck %s --check-prefix=MEMORY
// MEMORY: @rows with B*S = 6: 0 bytes for 0 temporaries
// MEMORY: @more with B*S*T = 6: 0 bytes
// MEMORY: @two with B*S = 6, T*W = 1: 0 bytes
func @rows(%x: tensor<[B*S]x2xf32>) -> (tensor<[B*S]xf32>, tensor<[(B*S) floordiv 2]xf32>, tensor<i64>) where (B*S) mod 2 == 0 {
  %y = sum %x {dim = [1]}
  %half = slice %y {dim = 0, end = [(B*S) floordiv 2]} : tensor<[(B*S) floordiv 2]xf32>
  %n = dim [4*B*S]
  return %y, %half, %n
}
func @more(%x: tensor<[2*B*S*T + 1]xf32>, %y: tensor<[B*S*T]xf32>) -> tensor<[B*S*T]xf32> where 1 <= B, 1 <= S, 1 <= T {
  %part = slice %x {dim = 0, end = [B*S*T]} : tensor<[B*S*T]xf32>
  %z = add %part, %y
  return %z
}
// A power of the product is one of it; B is 1, which its range admits, and S is the product.
func @powers(%x: tensor<[B*S]xf32>, %y: tensor<[B*B*S*S]xf32>) -> tensor<[B*B*S*S]xf32> where 1 <= B <= 8 {
  %row = view %x {shape = [1, B*S]}
  %column = view %x {shape = [B*S, 1]}
  %square = mul %row, %column
  %flat = view %square {shape = [B*B*S*S]}
  %z = add %flat, %y
  return %z
}
func @two(%x: tensor<[B*S]xf32>, %y: tensor<[T*W]xf32>) -> tensor<[B*S*T*W]xf32> {
  %row = view %y {shape = [1, T*W]}
  %column = view %x {shape = [B*S, 1]}
  %all = mul %row, %column
  %flat = view %all {shape = [B*S*T*W]}
  return %flat
}
