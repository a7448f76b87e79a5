// Functions that are differentiated in both modes, with values to run them on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autodiff/grad_function.h"
#include "autodiff/jvp_function.h"
#include "check/draw_inputs.h"
#include "interp/interpret_module.h"
#include "parsed_module.h"
#include "tensor/tensor.h"
#include "verify/verify.h"

namespace mlgc::test {

struct Differentiable {
  std::string_view what, text;  // of @f
};

// All floats are f64, so that differences can be taken. Sizes that are symbols are 3 and up.
inline constexpr Differentiable kFunctions[] = {
    {"a chain", R"(func @f(%x: tensor<5xf64>) -> tensor<5xf64> {
  %a = sin %x
  %b = exp %a
  %y = tanh %b
  return %y
}
)"},
    {"a value that is read three times", R"(func @f(%x: tensor<5xf64>) -> tensor<5xf64> {
  %a = mul %x, %x
  %b = sin %a
  %c = mul %a, %b
  %y = add %c, %a
  return %y
}
)"},
    {"operands that are broadcast",
     R"(func @f(%x: tensor<[N]x4xf64>, %y: tensor<4xf64>, %z: tensor<[N]x1xf64>) -> tensor<[N]x4xf64> {
  %a = mul %x, %y
  %r = add %a, %z
  return %r
}
)"},
    {"products and a softmax",
     R"(func @f(%x: tensor<[N]x4xf64>, %w: tensor<3x4xf64>, %b: tensor<3xf64>) -> tensor<[N]x3xf64> {
  %a = linear %x, %w, %b
  %y = softmax %a {dim = 1}
  return %y
}
)"},
    {"several results, one of them an argument",
     R"(func @f(%x: tensor<4xf64>, %y: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<f64>) {
  %a = mul %x, %y
  %s = sum %a
  return %a, %y, %s
}
)"},
    {"a gradient that stops", R"(func @f(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %d = detach %x
  %a = mul %d, %x
  %r = add %a, %y
  return %r
}
)"},
    {"a choice", R"(func @f(%p: tensor<i1>, %x: tensor<4xf64>, %y: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %a = sin %x
  %r, %s = if %p {
    %b = mul %a, %y
    yield %b, %x
  } else {
    %c = exp %y
    yield %c, %c
  } : tensor<4xf64>, tensor<4xf64>
  return %r, %s
}
)"},
    {"a scan",
     R"(func @f(%h: tensor<3xf64>, %w: tensor<3xf64>, %xs: tensor<[T]x3xf64>) -> (tensor<3xf64>, tensor<[T]x3xf64>) {
  %last, %all = scan %h, %xs (%c: tensor<3xf64>, %x: tensor<3xf64>) attributes {carried = 1} {
    %a = mul %c, %w
    %b = add %a, %x
    %n = tanh %b
    %o = mul %n, %x
    yield %n, %o
  } : tensor<3xf64>, tensor<[T]x3xf64>
  return %last, %all
}
)"},
    {"a loop", R"(func @f(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %r = for [0, 4] (%i: index, %c = %x) {
    %a = mul %c, %y
    %n = sin %a
    yield %n
  } : tensor<3xf64>
  return %r
}
)"},
    {"a loop that data end", R"(func @f(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %s = abs %x
  %q = while (%c = %s) {
    %m = lt %c {other = 40.0}
    %t = mul %c {other = 1.5}
    condition %m, %t
  } do (%c: tensor<f64>) {
    %e = exp %y
    %n = add %c, %e
    yield %n
  }
  return %q
}
)"},
    {"a choice in a scan", R"(func @f(%h: tensor<f64>, %xs: tensor<[T]xf64>) -> tensor<f64> {
  %last = scan %h, %xs (%c: tensor<f64>, %x: tensor<f64>) attributes {carried = 1} {
    %p = gt %x {other = 0.0}
    %n = if %p {
      %a = mul %c, %x
      yield %a
    } else {
      %b = sub %c, %x
      yield %b
    } : tensor<f64>
    yield %n
  } : tensor<f64>
  return %last
}
)"},
};

// Everything that can be differentiated, of everything.
struct Question {
  explicit Question(std::string_view text) : parsed(text), function(FuncRef(parsed.func())) {
    for (std::size_t i = 0; i < function.result_count(); ++i) of.push_back(i);
    request.of = result_names(function);
    request.wrt = float_values(parsed.module, function);
    auto draws = draw_inputs(function, {.seed = 9, .non_finite = false});
    REQUIRE(draws.ok());
    // The largest sizes, and plain values.
    for (Draw& draw : *draws)
      if (draw.kind == DrawKind::Plain) inputs = std::move(draw.inputs);
    REQUIRE(inputs.size() == function.arguments().size());
  }
  ParsedModule parsed;
  FuncRef function;
  std::vector<std::size_t> of;
  GradRequest request;
  std::vector<Tensor> inputs;
};

inline void require_valid(const Module& module) {
  DiagnosticEngine diagnostics(module.context().locations());
  const bool sound = verify(module, diagnostics);
  INFO(print(module));
  INFO(render_text(diagnostics));
  REQUIRE(sound);
  REQUIRE(module.check_store().empty());
}

inline std::vector<Tensor> results_of(Module& module, std::string_view name, const std::vector<Tensor>& inputs,
                                      const ModuleData& data = {}) {
  auto outputs = interpret(module, name, inputs, data);
  INFO(print(module));
  INFO((outputs ? "" : outputs.error().message()));
  REQUIRE(outputs.ok());
  return std::move(outputs->results);
}

// What the functions of a module are called, in order.
inline std::string symbols(const Module& module) {
  std::string out;
  for (const FuncRef& f : functions(module)) out += std::string(f.name()) + " ";
  return out;
}

}  // namespace mlgc::test
