// A size that is computed during a call is bound where its value is known: as loops, in a plan and compiled.
// RUN: mlgc opt %s -O0 --to=plan > %t
// RUN: FileCheck %s --check-prefix=TEXT < %t
// RUN: mlgc opt %t | FileCheck %s --check-prefix=TEXT
// TEXT: func @f(%x: buffer<[B]xf32, argument>, %n: buffer<i64, argument>, %y: buffer<[hits]xf32, argument>, %r: buffer<[k]xi64, argument>)
// TEXT-SAME: where hits <= B, k <= 4
// TEXT: %count = alloc : buffer<i64, arena>
// TEXT-NEXT: launch @f.0.nonzero_count, %x, %found, %ends, %count
// TEXT-NEXT: bind_size %count {name = "hits"}
// TEXT-NEXT: %p = alloc : buffer<[hits]x1xi64, arena>
// TEXT-NEXT: launch @f.1.nonzero, %found, %ends, %p {names = ["B"], sizes = [B]}
// TEXT: bind_size %{{.*}} {name = "k"}
// RUN: mlgc eval %t --input=x=5xf32=0,3,nan,-0.0,5 --input=n=4 | FileCheck %s
// RUN: mlgc eval %s -O0 --backend=cpp --input=x=5xf32=0,3,nan,-0.0,5 --input=n=4 | FileCheck %s
// CHECK: y: 3xf32
// CHECK-NEXT: [3.0, nan, 5.0]
// CHECK-NEXT: r: 3xi64
// CHECK-NEXT: [0, 1, 2]
// RUN: mlgc eval %t --input=x=0xf32 --input=n=1 | FileCheck %s --check-prefix=EMPTY
// RUN: mlgc eval %s -O0 --backend=cpp --input=x=0xf32 --input=n=1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: y: 0xf32
// EMPTY: r: 0xi64
// RUN: %exits 1 mlgc eval %t --input=x=1xf32=1 --input=n=6 2>&1 | FileCheck %s --check-prefix=WHERE
// WHERE: {{.*}}:[[#]]:5: error: these inputs break `where k <= 4`: k is 5
// RUN: %exits 1 mlgc eval %s -O0 --backend=cpp --input=x=1xf32=1 --input=n=6 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: error: `f`: the size `k` is computed and is 5, the model has 0 <= k <= 4
// RUN: %exits 1 mlgc eval %t --input=x=1xf32=1 --input=n=0 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: `bind_size` is given -1, which can be no size
func @f(%x: tensor<[B]xf32>, %n: tensor<i64>) -> (tensor<[hits]xf32>, tensor<[k]xi64>) {
  %p = nonzero %x : tensor<[hits]x1xi64> where hits <= B
  %at = select %p {dim = 1, index = 0}
  %y = index_select %x, %at {dim = 0}
  %one = constant {value = dense<1> : tensor<i64>}
  %less = sub %n, %one
  %r = range %less : tensor<[k]xi64> where k <= 4
  return %y, %r
}
