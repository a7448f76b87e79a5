// See c99_target.h.
#include "c99_target.h"

#include <set>

#include "c99_hooks.h"
#include "c99_prelude.h"
#include "c99_scalar_functions.h"
#include "codegen/identifiers.h"
#include "codegen/prelude.h"
#include "diag/kinds_codegen.h"
#include "loops/add_host_functions.h"

namespace mlgc::c99 {
namespace {

using codegen::ModelFunction;
using codegen::PrintedFunction;

constexpr std::string_view kTypes = R"(#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mlgc_failure {
  const char* message; /* {0}, {1} … stand for the values */
  int64_t values[8];
  int32_t count;
} mlgc_failure;

/* In the order of the signature; sizes by name. */
typedef struct mlgc_call {
  const void* const* inputs;
  void* const* outputs;
  const void* const* weights;
  const void* const* states;
  const int64_t* symbols;
  char* arena; /* aligned to 64 bytes */
  const int64_t* offsets;
  mlgc_failure* failure;
} mlgc_call;
)";

// A size of a function as C over `symbols`.
class SizeText {
 public:
  SizeText(const IndexPool& index, const ModelFunction& function) : index_(index), function_(function) {}

  std::string of(IndexExpr e) const {
    std::string sum;
    for (std::size_t i = 0; i < index_.term_count(e); ++i) {
      const Term term = index_.term(e, i);
      std::string product = "INT64_C(" + std::to_string(term.coefficient) + ")";
      for (const AtomId factor : term.factors) product += "*" + atom(factor);
      sum += (i == 0 ? "" : " + ") + product;
    }
    return sum.empty() ? "0" : "(" + sum + ")";
  }

 private:
  std::string atom(AtomId id) const {
    const Atom& a = index_.atom(id);
    const auto both = [&](const char* name) { return std::string(name) + "(" + of(a.a) + ", " + of(a.b) + ")"; };
    switch (a.kind) {
      case AtomKind::FloorDiv: return both("mlgc_floor_div");
      case AtomKind::Mod: return both("mlgc_mod");
      case AtomKind::Min: return both("mlgc_least");
      case AtomKind::Max: return both("mlgc_most");
      default: break;
    }
    for (std::size_t s = 0; s < function_.symbols.size(); ++s)
      if (function_.symbols[s].atom == id) return "symbols[" + std::to_string(s) + "]";
    throw diagnose<kCannotEmit>(function_.host_function.location(), "a size that is told by a product");
  }

  const IndexPool& index_;
  const ModelFunction& function_;
};

// Every buffer has a place of its own.
std::string arena_function(const IndexPool& index, const ModelFunction& function, const std::string& name) {
  const SizeText size(index, function);
  std::string out = "int64_t " + name +
                    "_arena(const int64_t* symbols, int64_t* offsets) {\n  int64_t end = 0;\n"
                    "  (void)symbols;\n  (void)offsets;\n";
  for (std::size_t b = 0; b < function.buffers.size(); ++b)
    out += "  offsets[" + std::to_string(b) + "] = end;\n  end += (" + size.of(function.buffers[b].bytes) +
           " + 63) / 64 * 64;\n";
  return out + "  return end;\n}\n";
}

Result<std::vector<PrintedFunction>, Diagnostic> kernels_of(const Module& module, std::set<std::string>& names) {
  for (const OpRef function : codegen::launched_externals(module))
    return Failure{diagnose<kCannotEmit>(function.location(), "a segment of an external target")};
  return codegen::print_loop_functions(codegen::launched_kernels(module), C99Hooks(), names);
}

Result<SourceModel, Diagnostic> print_model(const Module& module, const codegen::DataPlaces&, const SourceOptions&) {
  std::set<std::string> names;
  const auto kernels = kernels_of(module, names);
  if (!kernels) return Failure{kernels.error()};
  const auto functions = codegen::describe_host_functions(module, codegen::memory_of(*kernels));
  if (!functions) return Failure{functions.error()};
  if (functions->empty()) return Failure{diagnose<kCannotEmit>({}, "a module without a function to call")};
  const C99Hooks hooks;
  const codegen::ModelData data = codegen::model_data(module);
  const std::string model = model_identifier(module);
  std::string text, heads;
  for (const PrintedFunction& kernel : *kernels) text += "\n" + kernel.text;
  try {
    for (const ModelFunction& function : *functions) {
      const std::string name = model + "_" + codegen::underscored(function.host_function.symbol());
      const auto printed = codegen::print_host_function(
          {function, data, *kernels},
          codegen::free_name("run_" + std::string(function.host_function.symbol()), hooks, names), hooks);
      if (!printed) return Failure{printed.error()};
      text += "\n" + printed->text + "\nint32_t " + name + "(const mlgc_call* call) { return " + printed->name +
              "(call); }\n" + arena_function(module.context().index(), function, name);
      heads += "int64_t " + name + "_arena(const int64_t* symbols, int64_t* offsets);\nint32_t " + name +
               "(const mlgc_call* call);\n";
    }
  } catch (Diagnostic& refused) {
    return Failure{std::move(refused)};
  }
  SourceModel out;
  out.symbol = model;
  out.sources.push_back({"model.c", "#include \"model.h\"\n" +
                                        std::string(calls_libm(text) ? "#include <math.h>\n" : "") + "\n" +
                                        codegen::print_prelude(text, prelude()) + text});
  out.header = {"model.h", std::string(kModelHeaderBegins) + std::string(codegen::module_name(module)) +
                               "` in plain C99. */\n#ifndef MLGC_" + model + "_H\n#define MLGC_" + model + "_H\n\n" +
                               std::string(kTypes) + "\n" + heads + "\n#endif\n"};
  return out;
}

Result<std::vector<ModelFunction>, Diagnostic> describe(Module& module) {
  if (Status<Diagnostic> added = add_host_functions(module); !added) return Failure{added.error()};
  std::set<std::string> names;
  const auto kernels = kernels_of(module, names);
  if (!kernels) return Failure{kernels.error()};
  return codegen::describe_host_functions(module, codegen::memory_of(*kernels));
}

std::vector<EmittedFile> build_files(const EmittedFolder& folder) {
  return {{"CMakeLists.txt", "cmake_minimum_required(VERSION 3.14)\nproject(" + folder.name + " C)\nadd_library(" +
                                 folder.name + " SHARED model.c)\nset_target_properties(" + folder.name +
                                 " PROPERTIES C_STANDARD 99)\n"},
          {"README.md", "# " + folder.name + "\n\nA model in plain C99: model.h says what to call.\n"}};
}

}  // namespace

constexpr TargetDef kC99Target{
    .name = "c99",
    .summary = "plain C99, scalar and freestanding",
    .level = "scalar-loops",
    .machine = "x86-64-v2",
    .runtime = false,
    .print = print_model,
    .describe = describe,
    .build_files = build_files,
};

}  // namespace mlgc::c99
