// How C99 spells scalar functions. See c99_scalar_functions.h.
#include "c99_scalar_functions.h"

#include <array>
#include <cctype>

namespace mlgc::c99 {
namespace {

// In the order of ScalarFn.
constexpr std::array<ScalarSpelling, kScalarFnCount> kSpellings{{
    {"neg", "-{0}", "mlgc_neg({0})"},
    {"abs", "fabs{f}({0})", "mlgc_abs({0})"},
    {"sign", "(({0} > 0) - ({0} < 0))", "(({0} > 0) - ({0} < 0))"},
    {"floor", "floor{f}({0})", "{0}"},
    {"ceil", "ceil{f}({0})", "{0}"},
    {"trunc", "trunc{f}({0})", "{0}"},
    {"round", "nearbyint{f}({0})", "{0}"},
    {"exp", "exp{f}({0})", ""},
    {"expm1", "expm1{f}({0})", ""},
    {"log", "log{f}({0})", ""},
    {"log1p", "log1p{f}({0})", ""},
    {"log2", "log2{f}({0})", ""},
    {"sqrt", "sqrt{f}({0})", ""},
    {"rsqrt", "(1 / sqrt{f}({0}))", ""},
    {"sin", "sin{f}({0})", ""},
    {"cos", "cos{f}({0})", ""},
    {"tan", "tan{f}({0})", ""},
    {"asin", "asin{f}({0})", ""},
    {"acos", "acos{f}({0})", ""},
    {"atan", "atan{f}({0})", ""},
    {"sinh", "sinh{f}({0})", ""},
    {"cosh", "cosh{f}({0})", ""},
    {"tanh", "tanh{f}({0})", ""},
    {"asinh", "asinh{f}({0})", ""},
    {"acosh", "acosh{f}({0})", ""},
    {"atanh", "atanh{f}({0})", ""},
    {"sigmoid", "(1 / (1 + exp{f}(-({0}))))", ""},
    {"erf", "erf{f}({0})", ""},
    {"erfc", "erfc{f}({0})", ""},
    {"erfinv", "mlgc_erfinv_one({0})", ""},
    {"lgamma", "lgamma{f}({0})", ""},
    {"digamma", "mlgc_digamma_one({0})", ""},
    {"isnan", "({0} != {0})", "false"},
    {"+", "({0} + {1})", "mlgc_add({0}, {1})"},
    {"-", "({0} - {1})", "mlgc_sub({0}, {1})"},
    {"*", "({0} * {1})", "mlgc_mul({0}, {1})"},
    {"/", "({0} / {1})", ""},
    {"//", "mlgc_floor_div({0}, {1})", "mlgc_floor_div({0}, {1})"},
    {"%", "mlgc_mod({0}, {1})", "mlgc_mod({0}, {1})"},
    {"fmod", "fmod{f}({0}, {1})", "mlgc_rem({0}, {1})"},
    {"pow", "pow{f}({0}, {1})", "mlgc_pow({0}, {1})"},
    {"atan2", "atan2{f}({0}, {1})", ""},
    {"polygamma", "mlgc_polygamma_one({0}, {1})", ""},
    {"min", "({0} != {0} || {0} < {1} ? {0} : {1})", "({0} < {1} ? {0} : {1})"},
    {"max", "({0} != {0} || {0} > {1} ? {0} : {1})", "({0} > {1} ? {0} : {1})"},
    {"<", "({0} < {1})", "({0} < {1})"},
    {"<=", "({0} <= {1})", "({0} <= {1})"},
    {"==", "({0} == {1})", "({0} == {1})"},
    {"!=", "({0} != {1})", "({0} != {1})"},
    {"and", "", "({0} && {1})"},
    {"or", "", "({0} || {1})"},
    {"not", "", "!{0}"},
    {"bitand", "", "({0} & {1})"},
    {"bitor", "", "({0} | {1})"},
    {"bitxor", "", "({0} ^ {1})"},
    {"bitnot", "", "~{0}"},
    {"shl", "", "mlgc_shl({0}, {1})"},
    {"shr", "", "mlgc_shr({0}, {1})"},
    {"gcd", "", "mlgc_gcd({0}, {1})"},
    {"lcm", "", "mlgc_lcm({0}, {1})"},
    {"philox", "", "mlgc_philox({0}, {1})"},
}};

}  // namespace

const ScalarSpelling& spelling_of(ScalarFn fn) { return kSpellings[static_cast<std::size_t>(fn)]; }

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
