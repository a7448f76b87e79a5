// A result whose size is told in a region that may not run would have no size.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: bind-size-in-arm.mlir:[[@LINE+5]]:5: error: `bind_size` cannot say what `k` is: the result `y` has it as a dim, and its region may not run
func @f(%q: buffer<i1, argument>, %n: buffer<i64, argument>, %y: buffer<[k]xi64, argument>) attributes {results = 1} {
  %0 = load %q[] : i1
  if %0 {
    %m = alloc : buffer<i64, arena>
    bind_size %m {name = "k"}
    yield
  } else {
    yield
  }
  return
}
