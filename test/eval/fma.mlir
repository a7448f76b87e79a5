// A product and a sum with one rounding: the interpreter, and emitted code with and without an instruction for
// it, give the same bits; a machine without vectors of 64 bytes takes those that it has.
// RUN: mlgc eval %s --input=a=[3.4028234e38,1.0000001,inf,nan,0.1,-0.0,1e-30,16777217] --input=b=[2.0,0.9999999,0.0,1.0,10.0,0.0,1e-30,3.0] --input=c=[-3.4028234e38,-1.0,1.0,1.0,-1.0,-0.0,1e-45,-0.5] > %t
// RUN: FileCheck %s < %t
// RUN: mlgc eval %s --backend=cpp --input=a=[3.4028234e38,1.0000001,inf,nan,0.1,-0.0,1e-30,16777217] --input=b=[2.0,0.9999999,0.0,1.0,10.0,0.0,1e-30,3.0] --input=c=[-3.4028234e38,-1.0,1.0,1.0,-1.0,-0.0,1e-45,-0.5] | diff - %t
// RUN: mlgc opt %s --pass-pipeline='vectorize{loop=i lanes=8}' | mlgc eval - --backend=cpp --input=a=[3.4028234e38,1.0000001,inf,nan,0.1,-0.0,1e-30,16777217] --input=b=[2.0,0.9999999,0.0,1.0,10.0,0.0,1e-30,3.0] --input=c=[-3.4028234e38,-1.0,1.0,1.0,-1.0,-0.0,1e-45,-0.5] | diff - %t
// RUN: mlgc emit %s --target=cpp | FileCheck %s --check-prefix=CPP
// RUN: mlgc emit %s --target=cuda | FileCheck %s --check-prefix=CUDA
// RUN: mlgc opt %s | FileCheck %s --check-prefix=TEXT
// CHECK: [ 3.4028235e+38, -1.4210855e-14,            nan,            nan,  1.4901161e-08,           -0.0,          1e-45,     50331648.0]
// CPP: = mlgc_fma_f32(v
// CUDA: fmaf(
// TEXT: %4 = fma %0, %1, %2 : f32
func @f(%a: buffer<8xf32, argument>, %b: buffer<8xf32, argument>, %c: buffer<8xf32, argument>, %y: buffer<8xf32, argument>, %z: buffer<8xf32, argument>) {
  for [0, 8] (%i: index) {
    %0 = load %a[%i]
    %1 = load %b[%i]
    %2 = load %c[%i]
    %3 = mul %0, %1
    %4 = fma %0, %1, %2
    store %4, %y[%i]
    %5 = sub %4, %3
    store %5, %z[%i]
  }
  return
}
