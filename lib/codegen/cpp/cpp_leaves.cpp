// Spellings of C++ with vectors.
#include "codegen/cpp/cpp_leaves.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "codegen/cpp/unit.h"
#include "support/result.h"

namespace mlgc::codegen {
namespace {

// Lanes so far apart are put together by shuffles of the vectors between them; further apart ones are loaded singly.
bool is_shuffled(std::string_view apart) { return apart == "2" || apart == "3" || apart == "4"; }

using Text = std::string;

bool is_half(Dtype dtype) { return dtype == Dtype::F16 || dtype == Dtype::BF16; }
// Of values: those of 16-bit floats are f32.
Dtype held(Dtype dtype) { return is_half(dtype) ? Dtype::F32 : dtype; }

Text call_of(std::string_view function, std::string_view a) { return Text(function) + "(" + Text(a) + ")"; }
Text call_of(std::string_view function, std::string_view a, std::string_view b) {
  return Text(function) + "(" + Text(a) + ", " + Text(b) + ")";
}
Text infix(std::string_view a, std::string_view op, std::string_view b) {
  return "(" + Text(a) + " " + Text(op) + " " + Text(b) + ")";
}

// The name of a dtype in names of the prelude, and with its lanes: f32x16.
Text short_name(Dtype dtype) { return Text(dtype_info(dtype).name); }

// The sign of an infix function, empty for others.
std::string_view sign_of(ScalarFn fn) {
  switch (fn) {
    case ScalarFn::Add: return "+";
    case ScalarFn::Sub: return "-";
    case ScalarFn::Mul: return "*";
    case ScalarFn::Div: return "/";
    case ScalarFn::Lt: return "<";
    case ScalarFn::Le: return "<=";
    case ScalarFn::Eq: return "==";
    case ScalarFn::Ne: return "!=";
    case ScalarFn::And:
    case ScalarFn::BitAnd: return "&";
    case ScalarFn::Or:
    case ScalarFn::BitOr: return "|";
    case ScalarFn::BitXor: return "^";
    default: return "";
  }
}

std::string_view name_of(ScalarFn fn) {
  switch (fn) {
    case ScalarFn::Neg: return "neg";
    case ScalarFn::Add: return "add";
    case ScalarFn::Sub: return "sub";
    case ScalarFn::Mul: return "mul";
    case ScalarFn::FloorDiv: return "floor_div";
    case ScalarFn::Mod: return "mod";
    default: return scalar_fn_info(fn).name;
  }
}

// Functions whose results are exact, and therefore the same in every library.
bool is_exact(ScalarFn fn) {
  switch (fn) {
    case ScalarFn::Abs:
    case ScalarFn::Sign:
    case ScalarFn::Floor:
    case ScalarFn::Ceil:
    case ScalarFn::Trunc:
    case ScalarFn::Round:
    case ScalarFn::Sqrt:
    case ScalarFn::FloorDiv:
    case ScalarFn::Mod:
    case ScalarFn::Fmod: return true;
    default: return false;
  }
}

// i1: what integers 0 and 1 would give.
Text truth_call(ScalarFn fn, int lanes, std::string_view a, std::string_view b) {
  const Text none = lanes > 1 ? "~" : "!";
  switch (fn) {
    case ScalarFn::Not:
    case ScalarFn::BitNot: return none + Text(a);
    case ScalarFn::And:
    case ScalarFn::BitAnd:
    case ScalarFn::Mul:
    case ScalarFn::Min: return infix(a, lanes > 1 ? "&" : "&&", b);
    case ScalarFn::Or:
    case ScalarFn::BitOr:
    case ScalarFn::Add:
    case ScalarFn::Max: return infix(a, lanes > 1 ? "|" : "||", b);
    case ScalarFn::BitXor:
    case ScalarFn::Ne: return infix(a, lanes > 1 ? "^" : "!=", b);
    case ScalarFn::Eq: return lanes > 1 ? none + infix(a, "^", b) : infix(a, "==", b);
    case ScalarFn::Lt: return infix(none + Text(a), lanes > 1 ? "&" : "&&", b);
    case ScalarFn::Le: return infix(none + Text(a), lanes > 1 ? "|" : "||", b);
    case ScalarFn::IsNan: return lanes > 1 ? infix(a, "^", a) : "false";
    case ScalarFn::Round:
    case ScalarFn::Floor:
    case ScalarFn::Ceil:
    case ScalarFn::Trunc:
    case ScalarFn::Abs:
    case ScalarFn::Sign: return Text(a);
    default: MLGC_ASSERT(false, "a function that i1 does not have"); return {};
  }
}

}  // namespace

Text CppPairs::vector_type(int lanes) const { return "i32x" + std::to_string(lanes); }
Text CppPairs::copy(std::string_view to, std::string_view from, std::string_view terms) const {
  return call_of("mlgc_swap_pairs", to, Text(from) + ", " + Text(terms)) + ";";
}
Text CppPairs::load(int lanes, std::string_view first, std::string_view second, std::string_view count) const {
  const Text bits = "ui16x" + std::to_string(lanes);
  const auto row = [&](std::string_view at) {
    return count.empty() ? call_of("mlgc_load<" + bits + ">", at) : call_of("mlgc_load_part<" + bits + ">", at, count);
  };
  return second.empty() ? call_of("mlgc_high_pairs", row(first)) : call_of("mlgc_join_pairs", row(first), row(second));
}
Text CppPairs::add(std::string_view pair_of_row, std::string_view pairs, std::string_view sums) const {
  return call_of("mlgc_add_pairs", pair_of_row, Text(pairs) + ", " + Text(sums));
}

std::string_view CppLeaves::element_type(Dtype dtype) const {
  constexpr std::array<std::string_view, kRealDtypeCount> kTypes{
      "bool", "int8_t", "uint8_t", "int16_t", "int32_t", "int64_t", "uint16_t", "uint16_t", "float", "double"};
  return kTypes[static_cast<std::size_t>(dtype)];
}

Text CppLeaves::variable_type(Dtype dtype, int lanes) const {
  if (lanes == 1) return Text(element_type(held(dtype)));
  return short_name(dtype == Dtype::I1 ? Dtype::I32 : held(dtype)) + "x" + std::to_string(lanes);
}

Text CppLeaves::bits_type(int lanes) const { return lanes == 1 ? "uint16_t" : "ui16x" + std::to_string(lanes); }

Text CppLeaves::splat_bits(int lanes, std::string_view a) const {
  return call_of("mlgc_splat<" + bits_type(lanes) + ">", a);
}

Text CppLeaves::to_bits(Dtype dtype, std::string_view a, bool is_exact) const {
  return is_exact && dtype == Dtype::BF16 ? call_of("mlgc_bits_of_bfloat", a) : stored(dtype, a);
}

Text CppLeaves::call_or_return(std::string_view function, std::string_view arguments) const {
  return "if (const int32_t failed = " + Text(function) + "(" + Text(arguments) + ")) return failed;";
}
Text CppLeaves::note_launch(std::size_t number) const {
  return "if (runtime->launch != nullptr) runtime->launch(runtime, " + std::to_string(number) + ");";
}
Text CppLeaves::bind_size(std::size_t number, std::string_view value) const {
  return call_or_return("runtime->bind_size", "runtime, " + std::to_string(number) + ", " + Text(value));
}

Text CppLeaves::pointer_from_untyped(std::string_view type, std::string_view pointer) const {
  return "static_cast<" + Text(type) + ">(" + Text(pointer) + ")";
}
Text CppLeaves::pointer_from_bytes(std::string_view type, std::string_view pointer) const {
  return "reinterpret_cast<" + Text(type) + ">(" + Text(pointer) + ")";
}
Text CppLeaves::untyped(std::string_view pointer) const { return "static_cast<void*>(" + Text(pointer) + ")"; }

Text CppLeaves::real_literal(Dtype dtype, double value) const {
  const bool wide = dtype == Dtype::F64;
  if (!wide) value = static_cast<float>(value);
  const Text suffix = wide ? "" : "f";
  if (std::isnan(value)) return "__builtin_nan" + suffix + "(\"\")";
  if (std::isinf(value)) return (value < 0 ? "-" : "") + ("__builtin_inf" + suffix) + "()";
  std::array<char, 40> buffer;
  const auto end = wide ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value)
                        : std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value));
  Text text(buffer.data(), end.ptr);
  if (text.find_first_of(".e") == Text::npos) text += ".0";
  return text + suffix;
}

