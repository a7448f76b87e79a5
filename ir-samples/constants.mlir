// Constants stand in the text: lists, splats, rank 0, every element type, infinities as bits.
// eval:
func @constants() -> (tensor<2x2xf32>, tensor<3xi64>, tensor<f64>, tensor<2xi1>, tensor<2xbf16>, tensor<f32>) {
  %matrix = constant {value = dense<[[1.0, 2.0], [3.0, 4.5]]> : tensor<2x2xf32>}
  %splat = constant {value = dense<7> : tensor<3xi64>}
  %pi = constant {value = dense<3.141592653589793> : tensor<f64>}
  %flags = constant {value = dense<[true, false]> : tensor<2xi1>}
  %small = constant {value = dense<[0.5, -2.0]> : tensor<2xbf16>}
  %infinity = constant {value = dense<inf> : tensor<f32>}
  return %matrix, %splat, %pi, %flags, %small, %infinity
}
