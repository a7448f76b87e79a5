// A small op table and helpers for the tests of lib/text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diag/expected.h"
#include "diag/render.h"
#include "ir/function.h"
#include "ir/module.h"
#include "ir/structural_hash.h"
#include "support_catch.h"
#include "text/parser.h"
#include "text/printer.h"

namespace mlgc::test {

using AttributeKind::Array;
using AttributeKind::Bool;
using AttributeKind::BoolList;
using AttributeKind::FloatList;
using AttributeKind::Int;
using AttributeKind::IntList;
using AttributeKind::String;
using AttributeKind::StringList;
using AttributeKind::Subscripts;
using AttributeKind::Symbol;

inline constexpr OpDef kModule{.name = "module",
                               .graph_op = GraphOp::Module,
                               .summary = "for tests",
                               .attrs = {{"sym_name", String}, {"weights", String}},
                               .result_count = 0,
                               .regions = {{"body"}},
                               .traits = Traits::IsolatedRegion};
inline constexpr OpDef kFunc{
    .name = "func",
    .graph_op = GraphOp::Func,
    .summary = "for tests",
    .attrs = {{"sym_name", String}, {"where", Array}, {"updates", Array}, {"gradient", Symbol}, {"inline", Bool}},
    .result_count = 0,
    .regions = {{"body", "return"}},
    .traits = Traits::Symbol | Traits::IsolatedRegion | Traits::TopLevelOnly};
inline constexpr OpDef kWeight{.name = "weight",
                               .graph_op = GraphOp::Weight,
                               .summary = "for tests",
                               .attrs = {{"sym_name", String}, {"type", AttributeKind::Type}, {"key", String}},
                               .result_count = 0,
                               .regions = {{"value", "yield", true}},
                               .traits = Traits::Symbol | Traits::IsolatedRegion | Traits::TopLevelOnly};
inline constexpr OpDef kState{.name = "state",
                              .graph_op = GraphOp::State,
                              .summary = "for tests",
                              .attrs = {{"sym_name", String}, {"type", AttributeKind::Type}},
                              .result_count = 0,
                              .traits = Traits::Symbol | Traits::TopLevelOnly};
inline constexpr OpDef kReturn{.name = "return",
                               .graph_op = GraphOp::Return,
                               .summary = "for tests",
                               .operands = {{"values", ElementClass::Value, true}},
                               .result_count = 0,
                               .traits = Traits::Terminator};
inline constexpr OpDef kYield{.name = "yield",
                              .graph_op = GraphOp::Yield,
                              .summary = "for tests",
                              .operands = {{"values", ElementClass::Value, true}},
                              .result_count = 0,
                              .traits = Traits::Terminator};
inline constexpr OpDef kCondition{.name = "condition",
                                  .graph_op = GraphOp::Condition,
                                  .summary = "for tests",
                                  .operands = {{"again"}, {"values", ElementClass::Value, true}},
                                  .result_count = 0,
                                  .traits = Traits::Terminator};
inline constexpr OpDef kRead{
    .name = "read", .graph_op = GraphOp::Read, .summary = "for tests", .attrs = {{"symbol", Symbol}}};
inline constexpr OpDef kCall{.name = "call",
                             .graph_op = GraphOp::Call,
                             .summary = "for tests",
                             .operands = {{"values", ElementClass::Value, true}},
                             .attrs = {{"callee", Symbol}},
                             .result_count = kVariadicResults};
inline constexpr OpDef kConstant{.name = "constant",
                                 .graph_op = GraphOp::Constant,
                                 .summary = "for tests",
                                 .attrs = {{"value", AttributeKind::Tensor}}};
inline constexpr OpDef kRelu{.name = "relu", .summary = "for tests", .operands = {{"x"}}};
inline constexpr OpDef kLeakyRelu{
    .name = "leaky_relu", .summary = "for tests", .operands = {{"x"}}, .attrs = {{"slope", AttributeKind::Float}}};
inline constexpr OpDef kAdd{
    .name = "add", .graph_op = GraphOp::Add, .summary = "for tests", .operands = {{"a"}, {"b"}}};
inline constexpr OpDef kMatmul{.name = "matmul", .summary = "for tests", .operands = {{"a"}, {"b"}}};
inline constexpr OpDef kLinear{
    .name = "linear", .summary = "for tests", .operands = {{"x"}, {"w"}, {"b", ElementClass::Any, false, true}}};
inline constexpr OpDef kTopk{.name = "topk",
                             .graph_op = GraphOp::Topk,
                             .summary = "for tests",
                             .operands = {{"x"}},
                             .attrs = {{"k", Int}},
                             .result_count = 2};
inline constexpr OpDef kNonzero{.name = "nonzero",
                                .graph_op = GraphOp::Nonzero,
                                .summary = "for tests",
                                .operands = {{"x"}},
                                .attrs = {{"where", Array}}};
inline constexpr OpDef kDim{
    .name = "dim", .graph_op = GraphOp::Dim, .summary = "for tests", .attrs = {{"value", Int, "", true}}};
inline constexpr OpDef kSlice{.name = "slice",
                              .summary = "for tests",
                              .operands = {{"x"}},
                              .attrs = {{"start", Int}, {"end", Int}, {"axis", Int}}};
inline constexpr OpDef kMisc{.name = "misc",
                             .summary = "for tests",
                             .operands = {{"x", ElementClass::Any, true}},
                             .attrs = {{"i", Int},
                                       {"is", IntList},
                                       {"f", AttributeKind::Float},
                                       {"fs", FloatList},
                                       {"b", Bool},
                                       {"bs", BoolList},
                                       {"s", String},
                                       {"ss", StringList},
                                       {"t", AttributeKind::Type},
                                       {"d", AttributeKind::Dtype},
                                       {"sub", Array},
                                       {"any", AttributeKind::Tensor}},
                             .result_count = kVariadicResults};
inline constexpr OpDef kIf{.name = "if",
                           .graph_op = GraphOp::If,
                           .summary = "for tests",
                           .operands = {{"condition"}},
                           .attrs = {{"likely", Bool}},
                           .result_count = kVariadicResults,
                           .regions = {{"then", "yield"}, {"else", "yield", true}},
                           .traits = Traits::CapturesRegion};
inline constexpr OpDef kWhile{.name = "while",
                              .graph_op = GraphOp::While,
                              .summary = "for tests",
                              .operands = {{"carries", ElementClass::Value, true}},
                              .attrs = {{"max_trips", Int}},
                              .result_count = kVariadicResults,
                              .regions = {{"before", "condition"}, {"do", "yield"}},
                              .traits = Traits::CapturesRegion | Traits::Loop};
inline constexpr OpDef kFor{.name = "for",
                            .graph_op = GraphOp::For,
                            .summary = "for tests",
                            .operands = {{"count"}, {"carries", ElementClass::Value, true}},
                            .attrs = {{"kind", String}},
                            .result_count = kVariadicResults,
                            .regions = {{"body", "yield"}},
                            .traits = Traits::CapturesRegion | Traits::Loop};
inline constexpr OpDef kScan{.name = "scan",
                             .graph_op = GraphOp::Scan,
                             .summary = "for tests",
                             .operands = {{"values", ElementClass::Value, true}},
                             .result_count = kVariadicResults,
                             .regions = {{"body", "yield"}},
                             .traits = Traits::CapturesRegion | Traits::Loop};
inline constexpr OpDef kFusion{.name = "fusion",
                               .graph_op = GraphOp::Fusion,
                               .summary = "for tests",
                               .operands = {{"inputs", ElementClass::Value, true}},
                               .attrs = {{"kind", String}, {"tile", IntList}},
                               .result_count = kVariadicResults,
                               .regions = {{"body", "yield"}},
                               .traits = Traits::IsolatedRegion};
inline constexpr OpDef kSegment{.name = "segment",
                                .graph_op = GraphOp::Segment,
                                .summary = "for tests",
                                .operands = {{"inputs", ElementClass::Value, true}},
                                .attrs = {{"target", String}},
                                .result_count = kVariadicResults,
                                .regions = {{"body", "yield"}},
                                .traits = Traits::IsolatedRegion};
inline constexpr OpDef kAlloc{.name = "alloc", .summary = "for tests"};
inline constexpr OpDef kLoad{.name = "load",
                             .summary = "for tests",
                             .operands = {{"from"}, {"indices", ElementClass::Index, true}},
                             .attrs = {{"at", Subscripts}}};
inline constexpr OpDef kStore{.name = "store",
                              .summary = "for tests",
                              .operands = {{"value"}, {"to"}, {"indices", ElementClass::Index, true}},
                              .attrs = {{"at", Subscripts}},
                              .result_count = 0};

inline constexpr const OpDef* kRows[] = {
    &kModule, &kFunc,      &kWeight, &kState,  &kReturn, &kYield,   &kCondition, &kRead, &kCall,  &kConstant,
    &kRelu,   &kLeakyRelu, &kAdd,    &kMatmul, &kLinear, &kTopk,    &kNonzero,   &kDim,  &kSlice, &kMisc,
    &kIf,     &kWhile,     &kFor,    &kScan,   &kFusion, &kSegment, &kAlloc,     &kLoad, &kStore};

// Types of the elementwise rows follow their first operand; that of `dim` is tensor<i64>.
inline Inferred infer(OpRef op, std::span<const Type>, std::vector<Type>& types, DiagnosticEngine&) {
  if (op.is(GraphOp::Dim)) {
    types = {op.module().context().types().tensor(Dtype::I64, std::initializer_list<std::int64_t>{})};
    return Inferred::Yes;
  }
  if (op.name() != "relu" && !op.is(GraphOp::Add) && op.name() != "leaky_relu") return Inferred::Unknown;
  types = {op.operand(0).type()};
  return Inferred::Yes;
}

struct Parsed {
  std::shared_ptr<Context> context = std::make_shared<Context>(kRows);
  DiagnosticEngine diagnostics;
  const SourceFile& file;
  std::optional<Module> module;

