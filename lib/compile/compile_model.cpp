// See compile_model.h.
#include "compile/compile_model.h"

#include <utility>

#include "artifact/shared_object.h"
#include "diag/kinds_artifact.h"

namespace mlgc {

std::int32_t widest_vectors() {
#if defined(__x86_64__)
  // Those that lib/codegen/cpp/unit.cpp asks for.
  const bool middle = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                      __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
                      __builtin_cpu_supports("popcnt") != 0;
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0 && middle)
    return 64;
  if (middle) return 32;
#endif
  return 16;
}

Result<CompiledUnit, Diagnostic> compile_emitted(const EmittedModel& model, const CompileOptions& options,
                                                 DiagnosticEngine& diagnostics) {
  CompileRequest request;
  request.name = model.name;
  for (const CppFile& file : model.source.sources) request.sources.push_back({file.name, file.text});
  request.flags = options.flags;
  if (options.vector_bytes != 0) request.flags.push_back("-DMLGC_ONLY=" + std::to_string(options.vector_bytes));
  request.host_compiler = options.host_compiler;
  return compile_unit(request, options.use_cache ? Cache::open(diagnostics) : Cache(), diagnostics);
}

Result<Model, Diagnostic> load_emitted(const EmittedModel& model, const CompileOptions& options,
                                       DiagnosticEngine& diagnostics) {
  auto unit = compile_emitted(model, options, diagnostics);
  if (!unit) return Failure{std::move(unit.error())};
  auto object = SharedObject::open(unit->path, model.source.symbol);
  if (!object) return Failure{std::move(object.error())};
  SharedBytes weights;
  if (!model.weights.empty()) {
    Result<SharedBytes> bytes = weights_in_memory(model.weights);
    if (!bytes) return Failure{diagnose<kRunLimit>({}, bytes.error())};
    weights = *std::move(bytes);
  }
  return Model::load(*std::move(object), std::move(weights), options.vector_bytes);
}

}  // namespace mlgc
