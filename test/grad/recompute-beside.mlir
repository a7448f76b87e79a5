// What stands beside what is differentiated: updates of the function's own belong to forward, names that are taken get
// numbers, and sizes of other functions are nobody's business.
// RUN: mlgc grad %s --function=updating --wrt=x --recompute=all | FileCheck %s --check-prefix=UPDATES
// UPDATES: func @updating_grad(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) updates (@s = %n)
// UPDATES: %n = sin %a
// UPDATES: sum %d
// UPDATES: %[[X:.*]] = optimization_barrier %x
// UPDATES: exp %[[X]]
// UPDATES-NOT: optimization_barrier
// RUN: mlgc grad %s --function=updating --wrt=x --recompute=all --mode=split | FileCheck %s --check-prefix=SPLIT
// SPLIT: func @updating_forward(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) updates (@s = %n) attributes {result_names = ["y", "saved_x"]}
// RUN: mlgc grad %s --function=updating --wrt=x --raw --recompute=all | FileCheck %s --check-prefix=RAW
// RAW: func @updating_grad
// RUN: mlgc grad %s --function=net --name=step --dim=B=4 --explain | FileCheck %s --check-prefix=TAKEN
// TAKEN: @step1 with B = 4: none, {{.*}} for temporaries at the peak
// RUN: mlgc grad %s --function=net --dim=B=4 --mode=split --memory-limit=1KiB --explain | FileCheck %s --check-prefix=LIMIT
// LIMIT: @net_grad with B = 4: {{.*}} for temporaries at the peak; the limit is 1 KiB
// Segments beyond the number of ops are as many as there are ops.
// RUN: mlgc grad %s --function=net --recompute=all --segments=1000000000000 | FileCheck %s --check-prefix=MANY
// MANY: func @net_grad
// RUN: not mlgc grad %s --function=net --dim=B=1000 --memory-limit=1000 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: recompute-beside.mlir:[[#@LINE+11]]:3: error: `@net_grad` takes at least {{[0-9.]+ [KM]iB}} for temporaries with B = 1000 (--recompute={{[a-z]+}}), more than the limit of 1000 bytes
module {
  state @s : tensor<4xf32>
  func @updating(%x: tensor<4xf32>) -> tensor<f32> updates (@s = %n) {
    %a = exp %x
    %n = sin %a
    %c = cos %a
    %d = gelu %c
    %y = sum %d {dim = [0]}
    return %y, %n
  }
  func @net(%x: tensor<[B]x4xf32>) -> tensor<f32> {
    %a = exp %x
    %b = softmax %a {dim = 1}
    %c = softmax %b {dim = 0}
    %y = sum %c {dim = [0, 1]}
    return %y
  }
  func @step(%x: tensor<[C]xf32>) -> tensor<[C]xf32> where C <= 8 {
    %y = exp %x
    return %y
  }
  func @net_forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x
  }
}
