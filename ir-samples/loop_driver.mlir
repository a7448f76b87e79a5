// What a graph function becomes below fusion: kernels over buffers, and a host function that launches them. The last argument
// of the host function is its result; the arena and the weight are memory that the kernels are given.
// eval: --function=forward --dim=B=3 --random-inputs=1 --random-weights=2
weight @scale : tensor<4xf32>
func @forward.0.mul(%x: buffer<[B]x4xf32, argument>, %w: buffer<4xf32, argument>, %y: buffer<[B]x4xf32, argument>) {
  for [0, B] (%i: index) attributes {kind = "parallel"} {
    for [0, 4] (%j: index) attributes {kind = "vector", lanes = 4} {
      %0 = load %x[%i, %j] : f32
      %1 = load %w[%j] : f32
      %2 = mul %0, %1 : f32
      store %2, %y[%i, %j]
    }
  }
  return
}
func @forward.1.sum(%x: buffer<[B]x4xf32, argument>, %y: buffer<[B]xf32, argument>) {
  %zero = literal {dtype = f32, value = 0.0} : f32
  for [0, B] (%i: index) attributes {kind = "parallel"} {
    %sum = for [0, 4] (%j: index, %s = %zero) attributes {combine = ["add"], kind = "vector", lanes = 2} {
      %0 = load %x[%i, %j] : f32
      %1 = add %s, %0 : f32
      yield %1
    } : f32
    store %sum, %y[%i]
  }
  return
}
func @forward(%x: buffer<[B]x4xf32, argument>, %y: buffer<[B]xf32, argument>) attributes {results = 1} {
  %w = data @scale : buffer<4xf32, weight>
  %t = alloc : buffer<[B]x4xf32, arena>
  launch @forward.0.mul, %x, %w, %t
  launch @forward.1.sum, %t, %y
  return
}
