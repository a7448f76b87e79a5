// A training step: the weight becomes a state, what the optimiser keeps are states of zeros, and the function updates
// them, beside what it updated before. The gradient of sum(w*x) is x.
// RUN: mlgc grad %s --of=loss --step=sgd --lr=0.5 --momentum=0.9 --weight-decay=0.1 > %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK: state @w : tensor<2xf64>
// CHECK-NEXT: state @w.momentum_buffer : tensor<2xf64> attributes {initial = 0.0}
// CHECK: state @count : tensor<i64> attributes {initial = 7}
// CHECK: func @step(%x: tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) updates (@count = %next, @w = %w_next, @w.momentum_buffer = %w.momentum_buffer_next) attributes {result_names = ["loss", "y"]}
// CHECK: [[DECAYED:%.*]] = add %d_w, %w {alpha = 0.1}
// CHECK: [[KEPT:%.*]] = mul %w.momentum_buffer {other = 0.9}
// CHECK: %w.momentum_buffer_next = add [[KEPT]], [[DECAYED]]
// CHECK: %w_next = add %w, %w.momentum_buffer_next {alpha = -0.5}
// A state that a file has starts as the file says, others as the text says.
// RUN: mlgc eval %t.mlir --random-weights=1 --input=x=0,0 --output=@%t.npz > /dev/null
// RUN: mlgc eval %t.mlir --random-weights=1 --input=x=1,2 --states=@%t.npz | FileCheck %s --check-prefix=SECOND
// RUN: mlgc eval %t.mlir --random-weights=1 --input=x=1,2 -O2 --backend=cpp | FileCheck %s --check-prefix=FIRST
// FIRST: @count: i64
// FIRST-NEXT: 8
// SECOND: @count: i64
// SECOND-NEXT: 9
// Without momentum nothing is kept.
// RUN: mlgc grad %s --of=loss --step=sgd | FileCheck %s --check-prefix=PLAIN
// PLAIN: state @w : tensor<2xf64>
// PLAIN-NEXT: state @count
// PLAIN: %w_next = add %w, %d_w {alpha = -0.001}
// With --keep the function reads what the step has changed; the rate may be an argument.
// RUN: mlgc grad %s --of=loss --step=adamw --lr=argument --keep --name=train | FileCheck %s --check-prefix=KEEP
// KEEP: state @w.exp_avg : tensor<2xf64> attributes {initial = 0.0}
// KEEP-NEXT: state @w.exp_avg_sq : tensor<2xf64> attributes {initial = 0.0}
// KEEP-NEXT: state @adamw.step : tensor<i64> attributes {initial = 0}
// KEEP: func @f(%x: tensor<2xf64>)
// KEEP: func @train(%x: tensor<2xf64>, %lr: tensor<f64>)
module {
  weight @w : tensor<2xf64>
  state @count : tensor<i64> attributes {initial = 7}
  func @f(%x: tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) updates (@count = %next) {
    %w = read @w
    %y = mul %w, %x
    %loss = sum %y {dim = [0]}
    %count = read @count
    %next = add %count {other = 1}
    return %loss, %y, %next
  }
}
