// mlgc emit: writes a model as source that stands alone.
#include <algorithm>

#include "compile/emitted_folder.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/emit_flags.h"
#include "driver/log.h"
#include "ops/op_table.h"

namespace mlgc {
namespace {

constexpr std::string_view kEmitExamples =
    "  mlgc emit model.pt2 --target=cpp -o out/      model.cpp, model.h, weights, runtime, CMakeLists.txt, README.md\n"
    "  mlgc emit model.pt2 --target=cuda --arch=sm_90 -o out/                  model.cu, for the CUDA toolkit\n"
    "  mlgc emit mlp.mlir -O1 -o out/                with other passes than -O2\n"
    "  mlgc emit loops.mlir --random-weights=1       prints the source alone\n"
    "The folder builds with g++ or clang++ and nothing else, or with nvcc: its README says how.\n";

// `sm_90`, `sm_90a`.
bool is_architecture(std::string_view text) {
  if (text.substr(0, 3) != "sm_") return false;
  text.remove_prefix(3);
  if (text.ends_with('a')) text.remove_suffix(1);
  return text.size() >= 2 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

ExitCode run_emit(const Words& words) {
  Arguments arguments("emit", "Writes a model as source that stands alone.", kEmitExamples);
  EmitFlags flags;
  std::string output = "-";
  std::optional<std::string> arch;
  Words rest = words;
  add_emit_flags(arguments, flags, rest, true);
  add_limit_flags(arguments, flags);
  arguments.add_choice<Target>("--target", flags.emit.target, {{"cpp", Target::Cpp}, {"cuda", Target::Cuda}},
                               "What is written: C++, or CUDA");
  arguments.add_choice<std::int32_t>("--vector-bytes", flags.vector_bytes, {{"16", 16}, {"32", 32}, {"64", 64}},
                                     "The vectors that tiles are made for (default: 64); all widths compile");
  arguments.add_value("--arch", arch, "NAME", "Of --target=cuda: what nvcc compiles for, `sm_90`");
  arguments.add_value("-o,--output", output, "FOLDER", "Where it is written; - prints the source alone");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(rest)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = read_emit_flags(flags, "emit")) return console.report(*std::move(wrong));
  if (arch && flags.emit.target != Target::Cuda)
    return console.report(diagnose<kBadFlag>({}, "--arch: it is of --target=cuda alone", "emit"));
  if (arch && !is_architecture(*arch))
    return console.report(diagnose<kBadFlag>({}, "--arch: `" + *arch + "` is none, as `sm_90` is", "emit"));
  if (arch) flags.emit.arch = *arch;
  if (flags.vector_bytes != 0 && flags.emit.target == Target::Cuda)
    return console.report(diagnose<kBadFlag>({}, "--vector-bytes: it is of --target=cpp alone", "emit"));
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
