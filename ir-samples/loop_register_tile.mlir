// A product of matrices in tiles of 6 by 4 sums, which unrolled loops keep in registers. Loads beyond the last row or
// column read the last one again; only sums that are in the result are stored.
// eval: --dim=M=7 --dim=K=3 --dim=N=10 --random-inputs=1
func @matmul(%a: buffer<[M]x[K]xf32, argument>, %b: buffer<[K]x[N]xf32, argument>, %c: buffer<[M]x[N]xf32, argument>) {
  %zero = literal {dtype = f32, value = 0.0} : f32
  for [0, M ceildiv 6] (%io: index) {
    for [0, N ceildiv 4] (%jo: index) {
      %sums = alloc : buffer<6x4xf32, register>
      for [0, 6] (%i: index) attributes {kind = "unrolled"} {
        for [0, 4] (%j: index) attributes {kind = "unrolled"} {
          store %zero, %sums[%i, %j]
        }
      }
      for [0, K] (%k: index) {
        for [0, 6] (%i: index) attributes {kind = "unrolled"} {
          %0 = load %a[min(6*%io + %i, M - 1), %k] : f32
          for [0, 4] (%j: index) attributes {kind = "unrolled"} {
            %1 = load %b[%k, min(4*%jo + %j, N - 1)] : f32
            %2 = mul %0, %1 : f32
            %3 = load %sums[%i, %j] : f32
            %4 = add %3, %2 : f32
            store %4, %sums[%i, %j]
          }
        }
      }
      for [0, 6] (%i: index) attributes {kind = "unrolled"} {
        for [0, 4] (%j: index) attributes {kind = "unrolled"} {
          %inside = guard [M - 1 - 6*%io - %i, N - 1 - 4*%jo - %j] : i1
          if %inside {
            %0 = load %sums[%i, %j] : f32
            store %0, %c[6*%io + %i, 4*%jo + %j]
          }
        }
      }
    }
  }
  return
}
