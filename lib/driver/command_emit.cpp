// mlgc emit: writes a model as source that stands alone.
#include "artifact/runtime_source.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/emit_flags.h"
#include "driver/log.h"
#include "ops/op_table.h"

namespace mlgc {
namespace {

constexpr std::string_view kExamples =
    "  mlgc emit model.pt2 --target=cpp -o out/      model.cpp, model.h, weights, runtime, CMakeLists.txt, README.md\n"
    "  mlgc emit mlp.mlir -O1 -o out/                with other passes than -O2\n"
    "  mlgc emit loops.mlir --random-weights=1       prints the source alone\n"
    "The folder builds with g++ or clang++ and nothing else: its README says how.\n";

enum class Target : std::uint8_t { Cpp };

}  // namespace

ExitCode run_emit(const Words& words) {
  Arguments arguments("emit", "Writes a model as source that stands alone.", kExamples);
  EmitFlags flags;
  std::string output = "-";
  Target target = Target::Cpp;
  Words rest = words;
  add_emit_flags(arguments, flags, rest);
  arguments.add_choice<Target>("--target", target, {{"cpp", Target::Cpp}}, "What is written: C++");
  arguments.add_value("-o,--output", output, "FOLDER", "Where it is written; - prints the source alone");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(rest)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = read_emit_flags(flags, "emit")) return console.report(*std::move(wrong));
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const std::optional<EmittedModel> model = emit_from_flags(flags, context, diagnostics);
  if (!model) return console.report(diagnostics);
  if (output == "-") {
    for (const CppFile& file : model->source.sources)
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
