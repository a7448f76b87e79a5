// A size that is the value of an input is known when the call begins: as loops, in the interpreter and compiled.
// RUN: mlgc opt %s -O0 --to=plan > %t
// RUN: FileCheck %s --check-prefix=TEXT < %t
// TEXT: func @f(%n: buffer<1xi32, argument>, %x: buffer<8xf32, argument>, %r: buffer<[S]xi64, argument>, %y: buffer<[S]xf32, argument>) where 1 <= S <= 8 attributes
// TEXT-NEXT: %end = buffer_view %n
// TEXT-NEXT: bind_size %end {name = "S"}
// RUN: mlgc eval %t --input=n=[3] --input=x=[1,2,4,8,16,32,64,128] | FileCheck %s
// RUN: mlgc eval %s -O0 --backend=cpp --input=n=[3] --input=x=[1,2,4,8,16,32,64,128] | FileCheck %s
// CHECK: r: 3xi64
// CHECK-NEXT: {{^}}[0, 1, 2]
// CHECK-NEXT: y: 3xf32
// CHECK-NEXT: {{^}}[2.0, 4.0, 8.0]
// RUN: %exits 1 mlgc eval %t --input=n=[9] --input=x=[1,2,4,8,16,32,64,128] 2>&1 | FileCheck %s --check-prefix=WHERE
// WHERE: error: these inputs break `where 1 <= S <= 8`: S is 9
// RUN: %exits 1 mlgc eval %t --input=n=[-1] --input=x=[1,2,4,8,16,32,64,128] 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: `bind_size` is given -1, which can be no size
// RUN: %exits 1 mlgc eval %s -O0 --backend=cpp --input=n=[9] --input=x=[1,2,4,8,16,32,64,128] 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: mlgc: error: input `n`: its value, the size `S`, is 9, the model has 1 <= S <= 8
func @f(%n: tensor<1xi32>, %x: tensor<8xf32>) -> (tensor<[S]xi64>, tensor<[S]xf32>) {
  %end = view %n {shape = []} : tensor<i32>
  %r = range %end : tensor<[S]xi64> where 1 <= S <= 8
  %part = slice %x {dim = 0, end = [S]} : tensor<[S]xf32>
  %y = add %part, %part : tensor<[S]xf32>
  return %r, %y
}