Text CppLeaves::integer_literal(Dtype dtype, std::int64_t value) const {
  if (dtype == Dtype::I1) return value != 0 ? "true" : "false";
  const Text number =
      value == std::numeric_limits<std::int64_t>::min() ? Text("-0x7fffffffffffffff - 1") : std::to_string(value);
  return Text(element_type(dtype)) + "{" + number + "}";
}

Text CppLeaves::real_call(ScalarFn fn, Dtype operand, std::string_view a, std::string_view b) const {
  const Text dtype = short_name(held(operand));
  switch (fn) {
    case ScalarFn::Neg: return "-" + Text(a);
    case ScalarFn::Min: return call_of("mlgc_min_f", a, b);
    case ScalarFn::Max: return call_of("mlgc_max_f", a, b);
    default: break;
  }
  const bool library = mathematics_ == Mathematics::Library && !is_exact(fn);
  const Text name = (library ? "mlgc_library_" : "mlgc_") + Text(name_of(fn)) + "_" + dtype;
  return b.empty() ? call_of(name, a) : call_of(name, a, b);
}

Text CppLeaves::fma(int, std::string_view a, std::string_view b, std::string_view c) const {
  return "mlgc_fma_f32(" + Text(a) + ", " + Text(b) + ", " + Text(c) + ")";
}

