// A loop that no gradient passes stays as it is, also one that has none; and a letter of a formula may be called as a
// size that is renamed where a region is computed again.
// RUN: mlgc grad %s --function=beside --of=y --wrt=x | FileCheck %s
// CHECK: for [0, 3]
// CHECK: %d_x =
// RUN: mlgc grad %s --function=letters | mlgc eval - --function=letters_grad --input=c=true --input=x=3xf64=1,0,2 | FileCheck %s --check-prefix=VALUES
// VALUES: d_x: 3xf64
// VALUES-NEXT: [2.0, 0.0, 4.0]
module {
  func @beside(%x: tensor<f64>, %z: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
    %k = for [0, 3] (%i: index, %p = %z) {
      %q = for [0, %i] (%j: index, %r = %p) {
        %s = mul %r, %r
        yield %s
      } : tensor<f64>
      yield %q
    } : tensor<f64>
    %y = mul %x, %x
    return %y, %k
  }
  func @letters(%c: tensor<i1>, %x: tensor<3xf64>) -> tensor<f64> {
    %y = if %c {
      %n = nonzero %x : tensor<[k]x1xi64>
      %i = select %n {dim = 1, index = 0}
      %s = index_select %x, %i {dim = 0}
      %q = compute %s {formula = "y[k] = x0[k]*x0[k] over k < dim(x0, 0)"} : tensor<[k]xf64>
      %r = sum %q {dim = [0]}
      yield %r
    } else {
      %r = sum %x {dim = [0]}
      yield %r
    }
    return %y
  }
}
