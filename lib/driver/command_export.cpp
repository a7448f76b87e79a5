// mlgc export: a model in a notation that other programs read.
#include <filesystem>

#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/fallback_flag.h"
#include "driver/function_results.h"
#include "driver/input_type_flag.h"
#include "driver/load.h"
#include "driver/module_data.h"
#include "driver/pass_flags.h"
#include "export/notation.h"
#include "pass/pass_manager.h"
#include "support/file.h"
#include "tensor/safetensors.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

constexpr std::string_view kExportExamples =
    "  mlgc export model.pt2 --to=fx-code -o model.py      writes model.py and model.safetensors\n"
    "  mlgc export mlp.mlir --to=fx-code                   prints the Python alone\n"
    "  mlgc export mlp.mlir --to=fx-code --random-weights=1 -o mlp.py   with made-up weights\n"
    "  mlgc export mlp.mlir -O1 --to=fx-code               what passes leave\n"
    "Notations:\n";

struct ExportFlags {
  std::string input = "-", function, to, output = "-";
  DataFlags data;
  InputTypeFlags input_types;
  FallbackFlags fallback;
  std::optional<std::string> pipeline;
  Words pass_flags;
};

std::string examples() {
  std::string out(kExportExamples);
  for (const Notation& notation : notations())
    out += "  " + std::string(notation.name) + std::string(14 - notation.name.size(), ' ') +
           std::string(notation.summary) + "\n";
  return out;
}

// The module has a file of weights, or the command was told where they come from.
bool has_data(const Module& module, const ExportFlags& flags, const NamedTensors& imported) {
  return !imported.empty() || !flags.data.weights.empty() || flags.data.random_seed ||
         module.top().attr("weights").valid();
}

// The text and what stands beside it; the text last, so that it never is there without its weights.
Status<> write_files(const std::string& output, const Exported& exported, const NamedTensors& tensors) {
  if (output == "-") return write_product(output, exported.text);
  Result<AtomicFile> text = AtomicFile::open(output);
  if (!text) return Failure{text.error()};
  if (Status<> written = text->write(exported.text); !written) return written;
  if (!tensors.empty()) {
    const std::string path = std::filesystem::path(output).replace_extension(".safetensors").string();
    if (Status<> written = write_safetensors(path, tensors); !written) return written;
  }
  return text->commit();
}

ExitCode run(const Console& console, const ExportFlags& flags, const Notation& notation) {
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const Result<Pipeline, Diagnostic> pipeline = make_pipeline(flags.pass_flags, flags.pipeline, context->locations());
  if (!pipeline) return console.report(context->locations(), pipeline.error());
  const ImportOptions options{
      .fallback = flags.fallback.mode, .input_types = flags.input_types.types, .where = flags.input_types.where};
  std::optional<LoadedModel> model = load_model(context, flags.input, options, diagnostics);
  if (!model) return console.report(diagnostics);
  Module& module = model->module;
  const FuncRef function = choose_function(module, flags.function, diagnostics);
  if (!function.valid()) return console.report(diagnostics);
  const std::string name(function.name());
  NamedTensors tensors;
  if (notation.has_weights && flags.output != "-" && has_data(module, flags, model->weights)) {
    const auto data = load_data(module, flags.data, model->weights, {}, diagnostics);
    if (!data) return console.report(diagnostics);
    tensors.assign(data->begin(), data->end());
  }
  if (!PassManager(*context, {.verify = verify}).run(module, *pipeline, diagnostics))
    return console.report(diagnostics);
  const Result<Exported, Diagnostic> exported = notation.write(module, find_function(module, name));
  if (!exported) {
    diagnostics.emit(exported.error());
    return console.report(diagnostics);
  }
  tensors.insert(tensors.end(), exported->constants.begin(), exported->constants.end());
  if (const Status<> written = write_files(flags.output, *exported, tensors); !written)
    diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace

ExitCode run_export(const Words& words) {
  Arguments arguments("export", "Writes a model in a notation that other programs read.", examples());
  ExportFlags flags;
  arguments.add_positional("module", flags.input, "FILE",
                           "Text of a module, or a model file; - or nothing: standard input");
  arguments.add_value("--to", flags.to, "NOTATION", "Which one; they are listed below");
  arguments.add_value("-o,--output", flags.output, "FILE",
                      "Where it is written, weights beside it as .safetensors; - is standard output, without weights");
  arguments.add_value("--function", flags.function, "NAME", "Which function (default: the only one, forward or main)");
  arguments.add_value("--weights", flags.data.weights, "FILE",
                      "The weights, instead of the file that the module names");
  arguments.add_value("--random-weights", flags.data.random_seed, "SEED", "Made-up weights");
  arguments.add_value("--pass-pipeline", flags.pipeline, "TEXT", "Passes, run first; passes and levels are flags too");
  add_pass_flags(arguments, flags.pass_flags, false);
  add_input_type_flag(arguments, flags.input_types);
  add_fallback_flags(arguments, flags.fallback);
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (const auto wrong = read_input_types(flags.input_types, "export")) return console.report(*wrong);
  if (flags.to.empty()) return console.report(diagnose<kBadFlag>({}, "--to is missing", "export"));
  const auto notation = find_notation(flags.to);
  if (!notation) return console.report(notation.error());
  const std::size_t slash = flags.input.rfind('/');
  flags.data.folder = slash == std::string::npos ? "" : flags.input.substr(0, slash);
  return run(console, flags, **notation);
}

}  // namespace mlgc