Text CppLeaves::bits(std::string_view a) const { return call_of("mlgc_number_bits", a); }

Text CppLeaves::fma_of_element(int, std::string_view element, std::string_view b, std::string_view c) const {
  return "mlgc_accumulate(" + Text(element) + ", " + Text(b) + ", " + Text(c) + ")";
}

Text CppLeaves::call(ScalarFn fn, Dtype operand, Dtype result, int lanes, std::string_view a,
                     std::string_view b) const {
  const bool real = is_float(operand);
  if (operand == Dtype::I1) {
    const Text truth = truth_call(fn, lanes, a, b);
    return result == Dtype::I1 ? truth : convert(Dtype::I1, result, lanes, truth);
  }
  if (result == Dtype::I1) {
    const Text test = fn == ScalarFn::IsNan ? (real ? infix(a, "!=", a) : infix(a, "<", a)) : infix(a, sign_of(fn), b);
    // A mask has 32 bits a lane.
    return lanes > 1 && dtype_info(held(operand)).bytes != 4 ? call_of("mlgc_convert<int32_t>", test) : test;
  }
  MLGC_ASSERT(held(operand) == held(result), "a scalar function of another dtype than its operands");
  if (real) return sign_of(fn).empty() ? real_call(fn, operand, a, b) : infix(a, sign_of(fn), b);
  const Text type(element_type(operand));
  switch (fn) {
    case ScalarFn::Floor:
    case ScalarFn::Ceil:
    case ScalarFn::Trunc:
    case ScalarFn::Round: return Text(a);
    case ScalarFn::BitNot: return lanes > 1 ? "~" + Text(a) : "static_cast<" + type + ">(~" + Text(a) + ")";
    case ScalarFn::BitAnd:
    case ScalarFn::BitOr:
    case ScalarFn::BitXor: {
      const Text value = infix(a, sign_of(fn), b);
      return lanes > 1 ? value : "static_cast<" + type + ">" + value;
    }
    case ScalarFn::Fmod: return call_of("mlgc_rem", a, b);
    default: break;
  }
  const Text name = "mlgc_" + Text(name_of(fn));
  return b.empty() ? call_of(name, a) : call_of(name, a, b);
}

Text CppLeaves::choose(int lanes, std::string_view condition, std::string_view a, std::string_view b) const {
  if (lanes == 1) return Text(condition) + " ? " + Text(a) + " : " + Text(b);
  return "mlgc_select(" + Text(condition) + ", " + Text(a) + ", " + Text(b) + ")";
}

