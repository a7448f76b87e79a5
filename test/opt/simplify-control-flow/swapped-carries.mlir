// Two carried values that change places change.
// RUN: mlgc opt %s --simplify-control-flow --statistics -o /dev/null 2>&1 | FileCheck %s
// CHECK: {{^}}unchanged: simplify-control-flow{{$}}
func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p, %q = scan %a, %b, %xs (%c: tensor<4xf32>, %d: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 2} {
    yield %d, %c
  }
  return %p, %q
}
