// Sizes that a limit is met with: said ones, upper ends of ranges, of multiples too; what the call computes is said not
// to count.
// RUN: mlgc grad %s --function=multiple --explain | FileCheck %s --check-prefix=MULTIPLE
// MULTIPLE: @multiple_grad with B = 1024: none, {{.*}} for temporaries at the peak
// RUN: mlgc grad %s --function=multiple --dim=B=64 --explain | FileCheck %s --check-prefix=SAID
// SAID: @multiple_grad with B = 64: none, {{.*}} for temporaries at the peak
// RUN: mlgc grad %s --function=computed --dim=N=1000 --memory-limit=64KiB 2>&1 >/dev/null | FileCheck %s --check-prefix=COMPUTED
// COMPUTED: memory-limit-sizes.mlir:[[#@LINE+17]]:3: warning: values whose sizes the call computes count as empty: i{{(, [^ ,]+)+}}
// COMPUTED: note: say what such a size shall be: --dim=u0=64
// COMPUTED-NOT: warning
// RUN: not mlgc grad %s --function=computed --dim=N=1000 --dim=u0=1000 --memory-limit=6KiB 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN-NOT: warning
// GIVEN: memory-limit-sizes.mlir:[[#@LINE+12]]:3: error: `@computed_grad` takes at least {{[0-9.]+ [KM]iB}} for temporaries with N = 1000, u0 = 1000 (--recompute={{[a-z]+}}), more than the limit of 6 KiB
// RUN: not mlgc grad %s --function=multiple --recompute=fast --segments=4 2>&1 | FileCheck %s --check-prefix=SEGMENTS
// SEGMENTS: error: --segments has no effect with --recompute=fast
module {
  func @multiple(%x: tensor<[B]x4xf32>) -> tensor<f32> where B mod 8 == 0, B <= 1024 {
    %a = exp %x
    %s = sin %a
    %z = softmax %s {dim = 1}
    %e = exp %z
    %y = sum %e {dim = [0, 1]}
    return %y
  }
  func @computed(%x: tensor<[N]xf32>) -> tensor<f32> {
    %a = exp %x
    %i = nonzero %a : tensor<[u0]x1xi64>
    %j = compute %i {formula = "y[i] = x0[i, 0] over i < [u0]"} : tensor<[u0]xi64>
    %t = index_select %a, %j {dim = 0} : tensor<[u0]xf32>
    %g = sin %t
    %z = exp %g
    %y = sum %z {dim = [0]}
    return %y
  }
}
