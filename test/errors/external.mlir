// What an `external` must look like to be launched.
// RUN: mlgc opt %s --verify-diagnostics
func @beside(%x: buffer<[B]xf32, argument>, %y: buffer<[B]xf32, argument>) {
  // expected-error@+1 [external-form] {{`external` cannot be launched: it must be the only op before `return` in a function that a host function launches}}
  external %x, %y (%0: tensor<[B]xf32>) attributes {target = "accel"} {
    %1 = relu %0
    yield %1
  }
  for [0, B] (%i: index) {
    %v = load %x[%i] : f32
    store %v, %y[%i]
  }
  return
}
func @order(%x: buffer<[B]xf32, argument>, %y: buffer<[B]xf32, argument>) {
  // expected-error@+1 [external-form] {{`external` cannot be launched: its operands are the arguments of its function, in order}}
  external %y, %x (%0: tensor<[B]xf32>) attributes {target = "accel"} {
    %1 = relu %0
    yield %1
  }
  return
}
func @given(%x: buffer<[B]xf32, argument>, %y: buffer<[B]xf32, argument>) {
  // expected-error@+1 [external-form] {{`external` cannot be launched: `x0`, which it yields, is computed by none of its ops}}
  external %x, %y (%x0: tensor<[B]xf32>) attributes {target = "accel"} {
    yield %x0
  }
  return
}
func @twice(%x: buffer<[B]xf32, argument>, %y: buffer<[B]xf32, argument>, %z: buffer<[B]xf32, argument>) {
  // expected-error@+1 [external-form] {{`external` cannot be launched: `r` is yielded twice}}
  external %x, %y, %z (%0: tensor<[B]xf32>) attributes {target = "accel"} {
    %r = relu %0
    yield %r, %r
  }
  return
}
