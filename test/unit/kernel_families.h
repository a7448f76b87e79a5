// The kinds of kernels that schedules are for, as graph functions `f`, with sizes that tiles and lanes divide and that
// they do not; lowered to loops.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check/draw_inputs.h"
#include "fusion/decide_fusion.h"
#include "fusion/form_fusions.h"
#include "ir/function.h"
#include "loops/lower_module.h"
#include "random_modules.h"

namespace mlgc::test {

struct Family {
  std::string name, text;
  std::vector<std::vector<std::pair<const char*, std::int64_t>>> sizes;
};

inline const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {"pointwise",
       R"(func @f(%x: tensor<[B]x[C]xf32>, %y: tensor<[B]x[C]xf32>) -> tensor<[B]x[C]xf32> {
  %0 = mul %x, %y
  %1 = add %0, %x
  %2 = relu %1
  return %2
})",
       {{{"B", 0}, {"C", 5}}, {{"B", 1}, {"C", 1}}, {{"B", 3}, {"C", 43}}, {{"B", 70}, {"C", 128}}}},
      {"broadcast",
       R"(func @f(%x: tensor<[B]x[C]xf32>, %b: tensor<[C]xf32>, %s: tensor<[B]x1xf32>) -> tensor<[B]x[C]xf32> {
  %0 = add %x, %b
  %1 = mul %0, %s
  %2 = gelu %1
  return %2
})",
       {{{"B", 0}, {"C", 5}}, {{"B", 3}, {"C", 1}}, {{"B", 5}, {"C", 67}}}},
      {"channels",
       R"(func @f(%x: tensor<[B]x6x[H]x[W]xf32>, %b: tensor<6x1x1xf32>) -> tensor<[B]x6x[H]x[W]xf32> {
  %0 = add %x, %b
  %1 = tanh %0
  return %1
})",
       {{{"B", 2}, {"H", 0}, {"W", 3}}, {{"B", 2}, {"H", 9}, {"W", 5}}}},
      {"softmax",
       R"(func @f(%x: tensor<[B]x[C]xf32>) -> tensor<[B]x[C]xf32> {
  %0 = softmax %x {dim = 1}
  return %0
})",
       {{{"B", 0}, {"C", 5}}, {{"B", 3}, {"C", 1}}, {{"B", 5}, {"C", 300}}, {{"B", 2}, {"C", 64}}}},
      {"layer_norm",
       R"(func @f(%x: tensor<[B]x200xf32>, %g: tensor<200xf32>, %b: tensor<200xf32>) -> tensor<[B]x200xf32> {
  %0 = add %x, %x
  %1, %m, %r = layer_norm %0, %g, %b {normalized_shape = [200]}
  return %1
})",
       {{{"B", 0}}, {{"B", 3}}}},
      {"column_sum",
       R"(func @f(%x: tensor<[B]x[C]xf32>) -> tensor<[C]xf32> {
  %0 = sum %x {dim = [0]}
  return %0
})",
       {{{"B", 0}, {"C", 5}}, {{"B", 3}, {"C", 0}}, {{"B", 33}, {"C", 1}}, {{"B", 70}, {"C", 99}}}},
      {"tall_sums",
       R"(func @f(%x: tensor<[N]x[C]xf32>, %z: tensor<[B]x[N]x3x[C]xf32>) -> (tensor<[C]xf32>, tensor<[B]x3x[C]xf32>) {
         %0 = sum %x {dim = [0]}
         %1 = sum %z {dim = [1]}
         return %0, %1
       })",
       {{{"B", 2}, {"N", 0}, {"C", 5}}, {{"B", 1}, {"N", 131}, {"C", 1}}, {{"B", 2}, {"N", 600}, {"C", 37}}}},
      {"column_variance",
       R"(func @f(%x: tensor<[B]x5x[S]xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = mean %x {dim = [0, 2]}
  %1 = var %x {dim = [0, 2]}
  return %0, %1
})",
       {{{"B", 1}, {"S", 2}}, {{"B", 7}, {"S", 33}}}},
      {"whole_sum",
       R"(func @f(%x: tensor<[B]x[C]xf32>) -> tensor<f32> {
  %0 = sum %x {dim = [0, 1]}
  return %0
})",
       {{{"B", 0}, {"C", 5}}, {{"B", 1}, {"C", 1}}, {{"B", 33}, {"C", 300}}, {{"B", 131}, {"C", 300}}}},
      {"extrema",
       R"(func @f(%x: tensor<[B]x[C]xf32>) -> (tensor<[B]xf32>, tensor<[B]xi64>, tensor<[C]xi64>) {
  %0 = amax %x {dim = [1]}
  %1 = argmax %x {dim = 1}
  %2 = argmin %x {dim = 0}
  return %0, %1, %2
})",
       {{{"B", 3}, {"C", 1}}, {{"B", 5}, {"C", 67}}}},
      {"transpose",
       R"(func @f(%x: tensor<[B]x[C]xf32>, %y: tensor<[C]x[B]xf32>) -> tensor<[C]x[B]xf32> {
  %0 = permute %x {dims = [1, 0]}
  %1 = mul %0, %y
  return %1
})",
       {{{"B", 0}, {"C", 5}}, {{"B", 1}, {"C", 1}}, {{"B", 17}, {"C", 35}}, {{"B", 64}, {"C", 128}}}},
      {"transposes",
       R"(func @f(%x: tensor<[B]x[N]x[C]xf64>, %m: tensor<[N]x[C]xi1>, %n: tensor<[N]x[C]xi16>) -> (tensor<[B]x[C]x[N]xf64>, tensor<[C]x[N]xi1>, tensor<[C]x[N]xi16>) {
         %0 = permute %x {dims = [0, 2, 1]}
         %1 = neg %0
         %2 = permute %m {dims = [1, 0]}
         %3 = logical_not %2
         %4 = permute %n {dims = [1, 0]}
         %5 = add %4, %4
         return %1, %3, %5
       })",
       {{{"B", 2}, {"N", 0}, {"C", 5}}, {{"B", 1}, {"N", 19}, {"C", 41}}, {{"B", 3}, {"N", 32}, {"C", 16}}}},
      {"gather",
       R"(func @f(%t: tensor<100x[C]xf32>, %i: tensor<[B]xi64>) -> tensor<[B]x[C]xf32> {
  %0 = embedding %t, %i
  return %0
})",
       {{{"B", 0}, {"C", 5}}, {{"B", 3}, {"C", 1}}, {{"B", 9}, {"C", 70}}}},
      {"matmul",
       R"(func @f(%x: tensor<[M]x[K]xf32>, %w: tensor<[K]x[N]xf32>, %b: tensor<[N]xf32>) -> tensor<[M]x[N]xf32> {
  %0 = matmul %x, %w
  %1 = add %0, %b
  %2 = relu %1
  return %2
})",
       {{{"M", 0}, {"K", 5}, {"N", 3}},
        {{"M", 3}, {"K", 0}, {"N", 5}},
        {{"M", 1}, {"K", 7}, {"N", 1}},
        {{"M", 13}, {"K", 21}, {"N", 37}},
        {{"M", 8}, {"K", 16}, {"N", 64}}}},
      {"linear",
       R"(func @f(%x: tensor<[M]x[K]xf32>, %w: tensor<[N]x[K]xf32>, %b: tensor<[N]xf32>) -> tensor<[M]x[N]xf32> {
  %0 = linear %x, %w, %b
  return %0
})",
       {{{"M", 3}, {"K", 0}, {"N", 5}}, {{"M", 5}, {"K", 100}, {"N", 7}}}},
      {"convolution",
       R"(func @f(%x: tensor<[B]x3x[H]x[W]xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<[B]x4x[H]x[W]xf32> {
  %0 = conv2d %x, %w, %b {padding = [1, 1]}
  return %0
})",
       {{{"B", 1}, {"H", 1}, {"W", 1}}, {{"B", 2}, {"H", 5}, {"W", 37}}}},
      {"windows in strides",
       R"(func @f(%x: tensor<2x3x[H]x21xf32>, %w: tensor<18x3x3x3xf32>, %b: tensor<18xf32>) -> tensor<2x18x[(H - 1) floordiv 2 + 1]x11xf32> where 1 <= H {
  %0 = conv2d %x, %w, %b {padding = [1, 1], stride = [2, 2]}
  return %0
})",
       {{{"H", 1}}, {{"H", 6}}}},
      {"fixed matmul",
       R"(func @f(%x: tensor<20x9xf64>, %w: tensor<9x70xf64>, %v: tensor<70x9xf64>) -> (tensor<20x70xf64>, tensor<20x70xf64>) {
  %0 = matmul %x, %w
  %1 = linear %x, %v
  return %0, %1
})",
       {{}}},
      {"attention of many heads",
       R"(func @f(%q: tensor<[B]x19x8xf32>, %k: tensor<[B]x[S]x8xf32>, %v: tensor<[B]x[S]x8xf32>) -> tensor<[B]x19x8xf32> {
  %0 = scaled_dot_product_attention %q, %k, %v
  return %0
})",
       {{{"B", 1}, {"S", 0}}, {{"B", 2}, {"S", 37}}}},
      {"attention",
       R"(func @f(%q: tensor<[B]x2x[S]x8xf32>, %k: tensor<[B]x2x[S]x8xf32>, %v: tensor<[B]x2x[S]x8xf32>) -> tensor<[B]x2x[S]x8xf32> {
  %0 = scaled_dot_product_attention %q, %k, %v
  return %0
})",
       {{{"B", 1}, {"S", 1}}, {{"B", 2}, {"S", 19}}}},
      {"gradient of attention",
       R"(func @f(%q: tensor<[B]x8x[S]x4xf32>, %k: tensor<[B]x8x[S]x4xf32>, %v: tensor<[B]x8x[S]x4xf32>, %g: tensor<[B]x8x[S]x4xf32>) -> (tensor<[B]x8x[S]x4xf32>, tensor<[B]x8x[S]x4xf32>, tensor<[B]x8x[S]x4xf32>) {
  %a = sigmoid %q
  %b = sigmoid %k
  %c = sigmoid %g
  %0 = einsum %a, %b {equation = "abid,abjd->abij"}
  %p = tanh %0
  %w = einsum %c, %v {equation = "abid,abjd->abij"}
  %1 = sigmoid %w
  %u = mul %p, %1
  %dq = matmul %u, %b
  %dk = einsum %u, %a {equation = "abij,abid->abjd"}
  %t = transpose %p {dim0 = 2, dim1 = 3}
  %dv = matmul %t, %c
  return %dq, %dk, %dv
})",
       {{{"B", 1}, {"S", 0}}, {{"B", 2}, {"S", 1}}, {{"B", 2}, {"S", 19}}}},
      {"types",
       R"(func @f(%x: tensor<[B]x[C]xbf16>, %i: tensor<[B]x[C]xi32>) -> (tensor<[B]xbf16>, tensor<[B]xi64>, tensor<[C]xi1>) {
  %0 = sum %x {dim = [1]}
  %1 = sum %i {dim = [1]}
  %2 = cast %i {dtype = i1}
  %3 = any %2 {dim = 0}
  return %0, %1, %3
})",
       {{{"B", 0}, {"C", 5}}, {{"B", 3}, {"C", 1}}, {{"B", 5}, {"C", 67}}}},
  };
  return all;
}

// As `--to=loops` does it, without the schedule.
inline void lower(Module& module) {
  form_fusions(module, decide_fusion(module, {}), [](const FusionGroup&) { return true; });
  DiagnosticEngine diagnostics(module.context().locations());
  const bool lowered = lower_to_loops(module, diagnostics).has_value();
  INFO(render_text(diagnostics));
  REQUIRE(lowered);
}

// Draws for each of the family's sizes.
inline std::vector<Draw> draw_family(const Family& family, const FuncRef& function) {
  std::vector<SymbolValues> sizes;
  IndexPool& pool = function.op().module().context().index();
  for (const auto& choice : family.sizes) {
    SymbolValues& values = sizes.emplace_back();
    for (const auto& [name, size] : choice) values.values.emplace_back(*pool.as_atom(pool.symbol(name)), size);
  }
  auto draws = draw_inputs(function, {.seed = 1, .sizes = sizes});
  if (!draws) FAIL(draws.error());
  return *draws;
}

}  // namespace mlgc::test
