// mlgc emit: writes a model as source that stands alone.
#include <algorithm>

#include "compile/compile_model.h"
#include "compile/emitted_folder.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/compiler_flags.h"
#include "driver/emit_flags.h"
#include "driver/log.h"
#include "ops/op_table.h"

namespace mlgc {
namespace {

constexpr std::string_view kEmitExamples =
    "  mlgc emit model.pt2 --target=cpp -o out/      model.cpp, model.h, weights, runtime, CMakeLists.txt, README.md\n"
    "  mlgc emit model.pt2 --target=cuda --arch=sm_90 -o out/                  model.cu, for the CUDA toolkit\n"
    "  mlgc emit model.pt2 --target=cuda --form=ptx -o model.ptx               what nvcc makes of it; sass: machine "
    "code\n"
    "  mlgc emit mlp.mlir -O1 -o out/                with other passes than -O2\n"
    "  mlgc emit mlp.mlir --machine=x86-64-v3        with tiles for vectors of 32 bytes\n"
    "  mlgc emit loops.mlir --random-weights=1       prints the source alone\n"
    "The folder builds with g++ or clang++ and nothing else, or with nvcc: its README says how.\n";

constexpr std::string_view kSource = "source";

}  // namespace

ExitCode run_emit(const Words& words) {
  Arguments arguments("emit", "Writes a model as source that stands alone.", kEmitExamples);
  EmitFlags flags;
  std::string output = "-";
  std::string form_name(kSource);
  CompilerFlags compiler;
  add_emit_flags(arguments, flags, true);
  add_level_flags(arguments, flags.level);
  add_limit_flags(arguments, flags);
  add_target_flags(arguments, flags);
  std::vector<std::pair<std::string_view, std::string>> forms{{kSource, std::string(kSource)}};
  std::string summary = "What is written: source";
  for (const CompilerDef& def : compilers())
    for (const CompiledForm& one : def.forms) {
      forms.emplace_back(one.name, one.name);
      summary += "; " + std::string(one.name) + ", " + std::string(one.summary) + ", with --target=cuda";
    }
  arguments.add_choice<std::string>("--form", form_name, std::move(forms), summary);
  add_compiler_flags(arguments, compiler);
  add_vector_bytes_flag(arguments, flags.vectors,
                        "The vectors of kernels: tiles and code for so many bytes alone, or for this CPU's; all: code "
                        "for three widths, with tiles for 64 bytes");
  arguments.add_value("-o,--output", output, "FOLDER",
                      "Where it is written, of --form=ptx or sass a file; - prints the source alone");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = read_emit_flags(flags, "emit")) return console.report(*std::move(wrong));
  flags.emit.vector_bytes = flags.vectors.bytes();
  const CompiledForm* form = nullptr;
  if (form_name != kSource) {
    const std::span<const CompiledForm> known = compiler_of(*flags.emit.target).forms;
    const auto found = std::ranges::find(known, form_name, &CompiledForm::name);
    if (found == known.end())
      return console.report(
          diagnose<kFlagConflict>({}, "--form=" + form_name, "--target=" + std::string(flags.emit.target->name)));
    form = &*found;
  }
  CompileOptions options;
  if (auto wrong = read_compiler_flags(compiler, *flags.emit.target, options.compiler))
    return console.report(*std::move(wrong));
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const std::optional<EmittedModel> model = emit_from_flags(flags, context, diagnostics);
  if (!model) return console.report(diagnostics);
  if (form != nullptr) {
    const Result<std::string, Diagnostic> text = emitted_form(*model, *form, options);
    if (!text) return console.report(context->locations(), text.error());
    if (const Status<> written = write_product(output, *text); !written)
      diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  } else if (output == "-") {
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
