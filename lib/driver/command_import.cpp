// mlgc import: a model of a framework as text, its weights beside it.
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "import/import_model.h"
#include "ops/op_table.h"

namespace mlgc {

ExitCode run_import(const Words& words) {
  Arguments arguments("import", "Turns a .pt2 file of torch.export into text, with its weights beside it.",
                      "  mlgc import digits.pt2 -o digits.mlir   writes digits.mlir and digits.safetensors\n"
                      "  mlgc import digits.pt2                  prints the text alone\n"
                      "  mlgc eval digits.pt2 --input=@in.npz    evaluates without a text in between\n");
  std::string input, output = "-", model;
  arguments.add_positional("model-file", input, "FILE.pt2", "A .pt2 file", true);
  arguments.add_value("-o,--output", output, "FILE", "Where to print; - is standard output");
  arguments.add_value("--model", model, "NAME", "Which model of an archive that holds several");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), arguments.console().error_limit);
  bool imported = false;
  {
    const Progress progress("importing " + input);
    imported = import_model_file(input, output, {.model = model}, diagnostics, context);
  }
  const ExitCode code = arguments.console().report(diagnostics);
  return imported || code != ExitCode::Ok ? code : ExitCode::BadInput;
}

}  // namespace mlgc
