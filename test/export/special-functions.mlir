// Functions that ONNX and HLO have no operator for are composed, in f64 where their own type would lose digits; integers
// are combined by loops. CMakeLists.txt has the values compared, edges among them.
// eval: --input=x=14xf32=0,-0,inf,-inf,nan,1,-1,2,-3,0.5,-0.75,0.9999999,-2.5,40 --input=y=14xf32=1,-0,inf,2,1,nan,-0,-2,0,0.25,-3,1e-30,inf,1 --input=z=8xf32=1,2,1.46,-0.5,-3.25,12,1e6,nan --input=n=8xi64=0,1,12,-18,9223372036854775807,-9223372036854775808,-1,64 --input=m=8xi64=0,63,8,30,3,-9223372036854775808,2,-1
// RUN: mlgc export %s --to=onnx-text | FileCheck %s
// CHECK: functions (float[14] x, float[14] y, float[8] z, int64[8] n, int64[8] m) => (float[14] erfc, float[14] erfinv, float[14] lgamma, float[8] digamma, float[8] trigamma, float[14] angle, float[14] log1p, double[14] lgamma_wide, int64[8] left, int64[8] right, int64[8] gcd, int64[8] lcm, float[4] most)
func @functions(%x: tensor<14xf32>, %y: tensor<14xf32>, %z: tensor<8xf32>, %n: tensor<8xi64>, %m: tensor<8xi64>) -> (tensor<14xf32>, tensor<14xf32>, tensor<14xf32>, tensor<8xf32>, tensor<8xf32>, tensor<14xf32>, tensor<14xf32>, tensor<14xf64>, tensor<8xi64>, tensor<8xi64>, tensor<8xi64>, tensor<8xi64>, tensor<4xf32>) {
  %erfc = erfc %x
  %erfinv = erfinv %x
  %lgamma = lgamma %x
  %digamma = digamma %z
  %trigamma = polygamma %z {n = 1}
  %angle = atan2 %x, %y
  %log1p = log1p %y
  %wide = cast %x {dtype = f64}
  %lgamma_wide = lgamma %wide
  %left = bitwise_left_shift %n, %m
  %right = bitwise_right_shift %n, %m
  %gcd = gcd %n, %m
  %lcm = lcm %n, %m
  %base = constant {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}
  %at = constant {value = dense<[0, 3, 3]> : tensor<3xi64>}
  %given = constant {value = dense<[-1.0, 5.0, 9.0]> : tensor<3xf32>}
  %most = scatter_reduce %base, %at, %given {dim = 0, reduce = "amax"}
  return %erfc, %erfinv, %lgamma, %digamma, %trigamma, %angle, %log1p, %lgamma_wide, %left, %right, %gcd, %lcm, %most
}