  explicit Parsed(std::string text, bool with_inference = true, std::size_t error_limit = 20)
      : diagnostics(context->locations(), error_limit),
        file(context->locations().add_source("t.mlir", std::move(text))) {
    ParseOptions options;
    if (with_inference) options.infer = infer;
    module = parse_module(context, file, diagnostics, options);
  }
  [[nodiscard]] std::string errors() const { return render_text(diagnostics, {.color = false, .source_lines = false}); }
};

inline const std::string kSample = R"(module @mlp weights "mlp.safetensors" {
  weight @fc0.weight : tensor<512x784xf32>
  weight @"odd name" : tensor<512xf32> attributes {key = "fc0.bias"}
  state @bn.running_mean : tensor<64xf32>
  weight @folded : tensor<512xf32> = {
    %0 = read @"odd name" : tensor<512xf32>
    %1 = relu %0 : tensor<512xf32>
    yield %1
  }
  func @forward(%x: tensor<[B]x784xf32>, %y: tensor<[2*B]x[(H + 1) floordiv 2]xf32>) -> tensor<[B]x512xf32> where 1 <= B <= 256, B mod 8 == 0 attributes {inline = true} {
    %w = read @fc0.weight : tensor<512x784xf32>
    %b = read @"odd name" : tensor<512xf32>
    %0 = linear %x, %w, %b : tensor<[B]x512xf32>
    %h = relu %0 : tensor<[B]x512xf32>
    return %h
  }
  func @control(%p: tensor<i1>, %a: tensor<f32>, %n: tensor<i64>) -> (tensor<f32>, tensor<f32>) {
    %r = if %p attributes {likely = true} {
      %0 = relu %a : tensor<f32>
      yield %0
    } else {
      yield %a
    } : tensor<f32>
    %s = while (%c = %r) attributes {max_trips = 64} {
      %t = relu %c : tensor<f32>
      condition %p, %t
    } do {
      %t = add %c, %c : tensor<f32>
      yield %t
    } : tensor<f32>
    %u = for %n (%i: index, %c = %s) {
      yield %c
    } : tensor<f32>
    %v = fusion (%fa = %a, %fb = %u) attributes {kind = "epilogue", tile = [8, 64]} {
      %0 = add %fa, %fb : tensor<f32>
      yield %0
    } : tensor<f32>
    return %u, %v
  }
  func @step(%x: tensor<4xf32>) -> tensor<f32> updates (@bn.running_mean = %new, %x = %x1) {
    %loss = misc %x : tensor<f32>
    %new = misc : tensor<64xf32>
    %x1 = relu %x : tensor<4xf32>
    return %loss, %new, %x1
  }
  func @data(%x: tensor<[S]x8xf32>) {
    %n = dim [8*S] : tensor<i64>
    %s = slice %x {axis = 0, end = [S - 1]} : tensor<[S - 1]x8xf32>
    %z = nonzero %x : tensor<[u0]x2xi64> where u0 <= 8*S
    %c = constant {value = dense<[[1.0, -0.5], [inf, 0.1]]> : tensor<2x2xf32>} : tensor<2x2xf32>
    %d = constant {value = dense<0.25> : tensor<[S]xf16>} : tensor<[S]xf16>
    %v, %k = topk %x {k = 3} : tensor<[S]x3xf32>, tensor<[S]x3xi64>
    misc %v, %k {b = true, bs = [], d = f32, f = nan, fs = [1.0, 2.5e-10], i = -3, is = [S - 1, 3], s = "a\"b\\c\0A", ss = ["x", "y"], t = tensor<[S]xf32>, user.note = [1.5, "x", @sym]}
    %e = call @other, %x, %n : tensor<f32>
    return
  }
  func @loops(%x: buffer<[B]x784xf32, argument>, %y: buffer<4x4xf32, arena, nhwc>, %n: index) {
    for %n (%i: index) attributes {kind = "parallel"} {
      for %n (%r: index) {
        %v = load %x, %i, %r[%r + 2*%i - 1, %r] : f32
        %w = load %x[%r + 2*%i, 0] : vector<16xf32>
        store %v, %y[%i, %r]
        yield
      }
      yield
    }
    return
  }
}
)";

}  // namespace mlgc::test
