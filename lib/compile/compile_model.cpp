// See compile_model.h.
#include "compile/compile_model.h"

#include <utility>

#include "artifact/shared_object.h"
#include "codegen/cpp/unit.h"
#include "diag/kinds_artifact.h"
#include "support/log.h"

namespace mlgc {

std::int32_t widest_vectors() {
  const std::span<const codegen::VectorWidth> widths = codegen::vector_widths();
  for (const codegen::VectorWidth& width : widths)
    if (missing_cpu_features(std::vector<std::string>(width.features.begin(), width.features.end())).empty())
      return width.bytes;
  return widths.back().bytes;
}

bool runs_here(const CpuMachine& machine) {
  return machine.vector_bytes <= widest_vectors() &&
         (!machine.pairs_bf16() || missing_cpu_features({{std::string(codegen::kBf16Feature)}}).empty());
}

const CompilerDef& compiler_of(const TargetDef& target) { return compiler_named(target.compiler); }

namespace {

CompileRequest request_of(const EmittedModel& model, const CompileOptions& options) {
  CompileRequest request;
  request.name = model.name;
  for (const EmittedFile& file : model.source.sources) request.sources.push_back({file.name, file.text});
  request.flags = options.flags;
  if (options.vector_bytes != 0) request.flags.push_back("-DMLGC_ONLY=" + std::to_string(options.vector_bytes));
  request.by = &compiler_of(*model.target);
  request.arch = model.arch;
  request.compiler = options.compiler;
  request.made_of = model.made_of;
  return request;
}

}  // namespace

Result<CacheKey, Diagnostic> cache_key(const EmittedModel& model, const CompileOptions& options) {
  return cache_key(request_of(model, options));
}

Result<CompiledUnit, Diagnostic> compile_emitted(const EmittedModel& model, const CompileOptions& options,
                                                 DiagnosticEngine& diagnostics) {
  return compile_unit(request_of(model, options), options.use_cache ? Cache::open(diagnostics) : Cache(), diagnostics);
}

Result<std::string, Diagnostic> emitted_form(const EmittedModel& model, const CompiledForm& form,
                                             const CompileOptions& options) {
  return compile_to_form(request_of(model, options), form);
}

Result<Model, Diagnostic> load_emitted(const EmittedModel& model, const CompileOptions& options,
                                       DiagnosticEngine& diagnostics) {
  auto unit = compile_emitted(model, options, diagnostics);
  if (!unit) return Failure{std::move(unit.error())};
  log_info(unit->cached ? "found it in the cache" : "compiled with " + unit->compiler);
  auto object = SharedObject::open(unit->path, model.source.symbol);
  if (!object) return Failure{std::move(object.error())};
  SharedBytes weights;
  if (!model.weights.empty()) {
    Result<SharedBytes> bytes = weights_in_memory(model.weights);
    if (!bytes) return Failure{diagnose<kRunLimit>({}, bytes.error())};
    weights = *std::move(bytes);
  }
  log_info("opened the shared object" + std::string(weights.size() > 0 ? ", copied the weights" : ""));
  return Model::load(*std::move(object), std::move(weights), {options.vector_bytes, options.device, options.externals});
}

}  // namespace mlgc
