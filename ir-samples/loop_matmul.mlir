// A reduction at the loop level: the innermost loop carries the sum.
// eval: --dim=M=2 --dim=K=3 --dim=N=2 --random-inputs=1
func @matmul(%a: buffer<[M]x[K]xf32, argument>, %b: buffer<[K]x[N]xf32, argument>, %c: buffer<[M]x[N]xf32, argument>) {
  %zero = literal {dtype = f32, value = 0.0} : f32
  for [0, M] (%i: index) {
    for [0, N] (%j: index) {
      %sum = for [0, K] (%k: index, %s = %zero) {
        %0 = load %a[%i, %k] : f32
        %1 = load %b[%k, %j] : f32
        %2 = mul %0, %1 : f32
        %3 = add %s, %2 : f32
        yield %3
      } : f32
      store %sum, %c[%i, %j]
    }
  }
  return
}
