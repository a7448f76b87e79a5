// Every kind of lib/text, with its place: the expectations stand in the texts.
#include "text_support.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

// Parses each part, and compares what is reported with the comments.
void check_errors(const std::string& text) {
  auto context = std::make_shared<Context>(kRows);
  const SourceFile& file = context->locations().add_source("t.mlir", text);
  std::vector<Diagnostic> got;
  for (const TextRange range : split_input(text)) {
    DiagnosticEngine diagnostics(context->locations(), 100);
    ParseOptions options;
    options.infer = infer;
    options.begin = range.begin;
    options.end = range.end;
    const auto module = parse_module(context, file, diagnostics, options);
    CHECK(module.has_value() == !diagnostics.has_errors());
    for (const Diagnostic& d : diagnostics.sorted()) got.push_back(d);
  }
  std::string problems;
  for (const Diagnostic& d : check_expected(file, got, context->locations()))
    problems += render_text(d, context->locations());
  INFO(problems);
  CHECK(problems.empty());
}

}  // namespace

TEST_CASE("values that are missing, early, cyclic or defined twice") {
  check_errors(R"(
func @f(%x: tensor<f32>, %weight: tensor<f32>) { // expected-note {{first defined here}}
  %a = relu %wieght  // expected-error {{undefined value `%wieght`}} expected-note {{did you mean `%weight`?}}
  %b = relu %c // expected-error {{value `%c` is used before its definition}}
  %c = relu %x // expected-note {{defined here}}
  %d = relu %d // expected-error {{no order of these ops defines every value before its use: `%d` uses `%d`}}
  %x = relu %c // expected-error {{value `%x` is defined twice}}
  %e = relu %a
  %t:2 = topk %x {k = 1} : tensor<f32>, tensor<i64>
  %u = relu %t#2 // expected-error {{`%t` has 2 results, so there is no result 2}}
  fusion (%g = %x) {
    %h = relu %x // expected-error {{undefined value `%x`}}
    yield
  }
  return
}
// -----
// expected-note@+1 {{first defined here}}
func @f(%x: tensor<f32>) {
  if %x { %y = relu %x  yield }
  misc %y // expected-error {{undefined value `%y`}}
  return
}
// expected-error@+1 {{symbol `@f` is defined twice}}
func @f() { return }
)");
}

