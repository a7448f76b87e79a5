// See c99_leaves.h.
#include "c99_leaves.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "c99_prelude.h"
#include "codegen/cpp/unit.h"
#include "diag/kinds_codegen.h"
#include "support/result.h"

namespace mlgc::c99 {
namespace {

using Text = std::string;
using View = std::string_view;

// Numbers in range, as text that reads as the same number.
Text digits(double value, bool wide) {
  std::array<char, 40> buffer;
  const auto end = wide ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value)
                        : std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value));
  Text text(buffer.data(), end.ptr);
  if (text.find_first_of(".e") == Text::npos) text += ".0";
  return text;
}

// A row's spelling with operands in their places; helpers of the prelude that integers and floats share get the name of
// those for floats.
Text filled(View spelling, bool wide, View a, View b, bool real) {
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
      out += spelling[at++];
    }
  }
  return out;
}

// The prelude has each helper that the text calls.
bool is_defined(View text) {
  for (std::size_t at = text.find("mlgc_"); at != View::npos; at = text.find("mlgc_", at + 1)) {
    const Text head = " " + Text(text.substr(at, text.find('(', at) + 1 - at));
    bool found = false;
    for (const View file : prelude()) found = found || file.find(head) != View::npos;
    if (!found) return false;
  }
  return true;
}

Text call_of(View function, View a, View b) { return Text(function) + "(" + Text(a) + ", " + Text(b) + ")"; }
Text cast(View type, View value) { return "((" + Text(type) + ")(" + Text(value) + "))"; }

}  // namespace

Text C99Leaves::none() { throw diagnose<kCannotEmit>({}, "lanes, which plain C99 does not have"); }

std::vector<Text> C99Leaves::begin_driver() const {
  return {"mlgc_failure* const failure = call->failure;", "(void)failure;"};
}
Text C99Leaves::call_or_return(View function, View arguments) const {
  return "{ const int32_t failed = " + Text(function) + "(" + Text(arguments) + "); if (failed != 0) return failed; }";
}

View C99Leaves::element_type(Dtype dtype) const {
  if (dtype == Dtype::F16 || dtype == Dtype::BF16)
    throw diagnose<kCannotEmit>({}, "16-bit floats, which plain C99 does not have");
  constexpr std::array<View, kRealDtypeCount> kTypes{"bool",    "int8_t",   "uint8_t",  "int16_t", "int32_t",
                                                     "int64_t", "uint16_t", "uint16_t", "float",   "double"};
  return kTypes[static_cast<std::size_t>(dtype)];
}
Text C99Leaves::variable_type(Dtype dtype, int lanes) const {
  if (lanes != 1) none();
  return Text(element_type(dtype));
}

Text C99Leaves::pointer_from_untyped(View type, View pointer) const { return cast(type, pointer); }
Text C99Leaves::pointer_from_bytes(View type, View pointer) const { return cast(type, untyped(pointer)); }
Text C99Leaves::untyped(View pointer) const { return cast("void*", pointer); }

Text C99Leaves::real_literal(Dtype dtype, double value) const {
  const bool wide = dtype == Dtype::F64;
  if (!wide) value = static_cast<float>(value);
  const Text suffix = wide ? "" : "f";
  if (std::isnan(value)) return "(0.0" + suffix + " / 0.0" + suffix + ")";
  if (std::isinf(value)) return (value < 0 ? "(-1.0" : "(1.0") + suffix + " / 0.0" + suffix + ")";
  const Text text = digits(value, wide) + suffix;
  return std::signbit(value) ? "(" + text + ")" : text;
}

Text C99Leaves::integer_literal(Dtype dtype, std::int64_t value) const {
  if (dtype == Dtype::I1) return value != 0 ? "true" : "false";
  const Text number =
      value == INT64_MIN ? "(-INT64_C(9223372036854775807) - 1)" : "INT64_C(" + std::to_string(value) + ")";
  return dtype == Dtype::I64 ? number : cast(element_type(dtype), number);
}

