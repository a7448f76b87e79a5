// What each loss derives, by the scores %x: the target's type follows from the row of the loss, and where a slope jumps
// the gradient is that of the branch that PyTorch takes. In cross entropy nothing is of the size of the scores but d_x.
// RUN: mlgc grad %s --loss=mse --wrt=x | FileCheck %s --check-prefix=MSE
// MSE: func @f_grad(%x: tensor<[B]x3xf32>, %target: tensor<[B]x3xf32>)
// MSE: %loss = mse_loss %x, %target : tensor<f32>
// MSE: %d_x = compute {{.*}}{formula = "y[b2, b3] = x0[] / (3*B)*(x1[b2, b3] - x2[b2, b3]) + x0[] / (3*B)*(x1[b2, b3] - x2[b2, b3]) over b2 < [B], b3 < 3"}
// RUN: mlgc grad %s --loss=l1 --wrt=x | FileCheck %s --check-prefix=L1
// L1: func @f_grad(%x: tensor<[B]x3xf32>, %target: tensor<[B]x3xf32>)
// L1: %loss = l1_loss %x, %target : tensor<f32>
// L1: %d_x = compute {{.*}}{formula = "y[b2, b3] = x0[] / (3*B)*sign(x1[b2, b3] - x2[b2, b3]) over b2 < [B], b3 < 3"}
// RUN: mlgc grad %s --loss=smooth_l1 --wrt=x | FileCheck %s --check-prefix=SMOOTH-L1
// SMOOTH-L1: func @f_grad(%x: tensor<[B]x3xf32>, %target: tensor<[B]x3xf32>)
// SMOOTH-L1: %loss = smooth_l1_loss %x, %target : tensor<f32>
// SMOOTH-L1: %d_x = compute {{.*}}{formula = "y[b2, b3] = select(1.0 <= abs(x0[b2, b3] - x1[b2, b3]), x2[] / (3*B)*sign(x0[b2, b3] - x1[b2, b3]), 0.0) + select(not 1.0 <= abs(x0[b2, b3] - x1[b2, b3]), x2[] / (3*B)*(x0[b2, b3] - x1[b2, b3])*0.5, 0.0) + select(not 1.0 <= abs(x0[b2, b3] - x1[b2, b3]), x2[] / (3*B)*(0.5*(x0[b2, b3] - x1[b2, b3])), 0.0) over b2 < [B], b3 < 3"}
// RUN: mlgc grad %s --loss=huber --wrt=x | FileCheck %s --check-prefix=HUBER
// HUBER: func @f_grad(%x: tensor<[B]x3xf32>, %target: tensor<[B]x3xf32>)
// HUBER: %loss = huber_loss %x, %target : tensor<f32>
// HUBER: %d_x = compute {{.*}}{formula = "y[b2, b3] = select(1.0 <= abs(x0[b2, b3] - x1[b2, b3]), x2[] / (3*B)*sign(x0[b2, b3] - x1[b2, b3]), 0.0) + select(not 1.0 <= abs(x0[b2, b3] - x1[b2, b3]), x2[] / (3*B)*(x0[b2, b3] - x1[b2, b3])*0.5, 0.0) + select(not 1.0 <= abs(x0[b2, b3] - x1[b2, b3]), x2[] / (3*B)*(0.5*(x0[b2, b3] - x1[b2, b3])), 0.0) over b2 < [B], b3 < 3"}
// RUN: mlgc grad %s --loss=binary_cross_entropy --wrt=x | FileCheck %s --check-prefix=BCE
// BCE: func @f_grad(%x: tensor<[B]x3xf32>, %target: tensor<[B]x3xf32>)
// BCE: %loss = binary_cross_entropy %x, %target : tensor<f32>
// BCE: %d_x = compute {{.*}}{formula = "y[b2, b3] = select(-100.0 < log1p(-x0[b2, b3]), -(x1[] / (3*B)*(x2[b2, b3] - 1.0) / (1.0 + -x0[b2, b3])), 0.0) + select(-100.0 < log(x0[b2, b3]), -(x1[] / (3*B))*x2[b2, b3] / x0[b2, b3], 0.0) over b2 < [B], b3 < 3"}
// RUN: mlgc grad %s --loss=binary_cross_entropy_with_logits --wrt=x | FileCheck %s --check-prefix=BCE-WITH-LOGITS
// BCE-WITH-LOGITS: func @f_grad(%x: tensor<[B]x3xf32>, %target: tensor<[B]x3xf32>)
// BCE-WITH-LOGITS: %loss = binary_cross_entropy_with_logits %x, %target : tensor<f32>
// BCE-WITH-LOGITS: %d_x = compute {{.*}}{formula = "y[b2, b3] = x0[] / (3*B)*(1.0 - x1[b2, b3]) + select(x2[b2, b3] < 0.0, -(x0[] / (3*B)), 0.0) + select(x2[b2, b3] < 0.0, x0[] / (3*B) / (1.0 + exp(select(x2[b2, b3] < 0.0, x2[b2, b3], -x2[b2, b3])))*exp(select(x2[b2, b3] < 0.0, x2[b2, b3], -x2[b2, b3])), 0.0) + select(not x2[b2, b3] < 0.0, -(x0[] / (3*B) / (1.0 + exp(select(x2[b2, b3] < 0.0, x2[b2, b3], -x2[b2, b3])))*exp(select(x2[b2, b3] < 0.0, x2[b2, b3], -x2[b2, b3]))), 0.0) over b2 < [B], b3 < 3"}
// RUN: mlgc grad %s --loss=kl_div --wrt=x | FileCheck %s --check-prefix=KL-DIV
// KL-DIV: func @f_grad(%x: tensor<[B]x3xf32>, %target: tensor<[B]x3xf32>)
// KL-DIV: %loss = kl_div %x, %target : tensor<f32>
// KL-DIV: %d_x = compute {{.*}}{formula = "y[b2, b3] = -(x0[] / (3*B))*x1[b2, b3] over b2 < [B], b3 < 3"}
// RUN: mlgc grad %s --loss=nll --wrt=x | FileCheck %s --check-prefix=NLL
// NLL: func @f_grad(%x: tensor<[B]x3xf32>, %target: tensor<[B]xi64>)
// NLL: %loss = nll_loss %x, %target : tensor<f32>
// NLL: %d_x = compute {{.*}}{formula = "y[n2, j] = select(not x0[n2] == -100 and x0[n2] - j == 0, -(x1[] / sum[n4](select(x0[n4] == -100, 0.0, 1.0))), 0.0) over n2 < [B], j < 3, n4 < [B]"}
// RUN: mlgc grad %s --loss=cross_entropy --wrt=x | FileCheck %s --check-prefix=CROSS-ENTROPY
// CROSS-ENTROPY: func @f_grad(%x: tensor<[B]x3xf32>, %target: tensor<[B]xi64>)
// CROSS-ENTROPY: %loss = cross_entropy %x, %target : tensor<f32>
// CROSS-ENTROPY: {{%.*}} = {{.*}}{formula = "y[n] = stop(max[c](x0[n, c])) over n < [B], c < 3"} : tensor<[B]xf32>
// CROSS-ENTROPY: {{%.*}} = {{.*}}{formula = "y[n1] = sum[c1](exp(x0[n1, c1] - x1[n1])) over n1 < [B], c1 < 3"} : tensor<[B]xf32>
// CROSS-ENTROPY: {{%.*}} = {{.*}}{formula = "y[] = sum[n2](select(x0[n2] == -100, 0.0, 1.0)) over n2 < [B]"} : tensor<f32>
// CROSS-ENTROPY: {{%.*}} = {{.*}}{formula = "y[n3] = select(x0[n3] == -100, 0.0, x1[] / x2[]) over n3 < [B]"} : tensor<[B]xf32>
// CROSS-ENTROPY: %d_x = compute {{.*}}{formula = "y[n4, c2] = (exp(x0[n4, c2] - x1[n4]) / x2[n4] - select(x3[n4] == c2, 1.0, 0.0))*x4[n4] over n4 < [B], c2 < 3"}
// The name of the row serves as well.
// RUN: mlgc grad %s --loss=huber_loss --wrt=x | FileCheck %s --check-prefix=HUBER
module {
  func @f(%x: tensor<[B]x3xf32>) -> tensor<[B]x3xf32> where 1 <= B {
    return %x
  }
}
