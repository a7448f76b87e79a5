// Options that do not fit.
// RUN: not mlgc opt %s --rematerialize=function=nobody 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: option `function` of pass `rematerialize`: there is no function `@nobody`
// RUN: not mlgc opt %s --rematerialize='function=f results=3' 2>&1 | FileCheck %s --check-prefix=RESULTS
// RESULTS: error: option `results` of pass `rematerialize`: `@f` has 1, and at least one of them is not a gradient
// RUN: not mlgc opt %s --rematerialize='function=f recompute=some' 2>&1 | FileCheck %s --check-prefix=WHAT
// WHAT: error: option `recompute` of pass `rematerialize`: `some` is none of none, fast, cheap, reductions, all
// RUN: not mlgc opt %s --rematerialize='function=f segments=0' 2>&1 | FileCheck %s --check-prefix=SEGMENTS
// SEGMENTS: error: option `segments` of pass `rematerialize`: there is at least one
module {
  func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = exp %x
    return %y
  }
}