Text C99Leaves::call(ScalarFn fn, Dtype operand, Dtype result, int lanes, View a, View b) const {
  if (lanes != 1) none();
  const ScalarFnInfo& row = scalar_fn_info(fn);
  const bool real = is_float(operand), wide = operand == Dtype::F64;
  const View spelling = operand == Dtype::I1 && fn == ScalarFn::BitNot ? View("!{0}")
                        : real                                         ? row.c_real
                                                                       : row.c_integer;
  const Text text = filled(spelling, wide, a, b, real);
  if (spelling.empty() || !is_defined(text))
    throw diagnose<kCannotEmit>({}, "the scalar function `" + Text(row.name) + "`, which this prelude does not have");
  return cast(element_type(result), text);
}

Text C99Leaves::fma(int lanes, View a, View b, View c) const {
  if (lanes != 1) none();
  return "fmaf(" + Text(a) + ", " + Text(b) + ", " + Text(c) + ")";
}
Text C99Leaves::bits(View) const { throw diagnose<kCannotEmit>({}, "the bits of a float"); }
Text C99Leaves::choose(int lanes, View condition, View a, View b) const {
  if (lanes != 1) none();
  return "(" + Text(condition) + " ? " + Text(a) + " : " + Text(b) + ")";
}

Text C99Leaves::convert(Dtype from, Dtype to, int lanes, View a) const {
  if (lanes != 1) none();
  if (from == to) return Text(a);
  if (to == Dtype::I1) return "(" + Text(a) + " != 0)";
  if (is_float(from) && !is_float(to)) {
    const bool long_one = to == Dtype::I64 || to == Dtype::UI8;
    return cast(element_type(to), Text(long_one ? "mlgc_to_int64(" : "mlgc_to_int32(") + Text(a) + ")");
  }
  // As the interpreter does: by way of f64.
  if (from == Dtype::I64 && to == Dtype::F32) return cast("float", cast("double", a));
  return cast(element_type(to), a);
}

Text C99Leaves::store(Dtype, View place, View value) const { return Text(place) + " = " + Text(value) + ";"; }

Text C99Leaves::floor_div(int, View a, View b) const { return call_of("mlgc_floor_div", a, b); }
Text C99Leaves::floor_mod(int, View a, View b) const { return call_of("mlgc_mod", a, b); }
Text C99Leaves::minimum(int, View a, View b) const { return call_of("mlgc_least", a, b); }
Text C99Leaves::maximum(int, View a, View b) const { return call_of("mlgc_most", a, b); }

Text C99Leaves::fail(View message, const std::vector<Text>& values) const {
  Text out = "{ failure->message = " + codegen::c_string(message) +
             "; failure->count = " + std::to_string(values.size()) + ";";
  for (std::size_t i = 0; i < values.size(); ++i)
    out += " failure->values[" + std::to_string(i) + "] = " + values[i] + ";";
  return out + " return 1; }";
}

Text C99Leaves::loop_head(View index, View from, View to, int step) const {
  const Text i(index);
  return "for (int64_t " + i + " = " + Text(from) + "; " + i + " < " + Text(to) + "; " + i +
         " += " + std::to_string(step) + ")";
}

bool C99Leaves::is_reserved(View name) const {
  static constexpr View kWords[] = {
      "auto",   "bool",     "break",  "call",   "case",    "char",    "const",    "continue", "default", "do",
      "double", "else",     "enum",   "extern", "failed",  "failure", "false",    "float",    "for",     "goto",
      "if",     "inline",   "int",    "long",   "main",    "memory",  "register", "restrict", "return",  "scratch",
      "short",  "signed",   "sizeof", "static", "struct",  "switch",  "true",     "typedef",  "union",   "unsigned",
      "void",   "volatile", "while",  "int8_t", "uint8_t", "int16_t", "int32_t",  "int64_t",  "uint16_t"};
  return name.starts_with("mlgc_") || std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

}  // namespace mlgc::c99
