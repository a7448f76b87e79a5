// Puts a file together.
#include "codegen/cpp/unit.h"

#include "codegen/cpp/prelude.h"

namespace mlgc::codegen {
namespace {

// What g++ 10 calls x86-64-v4 and v3; the names are also those of __builtin_cpu_supports.
constexpr std::string_view kWide = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi,bmi2,popcnt";
constexpr std::string_view kMiddle = "avx2,fma,bmi,bmi2,popcnt";

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

std::string width(std::string_view file, std::string_view bytes, std::string_view features) {
  const std::string attribute = features.empty() ? "" : " __attribute__((target(\"" + std::string(features) + "\")))";
  const std::string number(bytes);
  const bool everywhere = features.empty();
  return "#if " + std::string(everywhere ? "" : "defined(__x86_64__) && ") +
         "(!defined(MLGC_ONLY) || MLGC_ONLY == " + number + ")\n#define MLGC_BYTES " + number +
         "\n#define MLGC_TARGET" + attribute + "\n#define MLGC_WIDTH mlgc_" + number + "\n#include \"" +
         std::string(file) + "\"\n#undef MLGC_BYTES\n#undef MLGC_TARGET\n#undef MLGC_WIDTH\n" + "#endif\n";
}

std::string supported(std::string_view features) {
  std::string out;
  for (std::size_t at = 0; at <= features.size();) {
    const std::size_t end = std::min(features.find(',', at), features.size());
    out += (out.empty() ? "" : " && ") + std::string("__builtin_cpu_supports(\"") +
           std::string(features.substr(at, end - at)) + "\")";
    at = end + 1;
  }
  return out;
}

std::string choice(std::string_view bytes, std::string_view features, std::span<const UnitFunction> entry) {
  const std::string number(bytes);
  const std::string fits = "(bytes == 0 || bytes == " + number + ")";
  std::string out = "#if " + std::string(features.empty() ? "" : "defined(__x86_64__) && ") +
                    "(!defined(MLGC_ONLY) || MLGC_ONLY == " + number + ")\n  if (" + fits +
                    (features.empty() ? "" : " && " + supported(features)) + ") {\n";
  for (const UnitFunction& f : entry) out += "    mlgc_chosen_" + f.name + " = mlgc_" + number + "::" + f.name + ";\n";
  return out + "    return " + number + ";\n  }\n#endif\n";
}

}  // namespace

std::string print_unit(const Unit& unit) {
  std::string out = "#ifndef MLGC_BYTES\n" + std::string(kTypes) + std::string(kContraction) + unit.head + "\n";
  for (const auto& [bytes, features] :
       {std::pair<std::string_view, std::string_view>{"64", kWide}, {"32", kMiddle}, {"16", ""}})
    out += width(unit.file_name, bytes, features);
  const bool spaced = !unit.name_space.empty();
  const std::string open = spaced ? "namespace " + unit.name_space + " {\n" : "";
  const std::string close = spaced ? "\n}  // namespace " + unit.name_space + "\n" : "";
  out += open;
  for (const UnitFunction& f : unit.entry)
    out += "\nstatic " + f.type + " (*mlgc_chosen_" + f.name + ")(" + f.parameters + ");";
  out +=
      "\n\n// Chooses the functions for vectors of so many bytes, 0: the widest that there are; returns the width, or "
      "0.\n" +
      std::string(spaced ? "" : "static ") + "int32_t " + unit.prepare +
      "(int32_t bytes) {\n#ifdef __x86_64__\n  __builtin_cpu_init();\n#endif\n";
  for (const auto& [bytes, features] :
       {std::pair<std::string_view, std::string_view>{"64", kWide}, {"32", kMiddle}, {"16", ""}})
    out += choice(bytes, features, unit.entry);
  out +=
      "  return 0;\n}\n// Before main(), or when the shared object is loaded.\n"
      "__attribute__((constructor)) static void mlgc_prepare_widest() { " +
      unit.prepare + "(0); }\n";
  for (const UnitFunction& f : unit.entry)
    out += "\n" + std::string(spaced ? "" : "extern \"C\" ") + f.type + " " + f.name + "(" + f.parameters +
           ") { return mlgc_chosen_" + f.name + "(" + f.arguments + "); }\n";
  out += unit.tail + close;
  const std::string prelude = print_prelude(unit.functions);
  out +=
      "\n#else  // once for each width\n\n"
      "#define MLGC_INLINE MLGC_TARGET __attribute__((always_inline, unused)) static inline\n"
      "#define MLGC_CALL MLGC_TARGET __attribute__((noinline, cold, unused)) static\n"
      "#define MLGC_UNUSED __attribute__((unused))\n" +
      open + "namespace MLGC_WIDTH {\n\n" + prelude + unit.functions + "\n}  // namespace MLGC_WIDTH\n" + close +
      "#undef MLGC_INLINE\n#undef MLGC_CALL\n#undef MLGC_UNUSED\n";
  return out + "#endif\n";
}

}  // namespace mlgc::codegen