Text CppLeaves::convert(Dtype from, Dtype to, int lanes, std::string_view a) const {
  const auto as = [&](Dtype dtype, std::string_view value) {
    const Text type(element_type(held(dtype)));
    return lanes == 1 ? "static_cast<" + type + ">(" + Text(value) + ")"
                      : "mlgc_convert<" + type + ">(" + Text(value) + ")";
  };
  if (to == Dtype::I1) {
    if (from == Dtype::I1) return Text(a);
    const Text test = infix(a, "!=", lanes == 1 ? Text("0") : variable_type(from, lanes) + "{}");
    return lanes > 1 && dtype_info(held(from)).bytes != 4 ? call_of("mlgc_convert<int32_t>", test) : test;
  }
  Text value = from == Dtype::I1 && lanes > 1 ? infix(a, "&", "1") : Text(a);
  if (is_half(to)) {
    Text narrow = value;
    if (!is_float(from)) narrow = as(Dtype::F32, as(Dtype::F64, value));
    if (from == Dtype::F64) narrow = as(Dtype::F32, value);
    return to == Dtype::F16 ? call_of("mlgc_from_half", call_of("mlgc_to_half", narrow))
                            : call_of("mlgc_from_bfloat", call_of("mlgc_to_bfloat", narrow));
  }
  if (held(from) == held(to)) return value;
  if (is_float(from) && !is_float(to)) {
    const bool wide = to == Dtype::I64 || to == Dtype::UI8;
    const Text integer = call_of(wide ? "mlgc_to_int64" : "mlgc_to_int32", value);
    return to == Dtype::I64 || to == Dtype::I32 ? integer : as(to, integer);
  }
  // As the interpreter does: by way of f64.
  if (from == Dtype::I64 && to == Dtype::F32) return as(Dtype::F32, as(Dtype::F64, value));
  return as(to, value);
}

Text CppLeaves::splat(Dtype dtype, int lanes, std::string_view a) const {
  const Text type = variable_type(dtype, lanes);
  return call_of("mlgc_splat<" + type + ">", dtype == Dtype::I1 ? "-static_cast<int32_t>(" + Text(a) + ")" : Text(a));
}

Text CppLeaves::count_up(int lanes, std::string_view from) const {
  const Text numbers = call_of("mlgc_load<" + variable_type(Dtype::I64, lanes) + ">", "mlgc_numbers");
  return from == "0" ? numbers : numbers + " + " + Text(from);
}
Text CppLeaves::count_up_short(int lanes) const {
  return call_of("mlgc_load<" + variable_type(Dtype::I32, lanes) + ">", "mlgc_numbers_32");
}
Text CppLeaves::any(std::string_view mask) const { return call_of("mlgc_any", mask); }
Text CppLeaves::first_lanes(int lanes, std::string_view count) const {
  return call_of("mlgc_first<" + variable_type(Dtype::I1, lanes) + ">", count);
}
Text CppLeaves::low_half(Dtype dtype, int lanes, std::string_view a) const {
  return lanes == 2 ? Text(a) + "[0]" : call_of("mlgc_low<" + variable_type(dtype, lanes / 2) + ">", a);
}
Text CppLeaves::high_half(Dtype dtype, int lanes, std::string_view a) const {
  return lanes == 2 ? Text(a) + "[1]" : call_of("mlgc_high<" + variable_type(dtype, lanes / 2) + ">", a);
}
Text CppLeaves::transpose(int lanes, const std::vector<Text>& vectors) const {
  if (lanes != 4 && lanes != 8 && lanes != 16) return {};
  Text list;
  for (const Text& v : vectors) list += (list.empty() ? "" : ", ") + v;
  return call_of("mlgc_transpose", list) + ";";
}
Text CppLeaves::extreme(bool least, std::string_view a, std::string_view mask) const {
  return call_of(least ? "mlgc_least" : "mlgc_most", a, mask);
}
Text CppLeaves::outside(std::string_view a, std::string_view size, std::string_view mask) const {
  return call_of("mlgc_outside", a, Text(size) + ", " + Text(mask));
}

