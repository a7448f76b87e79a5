// How C99 spells scalar functions. See c99_scalar_functions.h.
#include "c99_scalar_functions.h"

#include <array>
#include <cctype>

namespace mlgc::c99 {
namespace {

// A function that is not here is refused.
constexpr std::array kSpellings{
    ScalarSpelling{"neg", "-{0}", "mlgc_neg({0})"},
    ScalarSpelling{"abs", "fabs{f}({0})", "mlgc_abs({0})"},
    ScalarSpelling{"sign", "(({0} > 0) - ({0} < 0))", "(({0} > 0) - ({0} < 0))"},
    ScalarSpelling{"floor", "floor{f}({0})", "{0}"},
    ScalarSpelling{"ceil", "ceil{f}({0})", "{0}"},
    ScalarSpelling{"trunc", "trunc{f}({0})", "{0}"},
    ScalarSpelling{"round", "nearbyint{f}({0})", "{0}"},
    ScalarSpelling{"exp", "exp{f}({0})", ""},
    ScalarSpelling{"expm1", "expm1{f}({0})", ""},
    ScalarSpelling{"log", "log{f}({0})", ""},
    ScalarSpelling{"log1p", "log1p{f}({0})", ""},
    ScalarSpelling{"log2", "log2{f}({0})", ""},
    ScalarSpelling{"sqrt", "sqrt{f}({0})", ""},
    ScalarSpelling{"rsqrt", "(1 / sqrt{f}({0}))", ""},
    ScalarSpelling{"sin", "sin{f}({0})", ""},
    ScalarSpelling{"cos", "cos{f}({0})", ""},
    ScalarSpelling{"tan", "tan{f}({0})", ""},
    ScalarSpelling{"asin", "asin{f}({0})", ""},
    ScalarSpelling{"acos", "acos{f}({0})", ""},
    ScalarSpelling{"atan", "atan{f}({0})", ""},
    ScalarSpelling{"sinh", "sinh{f}({0})", ""},
    ScalarSpelling{"cosh", "cosh{f}({0})", ""},
    ScalarSpelling{"tanh", "tanh{f}({0})", ""},
    ScalarSpelling{"asinh", "asinh{f}({0})", ""},
    ScalarSpelling{"acosh", "acosh{f}({0})", ""},
    ScalarSpelling{"atanh", "atanh{f}({0})", ""},
    ScalarSpelling{"sigmoid", "(1 / (1 + exp{f}(-({0}))))", ""},
    ScalarSpelling{"erf", "erf{f}({0})", ""},
    ScalarSpelling{"erfc", "erfc{f}({0})", ""},
    ScalarSpelling{"erfinv", "mlgc_erfinv_one({0})", ""},
    ScalarSpelling{"lgamma", "lgamma{f}({0})", ""},
    ScalarSpelling{"digamma", "mlgc_digamma_one({0})", ""},
    ScalarSpelling{"isnan", "({0} != {0})", "false"},
    ScalarSpelling{"+", "({0} + {1})", "mlgc_add({0}, {1})"},
    ScalarSpelling{"-", "({0} - {1})", "mlgc_sub({0}, {1})"},
    ScalarSpelling{"*", "({0} * {1})", "mlgc_mul({0}, {1})"},
    ScalarSpelling{"/", "({0} / {1})", ""},
    ScalarSpelling{"//", "mlgc_floor_div({0}, {1})", "mlgc_floor_div({0}, {1})"},
    ScalarSpelling{"%", "mlgc_mod({0}, {1})", "mlgc_mod({0}, {1})"},
    ScalarSpelling{"fmod", "fmod{f}({0}, {1})", "mlgc_rem({0}, {1})"},
    ScalarSpelling{"pow", "pow{f}({0}, {1})", "mlgc_pow({0}, {1})"},
    ScalarSpelling{"atan2", "atan2{f}({0}, {1})", ""},
    ScalarSpelling{"polygamma", "mlgc_polygamma_one({0}, {1})", ""},
    ScalarSpelling{"min", "({0} != {0} || {0} < {1} ? {0} : {1})", "({0} < {1} ? {0} : {1})"},
    ScalarSpelling{"max", "({0} != {0} || {0} > {1} ? {0} : {1})", "({0} > {1} ? {0} : {1})"},
    ScalarSpelling{"<", "({0} < {1})", "({0} < {1})"},
    ScalarSpelling{"<=", "({0} <= {1})", "({0} <= {1})"},
    ScalarSpelling{"==", "({0} == {1})", "({0} == {1})"},
    ScalarSpelling{"!=", "({0} != {1})", "({0} != {1})"},
    ScalarSpelling{"and", "", "({0} && {1})"},
    ScalarSpelling{"or", "", "({0} || {1})"},
    ScalarSpelling{"not", "", "!{0}"},
    ScalarSpelling{"bitand", "", "({0} & {1})"},
    ScalarSpelling{"bitor", "", "({0} | {1})"},
    ScalarSpelling{"bitxor", "", "({0} ^ {1})"},
    ScalarSpelling{"bitnot", "", "~{0}"},
    ScalarSpelling{"shl", "", "mlgc_shl({0}, {1})"},
    ScalarSpelling{"shr", "", "mlgc_shr({0}, {1})"},
    ScalarSpelling{"gcd", "", "mlgc_gcd({0}, {1})"},
    ScalarSpelling{"lcm", "", "mlgc_lcm({0}, {1})"},
    ScalarSpelling{"philox", "", "mlgc_philox({0}, {1})"},
};

}  // namespace

ScalarSpelling spelling_of(ScalarFn fn) {
  const std::string_view name = scalar_fn_info(fn).name;
  for (const ScalarSpelling& spelling : kSpellings)
    if (spelling.name == name) return spelling;
  return {name, "", ""};
}

// Functions of libm are those that are spelled with a suffix for f32.
bool calls_libm(std::string_view text) {
  for (const ScalarSpelling& spelling : kSpellings) {
    const std::size_t suffix = spelling.real.find("{f}(");
    if (suffix == std::string_view::npos) continue;
    std::size_t begin = suffix;
    while (begin > 0 && std::isalnum(static_cast<unsigned char>(spelling.real[begin - 1])) != 0) --begin;
    const std::string name(spelling.real.substr(begin, suffix - begin));
    if (text.find(name + "(") != std::string::npos || text.find(name + "f(") != std::string::npos) return true;
  }
  return text.find("fmaf(") != std::string::npos;
}

}  // namespace mlgc::c99
