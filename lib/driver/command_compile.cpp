// mlgc compile: a model as machine code, on disk.
#include <filesystem>

#include "artifact/artifact.h"
#include "compile/compile_model.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/compiler_flags.h"
#include "driver/emit_flags.h"
#include "driver/log.h"
#include "ops/numerics.h"
#include "ops/op_table.h"
#include "support/byte_size.h"

namespace mlgc {
namespace {

constexpr std::string_view kCompileExamples =
    "  mlgc compile model.pt2 -o model.mlgcx                     then: mlgc run model.mlgcx --input=@in.npz\n"
    "  mlgc compile model.pt2 -o model.mlgcx --single-file       one file instead of a folder\n"
    "  mlgc compile mlp.mlir -O1 --host-compiler=clang++-16      with other passes than -O2, and another compiler\n"
    "  mlgc compile mlp.mlir --vector-bytes=all                  runs on other machines too: vectors of 16, 32 and "
    "64 bytes, in three times the time\n"
    "  mlgc compile model.pt2 -v                                  say why it is not in the cache, and each step\n"
    "  mlgc compile model.pt2 --decisions=model.decisions.json    kernels as mlgc tune measured them\n"
    "  mlgc compile model.pt2 --memory-limit=64MiB --dim=B=32    or not at all, if a call takes more for temporaries\n"
    "  mlgc compile model.pt2 --target=cuda --arch=sm_90a        for GPUs of NVIDIA, by nvcc; the driver runs it\n"
    "  mlgc compile prefill.pt2 decode.pt2 -o model.mlgcx        both in one artefact: functions prefill and decode, "
    "weights once\n";

// What now lies there, as it reads back.
void note_written(const std::string& path, const CompiledUnit& unit, DiagnosticEngine& diagnostics) {
  const Result<ArtifactFiles, Diagnostic> files = open_artifact(path);
  if (!files) return;  // for a CPU that this is not
  std::vector<std::string> functions;
  for (const ManifestFunction& function : files->manifest.functions) functions.push_back("@" + function.name);
  const auto bytes = [&](std::string_view name) {
    const ManifestFile* const file = files->manifest.file(name);
    return file == nullptr ? "none" : byte_size_text(static_cast<std::int64_t>(file->bytes));
  };
  diagnostics.emit(diagnose<kCompiledModelWritten>({}, path, std::move(functions), bytes(kSharedObjectName),
                                                   bytes(kWeightsName),
                                                   unit.cached ? "from the cache" : "compiled with " + unit.compiler));
}

}  // namespace

ExitCode run_compile(const Words& words) {
  Arguments arguments("compile", "Compiles a model to a shared object with its weights.", kCompileExamples);
  EmitFlags flags;
  std::string output;
  CompileOptions options;
  CompilerFlags compiler;
  flags.vectors.fallback = kNativeVectors;
  bool single_file = false;
  add_emit_flags(arguments, flags, true);
  add_limit_flags(arguments, flags);
  add_level_flags(arguments, flags.level);
  arguments.add_value("-o,--output", output, "MODEL", "Where it is written (default: the input's name, .mlgcx)");
  arguments.add_flag("--single-file", single_file, "Write one file instead of a folder");
  add_target_flags(arguments, flags);
  add_compiler_flags(arguments, compiler);
  add_vector_bytes_flag(arguments, flags.vectors,
                        "The vectors of kernels: of so many bytes, of this CPU's, or of all three widths, chosen when "
                        "the model is loaded");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = read_emit_flags(flags, "compile")) return console.report(*std::move(wrong));
  if (auto wrong = read_compiler_flags(compiler, *flags.emit.target, options.compiler))
    return console.report(*std::move(wrong));
  if (output.empty())
    output = (flags.input == "-" ? "model" : std::filesystem::path(flags.input).stem().string()) + ".mlgcx";
  options.vector_bytes = flags.vectors.bytes();
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const std::optional<EmittedModel> model = emit_from_flags(flags, context, diagnostics);
  if (!model) return console.report(diagnostics);
  Result<CompiledUnit, Diagnostic> unit = compile_emitted(*model, options, diagnostics);
  if (!unit) return console.report(context->locations(), std::move(unit).error());
  if (!unit->cached) log_info("not in the cache: " + unit->miss);
  log_info(std::string(unit->cached ? "found it in the cache" : "compiled with " + unit->compiler));
  ArtifactRequest request;
  request.unit = &*unit;
  request.symbol = model->source.symbol;
  request.numerics = numerics_name(flags.numerics);
  request.weights = model->weights;
  request.single_file = single_file;
  if (Status<Diagnostic> written = write_artifact(output, request); !written)
    diagnostics.emit(written.error());
  else
    note_written(output, *unit, diagnostics);
  return console.report(diagnostics);
}

}  // namespace mlgc
