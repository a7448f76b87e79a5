// See c99_hooks.h.
#include "c99_hooks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "c99_prelude.h"
#include "c99_scalar_functions.h"
#include "codegen/cpp/unit.h"
#include "diag/kinds_codegen.h"
#include "support/result.h"

namespace mlgc::c99 {
namespace {

using Text = codegen::SourceText;
using View = std::string_view;

// Numbers in range, as text that reads as the same number.
std::string digits(double value, bool wide) {
  std::array<char, 40> buffer;
  const auto end = wide ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value)
                        : std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value));
  std::string text(buffer.data(), end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// A row's spelling with operands in their places; helpers of the prelude that integers and floats share get the name of
// those for floats.
Text filled(View spelling, bool wide, const Text& a, const Text& b, bool real) {
  Text out;
  for (std::size_t at = 0; at < spelling.size();) {
    const View rest = spelling.substr(at);
    if (rest.starts_with("{0}") || rest.starts_with("{1}")) {
      out += rest[1] == '0' ? a : b;
      at += 3;
    } else if (rest.starts_with("{f}")) {
      out += wide ? "" : "f";
      at += 3;
    } else if (real && rest.starts_with("mlgc_")) {
      out += "mlgc_real_";
      at += 5;
    } else {
      out += Text(spelling.substr(at++, 1));
    }
  }
  return out;
}

// The prelude has each helper that a spelling calls.
bool is_defined(View spelling, bool real) {
  for (std::size_t at = spelling.find("mlgc_"); at != View::npos; at = spelling.find("mlgc_", at + 1)) {
    const View name = spelling.substr(at + 5, spelling.find('(', at) + 1 - (at + 5));
    const std::string head = (real ? " mlgc_real_" : " mlgc_") + std::string(name);
    bool found = false;
    for (const View file : prelude()) found = found || file.find(head) != View::npos;
    if (!found) return false;
  }
  return true;
}

Text call_of(View function, const Text& a, const Text& b) { return Text(function) + "(" + a + ", " + b + ")"; }
Text cast(View type, const Text& value) { return "((" + Text(type) + ")(" + value + "))"; }

}  // namespace

Text C99Hooks::none() { throw diagnose<kCannotEmit>({}, "lanes, which plain C99 does not have"); }

std::vector<Text> C99Hooks::begin_host_function() const {
  return {"mlgc_failure* const failure = call->failure;", "(void)" + Text::failure() + ";"};
}
Text C99Hooks::call_or_return(View function, const Text& arguments) const {
  return ("{ const int32_t failed = " + Text(function) + "(" + arguments + "); if (failed != 0) return failed; }")
      .returning();
}

View C99Hooks::element_type(Dtype dtype) const {
  if (dtype == Dtype::F16 || dtype == Dtype::BF16)
    throw diagnose<kCannotEmit>({}, "16-bit floats, which plain C99 does not have");
  constexpr std::array<View, kRealDtypeCount> kTypes{"bool",    "int8_t",   "uint8_t",  "int16_t", "int32_t",
                                                     "int64_t", "uint16_t", "uint16_t", "float",   "double"};
  return kTypes[static_cast<std::size_t>(dtype)];
}
std::string C99Hooks::variable_type(Dtype dtype, int lanes) const {
  if (lanes != 1) none();
  return std::string(element_type(dtype));
}

Text C99Hooks::pointer_from_untyped(View type, const Text& pointer) const { return cast(type, pointer); }
Text C99Hooks::pointer_from_bytes(View type, const Text& pointer) const { return cast(type, untyped(pointer)); }
Text C99Hooks::untyped(const Text& pointer) const { return cast("void*", pointer); }

Text C99Hooks::real_literal(Dtype dtype, double value) const {
  const bool wide = dtype == Dtype::F64;
  if (!wide) value = static_cast<float>(value);
  const std::string suffix = wide ? "" : "f";
  if (std::isnan(value)) return "(0.0" + suffix + " / 0.0" + suffix + ")";
  if (std::isinf(value)) return (value < 0 ? "(-1.0" : "(1.0") + suffix + " / 0.0" + suffix + ")";
  const Text text = digits(value, wide) + suffix;
  return std::signbit(value) ? text.bracketed() : text;
}

