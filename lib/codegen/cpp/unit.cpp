// Puts a file together.
#include "codegen/cpp/unit.h"

#include "codegen/prelude.h"

namespace mlgc::codegen {
namespace {

constexpr std::string_view kTypes = R"(typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
)";

constexpr std::string_view kContraction = R"(#ifdef __clang__
#pragma clang fp contract(off)
#else
#pragma GCC optimize("fp-contract=off")
#endif
)";

constexpr std::string_view kMacros =
    "#define MLGC_INLINE MLGC_TARGET __attribute__((always_inline, unused)) static inline\n"
    "#define MLGC_CALL MLGC_TARGET __attribute__((noinline, cold, unused)) static\n"
    "#define MLGC_APART MLGC_TARGET __attribute__((noinline)) static\n"
    "#define MLGC_UNUSED __attribute__((unused))\n";
constexpr std::string_view kEndOfMacros =
    "#undef MLGC_INLINE\n#undef MLGC_CALL\n#undef MLGC_APART\n#undef MLGC_UNUSED\n";

std::string joined(const VectorWidth& width, std::string_view before, std::string_view between,
                   std::string_view after) {
  std::string out;
  for (const std::string_view feature : width.features)
    out += (out.empty() ? "" : std::string(between)) + std::string(before) + std::string(feature) + std::string(after);
  return out;
}

// The line that opens what belongs to one width.
std::string only(const VectorWidth& width) {
  return "#if " + std::string(width.features.empty() ? "" : "defined(__x86_64__) && ") +
         "(!defined(MLGC_ONLY) || MLGC_ONLY == " + std::to_string(width.bytes) + ")\n";
}

std::string include(std::string_view file, const VectorWidth& width) {
  const std::string number = std::to_string(width.bytes);
  const std::string attribute =
      width.features.empty() ? "" : " __attribute__((target(\"" + joined(width, "", ",", "") + "\")))";
  return only(width) + "#define MLGC_BYTES " + number + "\n#define MLGC_TARGET" + attribute +
         "\n#define MLGC_WIDTH mlgc_" + number + "\n#include \"" + std::string(file) +
         "\"\n#undef MLGC_BYTES\n#undef MLGC_TARGET\n#undef MLGC_WIDTH\n" + "#endif\n";
}

std::vector<VectorWidth> widths_of(const Unit& unit) {
  std::vector<VectorWidth> widths(vector_widths().begin(), vector_widths().end());
  if (unit.bf16_pairs) widths.front().features.push_back(kBf16Feature);
  return widths;
}

// What the unit cannot do without, where it has one width alone.
std::string features(std::span<const VectorWidth> widths) {
  std::string out = "\n#ifndef MLGC_ONLY\n#define MLGC_FEATURES \"\"\n";
  for (const VectorWidth& width : widths)
    out += "#elif MLGC_ONLY == " + std::to_string(width.bytes) + "\n#define MLGC_FEATURES \"" +
           joined(width, "", ", ", "") + "\"\n";
  return out + "#endif\n";
}

std::string choice(const VectorWidth& width, std::span<const UnitFunction> entry) {
  const std::string number = std::to_string(width.bytes);
  std::string out = only(width) + "  if ((bytes == 0 || bytes == " + number + ")" +
                    (width.features.empty() ? "" : " && ") + joined(width, "__builtin_cpu_supports(\"", " && ", "\")") +
                    ") {\n";
  if (!entry.empty()) {
    out += "    static const mlgc_entries entries = {\n";
    for (const UnitFunction& f : entry) out += "        mlgc_" + number + "::" + f.name + ",\n";
    out += "    };\n    mlgc_chosen = &entries;\n";
  }
  return out + "    return " + number + ";\n  }\n#endif\n";
}

}  // namespace

std::span<const VectorWidth> vector_widths() {
  // x86-64-v4, v3, and what there is.
  static const std::vector<VectorWidth> widths{
      {64, {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "fma", "bmi", "bmi2", "popcnt"}},
      {32, {"avx2", "fma", "bmi", "bmi2", "popcnt"}},
      {16, {}}};
  return widths;
}

std::string c_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ') {
      // Three octal digits: the next character may be one.
      const int code = static_cast<unsigned char>(c);
      out += {'\\', '0', static_cast<char>('0' + code / 8), static_cast<char>('0' + code % 8)};
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string print_unit(const Unit& unit) {
  const std::vector<VectorWidth> widths = widths_of(unit);
  std::string out;
  if (unit.only != 0) out += "#ifndef MLGC_ONLY\n#define MLGC_ONLY " + std::to_string(unit.only) + "\n#endif\n";
  out += "#ifndef MLGC_BYTES\n" + std::string(kTypes) + std::string(kContraction) + unit.head + "\n";
  for (const VectorWidth& width : widths) out += include(unit.file_name, width);
  const bool spaced = !unit.name_space.empty();
  const std::string open = spaced ? "namespace " + unit.name_space + " {\n" : "";
  const std::string close = spaced ? "\n}  // namespace " + unit.name_space + "\n" : "";
  out += open;
  // One table for each width: a pointer for each function would be a function of as many stores, which compilers take
  // quadratic time for.
  if (!unit.entry.empty()) {
    out += "\nstruct mlgc_entries {\n";
    for (const UnitFunction& f : unit.entry) out += "  " + f.type + " (*" + f.name + ")(" + f.parameters + ");\n";
    out += "};\nstatic const mlgc_entries* mlgc_chosen;";
  }
  out +=
      "\n\n// Chooses the functions for vectors of so many bytes, 0: the widest that there are; returns the width, or "
      "0.\n" +
      std::string(spaced ? "" : "static ") + "int32_t " + unit.prepare +
      "(int32_t bytes) {\n#ifdef __x86_64__\n  __builtin_cpu_init();\n#endif\n";
  for (const VectorWidth& width : widths) out += choice(width, unit.entry);
  out +=
      "  return 0;\n}\n// Before main(), or when the shared object is loaded.\n"
      "__attribute__((constructor)) static void mlgc_prepare_widest() { " +
      unit.prepare + "(0); }\n";
  for (const UnitFunction& f : unit.entry)
    out += "\n" + std::string(spaced ? "" : "extern \"C\" ") + f.type + " " + f.name + "(" + f.parameters +
           ") { return mlgc_chosen->" + f.name + "(" + f.arguments + "); }\n";
  for (const UnitFunction& f : unit.declared) out += "\nstatic " + f.type + " " + f.name + "(" + f.parameters + ");";
  if (!unit.tail.empty()) out += features(widths) + unit.tail;
  out += close;
  out += "\n#else  // once for each width\n\n" + std::string(kMacros) + open + "namespace MLGC_WIDTH {\n\n" +
         print_prelude(unit.functions, cpp_prelude()) + unit.functions + "\n}  // namespace MLGC_WIDTH\n" + close +
         std::string(kEndOfMacros) + "#endif\n";
  if (unit.hosts.empty()) return out;
  return out + "\n#ifndef MLGC_BYTES  // once for all widths\n\n#define MLGC_BYTES 16\n#define MLGC_TARGET\n" +
         std::string(kMacros) + open + "\n" + print_prelude(unit.hosts, cpp_prelude()) + unit.hosts + close +
         std::string(kEndOfMacros) + "#undef MLGC_BYTES\n#undef MLGC_TARGET\n#endif\n";
}

}  // namespace mlgc::codegen
