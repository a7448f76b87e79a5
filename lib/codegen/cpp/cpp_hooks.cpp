// Expression text of C++ with vectors.
#include "codegen/cpp/cpp_hooks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "codegen/cpp/unit.h"
#include "support/result.h"

namespace mlgc::codegen {
namespace {

// Lanes at these strides are combined by shuffles of vectors; lanes at larger strides are loaded singly.
bool is_shuffled(const SourceText& apart) { return apart == "2" || apart == "3" || apart == "4"; }

using Text = SourceText;

bool is_half(Dtype dtype) { return dtype == Dtype::F16 || dtype == Dtype::BF16; }
// Of values: those of 16-bit floats are f32.
Dtype held(Dtype dtype) { return is_half(dtype) ? Dtype::F32 : dtype; }

Text call_of(const Text& function, const Text& a) { return function + "(" + a + ")"; }
Text call_of(const Text& function, const Text& a, const Text& b) { return function + "(" + a + ", " + b + ")"; }
Text infix(const SourceText& a, std::string_view op, const SourceText& b) {
  return (a + " " + Text(op) + " " + b).bracketed();
}

// The name of a dtype in names of the prelude, and with its lanes: f32x16.
std::string short_name(Dtype dtype) { return std::string(dtype_info(dtype).name); }

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
Text truth_call(ScalarFn fn, int lanes, const SourceText& a, const SourceText& b) {
  const Text none = lanes > 1 ? "~" : "!";
  switch (fn) {
    case ScalarFn::Not:
    case ScalarFn::BitNot: return none + a;
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
    case ScalarFn::Lt: return infix(none + a, lanes > 1 ? "&" : "&&", b);
    case ScalarFn::Le: return infix(none + a, lanes > 1 ? "|" : "||", b);
    case ScalarFn::IsNan: return lanes > 1 ? infix(a, "^", a) : "false";
    case ScalarFn::Round:
    case ScalarFn::Floor:
    case ScalarFn::Ceil:
    case ScalarFn::Trunc:
    case ScalarFn::Abs:
    case ScalarFn::Sign: return a;
    default: MLGC_ASSERT(false, "a function that i1 does not have"); return {};
  }
}

}  // namespace

std::string CppPairs::vector_type(int lanes) const { return "i32x" + std::to_string(lanes); }
Text CppPairs::copy(const SourceText& to, const SourceText& from, const SourceText& terms) const {
  return call_of("mlgc_swap_pairs", to, from + ", " + terms) + ";";
}
Text CppPairs::load(int lanes, const SourceText& first, const SourceText& second, const SourceText& count) const {
  const Text bits = "ui16x" + std::to_string(lanes);
  const auto row = [&](const Text& at) {
    return count.empty() ? call_of("mlgc_load<" + bits + ">", at) : call_of("mlgc_load_part<" + bits + ">", at, count);
  };
  return second.empty() ? call_of("mlgc_high_pairs", row(first)) : call_of("mlgc_join_pairs", row(first), row(second));
}
Text CppPairs::add(const SourceText& pair_of_row, const SourceText& pairs, const SourceText& sums) const {
  return call_of("mlgc_add_pairs", pair_of_row, pairs + ", " + sums);
}

std::string_view CppHooks::element_type(Dtype dtype) const {
  constexpr std::array<std::string_view, kRealDtypeCount> kTypes{
      "bool", "int8_t", "uint8_t", "int16_t", "int32_t", "int64_t", "uint16_t", "uint16_t", "float", "double"};
  return kTypes[static_cast<std::size_t>(dtype)];
}

std::string CppHooks::variable_type(Dtype dtype, int lanes) const {
  if (lanes == 1) return std::string(element_type(held(dtype)));
  return short_name(dtype == Dtype::I1 ? Dtype::I32 : held(dtype)) + "x" + std::to_string(lanes);
}

std::string CppHooks::bits_type(int lanes) const { return lanes == 1 ? "uint16_t" : "ui16x" + std::to_string(lanes); }

Text CppHooks::splat_bits(int lanes, const SourceText& a) const {
  return call_of("mlgc_splat<" + bits_type(lanes) + ">", a);
}

Text CppHooks::to_bits(Dtype dtype, const SourceText& a, bool is_exact) const {
  return is_exact && dtype == Dtype::BF16 ? call_of("mlgc_bits_of_bfloat", a) : stored(dtype, a);
}

Text CppHooks::call_or_return(std::string_view function, const SourceText& arguments) const {
  return ("if (const int32_t failed = " + Text(function) + "(" + arguments + ")) return failed;").returning();
}
Text CppHooks::note_launch(std::size_t number) const {
  const Text runtime = Text::runtime();
  return "if (" + runtime + "->launch != nullptr) " + runtime + "->launch(" + runtime + ", " + std::to_string(number) +
         ");";
}
Text CppHooks::bind_size(std::size_t number, const SourceText& value) const {
  return call_or_return("runtime->bind_size", Text::runtime() + ", " + std::to_string(number) + ", " + value);
}

Text CppHooks::pointer_from_untyped(std::string_view type, const SourceText& pointer) const {
  return "static_cast<" + Text(type) + ">(" + pointer + ")";
}
Text CppHooks::pointer_from_bytes(std::string_view type, const SourceText& pointer) const {
  return "reinterpret_cast<" + Text(type) + ">(" + pointer + ")";
}
Text CppHooks::untyped(const SourceText& pointer) const { return "static_cast<void*>(" + pointer + ")"; }

Text CppHooks::real_literal(Dtype dtype, double value) const {
  const bool wide = dtype == Dtype::F64;
  if (!wide) value = static_cast<float>(value);
  const std::string suffix = wide ? "" : "f";
  if (std::isnan(value)) return "__builtin_nan" + suffix + "(\"\")";
  if (std::isinf(value)) return (value < 0 ? "-" : "") + ("__builtin_inf" + suffix) + "()";
  std::array<char, 40> buffer;
  const auto end = wide ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value)
                        : std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value));
  std::string text(buffer.data(), end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + suffix;
}

