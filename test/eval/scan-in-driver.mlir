// What a loop of a host function keeps for one iteration is one place in the arena: such a loop has no lanes.
// RUN: mlgc eval %s --input=3xi1=1,0,1 --backend=cpp | FileCheck %s
// CHECK: [ true, false, true]
// RUN: mlgc opt %s --to=loops | FileCheck %s --check-prefix=TEXT
// TEXT: for [0, B] (%step: index)
// TEXT-NOT: lanes
func @f(%x: tensor<[B]xi1>) -> tensor<[B]xi1> {
  %y = scan %x (%each: tensor<i1>) attributes {carried = 0} {
    yield %each
  } : tensor<[B]xi1>
  return %y
}
