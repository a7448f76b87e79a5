// What each element leaves for the next one has no lanes: some rows go side by side, and columns have the lanes, also
// where places to read from follow from data.
// RUN: mlgc opt %s -O2 --to=loops | FileCheck %s
// CHECK-LABEL: func @rows.0.cumsum(
// CHECK: for [0, 10] ({{%.*}}: index) attributes {kind = "parallel"} {
// CHECK: {{%.*}}, {{%.*}}, {{%.*}}, {{%.*}} = for [0, 50] (
// CHECK-LABEL: func @dynamic.0.cumprod(
// CHECK: for [0, B floordiv 4] ({{%.*}}: index)
// CHECK: {{%.*}}, {{%.*}}, {{%.*}}, {{%.*}} = for [0, N] (
// CHECK: for [4*(B floordiv 4), B] (
// CHECK-LABEL: func @columns.0.cumsum(
// CHECK: kind = "vector", lanes = 32
// CHECK-LABEL: func @places.0.cummax(
// CHECK: alloc : buffer<50x32xf32, thread>
// CHECK: kind = "vector", lanes = 32
// RUN: mlgc eval %s --function=rows --random-inputs=1 --output=@%t.rows.npz
// RUN: mlgc eval %s --function=rows --random-inputs=1 --backend=cpp --output=@%t.cpp.npz
// RUN: cmp %t.rows.npz %t.cpp.npz
// RUN: mlgc eval %s --function=dynamic --dim=B=7 --dim=N=9 --random-inputs=1 --output=@%t.dynamic.npz
// RUN: mlgc eval %s --function=dynamic --dim=B=7 --dim=N=9 --random-inputs=1 --backend=cpp --output=@%t.cpp.npz
// RUN: cmp %t.dynamic.npz %t.cpp.npz
// RUN: mlgc eval %s --function=columns --random-inputs=1 --output=@%t.columns.npz
// RUN: mlgc eval %s --function=columns --random-inputs=1 --backend=cpp --output=@%t.cpp.npz
// RUN: cmp %t.columns.npz %t.cpp.npz
// RUN: mlgc eval %s --function=places --random-inputs=1 --output=@%t.places.npz
// RUN: mlgc eval %s --function=places --random-inputs=1 --backend=cpp --output=@%t.cpp.npz
// RUN: cmp %t.places.npz %t.cpp.npz

func @rows(%x: tensor<40x50xf32>) -> tensor<40x50xf32> {
  %y = cumsum %x {dim = 1}
  return %y
}
func @dynamic(%x: tensor<[B]x[N]xf32>) -> tensor<[B]x[N]xf32> {
  %y = cumprod %x {dim = 1}
  return %y
}
func @columns(%x: tensor<50x200xf32>) -> tensor<50x200xf32> {
  %y = cumsum %x {dim = 0}
  return %y
}
func @places(%x: tensor<50x200xf32>) -> (tensor<50x200xf32>, tensor<50x200xi64>) {
  %y, %i = cummax %x {dim = 0}
  return %y, %i
}