Text CppLeaves::any_outside(std::string_view a, std::string_view size) const {
  return call_of("mlgc_any_outside", a, size);
}

Text CppLeaves::load(Dtype dtype, std::string_view place) const {
  if (dtype == Dtype::F16) return call_of("mlgc_from_half", place);
  if (dtype == Dtype::BF16) return call_of("mlgc_from_bfloat", place);
  return Text(place);
}

Text CppLeaves::stored(Dtype dtype, std::string_view value) {
  if (dtype == Dtype::F16) return call_of("mlgc_to_half", value);
  if (dtype == Dtype::BF16) return call_of("mlgc_to_bfloat", value);
  return Text(value);
}

Text CppLeaves::store(Dtype dtype, std::string_view place, std::string_view value) const {
  return Text(place) + " = " + stored(dtype, value) + ";";
}

Text CppLeaves::load_lanes(Dtype dtype, int lanes, const LaneAccess& access) const {
  const Text count = std::to_string(lanes);
  const Text stored = dtype == Dtype::I1 ? "i8x" + count
                      : is_half(dtype)   ? "ui16x" + count
                                         : variable_type(dtype, lanes);
  const Text elements = (dtype == Dtype::I1 ? Text("int8_t") : Text(element_type(dtype))) + ", " + count;
  Text value;
  switch (access.kind) {
    case LaneAccess::Kind::Whole: value = call_of("mlgc_load<" + stored + ">", access.pointer); break;
    case LaneAccess::Kind::Part: value = call_of("mlgc_load_part<" + stored + ">", access.pointer, access.count); break;
    case LaneAccess::Kind::Masked:
      value = call_of("mlgc_load_masked<" + stored + ">", access.pointer, access.mask);
      break;
    case LaneAccess::Kind::Every:
      value = is_shuffled(access.count)
                  ? call_of("mlgc_load_apart<" + stored + ", " + access.count + ">", access.pointer)
                  : call_of("mlgc_load_every<" + stored + ">", access.pointer, access.count);
      break;
    case LaneAccess::Kind::EveryMasked:
      value =
          is_shuffled(access.count)
              ? call_of("mlgc_load_apart_masked<" + stored + ", " + access.count + ">", access.pointer, access.mask)
              : call_of("mlgc_load_every_masked<" + stored + ">", access.pointer, access.count + ", " + access.mask);
      break;
    case LaneAccess::Kind::EveryPart:
      value = is_shuffled(access.at)
                  ? call_of("mlgc_load_apart_part<" + stored + ", " + access.at + ">", access.pointer, access.count)
                  : call_of("mlgc_load_every_part<" + stored + ">", access.pointer, access.at + ", " + access.count);
      break;
    case LaneAccess::Kind::Reversed: value = call_of("mlgc_load_reversed<" + stored + ">", access.pointer); break;
    case LaneAccess::Kind::ReversedPart:
      value = call_of("mlgc_load_reversed_part<" + stored + ">", access.pointer, access.count);
      break;
    case LaneAccess::Kind::Lanes:
      value = access.mask.empty()
                  ? call_of("mlgc_load_at<" + elements + ">", access.pointer, access.at)
                  : call_of("mlgc_load_lanes<" + stored + ">", access.pointer, access.at + ", " + access.mask);
      break;
    case LaneAccess::Kind::LanesPart:
      value = call_of("mlgc_load_at_part<" + elements + ">", access.pointer, access.at + ", " + access.count);
      break;
    case LaneAccess::Kind::Table:
      value = call_of("mlgc_load_table<" + elements + ">", access.pointer, access.at);
      break;
    case LaneAccess::Kind::NearEight:
      value = call_of("mlgc_load_near<8, " + elements + ">", access.pointer, access.count + ", " + access.at);
      break;
    case LaneAccess::Kind::NearSixteen:
      value = call_of("mlgc_load_near<16, " + elements + ">", access.pointer, access.count + ", " + access.at);
  }
  if (dtype == Dtype::I1) return "mlgc_convert<int32_t>(" + value + " != " + stored + "{})";
  return access.bits ? value : load(dtype, value);
}