Text CppHooks::integer_literal(Dtype dtype, std::int64_t value) const {
  if (dtype == Dtype::I1) return value != 0 ? "true" : "false";
  const std::string number =
      value == std::numeric_limits<std::int64_t>::min() ? "-0x7fffffffffffffff - 1" : std::to_string(value);
  return Text(element_type(dtype)) + "{" + number + "}";
}

Text CppHooks::real_call(ScalarFn fn, Dtype operand, const SourceText& a, const SourceText& b) const {
  const std::string dtype = short_name(held(operand));
  switch (fn) {
    case ScalarFn::Neg: return "-" + a;
    case ScalarFn::Min: return call_of("mlgc_min_f", a, b);
    case ScalarFn::Max: return call_of("mlgc_max_f", a, b);
    default: break;
  }
  const bool library = mathematics_ == Mathematics::Library && !is_exact(fn);
  const Text name = (library ? "mlgc_library_" : "mlgc_") + Text(name_of(fn)) + "_" + dtype;
  return b.empty() ? call_of(name, a) : call_of(name, a, b);
}

Text CppHooks::fma(int, const SourceText& a, const SourceText& b, const SourceText& c) const {
  return "mlgc_fma_f32(" + a + ", " + b + ", " + c + ")";
}

Text CppHooks::bits(const SourceText& a) const { return call_of("mlgc_number_bits", a); }

Text CppHooks::fma_of_element(int, const SourceText& element, const SourceText& b, const SourceText& c) const {
  return "mlgc_accumulate(" + element + ", " + b + ", " + c + ")";
}

