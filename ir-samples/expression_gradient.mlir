// The textbook expression graph with the gradient of each input: what `mlgc grad expression.mlir` prints. As x is used
// twice, d_x has two terms: (x + y)*cos(x) and, the derivative of x + y being 1, sin(x), which is d_y, too.
// eval: --input=x=0.5 --input=y=2
module {
  func @z_grad(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) attributes {result_names = ["z", "d_x", "d_y"]} {
    %sum = add %x, %y : tensor<f32>
    %sine = sin %x : tensor<f32>
    %z = mul %sum, %sine : tensor<f32>
    %0 = compute %sum, %x {formula = "y[] = x0[]*cos(x1[])"} : tensor<f32>
    %d_x = add %0, %sine : tensor<f32>
    return %z, %d_x, %sine
  }
}