Text CppLeaves::store_lanes(Dtype dtype, int lanes, const LaneAccess& access, std::string_view value) const {
  static_cast<void>(lanes);
  const Text bits = dtype == Dtype::I1 ? "mlgc_convert<int8_t>(" + Text(value) + " & 1)"
                    : access.bits      ? Text(value)
                                       : stored(dtype, value);
  switch (access.kind) {
    case LaneAccess::Kind::Whole:
      if (!access.stream_where.empty())
        return call_of("mlgc_stream_where", access.stream_where, Text(access.pointer) + ", " + bits) + ";";
      return call_of(access.stream ? "mlgc_stream" : "mlgc_store", access.pointer, bits) + ";";
    case LaneAccess::Kind::Part: return call_of("mlgc_store_part", access.pointer, bits + ", " + access.count) + ";";
    case LaneAccess::Kind::Masked: return call_of("mlgc_store_masked", access.pointer, bits + ", " + access.mask) + ";";
    case LaneAccess::Kind::Every: return call_of("mlgc_store_every", access.pointer, access.count + ", " + bits) + ";";
    case LaneAccess::Kind::EveryPart:
      return call_of("mlgc_store_every_part", access.pointer, access.at + ", " + bits + ", " + access.count) + ";";
    case LaneAccess::Kind::EveryMasked:
    case LaneAccess::Kind::Lanes: break;
    case LaneAccess::Kind::LanesPart:
    case LaneAccess::Kind::Reversed:
    case LaneAccess::Kind::ReversedPart:
    case LaneAccess::Kind::Table:
    case LaneAccess::Kind::NearEight:
    case LaneAccess::Kind::NearSixteen: MLGC_ASSERT(false, "a store that only loads may be"); break;
  }
  return call_of("mlgc_store_lanes", access.pointer, access.at + ", " + bits + ", " + access.mask) + ";";
}

std::int64_t CppLeaves::near_elements(Dtype dtype) const {
  const std::size_t bytes = dtype_info(dtype).bytes;
  return bytes == 4 ? 16 : bytes == 2 ? 8 : 0;
}
std::string_view CppLeaves::near_type(Dtype dtype) const {
  return dtype_info(dtype).bytes == 2 ? "int16_t" : "int32_t";
}
// Of elements of two bytes both of these, the lower one first; of others the sign says which eight of sixteen.
std::int64_t CppLeaves::near_number(Dtype dtype, std::int64_t element) const {
  if (dtype_info(dtype).bytes == 2) return 2 * element + 256 * (2 * element + 1);
  return element < 8 ? element : element - 8 - (std::int64_t{1} << 31U);
}

Text CppLeaves::floor_div(int, std::string_view a, std::string_view b) const { return call_of("mlgc_floor_div", a, b); }
Text CppLeaves::floor_mod(int, std::string_view a, std::string_view b) const { return call_of("mlgc_mod", a, b); }
Text CppLeaves::minimum(int, std::string_view a, std::string_view b) const { return call_of("mlgc_min", a, b); }
Text CppLeaves::maximum(int, std::string_view a, std::string_view b) const { return call_of("mlgc_max", a, b); }

Text CppLeaves::fail(std::string_view message, const std::vector<Text>& values) const {
  const Text text = c_string(message);
  Text list;
  for (const Text& v : values) list += (list.empty() ? "" : ", ") + v;
  if (values.empty()) return "return runtime->fail(runtime, " + text + ", nullptr, 0);";
  return "{ const int64_t values[] = {" + list + "}; return runtime->fail(runtime, " + text + ", values, " +
         std::to_string(values.size()) + "); }";
}

Text CppLeaves::loop_head(std::string_view index, std::string_view from, std::string_view to, int step) const {
  const Text i(index);
  return "for (int64_t " + i + " = " + Text(from) + "; " + i + " < " + Text(to) + "; " +
         (step == 1 ? "++" + i : i + " += " + std::to_string(step)) + ")";
}

