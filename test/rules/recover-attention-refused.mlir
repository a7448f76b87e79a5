// What looks like attention and is none, or would not gain.
// RUN: mlgc opt %s --rules=recover-attention --why-not=attention@%axis --why-not=attention@%read --why-not=attention@%large --why-not=attention@%wider --why-not=attention-with-shown-keys@%low --why-not=attention@%other | FileCheck %s --implicit-check-not=scaled_dot
// RUN: mlgc opt %s --rules=recover-attention --why-not=attention@%axis --why-not=attention@%read --why-not=attention@%large --why-not=attention@%wider --why-not=attention-with-shown-keys@%low --why-not=attention@%other -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// CHECK-COUNT-6: return
// WHY: why not attention at %axis ({{.*}}): condition 1 of the rule
// WHY: why not attention at %read ({{.*}}): condition 5 of the rule
// WHY: why not attention at %large ({{.*}}): condition 4 of the rule
// WHY: why not attention at %wider ({{.*}}): condition 2 of the rule
// WHY: why not attention-with-shown-keys at %low ({{.*}}): operand 2 of %choice is not -inf
// WHY: why not attention at %other ({{.*}}): condition 1 of the rule
// The softmax runs over another axis.
func @other_axis(%q: tensor<5x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x4xf32>) -> tensor<5x4xf32> {
  %kt = transpose %k {dim0 = 0, dim1 = 1}
  %s = matmul %q, %kt
  %w = softmax %s {dim = 0}
  %axis = matmul %w, %v
  return %axis
}
// The weights are a result too: they would be computed twice.
func @weights(%q: tensor<5x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x4xf32>) -> (tensor<5x4xf32>, tensor<5x6xf32>) {
  %kt = transpose %k {dim0 = 0, dim1 = 1}
  %s = matmul %q, %kt
  %w = softmax %s {dim = 1}
  %read = matmul %w, %v
  return %read, %w
}
// A large scale would magnify another rounding of the scores.
func @large_scale(%q: tensor<5x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x4xf32>) -> tensor<5x4xf32> {
  %kt = transpose %k {dim0 = 0, dim1 = 1}
  %s = matmul %q, %kt
  %m = mul %s {other = 10.0}
  %w = softmax %m {dim = 1}
  %large = matmul %w, %v
  return %large
}
// The mask has a batch that queries and keys have not.
func @wider_mask(%q: tensor<5x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x4xf32>, %b: tensor<2x5x6xf32>) -> tensor<2x5x4xf32> {
  %kt = transpose %k {dim0 = 0, dim1 = 1}
  %s = matmul %q, %kt
  %m = add %s, %b
  %w = softmax %m {dim = -1}
  %wider = matmul %w, %v
  return %wider
}
// Of a row whose keys are all hidden so, the softmax is uniform.
func @low_number(%q: tensor<5x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x4xf32>, %c: tensor<5x6xi1>) -> tensor<5x4xf32> {
  %kt = transpose %k {dim0 = 0, dim1 = 1}
  %s = matmul %q, %kt
  %n = constant {value = dense<-1.0e9> : tensor<f32>} : tensor<f32>
  %choice = "where"(%c, %s, %n) : (tensor<5x6xi1>, tensor<5x6xf32>, tensor<f32>) -> tensor<5x6xf32>
  %w = softmax %choice {dim = 1}
  %low = matmul %w, %v
  return %low
}
// Axis 1 is the last one of the query, and none of the scores' last two.
func @shared_query(%q: tensor<[S]x4xf32>, %k: tensor<[B]x2x[S]x4xf32>, %v: tensor<[S]x4xf32>) -> tensor<[B]x2x[S]x4xf32> {
  %kt = transpose %k {dim0 = 2, dim1 = 3}
  %s = matmul %q, %kt
  %w = softmax %s {dim = 1}
  %other = matmul %w, %v
  return %other
}
