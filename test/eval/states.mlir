// A call goes on from the new states of another.
// RUN: mlgc eval %s --input=x=2 --random-weights=1 --output=old=- --output=@%t.1.npz
// RUN: mlgc eval %s --input=x=3 --random-weights=1 --states=@%t.1.npz --output=@%t.2.npz
// RUN: mlgc eval %s --input=x=0 --random-weights=2 --states=@%t.2.npz --output=@%t.3.npz
// RUN: mlgc eval %s --input=x=0 --states=@%t.3.npz > %t.go-on.txt
// RUN: mlgc eval %s --input=x=5 --random-weights=1 --output=@%t.5.npz
// RUN: mlgc eval %s --input=x=0 --states=@%t.5.npz | diff %t.go-on.txt -
// RUN: sed -e 's/@count/@other/g' %s > %t.mlir
// RUN: %exits 1 mlgc eval %t.mlir --input=x=0 --random-weights=1 --states=@%t.1.npz 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: mlgc: error: `{{[^ ]*}}.1.npz` has no state of the module
// OTHER: note: give a file that --output wrote; a state is called `@name` there
// RUN: sed -e 's/i64/i32/g' %s > %t.i32.mlir
// RUN: %exits 1 mlgc eval %t.i32.mlir --input=x=0 --states=@%t.1.npz 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: `@count` is tensor<i32>, the file has i64
// RUN: %exits 1 mlgc eval %s --input=x=0 --states=@%t.none.npz 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: mlgc: error: {{[^ ]*}}.none.npz: cannot open for reading: No such file or directory
// RUN: %exits 2 mlgc eval %s --input=x=0 --states=%t.1.npz 2>&1 | FileCheck %s --check-prefix=AT
// AT: mlgc: error: --states: write @ before the name of the file
module {
  state @count : tensor<i64>
  func @f(%x: tensor<i64>) -> tensor<i64> updates (@count = %n) {
    %old = read @count
    %n = add %old, %x
    return %old, %n
  }
}