Text C99Hooks::integer_literal(Dtype dtype, std::int64_t value) const {
  if (dtype == Dtype::I1) return value != 0 ? "true" : "false";
  const Text number =
      value == INT64_MIN ? "(-INT64_C(9223372036854775807) - 1)" : "INT64_C(" + std::to_string(value) + ")";
  return dtype == Dtype::I64 ? number : cast(element_type(dtype), number);
}

Text C99Hooks::call(ScalarFn fn, Dtype operand, Dtype result, int lanes, const Text& a, const Text& b) const {
  if (lanes != 1) none();
  const ScalarSpelling row = spelling_of(fn);
  const bool real = is_float(operand), wide = operand == Dtype::F64;
  const View spelling = operand == Dtype::I1 && fn == ScalarFn::BitNot ? View("!{0}") : real ? row.real : row.integer;
  if (spelling.empty() || !is_defined(spelling, real))
    throw diagnose<kCannotEmit>(
        {}, "the scalar function `" + std::string(row.name) + "`, which this prelude does not have");
  return cast(element_type(result), filled(spelling, wide, a, b, real));
}

Text C99Hooks::fma(int lanes, const Text& a, const Text& b, const Text& c) const {
  if (lanes != 1) none();
  return "fmaf(" + a + ", " + b + ", " + c + ")";
}
Text C99Hooks::bits(const Text&) const { throw diagnose<kCannotEmit>({}, "the bits of a float"); }
Text C99Hooks::choose(int lanes, const Text& condition, const Text& a, const Text& b) const {
  if (lanes != 1) none();
  return "(" + condition + " ? " + a + " : " + b + ")";
}

Text C99Hooks::convert(Dtype from, Dtype to, int lanes, const Text& a) const {
  if (lanes != 1) none();
  if (from == to) return a;
  if (to == Dtype::I1) return "(" + a + " != 0)";
  if (is_float(from) && !is_float(to)) {
    const bool long_one = to == Dtype::I64 || to == Dtype::UI8;
    return cast(element_type(to), Text(long_one ? "mlgc_to_int64(" : "mlgc_to_int32(") + a + ")");
  }
  // As the interpreter does: by way of f64.
  if (from == Dtype::I64 && to == Dtype::F32) return cast("float", cast("double", a));
  return cast(element_type(to), a);
}

Text C99Hooks::store(Dtype, const Text& place, const Text& value) const { return place + " = " + value + ";"; }

Text C99Hooks::floor_div(int, const Text& a, const Text& b) const { return call_of("mlgc_floor_div", a, b); }
Text C99Hooks::floor_mod(int, const Text& a, const Text& b) const { return call_of("mlgc_mod", a, b); }
Text C99Hooks::minimum(int, const Text& a, const Text& b) const { return call_of("mlgc_least", a, b); }
Text C99Hooks::maximum(int, const Text& a, const Text& b) const { return call_of("mlgc_most", a, b); }

Text C99Hooks::fail(View message, const std::vector<Text>& values) const {
  const Text failure = Text::failure();
  Text out = "{ " + failure + "->message = " + codegen::c_string(message) + "; " + failure +
             "->count = " + std::to_string(values.size()) + ";";
  for (std::size_t i = 0; i < values.size(); ++i)
    out += " " + failure + "->values[" + std::to_string(i) + "] = " + values[i] + ";";
  return (out + " return 1; }").returning();
}

Text C99Hooks::loop_head(const Text& index, const Text& from, const Text& to, int step) const {
  return "for (int64_t " + index + " = " + from + "; " + index + " < " + to + "; " + index +
         " += " + std::to_string(step) + ")";
}

bool C99Hooks::is_reserved(View name) const {
  static constexpr View kWords[] = {
      "auto",   "bool",     "break",  "call",   "case",    "char",    "const",    "continue", "default", "do",
      "double", "else",     "enum",   "extern", "failed",  "failure", "false",    "float",    "for",     "goto",
      "if",     "inline",   "int",    "long",   "main",    "memory",  "register", "restrict", "return",  "scratch",
      "short",  "signed",   "sizeof", "static", "struct",  "switch",  "true",     "typedef",  "union",   "unsigned",
      "void",   "volatile", "while",  "int8_t", "uint8_t", "int16_t", "int32_t",  "int64_t",  "uint16_t"};
  return name.starts_with("mlgc_") || std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

}  // namespace mlgc::c99