TEST_CASE("ops, attributes, counts and types") {
  check_errors(R"(
func @f(%x: tensor<4xf32>, %b: tensor<[B]xf32>) {
  %a = rleu %x // expected-error {{unknown op `rleu`}} expected-note {{did you mean `relu`?}}
  %c = leaky_relu %x {slop = 0.5} // expected-error {{op `leaky_relu` has no attribute `slop`}} expected-note {{did you mean `slope`?}}
  %d = leaky_relu %x {zzzz = 0.5} // expected-error {{op `leaky_relu` has no attribute `zzzz`}} expected-note {{known names: slope}}
  %e = leaky_relu %x {slope = 0.5, slope = 1.0} // expected-error {{attribute `slope` is given twice}}
  %f = leaky_relu %x {slope} // expected-error {{attribute `slope` has no value}}
  %g = add %x // expected-error {{op `add` takes 2 operands, found 1}}
  %h = linear %x // expected-error {{op `linear` takes 2 to 3 operands, found 1}}
  %i, %j = relu %x // expected-error {{op `relu` has 1 results, 2 are named}}
  %k = relu %x : tensor<4xf32>, tensor<4xf32> // expected-error {{op `relu` has 1 results, 2 types are given}}
  %l = matmul %x, %x // expected-error {{the result type of `matmul` must be written}}
  %m = relu %b : tensor<[C]xf32> // expected-error {{the result of `relu` is tensor<[B]xf32>, the text says tensor<[C]xf32>}}
  %n = relu @x // expected-error {{op `relu` takes no symbol, found `@x`}}
  %o = relu %x[1] // expected-error {{op `relu` takes no subscripts}}
  %p = dim [1, 2] // expected-error {{op `dim` takes one expression between brackets, found 2}}
  %q:0 = relu %x // expected-error {{a pack of 0 results cannot be named}}
  %r = loc %x // expected-error {{`loc` is a reserved word and cannot name an op}}
  %s = misc {i = S} : f32 // expected-error {{`S` is not the value of an attribute}}
  %t = misc {i = #other.int<3>} : f32 // expected-error {{unknown attribute kind `#other.int`}}
  %u = misc {s = @""} : f32 // expected-error {{a symbol has an empty name}}
  %v = misc {s = "\q"} : f32 // expected-error {{unknown escape in a string}}
  %w = misc {i = 99999999999999999999} : f32 // expected-error {{`99999999999999999999` does not fit 64 bits}}
  %y = misc {f = 1.5 : i32} : f32 // expected-error {{`i32` does not fit a literal that is a float}}
  %z = func @x() { } // expected-error {{`func` has no results}}
  return
}
)");
}

TEST_CASE("tokens") {
  check_errors(R"(
func @f(%x: tensor<f32>) {
  %a = relu ; %x // expected-error {{unexpected character `;`}}
  %b = misc {s = "open} : f32 // expected-error {{this string does not end on its line}}
  %c = misc {i = 12ab} : f32 // expected-error {{`12ab` is not a number}}
  %0a = relu %x // expected-error {{`%0a` is not the name of a value}}
  %d = = relu %x // expected-error {{expected an op, found `=`}}
  %e relu %x // expected-error {{expected `=` after the results, found `relu`}}
  relu ü // expected-error {{unexpected character `ü`}}
  return
}
} // expected-error {{this `}` closes nothing}}
)");
  check_errors("// expected-error@+1 {{byte 255 at offset 79 is not part of a UTF-8 sequence}}\n\xFF");
  check_errors(std::string("// expected-error@+1 {{a NUL byte is at offset 59}}\nfunc @f\0", 60));
}

TEST_CASE("braces and items") {
  check_errors(R"(
func @f(%x: tensor<f32>) { // expected-note {{opened here}}
  if %x { yield }
// expected-error@+1 {{expected `}` before the end of the text}}
// -----
// expected-error@+4 {{`func` is inside of another item}}
func @f(%x: tensor<f32>) {
  if %x {
    %a = relu %x
func @g(%x: tensor<f32>) {
  %b = relu %y // expected-error {{undefined value `%y`}}
  return
}
// -----
module { func @f() { return } }
module { } // expected-error {{a text holds one module and nothing else}}
// -----
func @f() { return }
module { } // expected-error {{a text holds one module and nothing else}}
// -----
weight @w : tensor<f32>
state @s : tensor<f32> = { yield } // expected-error {{`state` has no region}}
)");
}

TEST_CASE("types and expressions") {
  check_errors(R"(
weight @a : tenso<4xf32> // expected-error {{unknown type `tenso`}}
weight @b : tensor<4xf31> // expected-error {{unknown element type `f31`}}
weight @c : tensor<-4xf32> // expected-error {{a dimension is -4}}
weight @d : tensor<[-4]xf32> // expected-error {{a dimension is -4}}
weight @e : tensor<?xf32> // expected-error {{a dimension is `?`}}
weight @f : tensor<9223372036854775808xf32> // expected-error {{`9223372036854775808` does not fit a dimension}}
weight @g : tensor<4f32> // expected-error {{expected `x` after a dimension, found `f32`}}
weight @h : tensor<?x4xf32, ["B"]> // expected-error {{1 names for 2 dimensions}}
weight @i : tensor<?x4xf32, ["B", "5"]> // expected-error {{the encoding says 5 for a dimension of 4}}
weight @j : buffer<4xf32, heap> // expected-error {{unknown scope `heap`}}
weight @k : memref<4xf32, {layout = "x"}> // expected-error {{this memref does not say its scope}}
weight @l : memref<4xf32, {space = "x"}> // expected-error {{unknown key `space`, expected one of dims, layout, scope}}
weight @m : tensor<[B floordiv 0]xf32> // expected-error {{division by 0}}
weight @n : tensor<[B*9223372036854775807*4]xf32> // expected-error {{a coefficient of this expression does not fit 64 bits, or its canonical form is too large}}
weight @o : tensor<[f32]xf32> // expected-error {{`f32` is a reserved word and cannot name a size}}
weight @p : tensor<[(A + B)*(C + D)*(E + F)*(G + H)*(I + J)*(K + L)*(M + N)*(O + P)*(Q + R)]xf32> // expected-error {{this expression has more terms than 256}}
weight @q : tensor<4xf32 // expected-error@+1 {{expected `>` after a tensor type, found `weight`}}
weight @r : tensor<99999999x99999999x99999999xf32>
func @f(%x: tensor<[B]xf32>) where B // expected-error@+1 {{expected a comparison (`==`, `!=`, `<`, `<=`, `>`, `>=`), found `{`}}
{ return }
)");
}

TEST_CASE("constants") {
  const auto constant = [](const std::string& value, const std::string& error) {
    check_errors("func @f() {\n  %a = constant {value = " + value + "} : tensor<f32> // expected-error {{" + error +
                 "}}\n  return\n}\n");
  };
  constant("dense<1> : f32", "the type of a constant is a tensor type");
  constant("dense<[1, 2]> : tensor<3xi8>", "2 elements where the type has 3 (-1: no constant)");
  constant("dense<[[1]]> : tensor<1xi8>", "the elements nest deeper than the shape");
  constant("dense<[1]> : tensor<[B]xi8>", "1 elements where the type has -1 (-1: no constant)");
  constant("dense<[1, 2]> : tensor<2x1xi8>", "the elements nest less deeply than the shape");
  constant("dense<\"0x0\"> : tensor<1xi8>", "the bytes of a constant are `0x` and pairs of hexadecimal digits");
  constant("dense<\"0x000000\"> : tensor<2xi8>", "3 elements where the type has 2 (-1: no constant)");
  constant("dense<300> : tensor<i8>", "`300` does not fit i8");
  constant("dense<-1> : tensor<ui8>", "`-1` does not fit ui8");
  constant("dense<1.5> : tensor<i8>", "`i8` does not fit a literal that is a float");
  constant("dense<> : tensor<2xi8>", "0 elements where the type has 2 (-1: no constant)");
}

TEST_CASE("signatures") {
  check_errors(R"(
state @s : tensor<f32>
func @a(%x: tensor<f32>) -> tensor<f32> { // expected-note {{the signature is here}}
  return // expected-error {{0 values are returned, the signature has 1 results and 0 updates}}
}
func @b(%x: tensor<f32>) -> tensor<i64> { // expected-note {{the signature is here}}
  return %x // expected-error {{returned value 0 is tensor<f32>, the signature says tensor<i64>}}
}
func @c(%x: tensor<f32>) updates (@s = %x, %x = %y) { // expected-error {{new state `%x` is not operand 0 of the return}}
  %y = relu %x
  return %y, %y
}
func @d(%x: tensor<f32>) updates (%z = %x) { // expected-error {{`%z` is not an argument of the function}}
  return %x
}
)");
}

TEST_CASE("the generic form") {
  check_errors(R"(
// expected-error@+1 [bad-generic-attribute] {{`mlgc.where` is not a list of strings}}
"func.func"() <{sym_name = "f", function_type = (tensor<f32>) -> ()}> ({
^bb0(%x: tensor<f32>):
  %a = "mlgc.relu"(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32> // expected-error {{1 operands with 2 types}}
  %b = "mlgc.relu"(%x) : (tensor<i64>) -> tensor<f32> // expected-error {{operand 0 is tensor<f32>, the text says tensor<i64>}}
  "mlgc.if"(%x) ({}, {}, {}) : (tensor<f32>) -> () // expected-error {{op `if` has 2 regions, found more}}
  "mlgc.if"(%x) ({
  ^bb0:
    "mlgc.yield"() : () -> ()
  ^bb1: // expected-error {{expected an op, found `^bb1`}}
  }) : (tensor<f32>) -> ()
  "mlgc.if"(%x)[^bb0] : (tensor<f32>) -> () // expected-error {{a region has one block}}
  "func.return"() : () -> ()
}) {mlgc.where = 3} : () -> ()
// -----
"func.func"() <{sym_name = "f", function_type = (tensor<f32>) -> (tensor<f32>)}> ({
^bb0(%x: tensor<f32>):
  %a = "mlgc.rleu"(%x) : (tensor<f32>) -> tensor<f32> // expected-error {{unknown op `rleu`}} expected-note {{did you mean `relu`?}}
  %b = "mlgc.relu"(%a) : (tensor<f32>) -> tensor<f32>
  "func.return"(%b) : (tensor<f32>) -> ()
}) : () -> ()
// -----
"builtin.module"() ({}) : () -> () // expected-error {{the region of an empty `builtin.module` has no block}}
// -----
"builtin.module"() : () -> () // expected-error {{the region of an empty `builtin.module` has no block}}
// -----
"builtin.module"() ({
^bb0:
}) : () -> ()
// -----
func.func @f(%x: tensor<f32>) -> tensor<f32> { // expected-error {{unknown op `func.func`}} expected-note {{did you mean `func`?}} expected-note {{ops of MLIR are read in the generic form: `mlir-opt --mlir-print-op-generic` writes it}}
  %a = arith.addf %x, %x : tensor<f32>
  return %a : tensor<f32>
}
func @g(%x: tensor<f32>) {
  %a = arith.addf %x, %x : tensor<f32> // expected-error {{unknown op `arith.addf`}} expected-note {{ops of MLIR are read in the generic form: `mlir-opt --mlir-print-op-generic` writes it}}
  %b = mlgc.relu %x // expected-error {{unknown op `mlgc.relu`}} expected-note {{did you mean `relu`?}} expected-note {{ops of MLIR are read in the generic form: `mlir-opt --mlir-print-op-generic` writes it}}
  return
}
// -----
// expected-error@+1 {{function_type is () -> (), the function is (tensor<f32>) -> ()}}
"func.func"() <{sym_name = "f", function_type = () -> ()}> ({
^bb0(%x: tensor<f32>):
  "func.return"() : () -> ()
}) : () -> ()
)");
}

TEST_CASE("attributes of MLIR and aliases") {
  check_errors(R"(
#twice = 1
#twice = 2 // expected-error {{alias `#twice` is defined twice}}
#self = [#self] // expected-error {{alias `#self` is defined by a text that contains it}}
func @f() {
  "mlgc.misc"() {a.b = 300 : i8} : () -> () // expected-error {{`300` does not fit i8}}
  "mlgc.misc"() {a.b = -1 : ui8} : () -> () // expected-error {{`-1` does not fit ui8}}
  "mlgc.misc"() {a.b = 1.0 : i8} : () -> () // expected-error {{`i8` does not fit a literal that is a float}}
  "mlgc.misc"() {a.b = affine_map<(d0) -> (d0 * d0)>} : () -> () // expected-error {{`*` makes this expression non-affine}}
  "mlgc.misc"() {a.b = #foo.bar<(]>} : () -> () // expected-error {{the brackets of this attribute do not balance}}
  "mlgc.misc"() {a.b = #bar} : () -> () // expected-error {{alias `#bar` is not defined}}
  return
}
)");
}

TEST_CASE("nesting has a limit everywhere") {
  const std::size_t deep = 100'000;
  const auto repeated = [&](const std::string& text) {
    std::string all;
    for (std::size_t i = 0; i < deep; ++i) all += text;
    return all;
  };
  for (const std::string& text :
       {"func @f(%x: tensor<f32>) { " + repeated("if %x { "), "func @f() { misc {sub = " + repeated("["),
        "weight @w : " + repeated("("), "weight @w : tensor<[" + repeated("("),
        "weight @w : tensor<[" + repeated("min("), "func @f() { } loc(" + repeated("\"a\"("),
        "\"builtin.module\"() ({ " + repeated("\"mlgc.fusion\"() ({ "),
        "func @f() { %0 = constant {value = dense<" + repeated("[") + repeated("]") + "> : tensor<1xf32>} : f32 }"}) {
    const Parsed parsed(text);
    CHECK_FALSE(parsed.module.has_value());
    CHECK(parsed.diagnostics.error_count() <= 4);
  }
  CHECK_THAT(Parsed("weight @w : tensor<[" + repeated("(")).errors(),
             Contains("t.mlir:1:1020: error: nesting is deeper than 1000 levels"));
}

TEST_CASE("the number of errors is limited") {
  std::string text = "func @f(%x: tensor<f32>) {\n";
  for (int i = 0; i < 1000; ++i) text += "  %a" + std::to_string(i) + " = rleu %x\n";
  const Parsed parsed(text + "}\n", true, 7);
  CHECK(parsed.diagnostics.sorted().size() == 7);
}

TEST_CASE("a text is cut at its marks") {
  const std::string text = "a\n// -----\nb\n// ------ x\n// -----  \nc";
  std::vector<std::string> parts;
  for (const TextRange r : split_input(text)) parts.push_back(text.substr(r.begin, r.end - r.begin));
  CHECK(parts == std::vector<std::string>{"a\n", "b\n// ------ x\n", "c"});
  CHECK(split_input("").size() == 1);
}
