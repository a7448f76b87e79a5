// The generic form is MLIR: the real tool accepts it, and what it prints reads back as the same program.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "text_support.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

std::string run(const std::string& command, int& status) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  status = pclose(pipe);
  return output;
}

// The forms of builtin attributes and types, each the value of an attribute whose name no row knows.
constexpr std::string_view kAccepted = R"x(5
-5
0x1F
5 : i64
5 : i8
255 : i8
-128 : i8
5 : si8
5 : ui8
255 : ui8
0xFF : i8
1 : i1
-1 : i1
0 : i1
5 : index
-5 : index
5 : i7
5 : i128
340282366920938463463374607431768211455 : i128
18446744073709551615
9223372036854775808
-9223372036854775808
18446744073709551615 : ui64
0x7FC00000 : f32
0x7C : f16
1.0
-1.0
1.
1.5e-3
1.0e400
1.0 : f32
1.1 : f32
1.0 : f16
1.0 : bf16
1.0 : f64
1.0 : f80
1.0 : f128
1.0 : tf32
1.0 : f8E4M3FN
1.0 : f8E5M2
true
false
"abc"
"abc" : i32
"abc" : tensor<f32>
"" : !foo.bar
unit
@a
@"a b"
@a::@b
@a::@"b c"::@d
[]
[1, 2]
[1 : i32, 2]
[1.0, 2.0]
[true]
["a", 1, @b]
[[1], [2]]
[unit]
{}
{a = 1}
{a, b = 2}
{"a-b" = 1}
{a = {b = 1}}
array<i64: 1, 2>
array<i64>
array<i32: 1, -2>
array<i32>
array<i8: 255>
array<i8: -1>
array<i16: 5>
array<i1: true, false>
array<f32: 1.0, 2.5>
array<f32: 0x7FC00000>
array<f64: 1.0>
array<f16: 1.0>
array<bf16: 1.0>
array<ui8: 1>
array<i128: 1>
dense<1> : tensor<4xi32>
dense<[1, 2]> : tensor<2xi64>
dense<1.0> : vector<4xf32>
dense<(1.0, 2.0)> : tensor<complex<f32>>
dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
dense<(1, 2)> : tensor<complex<i32>>
dense<"abc"> : tensor<!foo.s>
dense<["a", "b"]> : tensor<2x!foo.s>
dense<1> : tensor<2xindex>
dense<1> : tensor<2xi7>
dense<1> : tensor<2xui16>
dense<1> : tensor<2xi128>
dense<1.0> : tensor<2xf8E4M3FN>
dense<1.0> : tensor<2xf80>
dense<> : tensor<0xf32>
dense<> : tensor<0x4xf32>
dense<> : tensor<4x0xf32>
dense<[]> : tensor<0xf32>
dense<true> : tensor<2xi1>
dense<1> : tensor<2xi1>
dense<"0x0100000002000000"> : tensor<2xi32>
dense<"0x01"> : tensor<8xi1>
dense<0x7FC00000> : tensor<2xf32>
dense<1> : tensor<2xi32, "enc">
dense<1> : memref<2xi32>
dense_resource<key> : tensor<4xf32>
sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>
sparse<0, 1> : tensor<1xi32>
sparse<[0], [1.0]> : tensor<3xf32>
sparse<> : tensor<3xf32>
sparse<[[0, 0]], 1> : tensor<3x4xi32>
affine_map<(d0) -> (d0)>
affine_map<() -> ()>
affine_map<(d0, d1)[s0] -> (d0 + s0 * 2, d1 floordiv 3, d0 mod 4, d1 ceildiv 2, -d0, (d0 + d1) * 3)>
affine_map<(i, j) -> (j, i)>
affine_set<(d0) : (d0 >= 0, d0 - 5 == 0)>
affine_set<(d0)[s0] : (-d0 + s0 >= 0)>
affine_set<(d0) : (d0 <= 3)>
affine_set<(d0) : ()>
affine_set<(d0) : (1 == 0)>
strided<[1, 2]>
strided<[1, ?], offset: 3>
strided<[], offset: ?>
strided<[-1], offset: -3>
distinct[0]<5>
distinct[1]<>
distinct[0]<unit>
distinct[0]<@a>
loc("f":1:2)
loc(unknown)
loc("n")
loc("n"("f":1:2))
loc(fused["a", "b"])
loc(fused<"meta">["a"])
loc(callsite("a" at "b"))
loc(fused<{a = 1}>["a"])
f32
i7
si8
ui16
index
none
f80
f8E4M3FN
f8E5M2FNUZ
f8E4M3B11FNUZ
f8E4M3
f8E4M3FNUZ
tf32
i16777215
i0
si0
tensor<4xf32>
tensor<?xf32>
tensor<*xf32>
tensor<4xf32, "e">
tensor<4xf32, {a = 1}>
tensor<4x!foo.b>
tensor<4xvector<2xf32>>
tensor<4xcomplex<f32>>
tensor<4xindex>
vector<4xf32>
vector<[4]xf32>
vector<2x[4]xf32>
vector<f32>
vector<4xindex>
memref<4xf32>
memref<?x4xf32, strided<[4, 1], offset: ?>>
memref<4xf32, affine_map<(d0) -> (d0)>>
memref<4xf32, 1>
memref<4xf32, 1 : i32>
memref<4xf32, affine_map<(d0) -> (d0)>, 3>
memref<4xf32, strided<[1]>, "sp">
memref<*xf32>
memref<*xf32, 4>
memref<f32>
complex<f32>
complex<i32>
tuple<>
tuple<i32, f32>
tuple<tuple<i32>>
(i32) -> f32
(i32, f32) -> ()
() -> (i32, f32)
() -> (() -> ())
(tensor<4xf32>) -> tensor<4xf32>
!foo.bar
!foo.bar<i32, "x">
!foo<"bar">
!foo.bar<[1, {a}]>
#foo.bar
#foo.bar<1, 2>
#foo.bar<a -> b>
#foo.bar<"x>y">
#foo<"bar">
#foo.bar : i32
#foo<"bar"> : i32
#foo.bar<1> : i32
#mlgc.int<"S - 1">
#mlgc.subscripts<"%1 + 1">
- 5
dense<255> : tensor<2xi8>
loc(fused[])
"\41\n\t\"\\"
"é"
@"é"
affine_map<(d0) -> (d0 + 5 - 3)>
affine_map<(d0) -> (d0 floordiv 0)>
affine_map<(d0) -> (d0 mod -1)>
dense<1> : tensor<99999999999x99999999xi8>)x";

