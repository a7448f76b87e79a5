// mlgc emit: writes a model as source that stands alone.
#include "compile/emitted_folder.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/emit_flags.h"
#include "driver/log.h"
#include "driver/target_flag.h"
#include "ops/op_table.h"

namespace mlgc {
namespace {

constexpr std::string_view kEmitExamples =
    "  mlgc emit model.pt2 --target=cpp -o out/      model.cpp, model.h, weights, runtime, CMakeLists.txt, README.md\n"
    "  mlgc emit model.pt2 --target=cuda --arch=sm_90 -o out/                  model.cu, for the CUDA toolkit\n"
    "  mlgc emit mlp.mlir -O1 -o out/                with other passes than -O2\n"
    "  mlgc emit mlp.mlir --machine=x86-64-v3        with tiles for vectors of 32 bytes\n"
    "  mlgc emit loops.mlir --random-weights=1       prints the source alone\n"
    "The folder builds with g++ or clang++ and nothing else, or with nvcc: its README says how.\n";

}  // namespace

ExitCode run_emit(const Words& words) {
  Arguments arguments("emit", "Writes a model as source that stands alone.", kEmitExamples);
  EmitFlags flags;
  std::string output = "-";
  std::optional<std::string> arch;
  add_emit_flags(arguments, flags, true);
  add_level_flags(arguments, flags.level);
  add_limit_flags(arguments, flags);
  add_target_flag(arguments, flags.emit.target);
  add_vector_bytes_flag(arguments, flags.vectors,
                        "The vectors of kernels: tiles and code for so many bytes alone, or for this CPU's; all: code "
                        "for three widths, with tiles for 64 bytes");
  arguments.add_value("--arch", arch, "NAME", "What the target's compiler compiles for, as sm_90 of --target=cuda");
  arguments.add_value("-o,--output", output, "FOLDER", "Where it is written; - prints the source alone");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = read_emit_flags(flags, "emit")) return console.report(*std::move(wrong));
  flags.emit.vector_bytes = flags.vectors.bytes();
  const TargetDef& target = *flags.emit.target;
  if (arch && target.arch.empty())
    return console.report(
        diagnose<kBadFlag>({}, "--arch: --target=" + std::string(target.name) + " has no such flag", "emit"));
  if (arch && !target.takes_arch(*arch))
    return console.report(
        diagnose<kBadFlag>({}, "--arch: `" + *arch + "` is none, as `" + std::string(target.arch) + "` is", "emit"));
  if (arch) flags.emit.arch = *arch;
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const std::optional<EmittedModel> model = emit_from_flags(flags, context, diagnostics);
  if (!model) return console.report(diagnostics);
  if (output == "-") {
    for (const EmittedFile& file : model->source.sources)
      if (const Status<> written = write_product("-", file.text); !written)
        diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  } else if (Status<Diagnostic> written = write_emitted(output, *model); !written) {
    diagnostics.emit(written.error());
  } else {
    log_info("wrote " + output);
  }
  return console.report(diagnostics);
}

}  // namespace mlgc
