// The scalar functions of the formula language. One table row holds everything about a function: its name, how its
// result is typed, its value, its partial derivatives and its text in C. The evaluator, the gradient and the code
// generators read the row; no other place may switch on a function to say what it means.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mlgc {

enum class ScalarFn : std::uint8_t {
  Neg,
  Abs,
  Sign,
  Floor,
  Ceil,
  Trunc,
  Round,
  Exp,
  Expm1,
  Log,
  Log1p,
  Log2,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Sigmoid,
  Erf,
  Erfc,
  Erfinv,
  Lgamma,
  Digamma,
  IsNan,
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Fmod,
  Pow,
  Atan2,
  Polygamma,
  Min,
  Max,
  Lt,
  Le,
  Eq,
  Ne,
  And,
  Or,
  Not,
  BitAnd,
  BitOr,
  BitXor,
  BitNot,
  ShiftLeft,
  ShiftRight,
  Gcd,
  Lcm,
  Philox,
};
inline constexpr std::size_t kScalarFnCount = static_cast<std::size_t>(ScalarFn::Philox) + 1;

enum class ResultRule : std::uint8_t {
  Same,        // the operands' common dtype; bool is refused
  SameOrBool,  // likewise, and bool is fine
  FloatOf,     // floats stay; integers and bool become f32
  Bool,        // i1 from operands of one dtype
  Logical,     // i1 from i1
  Bits,        // integers and i1 only
};

// A row. Values are computed in double or in wrapping 64-bit integers; the caller rounds to the dtype.
// Partials are formula text over the arguments `a`, `b` and the result `y`; an empty text means the gradient is zero.
struct ScalarFnInfo {
  std::string_view name;  // in formulas: a word, or the operator
  std::uint8_t arity;
  ResultRule rule;
  double (*real)(double, double);                       // null: not defined on floats
  std::int64_t (*integer)(std::int64_t, std::int64_t);  // null: not defined on integers
  std::array<std::string_view, 2> partials;
  int cost = 1;  // about how many sums take as long
};

[[nodiscard]] const ScalarFnInfo& scalar_fn_info(ScalarFn fn);
// By name; operators (`+`, `<=`) are found by their sign. `-` with one operand is Neg.
[[nodiscard]] std::optional<ScalarFn> find_scalar_fn(std::string_view name, std::size_t arity);

}  // namespace mlgc