bool CppLeaves::is_reserved(std::string_view name) const {
  static constexpr std::string_view kWords[] = {"alignas",
                                                "alignof",
                                                "and",
                                                "and_eq",
                                                "asm",
                                                "auto",
                                                "bitand",
                                                "bitor",
                                                "bool",
                                                "break",
                                                "case",
                                                "catch",
                                                "char",
                                                "class",
                                                "compl",
                                                "const",
                                                "constexpr",
                                                "continue",
                                                "decltype",
                                                "default",
                                                "delete",
                                                "do",
                                                "double",
                                                "else",
                                                "enum",
                                                "explicit",
                                                "export",
                                                "extern",
                                                "false",
                                                "float",
                                                "for",
                                                "friend",
                                                "goto",
                                                "if",
                                                "inline",
                                                "int",
                                                "long",
                                                "mutable",
                                                "namespace",
                                                "new",
                                                "noexcept",
                                                "not",
                                                "not_eq",
                                                "nullptr",
                                                "operator",
                                                "or",
                                                "or_eq",
                                                "private",
                                                "protected",
                                                "public",
                                                "register",
                                                "return",
                                                "short",
                                                "signed",
                                                "sizeof",
                                                "static",
                                                "struct",
                                                "switch",
                                                "template",
                                                "this",
                                                "throw",
                                                "true",
                                                "try",
                                                "typedef",
                                                "typeid",
                                                "typename",
                                                "union",
                                                "unsigned",
                                                "using",
                                                "virtual",
                                                "void",
                                                "volatile",
                                                "char8_t",
                                                "char16_t",
                                                "char32_t",
                                                "co_await",
                                                "co_return",
                                                "co_yield",
                                                "consteval",
                                                "constinit",
                                                "const_cast",
                                                "dynamic_cast",
                                                "reinterpret_cast",
                                                "static_cast",
                                                "static_assert",
                                                "thread_local",
                                                "while",
                                                "wchar_t",
                                                "xor",
                                                "xor_eq",
                                                "std",
                                                "main",
                                                "concept",
                                                "requires",
                                                "linux",
                                                "unix",
                                                "argument",
                                                "begin",
                                                "end",
                                                "loop",
                                                "failed",
                                                "memory_of_range",
                                                "exp",
                                                "expm1",
                                                "log",
                                                "log1p",
                                                "log2",
                                                "sqrt",
                                                "sin",
                                                "cos",
                                                "tan",
                                                "asin",
                                                "acos",
                                                "atan",
                                                "sinh",
                                                "cosh",
                                                "tanh",
                                                "asinh",
                                                "acosh",
                                                "atanh",
                                                "erf",
                                                "erfc",
                                                "lgamma",
                                                "lgamma_r",
                                                "pow",
                                                "atan2",
                                                "fabs",
                                                "floor",
                                                "ceil",
                                                "trunc",
                                                "fmod",
                                                "memcpy",
                                                "runtime",
                                                "scratch",
                                                "memory",
                                                "values",
                                                "int8_t",
                                                "int16_t",
                                                "int32_t",
                                                "int64_t",
                                                "uint8_t",
                                                "uint16_t",
                                                "uint32_t",
                                                "uint64_t"};
  if (std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords)) return true;
  if (name.substr(0, 5) == "mlgc_" || name.substr(0, 5) == "MLGC_") return true;
  // Names of vector types: f32x16.
  const std::size_t x = name.find('x');
  return x != std::string_view::npos && x >= 2 && (name[0] == 'f' || name[0] == 'i' || name[0] == 'u') &&
         name.find_first_not_of("0123456789", x + 1) == std::string_view::npos;
}

}  // namespace mlgc::codegen

namespace mlgc {

bool prelude_rounds(ScalarFn fn) {
  if (fn >= ScalarFn::Exp && fn <= ScalarFn::Digamma) return !codegen::is_exact(fn);
  return fn == ScalarFn::Pow || fn == ScalarFn::Atan2 || fn == ScalarFn::Polygamma;
}

}  // namespace mlgc
