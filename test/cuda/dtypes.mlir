// Every dtype in memory, in registers and in reductions by threads; compile_test.py compiles what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @dtypes {
  func @floats(%h: tensor<[B]x512xf16>, %b: tensor<[B]x512xbf16>, %d: tensor<[B]x512xf64>) -> (tensor<[B]xf16>, tensor<[B]xbf16>, tensor<[B]x512xf64>) {
    %0 = sum %h {dim = [1]} : tensor<[B]xf16>
    %e = exp %b : tensor<[B]x512xbf16>
    %1 = amax %e {dim = [1]} : tensor<[B]xbf16>
    %2 = tanh %d : tensor<[B]x512xf64>
    return %0, %1, %2
  }
  func @integers(%a: tensor<[B]x512xi64>, %c: tensor<[B]x512xi32>, %s: tensor<[B]x512xi16>, %t: tensor<[B]x512xi8>, %u: tensor<[B]x512xui8>)
      -> (tensor<[B]xi64>, tensor<[B]x512xi32>, tensor<[B]xi16>, tensor<[B]x512xi8>, tensor<[B]xui8>) {
    %0 = sum %a {dim = [1]} : tensor<[B]xi64>
    %1 = floor_divide %c, %c : tensor<[B]x512xi32>
    %2 = amax %s {dim = [1]} : tensor<[B]xi16>
    %3 = mul %t, %t : tensor<[B]x512xi8>
    %4 = amin %u {dim = [1]} : tensor<[B]xui8>
    return %0, %1, %2, %3, %4
  }
  func @special(%x: tensor<[B]x8xf32>, %d: tensor<[B]x8xf64>, %i: tensor<[B]x8xi32>) -> (tensor<[B]x8xf32>, tensor<[B]x8xf64>, tensor<[B]x8xi32>) {
    %0 = erfc %x : tensor<[B]x8xf32>
    %1 = lgamma %0 : tensor<[B]x8xf32>
    %2 = erf %x : tensor<[B]x8xf32>
    %3 = erfinv %2 : tensor<[B]x8xf32>
    %4 = add %1, %3 : tensor<[B]x8xf32>
    %5 = digamma %d : tensor<[B]x8xf64>
    %6 = polygamma %d {n = 3} : tensor<[B]x8xf64>
    %7 = add %5, %6 : tensor<[B]x8xf64>
    %8 = bitwise_left_shift %i {other = 33} : tensor<[B]x8xi32>
    %9 = bitwise_right_shift %i, %i : tensor<[B]x8xi32>
    %10 = gcd %8, %9 : tensor<[B]x8xi32>
    %11 = lcm %10, %i : tensor<[B]x8xi32>
    return %4, %7, %11
  }
  func @zeros(%h: tensor<[B]x8xf16>, %b: tensor<[B]x8xbf16>) -> (tensor<[B]x8xf16>, tensor<[B]x8xbf16>) {
    %0 = relu %h : tensor<[B]x8xf16>
    %1 = relu %b : tensor<[B]x8xbf16>
    return %0, %1
  }
  func @truths(%x: tensor<[B]x512xf32>) -> (tensor<[B]xi1>, tensor<[B]xi1>) {
    %0 = gt %x {other = 0.5} : tensor<[B]x512xi1>
    %1 = any %0 {dim = [1]} : tensor<[B]xi1>
    %2 = all %0 {dim = [1]} : tensor<[B]xi1>
    return %1, %2
  }
}
// CHECK: const float {{.*}} = mlgc_from_half(x_piece.values[neighbour
// CHECK: const uint16_t [[H:v[0-9]+]] = mlgc_to_half(
// CHECK-NEXT: if (threadIdx.x % 32 == 0) y[i0] = [[H]];
// CHECK: mlgc_combine_in_warp<32>({{.*}}, [=](float {{.*}}, float {{.*}}) -> float { return mlgc_max_f(
// CHECK: mlgc_combine_in_warp<32>({{.*}}, [=](int64_t {{.*}}, int64_t {{.*}}) -> int64_t { return mlgc_add(
// CHECK: mlgc_combine_in_warp<32>({{.*}}, [=](int16_t {{.*}}, int16_t {{.*}}) -> int16_t { return mlgc_max(
// CHECK: mlgc_combine_in_warp<32>({{.*}}, [=](uint8_t {{.*}}, uint8_t {{.*}}) -> uint8_t { return mlgc_min(
// CHECK: mlgc_combine_in_warp<32>({{.*}}, [=](bool {{.*}}, bool {{.*}}) -> bool { return {{.*}} || {{.*}}
// CHECK: mlgc_combine_in_warp<32>({{.*}}, [=](bool {{.*}}, bool {{.*}}) -> bool { return {{.*}} && {{.*}}
