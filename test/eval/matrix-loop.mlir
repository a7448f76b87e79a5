// A matrix loop means what its loops say: sums in f32, term by term, of what lies inside.
// RUN: mlgc eval %s --input=x=3x2xbf16=1,2,3,4,5,6 --input=w=2x2xbf16=1,10,3,7 | FileCheck %s
// CHECK: {{\[}}[21.0, 17.0],
// CHECK: [43.0, 37.0],
// CHECK: [65.0, 57.0]]
func @product(%x: buffer<3x2xbf16, argument>, %w: buffer<2x2xbf16, argument>, %y: buffer<3x2xbf16, argument>) attributes {results = 1} {
  for [0, 3] (%i: index) attributes {kind = "matrix", stages = 2} {
    for [0, 2] (%j: index) attributes {kind = "vector", lanes = 2} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 2] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %b = load %w[%j, %k]
        %af = cast %a {dtype = f32}
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  return
}
