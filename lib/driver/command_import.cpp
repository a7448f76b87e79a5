// mlgc import: a model of a framework as text, its weights beside it.
#include <algorithm>

#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/fallback_flag.h"
#include "driver/file_kind.h"
#include "driver/input_type_flag.h"
#include "import/fx/import_fx.h"
#include "import/import_models.h"
#include "import/link_models.h"
#include "import/model_formats.h"
#include "ops/op_table.h"

namespace mlgc {

namespace {

ExitCode print_listing(Context& context, const std::string& input, const std::string& output,
                       DiagnosticEngine& diagnostics, const Console& console) {
  if (const std::optional<std::string> listing = fx_listing(context, input, diagnostics)) {
    const Status<> written = write_product(output, *listing);
    if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  }
  return console.report(diagnostics);
}

}  // namespace

ExitCode run_import(const Words& words) {
  Arguments arguments(
      "import", "Turns a file of torch.export, TorchScript or torch.fx into text, with its weights beside it.",
      "  mlgc import digits.pt2 -o digits.mlir   writes digits.mlir and digits.safetensors\n"
      "  mlgc import digits.pt2                  prints the text alone\n"
      "  mlgc import model.pt2 --fallback=warn   calls PyTorch for operators that mlgc does not have\n"
      "  mlgc import model.pt --input-type=x=[B]x3xf32   TorchScript, which states no shapes\n"
      "  mlgc import model.pt --input-type=x=[B]x4xf32 '--where=1 <= B <= 64'   with bounds of its sizes\n"
      "  mlgc import model.fx.json               a graph of torch.fx, which scripts/export_fx.py wrote\n"
      "  mlgc import model.fx.json --fx-listing  prints it as FX does, and imports nothing\n"
      "  mlgc import prefill.pt2 decode.pt2 -o llm.mlir   both in one module: functions prefill and decode, weights "
      "once\n"
      "  mlgc eval digits.pt2 --input=@in.npz    evaluates without a text in between\n");
  std::vector<std::string> inputs;
  std::string output = "-", model;
  arguments.add_positional("module", inputs, "FILE...",
                           "A model: " + model_files_text() +
                               ". Several become one module: functions are called after their files, equal weights and "
                               "states are shared",
                           true);
  arguments.add_value("-o,--output", output, "FILE", "Where it is written; - is standard output");
  bool fx_listing_only = false;
  arguments.add_flag("--fx-listing", fx_listing_only, "Print a graph of torch.fx as its print_tabular() does");
  arguments.add_value("--model", model, "NAME", "Which model of an archive that holds several");
  InputTypeFlags input_types;
  add_input_type_flag(arguments, input_types);
  FallbackFlags fallback;
  add_fallback_flags(arguments, fallback);
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  if (const auto wrong = read_input_types(input_types, "import")) return arguments.console().report(*wrong);
  if (inputs.size() > 1) {
    const std::pair<const char*, bool> of_one[] = {
        {"--fx-listing", fx_listing_only}, {"--model", !model.empty()}, {"--input-type", !input_types.given.empty()}};
    for (const auto& [flag, given] : of_one)
      if (given)
        return arguments.console().report(
            diagnose<kBadFlag>({}, std::string(flag) + ": which of the models is meant is not said", "import"));
  }
  for (const std::string& input : inputs)
    if (const auto other = find_other_than_model(input)) return arguments.console().report(*other);
  if (const auto equal = find_equal_names(inputs)) return arguments.console().report(*equal);
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), arguments.console().error_limit);
  if (fx_listing_only) return print_listing(*context, inputs.front(), output, diagnostics, arguments.console());
  const ImportOptions options{
      .model = model, .fallback = fallback.mode, .input_types = input_types.types, .where = input_types.where};
  const std::optional<FallbackLedger> imported = import_model_files(inputs, output, options, diagnostics, context);
  const ExitCode code = arguments.console().report(diagnostics);
  if (!imported) {
    const ExitCode wrong = code != ExitCode::Ok ? code : ExitCode::BadInput;
    return std::max(wrong, write_refused_report(arguments.console(), fallback, inputs, options));
  }
  return std::max(code, write_fallback_report(arguments.console(), fallback, *imported));
}

}  // namespace mlgc
