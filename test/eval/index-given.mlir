// An index that counts from the end, and is too negative for that, is reported as it was given: by the interpreter, of
// graph and loop text, and by compiled code; of reads and writes, in lanes and in scalars, in each position.
// RUN: %exits 1 mlgc eval %s --function=put --input=x=4xf32=0 --input=i=0,-5,1 2>&1 | FileCheck %s --check-prefix=PUT
// RUN: mlgc opt %s -O2 --to=loops -o %t.mlir
// RUN: %exits 1 mlgc eval %t.mlir --function=put --input=x=4xf32=0 --input=i=0,-5,1 2>&1 | FileCheck %s --check-prefix=PUT
// RUN: %exits 1 mlgc eval %s --backend=cpp --function=put --input=x=4xf32=0 --input=i=0,-5,1 2>&1 | FileCheck %s --check-prefix=PUT
// PUT: error: {{(`put`: )?}}writing `y` at index -5 of axis 0, which has size 4
func @put(%x: tensor<[N]xf32>, %i: tensor<3xi32>) -> tensor<[N]xf32> {
  %v = full {size = [3], value = 1.0, dtype = f32} : tensor<3xf32>
  %0 = index_put %x, %v, %i {positions = [0]}
  return %0
}
// RUN: %exits 1 mlgc eval %s --function=two --input=x=4x6xf32=0 --input=i=0,-1,1 --input=j=0,-7,0 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: %exits 1 mlgc eval %t.mlir --function=two --input=x=4x6xf32=0 --input=i=0,-1,1 --input=j=0,-7,0 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: %exits 1 mlgc eval %s --backend=cpp --function=two --input=x=4x6xf32=0 --input=i=0,-1,1 --input=j=0,-7,0 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: %exits 1 mlgc eval %s --backend=cpp --function=two --input=x=4x6xf32=0 --input=i=0,4,1 --input=j=0,-7,0 2>&1 | FileCheck %s --check-prefix=BEHIND
// TWO: error: {{(`two`: )?}}reading `x` at index -7 of axis 1, which has size 6
// BEHIND: mlgc: error: `two`: reading `x` at index 4 of axis 0, which has size 4
func @two(%x: tensor<[N]x[M]xf32>, %i: tensor<3xi64>, %j: tensor<3xi64>) -> tensor<3xf32> {
  %0 = index %x, %i, %j {positions = [0, 1]}
  return %0
}
// RUN: %exits 1 mlgc eval %s --function=along --input=x=4x4xf32=0 --input=i=0,0,0,0,-8,0,0,-5 2>&1 | FileCheck %s --check-prefix=ALONG
// RUN: %exits 1 mlgc eval %t.mlir --function=along --input=x=4x4xf32=0 --input=i=0,0,0,0,-8,0,0,-5 2>&1 | FileCheck %s --check-prefix=ALONG
// RUN: %exits 1 mlgc eval %s --backend=cpp --function=along --input=x=4x4xf32=0 --input=i=0,0,0,0,-8,0,0,-5 2>&1 | FileCheck %s --check-prefix=ALONG
// RUN: mlgc emit %s --target=cuda | FileCheck %s --check-prefix=CUDA
// ALONG: error: {{(`along`: )?}}reading `x{{[_0-9]*}}` at index -8 of axis 0, which has size 4
// CUDA: mlgc_fail(failure, {{[0-9]+}}, mlgc_given({{[a-z0-9_]+}}, N), N); return; }
func @along(%x: tensor<[N]x4xf32>, %i: tensor<2x4xi64>) -> tensor<2x4xf32> {
  %0 = take_along_dim %x, %i {dim = 0}
  %1 = neg %0
  return %1
}