Text CppHooks::call(ScalarFn fn, Dtype operand, Dtype result, int lanes, const SourceText& a,
                    const SourceText& b) const {
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
    case ScalarFn::Round: return a;
    case ScalarFn::BitNot: return lanes > 1 ? "~" + a : "static_cast<" + type + ">(~" + a + ")";
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

Text CppHooks::choose(int lanes, const SourceText& condition, const SourceText& a, const SourceText& b) const {
  if (lanes == 1) return condition + " ? " + a + " : " + b;
  return "mlgc_select(" + condition + ", " + a + ", " + b + ")";
}

Text CppHooks::convert(Dtype from, Dtype to, int lanes, const SourceText& a) const {
  const auto as = [&](Dtype dtype, const SourceText& value) {
    const Text type(element_type(held(dtype)));
    return lanes == 1 ? "static_cast<" + type + ">(" + value + ")" : "mlgc_convert<" + type + ">(" + value + ")";
  };
  if (to == Dtype::I1) {
    if (from == Dtype::I1) return a;
    const Text test = infix(a, "!=", lanes == 1 ? Text("0") : variable_type(from, lanes) + "{}");
    return lanes > 1 && dtype_info(held(from)).bytes != 4 ? call_of("mlgc_convert<int32_t>", test) : test;
  }
  Text value = from == Dtype::I1 && lanes > 1 ? infix(a, "&", "1") : a;
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

Text CppHooks::splat(Dtype dtype, int lanes, const SourceText& a) const {
  const Text type = variable_type(dtype, lanes);
  return call_of("mlgc_splat<" + type + ">", dtype == Dtype::I1 ? "-static_cast<int32_t>(" + a + ")" : a);
}

Text CppHooks::count_up(int lanes, const SourceText& from) const {
  const Text numbers = call_of("mlgc_load<" + variable_type(Dtype::I64, lanes) + ">", "mlgc_numbers");
  return from.is_number(0) ? numbers : numbers + " + " + from;
}
Text CppHooks::count_up_short(int lanes) const {
  return call_of("mlgc_load<" + variable_type(Dtype::I32, lanes) + ">", "mlgc_numbers_32");
}
Text CppHooks::any(const SourceText& mask) const { return call_of("mlgc_any", mask); }
Text CppHooks::first_lanes(int lanes, const SourceText& count) const {
  return call_of("mlgc_first<" + variable_type(Dtype::I1, lanes) + ">", count);
}
Text CppHooks::low_half(Dtype dtype, int lanes, const SourceText& a) const {
  return lanes == 2 ? a + "[0]" : call_of("mlgc_low<" + variable_type(dtype, lanes / 2) + ">", a);
}
Text CppHooks::high_half(Dtype dtype, int lanes, const SourceText& a) const {
  return lanes == 2 ? a + "[1]" : call_of("mlgc_high<" + variable_type(dtype, lanes / 2) + ">", a);
}
Text CppHooks::transpose(int lanes, const std::vector<SourceText>& vectors) const {
  if (lanes != 4 && lanes != 8 && lanes != 16) return {};
  return call_of("mlgc_transpose", comma_separated(vectors)) + ";";
}
Text CppHooks::extreme(bool least, const SourceText& a, const SourceText& mask) const {
  return call_of(least ? "mlgc_least" : "mlgc_most", a, mask);
}
Text CppHooks::outside(const SourceText& a, const SourceText& size, const SourceText& mask) const {
  return call_of("mlgc_outside", a, size + ", " + mask);
}

Text CppHooks::any_outside(const SourceText& a, const SourceText& size) const {
  return call_of("mlgc_any_outside", a, size);
}

Text CppHooks::load(Dtype dtype, const SourceText& place) const {
  if (dtype == Dtype::F16) return call_of("mlgc_from_half", place);
  if (dtype == Dtype::BF16) return call_of("mlgc_from_bfloat", place);
  return place;
}

Text CppHooks::stored(Dtype dtype, const SourceText& value) {
  if (dtype == Dtype::F16) return call_of("mlgc_to_half", value);
  if (dtype == Dtype::BF16) return call_of("mlgc_to_bfloat", value);
  return value;
}

Text CppHooks::store(Dtype dtype, const SourceText& place, const SourceText& value) const {
  return place + " = " + stored(dtype, value) + ";";
}

Text CppHooks::load_lanes(Dtype dtype, int lanes, const LaneAccess& access) const {
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

Text CppHooks::store_lanes(Dtype dtype, int lanes, const LaneAccess& access, const SourceText& value) const {
  static_cast<void>(lanes);
  const Text bits = dtype == Dtype::I1 ? "mlgc_convert<int8_t>(" + value + " & 1)"
                    : access.bits      ? value
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

std::int64_t CppHooks::near_elements(Dtype dtype) const {
  const std::size_t bytes = dtype_info(dtype).bytes;
  return bytes == 4 ? 16 : bytes == 2 ? 8 : 0;
}
std::string_view CppHooks::near_type(Dtype dtype) const { return dtype_info(dtype).bytes == 2 ? "int16_t" : "int32_t"; }
// Of elements of two bytes both of these, the lower one first; of others the sign says which eight of sixteen.
std::int64_t CppHooks::near_number(Dtype dtype, std::int64_t element) const {
  if (dtype_info(dtype).bytes == 2) return 2 * element + 256 * (2 * element + 1);
  return element < 8 ? element : element - 8 - (std::int64_t{1} << 31U);
}

Text CppHooks::floor_div(int, const SourceText& a, const SourceText& b) const {
  return call_of("mlgc_floor_div", a, b);
}
Text CppHooks::floor_mod(int, const SourceText& a, const SourceText& b) const { return call_of("mlgc_mod", a, b); }
Text CppHooks::minimum(int, const SourceText& a, const SourceText& b) const { return call_of("mlgc_min", a, b); }
Text CppHooks::maximum(int, const SourceText& a, const SourceText& b) const { return call_of("mlgc_max", a, b); }

Text CppHooks::fail(std::string_view message, const std::vector<SourceText>& values) const {
  const Text runtime = Text::runtime(), call = "return " + runtime + "->fail(" + runtime + ", " + c_string(message);
  if (values.empty()) return (call + ", nullptr, 0);").returning();
  return ("{ const int64_t values[] = {" + comma_separated(values) + "}; " + call + ", values, " +
          std::to_string(values.size()) + "); }")
      .returning();
}

Text CppHooks::loop_head(const SourceText& index, const SourceText& from, const SourceText& to, int step) const {
  return "for (int64_t " + index + " = " + from + "; " + index + " < " + to + "; " +
         (step == 1 ? "++" + index : index + " += " + std::to_string(step)) + ")";
}

bool CppHooks::is_reserved(std::string_view name) const {
  // Words of C++, names of libm and of what emitted functions hold.
  static constexpr std::string_view kWords =
      " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const"
      " constexpr continue decltype default delete do double else enum explicit export extern false float"
      " for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or"
      " or_eq private protected public register return short signed sizeof static struct switch template"
      " this throw true try typedef typeid typename union unsigned using virtual void volatile char8_t"
      " char16_t char32_t co_await co_return co_yield consteval constinit const_cast dynamic_cast"
      " reinterpret_cast static_cast static_assert thread_local while wchar_t xor xor_eq std main concept"
      " requires linux unix argument begin end loop failed memory_of_range exp expm1 log log1p log2 sqrt sin"
      " cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc lgamma lgamma_r pow atan2 fabs"
      " floor ceil trunc fmod memcpy runtime scratch memory values int8_t int16_t int32_t int64_t uint8_t"
      " uint16_t uint32_t uint64_t"
      " ";
  if (kWords.find(" " + std::string(name) + " ") != std::string_view::npos) return true;
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
