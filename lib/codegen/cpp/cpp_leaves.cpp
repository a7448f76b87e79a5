// Spellings of scalar C++17.
#include "codegen/cpp/cpp_leaves.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace mlgc::codegen {
namespace {

bool is_half(Dtype dtype) { return dtype == Dtype::F16 || dtype == Dtype::BF16; }

std::string as(std::string_view type, std::string_view value) {
  return "static_cast<" + std::string(type) + ">(" + std::string(value) + ")";
}

std::string call_of(std::string_view function, std::string_view a, std::string_view b = {}) {
  std::string out = std::string(function) + "(" + std::string(a);
  if (!b.empty()) out += ", " + std::string(b);
  return out + ")";
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::string_view CppLeaves::element_type(Dtype dtype) const {
  constexpr std::array<std::string_view, kDtypeCount> kTypes{"bool",    "int8_t",   "uint8_t",  "int16_t", "int32_t",
                                                             "int64_t", "uint16_t", "uint16_t", "float",   "double"};
  return kTypes[static_cast<std::size_t>(dtype)];
}

std::string_view CppLeaves::variable_type(Dtype dtype) const { return is_half(dtype) ? "float" : element_type(dtype); }

std::string CppLeaves::real_literal(Dtype dtype, double value) const {
  const bool wide = dtype == Dtype::F64;
  if (!wide) value = static_cast<float>(value);
  const std::string limits = "std::numeric_limits<" + std::string(variable_type(dtype)) + ">::";
  if (std::isnan(value)) return limits + "quiet_NaN()";
  if (std::isinf(value)) return (value < 0 ? "-" : "") + limits + "infinity()";
  std::array<char, 40> buffer;
  const auto end = wide ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value)
                        : std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value));
  std::string text(buffer.data(), end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return wide ? text : text + "f";
}

std::string CppLeaves::integer_literal(Dtype dtype, std::int64_t value) const {
  if (dtype == Dtype::I1) return value != 0 ? "true" : "false";
  if (value == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
  return std::to_string(value);
}

std::string CppLeaves::call(ScalarFn fn, Dtype operand, Dtype result, std::string_view a, std::string_view b) const {
  const ScalarFnInfo& info = scalar_fn_info(fn);
  const bool real = is_float(operand);
  std::string text(real ? info.c_real : info.c_integer);
  const bool library = real && text.find("{f}") != std::string::npos;
  const bool logical = operand == Dtype::I1 && info.rule == ResultRule::Logical;
  const auto widened = [&](std::string_view v) {
    if (library && operand != Dtype::F64) return as("double", v);
    if (!real && !logical && operand != Dtype::I64) return as("int64_t", v);
    return std::string(v);
  };
  replace_all(text, "{f}", "");
  replace_all(text, "{0}", widened(a));
  if (!b.empty()) replace_all(text, "{1}", widened(b));
  if (result == Dtype::I1 && (info.rule == ResultRule::Bool || logical)) return text;
  if (result == Dtype::I1) return "(" + text + ") != 0";
  const bool exact = real ? result == Dtype::F64 : result == Dtype::I64;
  return exact ? text : as(variable_type(result), text);
}

std::string CppLeaves::convert(Dtype from, Dtype to, std::string_view a) const {
  const std::string type(variable_type(to));
  if (to == Dtype::I1) return std::string(a) + " != 0";
  if (is_half(to)) {
    const std::string narrow = from == Dtype::F32 || is_half(from) ? std::string(a)
                               : is_float(from)                    ? as("float", a)
                                                                   : as("float", as("double", a));
    return to == Dtype::F16 ? call_of("mlgc_from_half", call_of("mlgc_to_half", narrow))
                            : call_of("mlgc_from_bfloat", call_of("mlgc_to_bfloat", narrow));
  }
  if (is_float(from) && !is_float(to)) {
    const bool wide = to == Dtype::I64 || to == Dtype::UI8;
    return as(type, call_of(wide ? "mlgc_to_int64" : "mlgc_to_int32", a));
  }
  if (!is_float(from) && to == Dtype::F32) return as("float", as("double", a));
  return as(type, a);
}

std::string CppLeaves::load(Dtype dtype, std::string_view place) const {
  if (dtype == Dtype::F16) return call_of("mlgc_from_half", place);
  if (dtype == Dtype::BF16) return call_of("mlgc_from_bfloat", place);
  return std::string(place);
}

std::string CppLeaves::store(Dtype dtype, std::string_view place, std::string_view value) const {
  std::string stored(value);
  if (dtype == Dtype::F16) stored = call_of("mlgc_to_half", value);
  if (dtype == Dtype::BF16) stored = call_of("mlgc_to_bfloat", value);
  return std::string(place) + " = " + stored;
}

std::string CppLeaves::floor_div(std::string_view a, std::string_view b) const {
  return call_of("mlgc_floor_div", a, b);
}
std::string CppLeaves::floor_mod(std::string_view a, std::string_view b) const { return call_of("mlgc_mod", a, b); }
std::string CppLeaves::minimum(std::string_view a, std::string_view b) const {
  return call_of("std::min<int64_t>", a, b);
}
std::string CppLeaves::maximum(std::string_view a, std::string_view b) const {
  return call_of("std::max<int64_t>", a, b);
}

std::string CppLeaves::allocate(Dtype dtype, std::string_view name, std::string_view count,
                                std::string_view failure) const {
  const std::string type(element_type(dtype));
  return "const std::unique_ptr<" + type + "[]> " + std::string(name) + "(new (std::nothrow) " + type +
         "[static_cast<std::size_t>(" + std::string(count) + ")]); if (!" + std::string(name) + ") return " +
         std::string(failure) + ";";
}

std::string CppLeaves::loop_head(std::string_view, std::string_view index, std::string_view from,
                                 std::string_view to) const {
  const std::string i(index);
  return "for (int64_t " + i + " = " + std::string(from) + "; " + i + " < " + std::string(to) + "; ++" + i + ")";
}

bool CppLeaves::is_reserved(std::string_view name) const {
  static constexpr std::string_view kWords[] = {
      "alignas",  "alignof",   "and",       "and_eq",    "asm",      "auto",     "bitand",    "bitor",     "bool",
      "break",    "case",      "catch",     "char",      "class",    "compl",    "const",     "constexpr", "continue",
      "decltype", "default",   "delete",    "do",        "double",   "else",     "enum",      "explicit",  "export",
      "extern",   "false",     "float",     "for",       "friend",   "goto",     "if",        "inline",    "int",
      "long",     "mutable",   "namespace", "new",       "noexcept", "not",      "not_eq",    "nullptr",   "operator",
      "or",       "or_eq",     "private",   "protected", "public",   "register", "return",    "short",     "signed",
      "sizeof",   "static",    "struct",    "switch",    "template", "this",     "throw",     "true",      "try",
      "typedef",  "typeid",    "typename",  "union",     "unsigned", "using",    "virtual",   "void",      "volatile",
      "while",    "wchar_t",   "xor",       "xor_eq",    "std",      "main",     "concept",   "requires",  "exp",
      "expm1",    "log",       "log1p",     "log2",      "sqrt",     "sin",      "cos",       "tan",       "asin",
      "acos",     "atan",      "sinh",      "cosh",      "tanh",     "asinh",    "acosh",     "atanh",     "erf",
      "pow",      "atan2",     "fabs",      "floor",     "ceil",     "trunc",    "nearbyint", "fmod",      "linux",
      "unix",     "INT64_MIN", "NAN",       "INFINITY"};
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords) || name.substr(0, 5) == "mlgc_";
}

}  // namespace mlgc::codegen