constexpr std::string_view kRefused = R"x(300 : i8
-129 : i8
200 : si8
-1 : ui8
256 : ui8
-0xFF : i8
2 : i1
18446744073709551616
-9223372036854775809
9223372036854775808 : index
18446744073709551615 : index
5 : f32
0xFFFFFFFFF : f32
1.0 : i32
.5
-0x7FC00000 : f32
true : i1
[1,]
{a = 1, a = 2}
array<i8: 300>
array<i7: 1>
array<f32: 1>
dense<1> : tensor<2x?xi32>
dense_resource<"k e y"> : tensor<4xf32>
sparse<[[0, 9]], [1]> : tensor<3x4xi32>
affine_map<(d0) -> (d0 * d0)>
affine_map<(d0) -> (d1)>
affine_map<(d0) -> d0>
affine_map<(d0) -> (symbol(s0))>
strided<[0]>
f8E3M4
f6E2M3FN
i16777216
tensor<4xtensor<f32>>
tensor<4x4>
vector<?xf32>
vector<0xf32>
vector<4x!foo.b>
memref<4xf32, #foo.sp>
complex<index>
complex<complex<f32>>
#foo.bar<a > b>
#foo.bar<(]>
#foo
opaque<"foo", "0x11"> : tensor<1xi8>
floordiv
abc
-@a
5 : tensor<2xi32>
5 : !foo.bar
+5
dense<[1, 2, 3]> : tensor<2xi64>
dense<[[1, 2], [3]]> : tensor<2x2xi64>
dense<[1.0, 2]> : tensor<2xf32>
dense<1.0> : tensor<2xi32>
dense<-1> : tensor<2xui8>
dense<300> : tensor<2xi8>
loc("f":1)
"\x"
affine_map<(d0)[d0] -> (d0)>
affine_map<(d0, d0) -> (d0)>)x";

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    all.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string with_attribute(const std::string& value) {
  return "\"func.func\"() <{function_type = () -> (), sym_name = \"f\"}> ({\n  \"func.return\"() {a.b = " + value +
         "} : () -> ()\n}) : () -> ()\n";
}

