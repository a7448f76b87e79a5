// Lanes of a GPU are threads of a block, of which there may be more than a vector has; the interpreter runs either.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
// RUN: %exits 3 mlgc emit %s 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: mlgc eval %s --function=f --dim=N=5000 --input=x=5000xf32=1 --output=- | FileCheck %s --check-prefix=SUM
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %0 = literal {dtype = f32, value = 0.0} : f32
  %1 = for [0, N] (%i: index, %2 = %0) attributes {combine = ["add"], kind = "vector", lanes = 512} {
    %3 = load %x[%i] : f32
    %4 = add %2, %3 : f32
    yield %4
  } : f32
  store %1, %y[]
  return
}
// CHECK: __global__ static void __launch_bounds__(512) f_kernel_kernel1(
// CHECK: mlgc_combine<512>(
// CHECK: if (threadIdx.x == 0) y[0] =
// CPU: cuda-lanes.mlir:7:{{[0-9]+}}: error: source cannot be emitted for a vector loop of more than 64 lanes
// SUM: 5000
