// Programs in which every fault of test/faults finds something to do wrong, beside much that is right.
#pragma once

#include <array>
#include <string_view>

namespace mlgc::test {

inline constexpr std::array<std::string_view, 9> kFaultPrograms{
    // Arithmetic.
    R"(func @arithmetic(%x: tensor<[N]x4xf32>, %y: tensor<[N]x4xf32>) -> (tensor<[N]x4xf32>, tensor<[N]x4xf32>, tensor<[N]x4xf32>, tensor<[N]x4xf32>, tensor<[N]x4xf32>, tensor<[N]x4xf32>, tensor<[N]x4xf32>, tensor<[N]x4xf32>) where 1 <= N {
  %one = mul %x {other = 1.0}
  %a0 = add %one {other = 0.0}
  %a1 = mul %y {other = 0.0}
  %a2 = sub %x, %x
  %a3 = div %y, %y
  %a4 = sub %x, %y
  %a5 = div %x, %y
  %n0 = neg %x
  %n1 = neg %n0
  %n2 = neg %n0
  %n3 = abs %n2
  %n4 = abs %n0
  %n5 = abs %n4
  %s0 = add %a0, %a1
  %s1 = add %a2, %a3
  %s2 = add %a4, %n1
  %s3 = add %s0, %s2
  %s4 = add %n3, %n5
  %r0 = add %a5, %s4
  %d0 = div %x {other = 3.0}
  %m0 = mul %x {other = 0.1}
  %m1 = mul %m0 {other = 0.7}
  %p0 = add %x {other = 0.1}
  %p1 = add %p0 {other = 0.7}
  %q0 = add %d0, %m1
  %q1 = add %q0, %p1
  %b0 = sub %y, %x
  return %s3, %s1, %r0, %q1, %b0, %a0, %a1, %n4
})",
    // Functions of one number.
    R"(func @functions(%x: tensor<[N]xf32>, %y: tensor<[N]xf32>) -> (tensor<[N]xf32>, tensor<[N]xf32>, tensor<[N]xf32>, tensor<[N]xf32>, tensor<[N]xf32>, tensor<[N]xf32>) where 1 <= N {
  %c = constant {value = dense<0.5> : tensor<f32>} : tensor<f32>
  %a = abs %x
  %l = log %a
  %e = exp %l
  %e1 = exp %x
  %l1 = log %e1
  %q = mul %x, %x
  %s = sqrt %q
  %p = pow %y {other = 2.0}
  %f = floor %x
  %g = sigmoid %y
  %h = mul %x, %y
  %i = relu %h
  %j = relu %x
  %k = relu %j
  %t = sqrt %a
  %u = reciprocal %t
  %m = maximum %x, %y
  %n = maximum %x, %c
  %o = abs %y
  %o1 = abs %o
  %0 = add %e, %f
  %1 = add %l1, %s
  %2 = add %p, %g
  %3 = add %i, %k
  %4 = add %u, %o1
  %5 = add %4, %n
  return %0, %1, %2, %3, %5, %m
})",
    // Integers, comparisons, choices.
    R"(func @choices(%i: tensor<[N]xi64>, %j: tensor<[N]xi64>, %x: tensor<[N]xf32>, %y: tensor<[N]xf32>, %k: tensor<i1>) -> (tensor<[N]xi64>, tensor<[N]xi64>, tensor<[N]xi1>, tensor<[N]xf32>, tensor<[N]xf32>, tensor<[N]xi64>, tensor<[N]xf32>) where 1 <= N {
  %d = floor_divide %i, %j
  %r = remainder %i, %j
  %lt = lt %x, %y
  %not = logical_not %lt
  %w = where %not, %x, %y
  %v = neg %y
  %true = constant {value = dense<true> : tensor<i1>} : tensor<i1>
  %if = if %true {
    %t = exp %x
    yield %t
  } else {
    yield %v
  } : tensor<[N]xf32>
  %two = if %k {
    yield %x
  } else {
    yield %y
  } : tensor<[N]xf32>
  %narrow = cast %i {dtype = i8}
  %wide = cast %narrow {dtype = i64}
  %sum = add %if, %two
  %half = cast %x {dtype = bf16}
  %full = cast %half {dtype = f32}
  return %d, %r, %not, %w, %sum, %wide, %full
})",
    // Movement.
    R"(func @movement(%x: tensor<[N]x4x4xf32>, %y: tensor<[N]x4x4xf32>, %cube: tensor<4x4x4xf32>) -> (tensor<[N]x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<[N]x2x4xf32>, tensor<[N]x8x4xf32>, tensor<[N]x4x4xf32>, tensor<[N]x4x4xf32>) where 1 <= N {
  %t0 = transpose %x {dim0 = 1, dim1 = 2}
  %t1 = exp %t0
  %f0 = flip %t1 {dims = [1]}
  %f1 = flip %f0 {dims = [2]}
  %r0 = roll %f1 {shifts = [1], dims = [1]}
  %r1 = roll %r0 {shifts = [1], dims = [1]}
  %p0 = permute %cube {dims = [1, 2, 0]}
  %p1 = permute %p0 {dims = [1, 0, 2]}
  %s0 = slice %x {dim = 1, start = 1, end = 4}
  %s1 = slice %s0 {dim = 1, start = 1, end = 3}
  %c0 = cat %x, %y {dim = 1}
  %c1 = slice %c0 {dim = 1, start = 2, end = 6}
  %u0 = transpose %x {dim0 = 1, dim1 = 2}
  %u1 = flip %u0 {dims = [2]}
  %w0 = transpose %cube {dim0 = 0, dim1 = 1}
  %w1 = transpose %w0 {dim0 = 1, dim1 = 2}
  %pad = pad %x {pad = [1, 1], value = 2.0} : tensor<[N]x4x6xf32>
  %padded = slice %pad {dim = 2, start = 0, end = 4}
  %z = add %c1, %padded
  %tril = tril %u1 {diagonal = 1}
  return %r1, %p1, %w1, %s1, %c0, %z, %tril
})",
    // Reductions and products.
    R"(func @reductions(%x: tensor<[N]x4xf32>, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<[N]xf32>, tensor<[N]xf32>, tensor<[N]xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<[N]x4xf32>, tensor<4xf32>, tensor<[N]x4xf32>) where 1 <= N {
  %m = mean %x {dim = [1]}
  %n = neg %x
  %am = amax %n {dim = [1]}
  %sc = mul %x {other = 0.3}
  %s = sum %sc {dim = [1]}
  %p = matmul %a, %b
  %bt = transpose %b {dim0 = 0, dim1 = 1}
  %q = matmul %a, %bt
  %c = cumsum %x {dim = 1}
  %at = transpose %a {dim0 = 0, dim1 = 1}
  %st = sum %at {dim = [0]}
  %sm = softmax %x {dim = 1}
  %v = var %x {dim = [1], correction = 1}
  %mv = add %m, %v
  return %mv, %am, %s, %p, %q, %c, %st, %sm
})",
    // Networks.
    R"(func @network(%x: tensor<[N]x4xf32>, %w: tensor<4xf32>, %b: tensor<4xf32>, %mean: tensor<4xf32>, %var: tensor<4xf32>, %table: tensor<[V]x4xf32>, %ids: tensor<[N]xi64>, %q: tensor<1x2x[N]x4xf32>) -> (tensor<[N]x4xf32>, tensor<[N]x4xf32>, tensor<[N]x4xf32>, tensor<[N]x4xf32>, tensor<[N]x4xf32>, tensor<1x2x[N]x4xf32>) where 1 <= N, 2 <= V {
  %l, %lm, %ls = layer_norm %x, %w, %b {normalized_shape = [4], eps = 1.0e-5}
  %g = gelu %l
  %s = silu %x
  %r = leaky_relu %x {negative_slope = 0.1}
  %r2 = leaky_relu %x {negative_slope = 0.3}
  %sp = softplus %x {beta = 2.0}
  %cl = clamp %x {min = -0.5, max = 0.5}
  %bn = batch_norm %x, %mean, %var, %w, %b {eps = 1.0e-5}
  %e = embedding %table, %ids {padding_idx = 0}
  %al = add %e, %x {alpha = 2.0}
  %at = scaled_dot_product_attention %q, %q, %q {is_causal = true}
  %0 = add %g, %s
  %1 = add %r, %sp
  %2 = add %1, %cl
  %3 = mul %r2, %bn
  return %0, %2, %3, %al, %s, %at
})",
    // Calls and sizes.
    R"(func @pair(%a: tensor<[N]xf32>, %b: tensor<[N]xf32>) -> (tensor<[N]xf32>, tensor<[N]xf32>) {
  %0 = sub %a, %b
  %1 = exp %b
  return %0, %1
}
func @same(%a: tensor<[N]xf32>) -> tensor<[N]xf32> {
  return %a
}
func @calls(%x: tensor<[N]xf32>, %y: tensor<[N]xf32>) -> (tensor<[N]xf32>, tensor<[N]xf32>, tensor<i64>) where 1 <= N {
  %i = call @same, %x : tensor<[N]xf32>
  %p, %q = call @pair, %i, %y : tensor<[N]xf32>, tensor<[N]xf32>
  %n = dim [2*N] : tensor<i64>
  return %p, %q, %n
})",
    // Constants and random numbers.
    R"(func @constants(%x: tensor<3xf32>, %k: tensor<2xi64>, %l: tensor<2xi64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %a = constant {value = dense<[1.1, -2.2, 3.3]> : tensor<3xf32>} : tensor<3xf32>
  %b = constant {value = dense<[1.1, 5.5, 6.6]> : tensor<3xf32>} : tensor<3xf32>
  %c = constant {value = dense<[1.1, -2.2, 3.3]> : tensor<3xf32>} : tensor<3xf32>
  %0 = mul %x, %a
  %1 = mul %x, %b
  %2 = add %0, %c
  %u = uniform %k {size = [3]}
  %v = uniform %l {size = [3]}
  %w = sub %u, %v
  %d, %kept = dropout %x, %k {p = 0.5}
  return %1, %2, %w, %d
})",
    // States and loops.
    R"(state @mean : tensor<3xf32>
state @square : tensor<3xf32>
func @states(%x: tensor<3xf32>) -> tensor<3xf32> updates (@mean = %m1, @square = %s1) {
  %rate = constant {value = dense<0.1> : tensor<f32>} : tensor<f32>
  %m = read @mean
  %s = read @square
  %m1 = lerp %m, %x, %rate
  %q = mul %x, %x
  %s1 = lerp %s, %q, %rate
  %0 = sub %s, %m
  %1 = exp %0
  %2 = exp %0
  %3 = add %1, %2
  return %3, %m1, %s1
}
func @loop(%x: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zero = constant {value = dense<0> : tensor<i64>} : tensor<i64>
  %n, %y, %z = while (%i = %zero, %a = %x, %b = %c) {
    %more = lt %i {other = 3}
    condition %more, %i, %a, %b
  } do (%i: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>) {
    %i1 = add %i {other = 1}
    %a1 = mul %a {other = 0.5}
    %b1 = add %b, %a
    yield %i1, %a1, %b1
  }
  return %y, %z
})",
};

}  // namespace mlgc::test
