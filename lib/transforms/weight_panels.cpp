// weight-panels: weights that contractions read in lanes lie in panels. Which ones, and why: schedule/weight_panels.h.
#include <array>

#include "schedule/weight_panels.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

constexpr std::array kCounters{
    PassCounter{"weights", "derived weights in panels that were made"},
    PassCounter{"kernels", "kernels that read panels"},
};

PassResult run(Module& module, const NoPassOptions&, PassContext& context) {
  const std::uint64_t before = context.gate().count();
  const WeightPanelCounts counts = make_weight_panels(module, context.gate());
  context.count("weights") = counts.weights;
  context.count("kernels") = counts.kernels;
  return PassContext::changed_if(context.gate().count() > before);
}

}  // namespace

constexpr PassDef kWeightPanelsPass{
    .name = "weight-panels",
    .summary = "Lays out the weights of contractions as lanes read them: panels of 16 columns with all their terms.",
    .description =
        "Runs before `schedule`. A weight that no call changes, and that a kernel reads at one place in a contraction "
        "with many rows, becomes a derived weight of panels, computed when weights are made and not in a call. The "
        "loop over its columns becomes two, and one of them is innermost around the sum. The last panel is filled up "
        "with zeros that nothing reads.",
    .counters = kCounters,
    .needs = Stages::Loops,
    .example = {.before = R"mlir(weight @w : tensor<24x4xf32>
func @linear(%x: buffer<[B]x4xf32, argument>, %w: buffer<24x4xf32, argument>, %y: buffer<[B]x24xf32, argument>) {
  for [0, B] (%b: index) attributes {kind = "parallel"} {
    for [0, 24] (%n: index) attributes {kind = "parallel"} {
      %0 = literal {dtype = f64, value = 0.0} : f64
      %1 = for [0, 4] (%k: index, %2 = %0) {
        %3 = load %x[%b, %k] : f32
        %4 = load %w[%n, %k] : f32
        %5 = mul %3, %4 : f32
        %6 = cast %5 {dtype = f64} : f64
        %7 = add %2, %6 : f64
        yield %7
      } : f64
      %2 = cast %1 {dtype = f32} : f32
      store %2, %y[%b, %n]
    }
  }
  return
}
func @f(%x: buffer<[B]x4xf32, argument>, %y: buffer<[B]x24xf32, argument>) attributes {results = 1} {
  %w = data @w : buffer<24x4xf32, weight>
  launch @linear, %x, %w, %y
  return
})mlir",
                .after =
                    R"mlir(weight @w : tensor<24x4xf32>
weight @w.panels : tensor<2x4x16xf32> = {
  %0 = read @w : tensor<24x4xf32>
  %1 = compute %0 {formula = "y[i0,i1,i2] = x0[16*i0+i2,i1]?0 where i0=2, i1=4, i2=16"} : tensor<2x4x16xf32>
  yield %1
}
func @linear(%x: buffer<[B]x4xf32, argument>, %w: buffer<2x4x16xf32, argument>, %y: buffer<[B]x24xf32, argument>) {
  for [0, B] (%b: index) attributes {kind = "parallel"} {
    for [0, 2] (%n_o: index) attributes {kind = "parallel"} {
      for [16*%n_o, min(16*%n_o + 16, 24)] (%n: index) {
        %0 = literal {dtype = f64, value = 0.0} : f64
        %1 = for [0, 4] (%k: index, %2 = %0) {
          %3 = load %x[%b, %k] : f32
          %4 = load %w[%n_o, %k, %n - 16*%n_o] : f32
          %5 = mul %3, %4 : f32
          %6 = cast %5 {dtype = f64} : f64
          %7 = add %2, %6 : f64
          yield %7
        } : f64
        %2 = cast %1 {dtype = f32} : f32
        store %2, %y[%b, %n]
      }
      yield
    }
  }
  return
}
func @f(%x: buffer<[B]x4xf32, argument>, %y: buffer<[B]x24xf32, argument>) attributes {results = 1} {
  %w_panels = data @w.panels : buffer<2x4x16xf32, weight>
  launch @linear, %x, %w_panels, %y
  return
})mlir"},
    .body = pass_body<NoPassOptions, run>(),
};

}  // namespace mlgc
