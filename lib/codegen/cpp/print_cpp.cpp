// Puts a file together: declarations, functions, and the names of the vector types that they use.
#include "codegen/cpp/print_cpp.h"

#include <set>

#include "codegen/cpp/cpp_hooks.h"
#include "codegen/cpp/unit.h"
#include "codegen/source_model.h"
#include "diag/kinds_codegen.h"
#include "loopir/module_machine.h"

namespace mlgc {
namespace {

// What lib/runtime/unit.h says of the runtime, for files that do not include it.
constexpr std::string_view kRuntime = R"(#ifndef MLGC_RUNTIME_UNIT_H
extern "C" {
typedef struct mlgc_runtime mlgc_runtime;
typedef int32_t mlgc_body(void* arg, int64_t begin, int64_t end, void* scratch);
struct mlgc_runtime {
  int32_t threads;
  void* stream;
  int32_t (*parallel_for)(const mlgc_runtime* runtime, int64_t n, int64_t grain, mlgc_body* body, void* arg);
  int32_t (*fail)(const mlgc_runtime* runtime, const char* message, const int64_t* values, int32_t count);
  int32_t (*bind_size)(const mlgc_runtime* runtime, int32_t symbol, int64_t value);
  void (*launch)(const mlgc_runtime* runtime, int32_t kernel);
  int32_t (*fail_device)(const mlgc_runtime* runtime, int32_t status, const char* reason);
  int32_t (*external)(const mlgc_runtime* runtime, int32_t segment, const void* const* buffers, const int64_t* symbols);
};
}
#endif
)";

// The element types of vectors in names such as f32x16.
struct Element {
  std::string_view name, type;
};
constexpr Element kElements[] = {{"f32", "float"},   {"f64", "double"},  {"i8", "int8_t"},   {"ui8", "uint8_t"},
                                 {"i16", "int16_t"}, {"i32", "int32_t"}, {"i64", "int64_t"}, {"ui16", "uint16_t"}};

bool has_word(const std::string& text, const std::string& word) {
  const auto in_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + word.size())) return true;
  return false;
}

}  // namespace

namespace codegen {

std::string vector_types(const std::string& text) {
  std::string out;
  for (int lanes = 2; lanes <= 64; lanes *= 2)
    for (const Element& e : kElements) {
      const std::string name = std::string(e.name) + "x" + std::to_string(lanes);
      if (has_word(text, name))
        out += "typedef mlgc_vec<" + std::string(e.type) + ", " + std::to_string(lanes) + "> " + name + ";\n";
    }
  return out;
}

bool adds_pairs(std::span<const PrintedFunction> functions) {
  return has_word(shared_functions(functions), "mlgc_add_pairs");
}

}  // namespace codegen

Result<CppUnit, Diagnostic> print_cpp(std::span<const OpRef> functions, const CppOptions& options) {
  std::set<std::string> names;
  const bool pairs = !functions.empty() && machine_of(functions[0].module(), MachineKind::Cpu).cpu().pairs_bf16();
  auto printed = codegen::print_loop_functions(functions, codegen::CppHooks(options.mathematics, pairs), names);
  if (!printed) return Failure{std::move(printed.error())};
  CppUnit out;
  out.functions = *std::move(printed);
  std::string text = codegen::shared_functions(out.functions);
  std::vector<codegen::UnitFunction> entry;
  for (const codegen::PrintedFunction& f : out.functions) {
    text += "\n" + f.text;
    entry.push_back({"int32_t", f.name, f.parameters, f.arguments});
  }
  codegen::Unit unit;
  unit.file_name = options.file_name;
  unit.head = kRuntime;
  unit.functions = codegen::vector_types(text) + text;
  unit.entry = entry;
  unit.bf16_pairs = codegen::adds_pairs(out.functions);
  out.text = codegen::print_unit(unit);
  return out;
}

}  // namespace mlgc
