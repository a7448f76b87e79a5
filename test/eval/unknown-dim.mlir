// A misspelled size is not passed over, even where every size is known without it.
// RUN: %exits 2 mlgc eval %s --input=x=1x2xf32 --input=s=2 --dim=Batc=1 2>&1 | FileCheck %s
// CHECK: mlgc: error: `--dim=Batc=1`: no argument of `@f` has a size `Batc`
// CHECK-NEXT: mlgc: note: did you mean `Batch`?
// RUN: %exits 2 mlgc eval %s --input=x=1x2xf32 --input=s=2 --dim=Q=1 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: mlgc: error: `--dim=Q=1`: no argument of `@f` has a size `Q`
// LIST-NEXT: mlgc: note: known names: Batch
// RUN: %exits 2 mlgc eval %s --random-inputs=1 --dim=Batch=1 --dim=Batch=2 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: mlgc: error: --dim=Batch=2: the size is given twice
func @f(%x: tensor<[Batch]x2xf32>, %s: tensor<f32>) -> tensor<[Batch]x2xf32> {
  %y = mul %x, %s
  return %y
}