// Runs mlir-opt-19 over a text; nothing where it is not installed.
std::optional<std::string> mlir_opt(const std::string& text, const std::string& flags, int& status) {
  run("command -v mlir-opt-19", status);
  if (status != 0) {
    WARN("mlir-opt-19 is not installed: the generic form is not checked");
    return std::nullopt;
  }
  const char* folder = std::getenv("TMPDIR");
  const std::string path =
      std::string(folder != nullptr ? folder : "/tmp") + "/mlgc-attributes-" + std::to_string(getpid()) + ".mlir";
  std::ofstream(path) << text;
  std::string output =
      run("mlir-opt-19 --allow-unregistered-dialect --mlir-print-op-generic " + flags + " " + path + " 2>&1", status);
  std::remove(path.c_str());
  return output;
}

}  // namespace

TEST_CASE("attributes of MLIR keep what they say") {
  std::string before, after;
  for (const std::string& form : lines(kAccepted)) {
    INFO(form);
    const std::string text = with_attribute(form);
    const Parsed parsed(text, false);
    INFO(parsed.errors());
    REQUIRE(parsed.module.has_value());
    const std::string generic = print(*parsed.module, {TextForm::Generic});
    before += text + "// -----\n";
    after += generic + "// -----\n";
    // Through the pretty form, too.
    const Parsed again(print(*parsed.module), false);
    INFO(print(*parsed.module) << again.errors());
    REQUIRE(again.module.has_value());
    CHECK(print(*again.module, {TextForm::Generic}) == generic);
  }
  int status = 0;
  const auto wanted = mlir_opt(before, "--split-input-file", status);
  if (!wanted) return;
  REQUIRE(status == 0);
  const auto got = mlir_opt(after, "--split-input-file", status);
  CHECK(status == 0);
  CHECK(*got == *wanted);
}

TEST_CASE("what MLIR refuses as an attribute is refused") {
  std::string all;
  std::size_t count = 0;
  for (const std::string& form : lines(kRefused)) {
    INFO(form);
    CHECK_FALSE(Parsed(with_attribute(form), false).module.has_value());
    all += with_attribute(form) + "// -----\n";
    ++count;
  }
  int status = 0;
  const auto theirs = mlir_opt(all, "--split-input-file", status);
  if (!theirs) return;
  // Each line of that text that draws an error is a refused part's only line with an attribute.
  std::set<std::string> places;
  for (const std::string& line : lines(*theirs))
    if (const std::size_t at = line.find(": error: "); at != std::string::npos)
      places.insert(line.substr(0, line.find(':', line.find(".mlir:") + 6)));
  CHECK(places.size() == count);
}

TEST_CASE("numbers of an op's own attributes are read in the type they state") {
  const auto slope = [](const std::string& number) {
    return print(
        *Parsed("func @f(%x: tensor<4xf32>) {\n  %a = leaky_relu %x {slope = " + number + "}\n  return\n}\n").module);
  };
  CHECK_THAT(slope("1.1 : f32"), Contains("slope = 1.100000023841858}"));
  CHECK_THAT(slope("1.1 : f16"), Contains("slope = 1.099609375}"));
  CHECK_THAT(slope("0x7E00 : f16"), Contains("slope = nan}"));
  CHECK_THAT(slope("1 : i8"), Contains("slope = 1.0}"));
}

TEST_CASE("mlir-opt accepts the generic form and gives the same program back") {
  int status = 0;
  run("command -v mlir-opt-19", status);
  if (status != 0) {
    WARN("mlir-opt-19 is not installed: the generic form is not checked");
    return;
  }
  const char* folder = std::getenv("TMPDIR");
  const std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/mlgc-generic-form.mlir";
  const Parsed parsed(kSample);
  REQUIRE(parsed.module.has_value());
  for (const bool locations : {false, true}) {
    std::ofstream(path) << print(*parsed.module, {TextForm::Generic, locations});
    const std::string output =
        run("mlir-opt-19 --allow-unregistered-dialect --verify-roundtrip --mlir-print-op-generic " + path + " 2>&1",
            status);
    INFO(output);
    CHECK(status == 0);
    const Parsed again(output, false);
    INFO(again.errors());
    REQUIRE(again.module.has_value());
    CHECK(structural_hash(*again.module) == structural_hash(*parsed.module));
  }
  std::remove(path.c_str());
}
